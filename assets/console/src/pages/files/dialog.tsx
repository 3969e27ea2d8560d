// Selects the files to upload and their storage.

import { ActionIcon, Button, FileButton, Group, Modal, Select, Stack, Text } from "@mantine/core";
import { IconUpload, IconX } from "@tabler/icons-react";
import { useState } from "react";
import type { StorageOverview } from "svc-sdk";
import { useFormat } from "../../core/format";
import { useTexts } from "../../core/texts";
import { uploads } from "../../core/uploads";
import { useFocusReturn } from "../../resource/focus";
import classes from "./files.module.css";

interface Props {
  project: string;
  overview: StorageOverview | undefined;
  files: File[];
  onChange: (files: File[]) => void;
  onClose: () => void;
}

export function UploadDialog({ project, overview, files, onChange, onClose }: Props) {
  const { files: texts, common } = useTexts();
  const format = useFormat();
  const [storage, setStorage] = useState<string | null>(null);
  useFocusReturn();
  const limit = overview?.upload_max_bytes ?? Number.POSITIVE_INFINITY;
  const problem = ({ size }: File) => (size === 0 ? texts.upload.empty : size > limit ? texts.upload.tooLarge(format.bytes(limit)) : null);
  const good = files.filter((file) => !problem(file));
  return (
    <Modal opened onClose={onClose} title={texts.upload.title} size="lg" closeButtonProps={{ "aria-label": common.close }}>
      <Stack gap="md">
        <div className={classes["drop"]}>
          <IconUpload size={24} aria-hidden />
          <Text size="sm">{texts.upload.drop}</Text>
          <FileButton multiple onChange={(more) => onChange([...files, ...more])} inputProps={{ "aria-label": texts.upload.choose }}>
            {(props) => (
              <Button variant="default" data-autofocus {...props}>
                {texts.upload.choose}
              </Button>
            )}
          </FileButton>
        </div>
        {files.length > 0 && (
          <ul className={classes["files"]} aria-label={texts.upload.list}>
            {files.map((file, index) => (
              <li key={`${index} ${file.name}`}>
                <Text size="sm" truncate flex={1} component="bdi" c={problem(file) ? "dimmed" : undefined}>
                  {file.name}
                </Text>
                <Text size="sm" c="dimmed" className={classes["aside"]}>
                  {problem(file) ?? format.bytes(file.size)}
                </Text>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={texts.upload.leaveOut(file.name)}
                  onClick={() => onChange(files.filter((other) => other !== file))}
                >
                  <IconX size={16} aria-hidden />
                </ActionIcon>
              </li>
            ))}
          </ul>
        )}
        <Select
          label={texts.upload.storage}
          placeholder={texts.upload.storageOfProject}
          data={overview?.backends.map(({ id, name }) => ({ value: id, label: name })) ?? []}
          value={storage}
          onChange={setStorage}
          clearable
          clearButtonProps={{ "aria-label": common.labelled(common.reset, texts.upload.storage) }}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button
            disabled={good.length === 0}
            onClick={() => {
              uploads.add(project, good, storage ?? undefined);
              onClose();
            }}
          >
            {files.length > 0 && good.length === 0 ? texts.upload.nothing : texts.upload.start(good.length)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
