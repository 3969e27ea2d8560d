import { Button, Text } from "@mantine/core";
import { IconArrowUpCircle, IconBan, IconBrandGit, IconChartLine, IconCloudDownload, IconRoute } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Project, Version } from "svc-sdk";
import { useAddress } from "../../core/address";
import { type Admin, clientOf } from "../../core/client";
import { PageLink, useGo } from "../../core/go";
import { Menu } from "../../core/menu";
import { noticeDone } from "../../core/notice";
import { useProjectKey, useProjects } from "../../core/project";
import { Start } from "../../core/start";
import { useTexts } from "../../core/texts";
import { useLanguages } from "../../fields/languages";
import { platforms, usePlatformName } from "../../fields/platforms";
import { useAct } from "../../resource/act";
import { useChannels } from "../../resource/distribution";
import { ResourcePage } from "../../resource/page";
import { stateOf } from "../../resource/record";
import type { Action, Filter, ListQuery, Resource } from "../../resource/resource";
import { useRollouts } from "../../resource/rollout";
import { DeprecationEffect, useUsage } from "../../resource/usage";
import { useVersionColumns } from "./columns";
import { check, copyOf, type Draft, draftOf, empty, fieldsOf, type Stable, successorOf } from "./draft";
import { VersionForm } from "./form";
import { Simulator, useSimulator } from "./simulator";
import { UsageDialog, UsageLine, usageLineHeights } from "./usage";

const list = (admin: Admin, query: ListQuery, signal: AbortSignal) => admin.listVersions(query, { signal });
const get = (admin: Admin, id: string, signal: AbortSignal) => admin.getVersion(id, { signal });

