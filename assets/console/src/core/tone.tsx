// A short coloured label: a state, a level, a flag.

import type { ReactNode } from "react";
import classes from "./tone.module.css";

export type ToneName = "neutral" | "info" | "good" | "warning" | "bad";

export function Tone({ tone = "neutral", children }: { tone?: ToneName | undefined; children: ReactNode }) {
  return (
    <span className={classes.tone} data-tone={tone}>
      {children}
    </span>
  );
}
