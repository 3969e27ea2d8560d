// Files for download, and their uploads.

import { Alert, Anchor, Group, Stack, Text } from "@mantine/core";
import {
  IconBrandGit,
  IconCopy,
  IconExternalLink,
  IconFileUpload,
  IconInfoCircle,
  IconRefresh,
  IconReload,
  IconUpload,
} from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { File as StoredFile } from "svc-sdk";
import { useAddress, useChangeAddress } from "../../core/address";
import { clientOf } from "../../core/client";
import { CopyIcon, copyText } from "../../core/copy";
import { Beginning } from "../../core/example";
import { useFormat } from "../../core/format";
import { PageLink } from "../../core/go";
import { LongName } from "../../core/longname";
import { noticeDone, noticeFailure } from "../../core/notice";
import { useProjectKey } from "../../core/project";
import { useTexts } from "../../core/texts";
import { Tone, type ToneName } from "../../core/tone";
import { ResourcePage } from "../../resource/page";
import type { Action, Resource } from "../../resource/resource";
import { UploadDialog } from "./dialog";
import { DropAnywhere } from "./drop";
import classes from "./files.module.css";
import { OpenUploads } from "./open";
import { UploadProgress } from "./progress";

const states = ["pending", "ready", "failed"] as const;
type State = (typeof states)[number];
const tones: Record<State, ToneName> = { pending: "info", ready: "good", failed: "bad" };

/** Heights of the hint about the distribution address, which is below the list. */
const hintHeights = { wide: 107, phone: 140 };

/** Milliseconds between two requests for pending files. */
const lookEvery = 3000;

/** Returns the download address of a file. */
const linkOf = ({ url, path }: StoredFile) => url ?? location.origin + path;

export default function FilesPage() {
  const [project] = useProjectKey();
  const [address, change] = useAddress();
  const [chosen, setChosen] = useState<File[]>([]);
  const { data: overview } = useQuery({ queryKey: ["storage"], queryFn: ({ signal }) => clientOf("").admin.getStorage({ signal }) });
  const resource = useFiles(project, overview?.dist_base_url);
  return (
    <>
      <ResourcePage resource={resource} />
      <DropAnywhere
        onDrop={(files) => {
          setChosen([...chosen, ...files]);
          if (!address["upload"]) {
            change({ upload: "1" });
          }
        }}
      />
      {address["upload"] && project && (
        <UploadDialog
          project={project}
          overview={overview}
          files={chosen}
          onChange={setChosen}
          onClose={() => {
            setChosen([]);
            change({ upload: undefined });
          }}
        />
      )}
    </>
  );
}

