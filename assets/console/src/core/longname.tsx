// A long name that is cut in its middle where there is no room, because names of files often differ
// only at their end.

import classes from "./longname.module.css";

/** Letters at the end that stay visible. */
const end = 16;
/** Shorter names fit everywhere. */
const short = 24;

export function LongName({ name }: { name: string }) {
  const letters = [...name];
  if (letters.length <= short) {
    return <bdi className={classes["short"]}>{name}</bdi>;
  }
  return (
    <>
      <span className="offscreen">{name}</span>
      <bdi className={classes["name"]} dir="auto" aria-hidden>
        <span>{letters.slice(0, -end).join("")}</span>
        <span>{letters.slice(-end).join("")}</span>
      </bdi>
    </>
  );
}
