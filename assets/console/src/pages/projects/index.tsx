import { Button, Group, Modal, Stack } from "@mantine/core";
import { IconBrandGit, IconCode, IconExternalLink, IconPlus, IconWebhook } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import type { Project } from "svc-sdk";
import { useAddress, useChangeAddress } from "../../core/address";
import { type Admin, clientOf } from "../../core/client";
import { Beginning } from "../../core/example";
import { PageLink, useGo } from "../../core/go";
import { ProjectStart } from "../../core/start";
import { remember } from "../../core/storage";
import { useTexts } from "../../core/texts";
import { ResourcePage } from "../../resource/page";
import { stateOf } from "../../resource/record";
import type { ListQuery, Resource } from "../../resource/resource";
import { useProjectColumns } from "./columns";
import { Contents } from "./contents";
import { check, copyOf, type Draft, draftOf, empty, fieldsOf } from "./draft";
import { ProjectForm } from "./form";

const list = (admin: Admin, query: ListQuery, signal: AbortSignal) => admin.listProjects({ ...query, activity: true }, { signal });
const get = (_: Admin, key: string, signal: AbortSignal) => clientOf(key).admin.getProject({ signal });

export default function ProjectsPage() {
  const { common, projects } = useTexts();
  const [address, change] = useAddress();
  const resource = useProjectsResource();
  // Keep the content of the dialog while it is closing.
  const [start, keep] = useState("");
  if (address["start"] && address["start"] !== start) {
    keep(address["start"]);
  }
  const close = () => change({ start: undefined });
  return (
    <>
      <ResourcePage resource={resource} />
      <Modal
        opened={Boolean(address["start"])}
        onClose={close}
        size="xl"
        title={projects.startOf(start)}
        closeButtonProps={{ "aria-label": common.close }}
      >
        <Stack gap="md">
          <ProjectStart project={start} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              {common.close}
            </Button>
            <Button renderRoot={(props) => <PageLink to="/admin/versions" search={{ project: start }} {...props} />}>
              {projects.toVersions}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

function useProjectsResource(): Resource<Project, Draft> {
  const texts = useTexts();
  const { projects } = texts;
  const columns = useProjectColumns();
  const go = useGo();
  const change = useChangeAddress();
  return useMemo(
    () => ({
      name: "projects",
      title: projects.title,
      noun: projects.noun,
      ofProject: false,
      id: ({ project_key }) => project_key,
      label: ({ name }) => name,
      columns,
      list,
      get,
      form: {
        empty,
        from: draftOf,
        copy: copyOf,
        size: "xl",
        check: (draft) => check(draft, texts),
        render: (inputs, record) => <ProjectForm {...{ inputs, record }} />,
        create: (admin, draft) => admin.createProject(fieldsOf(draft, true) as never),
        update: (_, { project_key: key }, draft, ifMatch) => clientOf(key).admin.updateProject(fieldsOf(draft, false), { ifMatch }),
        etag: (_, record) => stateOf(record, (options) => clientOf(record.project_key).admin.getProject(options)),
        next: ({ project_key: key, name }: Project) => {
          remember("project", key);
          return { address: { start: key, project: key }, notice: projects.created(name) };
        },
      },
      actions: ({ project_key: key }) => [
        {
          id: "start",
          label: projects.actions.start,
          icon: <IconCode size={16} aria-hidden />,
          run: () => change({ start: key }),
        },
        {
          id: "integration",
          label: projects.actions.integration,
          icon: <IconBrandGit size={16} aria-hidden />,
          run: () => go({ to: "/admin/projects/codehost", search: { project: key } }),
        },
        {
          id: "hooks",
          label: projects.actions.hooks,
          icon: <IconWebhook size={16} aria-hidden />,
          run: () => go({ to: "/admin/projects/hooks", search: { project: key } }),
        },
        {
          id: "page",
          label: projects.actions.page,
          icon: <IconExternalLink size={16} aria-hidden />,
          run: () => void window.open(`/projects/${encodeURIComponent(key)}`, "_blank", "noopener"),
        },
      ],
      remove: {
        run: (_, { project_key: key }) => clientOf(key).admin.deleteProject(),
        type: ({ project_key: key }) => key,
        consequences: ({ project_key: key }) => <Contents project={key} />,
      },
      empty: (
        <Stack gap={0}>
          <Beginning title={projects.empty.title} text={projects.empty.text} />
          <Group>
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => change({ new: "1" })}>
              {projects.empty.make}
            </Button>
          </Group>
        </Stack>
      ),
      operations: [
        "listProjects",
        "createProject",
        "getProject",
        "updateProject",
        "deleteProject",
        "getProjectContents",
        "previewCodehostRepo",
        "listAliases",
        "deleteAlias",
        "listLanguages",
        "createLanguage",
        "updateLanguage",
        "deleteLanguage",
      ],
    }),
    [texts, columns, go, change],
  );
}
