// The hooks of a project.

import { Anchor, Stack } from "@mantine/core";
import { textParam, useParams } from "../../core/address";
import { PageLink } from "../../core/go";
import { useProjectKey, useProjects } from "../../core/project";
import { useTexts } from "../../core/texts";
import { PageHead } from "../../resource/head";
import { Deliveries } from "./deliveries";
import { HookList, projectOperations } from "./list";

const params = { hook: textParam };

const path = "/admin/projects/hooks";

export default function HooksPage() {
  const { hooks } = useTexts();
  const [project] = useProjectKey();
  const [{ hook }] = useParams(params);
  const { data: projects } = useProjects();
  if (hook && project) {
    return <Deliveries {...{ project, hook, path }} />;
  }
  return (
    <Stack gap="md" maw={880}>
      <PageHead
        title={hooks.title}
        about={
          <>
            <Anchor size="sm" className="lone" underline="always" renderRoot={(props) => <PageLink to="/admin/projects" {...props} />}>
              {hooks.back}
            </Anchor>{" "}
            › <bdi>{projects?.find(({ project_key }) => project_key === project)?.name}</bdi>
          </>
        }
        {...projectOperations}
      />
      {project && <HookList key={project} project={project} path={path} />}
    </Stack>
  );
}
