// Storages of files, and the CDN in front of them.

import { Alert, Badge, Button, Group, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import type { StorageBackend, StorageProbe } from "svc-sdk";
import { useChangeAddress } from "../../core/address";
import { clientOf } from "../../core/client";
import { Failure } from "../../core/failure";
import { type Format, useFormat } from "../../core/format";
import { useShortcuts } from "../../core/keys";
import { noticeDone, noticeFailure } from "../../core/notice";
import { sentence } from "../../core/sentence";
import { useTexts } from "../../core/texts";
import { DeletionDialog } from "../../resource/deletion";
import { FormDialog } from "../../resource/form";
import { useList } from "../../resource/list";
import { RecordMenu } from "../../resource/table";
import type { Texts } from "../../texts/en";
import { storagesOf, untested } from "./backends";
import { CdnSection } from "./cdn";
import { Guide } from "./guide";
import { Facts, Section, SettingsLayout } from "./layout";

/**
 * Heights in pixels that are reserved while content is being loaded: that of the facts about
 * addresses, and that of one storage.
 */
const heights = { address: 98, backend: 133 };

export default function StoragePage() {
  const texts = useTexts();
  const { storage } = texts.settings;
  const format = useFormat();
  const overview = useQuery({ queryKey: ["storage"], queryFn: ({ signal }) => clientOf("").admin.getStorage({ signal }) });
  return (
    <SettingsLayout
      operations={[
        "getStorage",
        "createStorageBackend",
        "updateStorageBackend",
        "deleteStorageBackend",
        "testStorageBackend",
        "getCdnConfig",
        "updateCdnConfig",
        "clearCdnConfig",
        "testCdnConfig",
      ]}
    >
      <Section title={storage.distribution} description={storage.distributionDescription}>
        {overview.data ? (
          <Facts
            facts={[
              [storage.address, overview.data.dist_base_url ?? storage.noAddress],
              [storage.largest, format.bytes(overview.data.upload_max_bytes)],
              [storage.chunk, format.bytes(overview.data.chunk_size)],
            ]}
          />
        ) : overview.error ? (
          <Failure error={overview.error} retry={() => void overview.refetch()} />
        ) : (
          <Skeleton height={heights.address} />
        )}
      </Section>
      <Storages />
      <CdnSection />
    </SettingsLayout>
  );
}

function Storages() {
  const texts = useTexts();
  const { common } = texts;
  const { storage } = texts.settings;
  const change = useChangeAddress();
  const resource = useMemo(() => storagesOf(texts), [texts]);
  const list = useList(resource);
  const add = () => change({ new: "1" });
  useShortcuts([{ key: "n", label: storage.add, run: add }]);
  return (
    <Section
      title={storage.storages}
      description={storage.storagesDescription}
      aside={
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
          {storage.add}
        </Button>
      }
    >
      {list.data ? (
        list.data.data.map((backend) => <Storage key={backend.id} backend={backend} resource={resource} />)
      ) : list.error ? (
        <Failure error={list.error} retry={list.retry} />
      ) : (
        <Skeleton height={heights.backend} role="status" aria-label={common.loading} />
      )}
      <FormDialog resource={resource} form={resource.form} list={list} />
      <DeletionDialog resource={resource} remove={resource.remove} list={list} />
    </Section>
  );
}

function Storage({ backend, resource }: { backend: StorageBackend; resource: ReturnType<typeof storagesOf> }) {
  const texts = useTexts();
  const { settings } = texts;
  const { storage } = settings;
  const format = useFormat();
  const queries = useQueryClient();
  const probe = useMutation({ mutationFn: () => clientOf("").admin.testStorageBackend(backend.id) });
  const { mutate: test } = probe;
  useEffect(() => {
    if (untested.delete(backend.id)) {
      test();
    }
  }, [backend.id, test]);
  const choose = useMutation({
    mutationFn: () => clientOf("").admin.updateStorageBackend(backend.id, { is_default: true }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ["storage"] });
      noticeDone(texts, storage.madeDefault(backend.name));
    },
    onError: (error) => noticeFailure(texts, error),
  });
  const kind = storage.kinds[backend.kind as keyof typeof storage.kinds] ?? backend.kind;
  return (
    <Paper withBorder p="md" component="article" aria-label={backend.name}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
          <Group gap="xs">
            <Title order={3} size="h5">
              {backend.name}
            </Title>
            <Badge variant="light" color="gray">
              {kind}
            </Badge>
            {backend.is_default && <Badge variant="light">{storage.isDefault}</Badge>}
          </Group>
          <RecordMenu resource={resource} record={backend} />
        </Group>
        <Text size="sm" c="dimmed" className="lines">
          {describe(backend, texts, format)}
        </Text>
        <Group gap="xs">
          <Button variant="default" size="compact-sm" loading={probe.isPending} onClick={() => probe.mutate()}>
            {settings.test}
          </Button>
          {!backend.is_default && (
            <Button variant="default" size="compact-sm" loading={choose.isPending} onClick={() => choose.mutate()}>
              {storage.makeDefault}
            </Button>
          )}
          {backend.cdn_origin && <Guide name={backend.name} origin={backend.cdn_origin} username={backend.username ?? ""} />}
        </Group>
        {probe.error && <Failure error={probe.error} retry={() => probe.mutate()} />}
        {probe.data && <ProbeResult probe={probe.data} address={backend.base_url} />}
      </Stack>
    </Paper>
  );
}

/** Returns a line of text about the location and the contents of a storage. */
function describe(backend: StorageBackend, { settings: { storage } }: Texts, format: Format): string {
  return [
    [backend.base_url, backend.bucket, backend.path_prefix].filter(Boolean).join(" / "),
    backend.file_count === 1 ? storage.oneFile : storage.files(format.number(backend.file_count)),
    backend.kind === "webdav" && (backend.part_size_kb ? storage.parts(format.bytes(backend.part_size_kb * 1024)) : storage.whole),
  ]
    .filter(Boolean)
    .join(" · ");
}

function ProbeResult({ probe, address }: { probe: StorageProbe; address: string | null }) {
  const { probe: texts } = useTexts().settings.storage;
  const format = useFormat();
  const weak = probe.range_supported === false || probe.large_write_ok === false;
  return (
    <Alert role="status" color={probe.ok ? (weak ? "yellow" : "green") : "red"} py="xs">
      <Stack gap={4}>
        <Text size="sm">{probe.ok ? texts.works(`${format.number(probe.latency_ms)} ms`) : texts.fails}</Text>
        {probe.range_supported === false && <Text size="sm">{texts.noRange}</Text>}
        {probe.large_write_ok === false && <Text size="sm">{texts.noLarge}</Text>}
        {probe.ok && probe.range_supported && probe.large_write_ok && <Text size="sm">{texts.all}</Text>}
        {probe.error && (
          <Text size="sm" className="lines">
            {address && /\bconnection was refused$/.test(probe.error) ? texts.refused(new URL(address).host) : sentence(probe.error)}
          </Text>
        )}
      </Stack>
    </Alert>
  );
}