function useFiles(project: string, distribution: string | null | undefined): Resource<StoredFile> {
  const change = useChangeAddress();
  const texts = useTexts();
  const format = useFormat();
  const queries = useQueryClient();
  const { data: cdn } = useQuery({ queryKey: ["cdn"], queryFn: ({ signal }) => clientOf("").admin.getCdnConfig({ signal }) });
  const refreshes = Boolean(cdn?.enabled && cdn.configured && cdn.dist_base_url);
  return useMemo(() => {
    const { files, common } = texts;
    const again = () => queries.invalidateQueries({ queryKey: ["files", project] });
    const doing = (work: () => Promise<string>) => async () => {
      try {
        noticeDone(texts, await work());
      } catch (error) {
        noticeFailure(texts, error);
      }
      void again();
    };
    const admin = () => clientOf(project).admin;
    return {
      name: "files",
      title: texts.frame.pages.files,
      noun: files.noun,
      sorted: "created_at",
      id: ({ id }) => id,
      label: ({ filename }) => filename,
      columns: [
        {
          id: "filename",
          title: files.name,
          main: true,
          sort: "name",
          phone: true,
          render: ({ filename, source }) => (
            <Group gap={6} wrap="nowrap" component="span" display="inline-flex" maw="100%">
              {source === "upload" ? (
                <IconFileUpload size={16} className={classes["icon"]} role="img" aria-label={files.sources.upload} />
              ) : (
                <IconBrandGit size={16} className={classes["icon"]} role="img" aria-label={files.sources.codehost_release} />
              )}
              <LongName name={filename} />
            </Group>
          ),
          text: ({ filename }) => filename,
        },
        {
          id: "status",
          title: files.status,
          width: 92,
          phone: true,
          render: ({ status }) => <Tone tone={tones[status as State]}>{files.statuses[status as State] ?? status}</Tone>,
          text: ({ status }) => files.statuses[status as State] ?? status,
        },
        {
          id: "size",
          title: files.size,
          sort: "size",
          width: 88,
          align: "right",
          render: ({ size }) => format.bytes(size),
          text: ({ size }) => String(size),
        },
        {
          id: "download_count",
          title: files.downloads,
          width: 104,
          align: "right",
          render: ({ download_count: count }) => format.number(count),
        },
        {
          id: "link",
          title: files.link,
          width: 84,
          render: (file) =>
            file.status === "ready" && (
              <Group gap={0} wrap="nowrap">
                <CopyIcon text={linkOf(file)} label={files.copyLink} />
                <Anchor
                  href={linkOf(file)}
                  target="_blank"
                  rel="noopener"
                  aria-label={texts.common.labelled(files.open, file.filename)}
                  lh={0}
                  p={6}
                  className="lone"
                >
                  <IconExternalLink size={16} aria-hidden />
                </Anchor>
              </Group>
            ),
          text: linkOf,
          detail: (file) => (
            <Group gap={4} wrap="nowrap">
              {file.status === "ready" ? (
                <Anchor href={linkOf(file)} target="_blank" rel="noopener" inherit className="lone">
                  {linkOf(file)}
                </Anchor>
              ) : (
                linkOf(file)
              )}
              <CopyIcon text={linkOf(file)} label={files.copyLink} />
            </Group>
          ),
        },
        {
          id: "referenced_by",
          spare: true,
          title: files.versions,
          width: 110,
          render: ({ referenced_by }) => referenced_by.join(", "),
        },
        { id: "storage", spare: true, title: files.storage, width: 96, render: ({ storage_backend_name }) => storage_backend_name },
        {
          id: "created_at",
          title: files.time,
          phone: true,
          sort: "created_at",
          width: 164,
          render: ({ created_at }) => format.time(created_at),
          short: ({ created_at }) => format.shortTime(created_at),
          detail: ({ created_at }) => `${format.time(created_at)} (${format.ago(created_at)})`,
        },
        { id: "error", title: files.error, width: 240, hidden: true, render: ({ error }) => error },
        {
          id: "sha256",
          title: files.sha256,
          width: 260,
          hidden: true,
          render: ({ sha256 }) => sha256 && <code>{sha256}</code>,
          text: ({ sha256 }) => sha256 ?? "",
        },
        { id: "content_type", title: files.contentType, width: 200, hidden: true, render: ({ content_type }) => content_type },
        {
          id: "source",
          title: files.source,
          width: 160,
          hidden: true,
          render: ({ source }) => files.sources[source as "upload"] ?? source,
        },
        { id: "source_url", title: files.sourceUrl, detailOnly: true, render: ({ source_url }) => source_url },
        {
          id: "part_size",
          title: files.partSize,
          detailOnly: true,
          render: ({ part_size }) => part_size && format.bytes(part_size),
        },
        { id: "updated_at", title: files.updated, width: 170, hidden: true, render: ({ updated_at }) => format.time(updated_at) },
        { id: "id", title: files.id, width: 140, hidden: true, render: ({ id }) => <code>{id}</code>, text: ({ id }) => id },
      ],
      filters: [
        {
          id: "status",
          kind: "choice",
          label: files.status,
          choices: states.map((value) => ({ value, label: files.statuses[value] })),
        },
      ],
      list: (api, query, signal) => api.listFiles(query, { signal }),
      get: (api, id, signal) => api.getFile(id, { signal }),
      refetchEvery: (shown) => shown.some(({ status }) => status === "pending") && lookEvery,
      add: () => change({ upload: "1" }),
      addLabel: files.upload.button,
      addIcon: <IconUpload size={16} aria-hidden />,
      actions: (file) => {
        const actions: (Action<StoredFile> | false)[] = [
          {
            id: "copy",
            label: files.copyLink,
            icon: <IconCopy size={16} aria-hidden />,
            run: async () => {
              await copyText(linkOf(file));
              noticeDone(texts, files.linkCopied);
            },
          },
          file.status === "ready" && {
            id: "open",
            label: files.open,
            icon: <IconExternalLink size={16} aria-hidden />,
            run: () => void window.open(linkOf(file), "_blank", "noopener"),
          },
          file.status === "failed" && {
            id: "retry",
            label: common.retry,
            icon: <IconReload size={16} aria-hidden />,
            run: doing(async () => files.retrying((await admin().retryFile(file.id)).filename)),
          },
          file.status === "ready" &&
            refreshes && {
              id: "cdn",
              label: files.refreshCdn,
              icon: <IconRefresh size={16} aria-hidden />,
              run: doing(async () => {
                const { ok, error } = await admin().refreshFileCdn(file.id);
                if (!ok) {
                  throw new Error(files.notRefreshed(error ?? ""));
                }
                return files.refreshed(file.filename);
              }),
            },
        ];
        return actions.filter((action) => action !== false);
      },
      remove: {
        run: async (api, { id }) => {
          const { cdn_refresh } = await api.deleteFile(id);
          if (cdn_refresh && !cdn_refresh.ok) {
            noticeFailure(texts, new Error(files.notRefreshed(cdn_refresh.error ?? "")));
          }
        },
        consequences: ({ referenced_by, status }) => (
          <Stack gap={4}>
            <Text size="sm">
              {referenced_by.length > 0 ? files.remove.versions(format.list(referenced_by), referenced_by.length) : files.remove.link}
            </Text>
            {status === "ready" && (
              <Text size="sm">
                {refreshes && `${files.remove.cdnRefreshed} `}
                {files.remove.cdn}
              </Text>
            )}
          </Stack>
        ),
      },
      otherHeights: hintHeights,
      above: <UploadProgress project={project} />,
      // Below the list, because both are loaded after the list.
      below: (
        <>
          <OpenUploads project={project} />
          {distribution === null && <NoAddress />}
        </>
      ),
      empty: (
        <Stack>
          <Beginning
            title={files.empty.title}
            text={files.empty.text}
            examples={[
              {
                name: "curl",
                code: `curl -T setup.exe \\\n  -H "X-API-Key: $SVC_KEY" \\\n  '${location.origin}/api/v1/admin/projects/${project}/files?filename=setup.exe'`,
              },
              {
                name: "TypeScript",
                code: `import { SvcClient } from "svc-sdk";\n\nconst client = new SvcClient({ baseUrl: "${location.origin}/api/v1", projectKey: "${project}", token: process.env.SVC_KEY });\nawait client.admin.uploadFile("dist/setup.exe", "setup.exe");`,
              },
            ]}
          />
          <OpenUploads project={project} />
          {distribution === null && <NoAddress />}
        </Stack>
      ),
      operations: [
        "listFiles",
        "getFile",
        "uploadFile",
        "listUploads",
        "createUpload",
        "getUpload",
        "putUploadChunk",
        "completeUpload",
        "abortUpload",
        "retryFile",
        "refreshFileCdn",
        "deleteFile",
      ],
    };
  }, [texts, format, queries, project, distribution, refreshes, change]);
}

/** Explains that links use the address of this site, and where users can configure another one. */
function NoAddress() {
  const { files } = useTexts();
  return (
    <Alert color="gray" variant="light" icon={<IconInfoCircle aria-hidden />} title={files.noAddress.title}>
      <Text size="sm">
        {files.noAddress.text(location.origin)}{" "}
        <Anchor inherit renderRoot={(props) => <PageLink to="/admin/settings/storage" {...props} />}>
          {files.noAddress.more}
        </Anchor>
      </Text>
    </Alert>
  );
}
