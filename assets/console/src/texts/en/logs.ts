export const logs = {
  noun: "log",
  level: "Level",
  levels: ["Debug", "Info", "Warning", "Error"],
  source: "Source",
  deviceInfo: "Device",
  sameHour: (platform: string) => `${platform} logs of that hour`,
  sameHourAnywhere: "All logs of that hour",
  empty: {
    title: "No logs yet",
    text: "Apps report errors and other messages here, so that you see what went wrong and where. Send the first one:",
  },
};
