// The switch between single logs and groups of equal logs.

import { SegmentedControl } from "@mantine/core";
import { useGo } from "../../core/go";
import { useTexts } from "../../core/texts";

const paths = { lines: "/admin/logs", groups: "/admin/logs/groups" } as const;

export function Mode({ project, mode }: { project: string; mode: keyof typeof paths }) {
  const { groups } = useTexts().logs;
  const go = useGo();
  return (
    <SegmentedControl
      aria-label={groups.mode}
      value={mode}
      onChange={(next) => go({ to: paths[next as keyof typeof paths], search: project ? { project } : {} })}
      data={[
        { value: "lines", label: groups.lines },
        { value: "groups", label: groups.title },
      ]}
    />
  );
}
