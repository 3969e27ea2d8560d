export const start = {
  noProject: "No project yet",
  makeProject: "Create the first project",
  ci: "Publish a version from CI",
  ciText: "Run this for every release. It is safe to repeat: it creates the version or updates it.",
  app: "Check for updates in the app",
  appText: "No API key needed.",
  key: (scope: string) => `SVC_KEY is an API key with the scope ${scope}.`,
  makeKey: "Create the API key",
  keyName: (project: string) => `CI of ${project}`,
  keyMade: (days: number) => `The key is in the code above. It is shown only now, allows nothing else, and expires in ${days} days.`,
  copyKey: "Copy the key",
  waiting: {
    version: "Waiting for the first version…",
    check: "Waiting for the first update check…",
    event: "Waiting for the first event…",
  },
  arrived: {
    version: "The first version has arrived",
    check: "The first update check has arrived",
    event: "The first event has arrived",
  },
  later: { version: "First version", check: "First update check", event: "First event" },
};
