export const start = {
  noProject: "No project yet",
  makeProject: "Make the first project",
  ci: "In CI: publish a version",
  ciText: "Run it with each release. It may be repeated: it makes the version or brings it up to date.",
  app: "In the app: ask for updates",
  appText: "Needs no key.",
  key: (scope: string) => `SVC_API_KEY is an API key with the scope ${scope}.`,
  makeKey: "Make one",
};
