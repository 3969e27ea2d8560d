// A field with a list of choices. Rendering and measuring the closed list would slow down every
// page, so the list is only created when it is first opened.

import { Select, type SelectProps } from "@mantine/core";
import { useEffect, useState } from "react";

export function Choice({ comboboxProps, onDropdownOpen, ...props }: SelectProps) {
  const [list, setList] = useState<"none" | "new" | "known">("none");
  // The list gets its ID only two renders later, and the field refers to that ID. So render the
  // field once more.
  useEffect(() => {
    const frame = list === "new" ? requestAnimationFrame(() => setList("known")) : 0;
    return () => cancelAnimationFrame(frame);
  }, [list]);
  return (
    <Select
      {...props}
      comboboxProps={{ ...comboboxProps, keepMounted: list !== "none" }}
      onDropdownOpen={() => {
        onDropdownOpen?.();
        setList((before) => (before === "none" ? "new" : before));
      }}
    />
  );
}
