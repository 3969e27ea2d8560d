import { ActionIcon, Autocomplete, Button, Fieldset, Group, Input, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { IconCheck, IconFolder, IconPlus, IconTrash } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { DownloadLink } from "svc-sdk";
import { messagesOf } from "../core/client";
import { CopyIcon } from "../core/copy";
import { useFormat } from "../core/format";
import { useAdmin, useProjectKey } from "../core/project";
import { useTexts } from "../core/texts";
import { WebLink } from "../core/weblink";
import { addressOf, type LinkDraft, linkTo } from "./downloads";
import type { FieldProps } from "./field";
import classes from "./fields.module.css";
import { platforms } from "./platforms";

const most = 32;

/**
 * A field for the downloads of a version, each with a name, an address and a platform. Users can
 * also choose files of the library.
 */
export function LinksField({ value, onChange, error, label, description }: FieldProps<LinkDraft[]>) {
  const { fields, common } = useTexts();
  const [library, { open, close }] = useDisclosure();
  const change = (index: number, part: Partial<LinkDraft>) => onChange(value.map((link, i) => (i === index ? { ...link, ...part } : link)));
  return (
    <Fieldset legend={label} variant="unstyled" className={classes.group}>
      <Stack gap="xs">
        {description && <Input.Description>{description}</Input.Description>}
        {value.map((link, i) => (
          <Group key={i} gap="xs" wrap="nowrap" align="flex-start" role="group" aria-label={fields.links.one(i + 1)}>
            <Stack gap={4} flex={1}>
              <TextInput
                size="sm"
                aria-label={fields.links.url}
                placeholder="https://"
                type="url"
                maxLength={2048}
                value={link.url}
                onChange={(event) => change(i, { url: event.currentTarget.value })}
              />
              <Group gap={4} grow wrap="nowrap">
                <TextInput
                  size="xs"
                  aria-label={fields.links.name}
                  placeholder={fields.links.name}
                  maxLength={128}
                  value={link.name}
                  onChange={(event) => change(i, { name: event.currentTarget.value })}
                />
                <Autocomplete
                  size="xs"
                  aria-label={fields.links.platform}
                  placeholder={fields.links.platform}
                  data={[...platforms]}
                  maxLength={64}
                  value={link.platform}
                  onChange={(platform) => change(i, { platform })}
                />
              </Group>
            </Stack>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={fields.links.remove(i + 1)}
              onClick={() => onChange(value.filter((_, other) => other !== i))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        ))}
        {error && <Input.Error>{error}</Input.Error>}
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={16} />}
            disabled={value.length >= most}
            onClick={() => onChange([...value, { url: "", name: "", platform: "" }])}
          >
            {fields.links.add}
          </Button>
          <Button size="xs" variant="default" leftSection={<IconFolder size={16} />} disabled={value.length >= most} onClick={open}>
            {fields.links.fromLibrary}
          </Button>
        </Group>
      </Stack>
      <Modal opened={library} onClose={close} title={fields.links.library} size="lg" closeButtonProps={{ "aria-label": common.close }}>
        <Library
          chosen={value.map(({ url }) => url)}
          // The first file replaces an empty row.
          onChoose={(link) => onChange([...value.filter(({ url, name }) => url || name), link])}
        />
      </Modal>
    </Fieldset>
  );
}

/** The downloads of a record. */
export function DownloadList({ links }: { links: DownloadLink[] }) {
  if (links.length === 0) {
    return null;
  }
  return (
    <Stack gap={4}>
      {links.map(({ url, name, platform }) => (
        <Group key={`${url} ${name}`} gap={4} wrap="nowrap">
          <Text size="sm" component="span">
            <WebLink address={url}>{name || url}</WebLink>
          </Text>
          {platform && (
            <Text size="xs" c="dimmed">
              {platform}
            </Text>
          )}
          <CopyIcon text={url} />
        </Group>
      ))}
    </Stack>
  );
}

function Library({ chosen, onChoose }: { chosen: string[]; onChoose(link: LinkDraft): void }) {
  const { fields, common } = useTexts();
  const format = useFormat();
  const admin = useAdmin();
  const [project] = useProjectKey();
  const [text, setText] = useState("");
  const [search] = useDebouncedValue(text.trim(), 250);
  const { data, error } = useQuery({
    queryKey: ["files", project, "library", search],
    queryFn: ({ signal }) => admin.listFiles({ status: "ready", search, limit: 20 }, { signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="xs" mih={320}>
      <TextInput
        data-autofocus
        type="search"
        aria-label={fields.links.search}
        placeholder={fields.links.search}
        maxLength={128}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {error && (
        <Text size="sm" c="var(--mantine-color-error)">
          {messagesOf(error).join("; ")}
        </Text>
      )}
      {data?.data.length === 0 && (
        <Text size="sm" c="dimmed">
          {search ? fields.links.noMatch : fields.links.noFiles}
        </Text>
      )}
      {data?.data.map((file) => {
        const taken = chosen.includes(addressOf(file));
        return (
          <Group key={file.id} gap="xs" wrap="nowrap" justify="space-between">
            <div>
              <Text size="sm" dir="auto" className={classes.address}>
                {file.filename}
              </Text>
              <Text size="xs" c="dimmed">
                {format.bytes(file.size)} · {format.time(file.created_at)}
              </Text>
            </div>
            <Button
              size="xs"
              variant="default"
              disabled={!taken && chosen.length >= most}
              // Only looks disabled, so that the button keeps the focus and the next file is near.
              data-disabled={taken}
              aria-disabled={taken}
              leftSection={taken ? <IconCheck size={16} /> : <IconPlus size={16} />}
              aria-label={fields.links.choose(file.filename)}
              onClick={() => taken || onChoose(linkTo(file))}
            >
              {taken ? fields.links.added : common.add}
            </Button>
          </Group>
        );
      })}
      {data && data.total > data.data.length && (
        <Text size="xs" c="dimmed">
          {fields.links.more(format.number(data.total - data.data.length))}
        </Text>
      )}
    </Stack>
  );
}
