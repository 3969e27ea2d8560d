// Files may be dropped anywhere on the page.

import { useLayoutEffect, useRef, useState } from "react";
import { useTexts } from "../../core/texts";
import classes from "./files.module.css";

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") ?? false;

/** Calls back with dropped files; indicates that files can be dropped. */
export function DropAnywhere({ onDrop }: { onDrop: (files: File[]) => void }) {
  const { files } = useTexts();
  const [over, setOver] = useState(false);
  const latest = useRef(onDrop);
  latest.current = onDrop;
  // Installed before anything can be dropped on the visible page.
  useLayoutEffect(() => {
    // An element is entered before the previous one is left.
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
        // Folders have no content and no type; they are read as entries.
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
