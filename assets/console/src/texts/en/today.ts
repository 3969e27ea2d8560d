export const today = {
  asOf: (time: string) => `As of ${time}`,
  nothing: "Nothing needs your attention.",
  list: "What needs attention",
  /** The number of a finding, with a unit in languages whose words after it need one. */
  figure: (_kind: string, number: string) => number,
  sentences: {
    no_file: (version: string) =>
      `update checks in seven days came from clients that must update to a version without a file, most of them to ${version}`,
    must_update: (version: string) => `update checks in seven days came from clients that must update, most of them to ${version}`,
    errors: (times: string, since: string) => `errors in 24 hours, ${times} times the usual, since ${since}`,
    firstErrors: (since: string) => `errors in 24 hours, where there are usually none, since ${since}`,
    regressed_errors: (count: number, title: string) =>
      count === 1
        ? `error that was resolved has come back in 24 hours: ${title}`
        : `errors that were resolved have come back in 24 hours, most often ${title}`,
    new_errors: (count: number, title: string) =>
      count === 1 ? `new error in 24 hours: ${title}` : `new errors in 24 hours, most often ${title}`,
    feedback_waiting: (count: number, oneStar: string) =>
      `${count === 1 ? "feedback message waits" : "feedback messages wait"} for an answer${oneStar === "0" ? "" : `, ${oneStar} with one star`}`,
    no_version: "versions are published, so no app finds an update",
    adoption: (version: string, days: number) =>
      `of update checks came from ${version}, ${days === 0 ? "released today" : `${days === 1 ? "1 day" : `${days} days`} after its release`}`,
    announcement_ends: (title: string, until: string) => `“${title}” ends: it is shown until ${until}`,
    announcement_endsFor: (title: string, until: string, versions: string) => `“${title}” ends: it is shown to ${versions} until ${until}`,
    no_backup: (since: string) => `was the last backup of this server, made at ${since}`,
    neverBackup: "backups of this server exist, although they are scheduled",
  },
  actions: {
    no_file: "Add a file",
    must_update: "See versions",
    regressed_errors: "See what came back",
    errors: "See the errors",
    new_errors: "See what is new",
    feedback_waiting: "Read feedback",
    no_version: "Publish a version",
    adoption: "See statistics",
    announcement_ends: "See announcements",
    no_backup: "See the server",
  },
};