/** Matches the address of a release attachment at a code host. */
const attachment = /^https?:\/\/[^/]+\/[^/]+\/[^/]+\/releases\/download\/[^/]+\/[^/?#]+$/;

export default function VersionsPage() {
  const [project] = useProjectKey();
  // Request the languages together with the list, so that the form has its tabs as soon as it is
  // opened.
  useLanguages(project);
  const resource = useVersions(project);
  return (
    <>
      <ResourcePage resource={resource} />
      <UsageDialog project={project} />
      <Simulator project={project} />
    </>
  );
}

function useVersions(project: string): Resource<Version, Draft> {
  const texts = useTexts();
  const { versions, common } = texts;
  const { data: usage } = useUsage(project);
  const { data: rollouts } = useRollouts(project);
  const columns = useVersionColumns(usage, rollouts);
  const filters = useFilters(project);
  const { data: projects } = useProjects();
  const shown = projects?.find(({ project_key }) => project_key === project);
  const repository = Boolean(shown?.repo_url);
  const { data: greatest } = useQuery({
    queryKey: ["versions", project, "stable"],
    // Request several versions, because the greatest one may itself be the one to deprecate, or
    // have no files to copy.
    queryFn: ({ signal }) => clientOf(project).admin.listVersions({ is_preview: "false", is_deprecated: "false", limit: 10 }, { signal }),
    enabled: project !== "",
  });
  const stable = useMemo<Stable>(() => greatest?.data ?? [], [greatest]);
  const simulate = useSimulator();
  const actions = useActions(project, stable);
  return useMemo(
    () => ({
      name: "versions",
      title: versions.title,
      noun: versions.noun,
      id: ({ id }) => id,
      label: ({ version }) => version,
      bare: true,
      columns,
      filters,
      list,
      get,
      form: {
        empty,
        from: draftOf,
        copy: copyOf,
        size: "xl",
        check: (draft, record) => check(draft, record, stable, texts),
        render: (inputs, record) => <VersionForm {...{ inputs, record, project, stable, repository }} />,
        create: (admin, draft) => admin.createVersion(fieldsOf(draft) as never),
        update: (admin, { id }, draft, ifMatch) => admin.updateVersion(id, fieldsOf(draft), { ifMatch }),
        etag: (admin, record) => stateOf(record, (options) => admin.getVersion(record.id, options)),
      },
      actions,
      remove: {
        run: (admin, { id }) => admin.deleteVersion(id),
        consequences: ({ is_latest }) => (
          <Text size="sm">
            {is_latest && `${versions.deletion.latest} `}
            {versions.deletion.gone}
          </Text>
        ),
      },
      tools: (
        <>
          <Releases project={shown} />
          <Button variant="default" leftSection={<IconRoute size={16} aria-hidden />} onClick={() => simulate()}>
            {versions.simulate}
          </Button>
        </>
      ),
      above: <UsageLine project={project} />,
      otherHeights: usageLineHeights,
      empty: <Start title={versions.empty.title} text={versions.empty.text} topic="version" project={project} />,
      operations: [
        "listVersions",
        "createVersion",
        "getVersion",
        "updateVersion",
        "deleteVersion",
        "publishVersion",
        "previewCodehostRelease",
        "importCodehostReleases",
        "mirrorVersionAssets",
        "simulateUpdateCheck",
        "getVersionUsage",
        "listRollouts",
        "getDistribution",
      ],
    }),
    [versions, common, texts, columns, filters, stable, repository, shown, project, actions, simulate],
  );
}

function useFilters(project: string): Filter[] {
  const { common, versions } = useTexts();
  const platformName = usePlatformName();
  const [{ channel }] = useAddress();
  // The first view of the list only needs the channels when it is filtered by one.
  const [opened, setOpened] = useState(false);
  const channels = useChannels(project, opened || Boolean(channel));
  return useMemo(() => {
    const { filters: texts } = versions;
    const flag = (name: "preview" | "deprecated" | "milestone" | "yanked"): Filter => ({
      id: `is_${name}`,
      label: texts[name],
      kind: "choice",
      choices: [
        { value: "true", label: common.labelled(texts[name], texts.only) },
        { value: "false", label: common.labelled(texts[name], texts.without) },
      ],
    });
    return [
      { id: "platform", label: texts.platform, kind: "choice", choices: platforms.map((value) => ({ value, label: platformName(value) })) },
      {
        id: "channel",
        label: texts.channel,
        kind: "choice",
        choices: channels.map((value) => ({ value, label: value })),
        onOpen: () => setOpened(true),
      },
      flag("preview"),
      flag("deprecated"),
      flag("milestone"),
      flag("yanked"),
    ];
  }, [common, versions, channels]);
}

/** Reports whether a version can be deprecated. Its users need another version to which they can update. */
const canDeprecate = ({ is_latest, is_deprecated, comparable_version, id }: Version, stable: Stable) =>
  !is_latest && !is_deprecated && successorOf(comparable_version, id, stable) !== undefined;

function useActions(project: string, stable: Stable): (version: Version) => Action<Version>[] {
  const texts = useTexts();
  const { versions } = texts;
  const act = useAct("versions");
  const go = useGo();
  const simulate = useSimulator();
  return useMemo(() => {
    const { admin } = clientOf(project);
    const deprecate = ({ id, version }: Version, on: boolean) => {
      const set = (is_deprecated: boolean) => () => admin.updateVersion(id, { is_deprecated });
      return act(set(on), on ? versions.deprecated(version) : versions.undeprecated(version), set(!on)).then(() => undefined);
    };
    return (version) => [
      {
        id: "release",
        label: versions.release.open,
        icon: <IconChartLine size={16} aria-hidden />,
        run: () => go({ to: "/admin/versions/release", search: { project, release: version.id } }),
      },
      {
        id: "simulate",
        label: versions.simulateFrom,
        icon: <IconRoute size={16} aria-hidden />,
        run: () => simulate(version.version),
      },
      ...(version.download_links.some(({ url }) => attachment.test(url.trim()))
        ? [
            {
              id: "mirror",
              label: versions.mirror,
              icon: <IconCloudDownload size={16} aria-hidden />,
              run: async () => {
                await act(
                  () => admin.mirrorVersionAssets(version.id),
                  ({ queued, reused, skipped }) => versions.mirrored(queued, reused, skipped),
                );
              },
            },
          ]
        : []),
      {
        id: "deprecate",
        hint: canDeprecate(version, stable) && <DeprecationEffect project={project} id={version.id} />,
        label: version.is_deprecated ? versions.undeprecate : versions.deprecate,
        icon: version.is_deprecated ? <IconArrowUpCircle size={16} aria-hidden /> : <IconBan size={16} aria-hidden />,
        run: () =>
          version.is_deprecated || canDeprecate(version, stable)
            ? deprecate(version, !version.is_deprecated)
            : noticeDone(texts, version.is_latest ? versions.form.latestDeprecated : versions.form.noSuccessor),
      },
    ];
  }, [project, stable, texts, act, simulate, go]);
}

/**
 * Buttons that import all releases of the project's repository, or the latest one again. Without a
 * repository, it is a link to the field for it.
 */
function Releases({ project }: { project: Project | undefined }) {
  const { versions } = useTexts();
  const act = useAct("versions");
  const { admin } = clientOf(project?.project_key ?? "");
  const sync = async () => {
    const release = await admin.previewCodehostRelease();
    const { title = null, content = null, download_links, download_url = null, is_preview, published_at, custom_data } = release;
    const fields = { title, content, download_links, download_url, is_preview, published_at, custom_data };
    return admin.upsertVersion(release.version, fields);
  };
  return (
    <Menu
      position="bottom-end"
      target={
        <Button variant="default" leftSection={<IconBrandGit size={16} aria-hidden />} disabled={!project}>
          {versions.releases}
        </Button>
      }
      items={() => (
        <>
          {project?.repo_url ? (
            <>
              <Menu.Item onClick={() => void act(sync, ({ version }) => versions.synced(version))}>{versions.sync}</Menu.Item>
              <Menu.Item
                onClick={() =>
                  void act(
                    () => admin.importCodehostReleases(),
                    ({ imported, skipped, scanned }) => versions.imported(imported, skipped, scanned),
                  )
                }
              >
                {versions.import}
              </Menu.Item>
            </>
          ) : (
            <Menu.Item renderRoot={(props) => <PageLink to="/admin/projects" search={{ edit: project?.project_key }} {...props} />}>
              {versions.noRepository}
            </Menu.Item>
          )}
          <Menu.Item renderRoot={(props) => <PageLink to="/admin/versions/feeds" search={{ project: project?.project_key }} {...props} />}>
            {versions.feeds}
          </Menu.Item>
          <Menu.Item
            renderRoot={(props) => <PageLink to="/admin/versions/distribution" search={{ project: project?.project_key }} {...props} />}
          >
            {versions.distribution}
          </Menu.Item>
        </>
      )}
    />
  );
}
