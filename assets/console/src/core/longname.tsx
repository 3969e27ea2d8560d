// A long name. If there is no room for it, its middle is cut, because the names of files often
// differ only at their end.

import classes from "./longname.module.css";

/** Number of letters at the end that are never cut. Names up to this length fit everywhere. */
const end = 16;

export function LongName({ name }: { name: string }) {
  const letters = [...name];
  if (letters.length <= end) {
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
