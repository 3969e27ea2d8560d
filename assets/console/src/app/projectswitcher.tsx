// Chooses the project that all pages show.

import { Select } from "@mantine/core";
import { useProjectKey, useProjects } from "./project";
import { useTexts } from "./texts";

export function ProjectSwitcher() {
  const { frame } = useTexts();
  const { data: projects } = useProjects();
  const [project, show] = useProjectKey();
  return (
    <Select
      aria-label={frame.project}
      placeholder={projects?.length === 0 ? frame.noProject : undefined}
      disabled={!projects?.length}
      value={project || null}
      data={(projects ?? []).map(({ project_key, name }) => ({ value: project_key, label: name }))}
      onChange={(key) => key && show(key)}
      allowDeselect={false}
      searchable={(projects?.length ?? 0) > 7}
      comboboxProps={{ position: "top-start" }}
    />
  );
}
