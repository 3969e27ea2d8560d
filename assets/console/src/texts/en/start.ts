export const start = {
  noProject: "No project yet",
  makeProject: "Create the first project",
  ci: "In CI: publish a version",
  ciText: "Run this for every release. It is safe to repeat: it creates the version or updates it.",
  app: "In the app: check for updates",
  appText: "No token needed.",
  key: (scope: string) => `SVC_API_KEY is the key of a token with the scope ${scope}.`,
  makeKey: "Create a token",
};
