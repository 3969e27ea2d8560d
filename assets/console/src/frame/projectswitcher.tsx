// The field that selects the current project of all pages.

import { memo } from "react";
import type { Project } from "svc-sdk";
import { Choice } from "../core/choice";
import { useProjectKey, useProjects } from "../core/project";
import { useTexts } from "../core/texts";

export function ProjectSwitcher() {
  const { data: projects } = useProjects();
  const [project, show] = useProjectKey();
  return <Switcher projects={projects} project={project} onShow={show} />;
}

// Memoized, because the address changes often and the selection rarely.
const Switcher = memo(function Switcher({
  projects,
  project,
  onShow,
}: {
  projects: Project[] | undefined;
  project: string;
  onShow(key: string): void;
}) {
  const { frame } = useTexts();
  return (
    <Choice
      aria-label={frame.project}
      placeholder={projects?.length === 0 ? frame.noProject : undefined}
      disabled={!projects?.length}
      value={project || null}
      data={(projects ?? []).map(({ project_key, name }) => ({ value: project_key, label: name }))}
      onChange={(key) => key && onShow(key)}
      allowDeselect={false}
      searchable={(projects?.length ?? 0) > 7}
      comboboxProps={{ position: "bottom-start" }}
    />
  );
});
