// The events that a hook can select.

/** The names of the events below their first words. */
const names = {
  version: ["published", "yanked"],
  rollout: ["advanced", "paused", "resumed", "completed", "aborted", "held"],
  health: ["suspect", "failing"],
  announcement: ["published"],
  feedback: ["created"],
  log: ["group_created", "group_regressed", "group_spiked", "guard"],
  file: ["failed"],
  instance: ["backup_failed", "disk_low", "hook_disabled"],
};

export const everything = "*";

/** Returns the events that can happen, by their first words. Only the instance has events of the instance. */
export function eventsOf(ofInstance: boolean): { word: string; events: string[] }[] {
  return Object.entries(names)
    .filter(([word]) => ofInstance || word !== "instance")
    .map(([word, ends]) => ({ word, events: ends.map((end) => `${word}.${end}`) }));
}
