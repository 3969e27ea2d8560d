// Progress of uploads.

import { ActionIcon, Button, Group, Progress, Text, Title } from "@mantine/core";
import { IconCheck, IconX } from "@tabler/icons-react";
import { messagesOf } from "../../core/client";
import { useFormat } from "../../core/format";
import { useTexts } from "../../core/texts";
import { type Upload, uploads, useUploads } from "../../core/uploads";
import classes from "./files.module.css";

export function UploadProgress({ project }: { project: string }) {
  const { upload: texts } = useTexts().files;
  const all = useUploads();
  if (all.length === 0) {
    return null;
  }
  return (
    <section className={classes["uploads"]} aria-label={texts.running}>
      <Group justify="space-between" className={classes["head"]}>
        <Title order={2} size="h5">
          {texts.running}
        </Title>
        {all.some(({ state }) => state === "done") && (
          <Button variant="subtle" size="compact-sm" onClick={() => uploads.clearDone()}>
            {texts.clear}
          </Button>
        )}
      </Group>
      <ul className={classes["files"]}>
        {all.map((upload) => (
          <Line key={upload.id} upload={upload} other={upload.project !== project} />
        ))}
      </ul>
    </section>
  );
}

function Line({ upload, other }: { upload: Upload; other: boolean }) {
  const { upload: texts } = useTexts().files;
  const format = useFormat();
  const { id, name, size, sent, state, error, project } = upload;
  const share = Math.floor((100 * sent) / size);
  const going = state === "sending" || state === "finishing";
  return (
    <li>
      <Text size="sm" truncate flex={1} component="bdi">
        {other && `${project}: `}
        {name}
      </Text>
      <Text size="sm" c={state === "failed" ? "red" : "dimmed"} className={classes["aside"]} role={state === "failed" ? "alert" : "status"}>
        {state === "sending" ? texts.progress(format.bytes(sent), format.bytes(size)) : texts.states[state]}
        {state === "failed" && `: ${messagesOf(error).join("; ")}`}
      </Text>
      {state === "done" ? (
        <IconCheck size={18} aria-hidden />
      ) : (
        <Progress.Root className={classes["bar"] ?? ""} size="sm">
          <Progress.Section value={share} animated={going} color={state === "failed" ? "red" : undefined} aria-label={name} />
        </Progress.Root>
      )}
      {state === "failed" && (
        <Button variant="default" size="compact-sm" onClick={() => uploads.resume(id)}>
          {texts.resume}
        </Button>
      )}
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={state === "done" ? texts.dismiss(name) : texts.cancel(name)}
        onClick={() => uploads.cancel(id)}
      >
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </li>
  );
}
