export const start = {
  noProject: "No project yet",
  makeProject: "Create the first project",
  ci: "In CI: publish a version",
  ciText: "Run this for every release. It is safe to repeat: it creates the version or updates it.",
  app: "In the app: check for updates",
  appText: "No API key needed.",
  key: (scope: string) => `SVC_KEY is an API key with the scope ${scope}.`,
  makeKey: "Create an API key",
};
