// The open uploads of CI and of other users. Each one takes space until it is completed, is
// cancelled, or is a day old.

import { Button, Progress, Text, Title } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { OpenUpload } from "svc-sdk";
import { clientOf } from "../../core/client";
import { Confirm } from "../../core/confirm";
import { useFormat } from "../../core/format";
import { noticeDone } from "../../core/notice";
import { useTexts } from "../../core/texts";
import { uploads, useUploads } from "../../core/uploads";
import classes from "./files.module.css";

const lookEvery = 5000;

export function OpenUploads({ project }: { project: string }) {
  const texts = useTexts();
  const { openUploads: open } = texts.files;
  const format = useFormat();
  const queries = useQueryClient();
  const [asked, ask] = useState<OpenUpload | null>(null);
  // Render again when the uploads of this tab change, because those are shown in a separate list.
  useUploads();
  const { data } = useQuery({
    queryKey: ["files", project, "uploads"],
    queryFn: ({ signal }) => clientOf(project).admin.listUploads({ signal }),
    enabled: project !== "",
    refetchInterval: ({ state }) => (state.data?.data.length ? lookEvery : 3 * lookEvery),
  });
  const others = data?.data.filter(({ upload_id }) => !uploads.owns(upload_id)) ?? [];
  if (others.length === 0) {
    return null;
  }
  const end = async ({ upload_id, filename }: OpenUpload) => {
    await clientOf(project).admin.abortUpload(upload_id);
    void queries.invalidateQueries({ queryKey: ["files", project] });
    noticeDone(texts, open.ended(filename));
  };
  return (
    <section className={classes["uploads"]} aria-label={open.title}>
      <Title order={2} size="h5">
        {open.title}
      </Title>
      <ul className={classes["files"]}>
        {others.map((upload) => {
          const { upload_id, filename, size, received_bytes: received, created_at, credential } = upload;
          return (
            <li key={upload_id} className={classes["open"]}>
              <div className={classes["about"]}>
                <Text size="sm" truncate component="bdi" display="block" title={filename}>
                  {filename}
                </Text>
                <Text size="xs" c="dimmed">
                  {open.by(credential === "administrator" ? open.administrator : credential)} · {format.time(created_at)}
                </Text>
              </div>
              <Text size="sm" c="dimmed">
                {texts.files.upload.progress(format.bytes(received), format.bytes(size))}
              </Text>
              <Progress.Root className={classes["bar"] ?? ""} size="sm">
                <Progress.Section value={Math.floor((100 * received) / size)} aria-label={filename} />
              </Progress.Root>
              <Button
                variant="default"
                size="compact-sm"
                aria-label={texts.common.labelled(open.end, filename)}
                onClick={() => ask(upload)}
              >
                {open.end}
              </Button>
            </li>
          );
        })}
      </ul>
      {asked && (
        <Confirm
          title={open.endOf(asked.filename)}
          text={open.endText(format.bytes(asked.received_bytes))}
          label={open.end}
          run={() => end(asked)}
          onClose={() => ask(null)}
        />
      )}
    </section>
  );
}
