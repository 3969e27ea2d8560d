// A field that offers choices. The list of a closed one would be drawn and measured with every
// page that has it: it is made when it is opened first.

import { Select, type SelectProps } from "@mantine/core";
import { useEffect, useState } from "react";

type Props = Omit<SelectProps, "onDropdownOpen">;

export function Choice({ comboboxProps, ...props }: Props) {
  const [list, setList] = useState<"none" | "new" | "known">("none");
  // The list has its id when it is there, which takes two drawings: the field, which names it,
  // is drawn once more after them.
  useEffect(() => {
    const frame = list === "new" ? requestAnimationFrame(() => setList("known")) : 0;
    return () => cancelAnimationFrame(frame);
  }, [list]);
  return (
    <Select
      {...props}
      comboboxProps={{ ...comboboxProps, keepMounted: list !== "none" }}
      onDropdownOpen={() => setList((before) => (before === "none" ? "new" : before))}
    />
  );
}
