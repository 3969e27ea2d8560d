// Lets users drop files anywhere on the page.

import { useLayoutEffect, useRef, useState } from "react";
import { useTexts } from "../../core/texts";
import classes from "./files.module.css";

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") ?? false;

/**
 * Calls `onDrop` with the files that a user has dropped on the page. While files are dragged over
 * the page, it shows that they can be dropped.
 */
export function DropAnywhere({ onDrop }: { onDrop: (files: File[]) => void }) {
  const { files } = useTexts();
  const [over, setOver] = useState(false);
  const latest = useRef(onDrop);
  latest.current = onDrop;
  // A layout effect installs the handlers before the page is painted, so that nothing can be
  // dropped earlier.
  useLayoutEffect(() => {
    // When the pointer moves to another element, that one is entered before the previous one is
    // left. So count both.
    let depth = 0;
    const enter = (event: DragEvent) => {
      if (hasFiles(event)) {
        depth++;
        setOver(true);
      }
    };
    const leave = (event: DragEvent) => {
      if (hasFiles(event) && --depth <= 0) {
        depth = 0;
        setOver(false);
      }
    };
    const hover = (event: DragEvent) => {
      if (hasFiles(event)) {
        event.preventDefault();
      }
    };
    const drop = (event: DragEvent) => {
      if (hasFiles(event)) {
        event.preventDefault();
        depth = 0;
        setOver(false);
        // A folder appears as a file without content and type. Only its entry shows that it is a
        // folder.
        const items = [...event.dataTransfer!.items].filter((item) => item.kind === "file" && !item.webkitGetAsEntry()?.isDirectory);
        latest.current(items.flatMap((item) => item.getAsFile() ?? []));
      }
    };
    const all = { dragenter: enter, dragleave: leave, dragover: hover, drop } as const;
    for (const [name, listener] of Object.entries(all)) {
      window.addEventListener(name as "drop", listener);
    }
    return () => {
      for (const [name, listener] of Object.entries(all)) {
        window.removeEventListener(name as "drop", listener);
      }
    };
  }, []);
  return over ? <div className={classes["overlay"]}>{files.upload.dropAnywhere}</div> : null;
}
