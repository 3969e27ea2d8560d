// A long name. If there is no room for it, its middle is cut, because the names of files often
// differ only at their end.

import { useLayoutEffect, useRef } from "react";
import classes from "./longname.module.css";

/** Number of letters at the end that are never cut. Names up to this length fit everywhere. */
const end = 16;

export function LongName({ name }: { name: string }) {
  const letters = [...name];
  if (letters.length <= end) {
    return <bdi className={classes["short"]}>{name}</bdi>;
  }
  return <Halves name={name} head={letters.slice(0, -end).join("")} tail={letters.slice(-end).join("")} />;
}

function Halves({ name, head, tail }: { name: string; head: string; tail: string }) {
  const first = useRef<HTMLSpanElement>(null);
  const second = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    // The dots stand behind the last letter that fits, which is not the end of the room for the
    // first half. The second half closes the gap.
    const observer = new ResizeObserver(() => {
      second.current!.style.insetInlineEnd = `${gapIn(first.current!)}px`;
    });
    observer.observe(first.current!);
    return () => observer.disconnect();
  }, [head]);
  return (
    <>
      <span className="offscreen">{name}</span>
      <bdi className={classes["name"]} dir="auto" aria-hidden>
        <span ref={first}>{head}</span>
        <span ref={second}>{tail}</span>
      </bdi>
    </>
  );
}

/** Returns the width in pixels that the dots leave free in an element whose text is cut, or 0 if it is not. */
function gapIn(element: HTMLElement): number {
  const text = element.firstChild!;
  const room = element.getBoundingClientRect().width;
  const range = document.createRange();
  const widthOf = (letters: number) => {
    range.setStart(text, 0);
    range.setEnd(text, letters);
    return range.getBoundingClientRect().width;
  };
  const all = text.textContent!.length;
  // Browsers round positions to a 64th of a pixel.
  if (widthOf(all) <= room + 1 / 64) {
    return 0;
  }
  const pen = document.createElement("canvas").getContext("2d")!;
  const { fontWeight, fontSize, fontFamily } = getComputedStyle(element);
  pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
  const dots = pen.measureText("…").width;
  let [fits, none] = [0, all];
  while (none - fits > 1) {
    const middle = Math.floor((fits + none) / 2);
    if (widthOf(middle) + dots <= room) {
      fits = middle;
    } else {
      none = middle;
    }
  }
  return Math.max(0, room - widthOf(fits) - dots);
}
