export const logs = {
  noun: "log",
  level: "Level",
  levels: ["Debug", "Info", "Warning", "Error"],
  source: "Source",
  deviceInfo: "Device",
  sameHour: (platform: string) => `Logs of ${platform} in that hour`,
  sameHourAnywhere: "All logs in that hour",
  empty: {
    title: "No logs yet",
    text: "Apps report errors and other events here, so that you see what went wrong and where. Send the first one:",
  },
};
