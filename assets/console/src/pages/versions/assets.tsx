// The downloads of a version as updaters see them, with their problems, and the dialog that corrects
// what the server derived.

import { Anchor, Button, Group, List, Modal, Select, SimpleGrid, Stack, Switch, Table, Text, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Asset, AssetFields } from "svc-sdk";
import { textParam, useParams } from "../../core/address";
import { clientOf } from "../../core/client";
import { CopyIcon } from "../../core/copy";
import { Failure } from "../../core/failure";
import { useFormat } from "../../core/format";
import { noticeDone } from "../../core/notice";
import { useTexts } from "../../core/texts";
import { Tone, type ToneName } from "../../core/tone";
import { WebLinkToCopy } from "../../core/weblink";
import { platforms, usePlatformName } from "../../fields/platforms";
import styles from "./rollout.module.css";

const params = { asset: textParam };

const archs = ["x64", "arm64", "x86", "armv7", "universal"];

const tones: Record<string, ToneName> = { valid: "good", untrusted: "warning", invalid: "bad" };

/** Problems that do not keep a download out of feeds. */
const minor = ["bundle_version_unknown", "duplicate_name", "unreadable", "no_block_map"];

export function Assets({ project, version }: { project: string; version: string }) {
  const { assets: texts } = useTexts();
  const format = useFormat();
  const platformName = usePlatformName();
  const [{ asset: opened }, change] = useParams(params);
  const { data, error, refetch } = useQuery({
    queryKey: ["versions", project, "assets", version],
    queryFn: ({ signal }) => clientOf(project).admin.listVersionAssets(version, { signal }),
  });
  const list = data?.data ?? [];
  const shown = list.find(({ name }) => name === opened);
  return (
    <section aria-label={texts.title}>
      <Title order={2} fz="md" fw={600} mb={6}>
        {texts.title}
      </Title>
      {error ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : data && list.length === 0 ? (
        <Text size="sm" c="dimmed">
          {texts.none}
        </Text>
      ) : (
        <Table.ScrollContainer
          minWidth={700}
          scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "group", "aria-label": texts.title } }}
        >
          <Table verticalSpacing={6} withTableBorder>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{texts.name}</Table.Th>
                <Table.Th>{texts.kind}</Table.Th>
                <Table.Th>{texts.platform}</Table.Th>
                <Table.Th>{texts.arch}</Table.Th>
                <Table.Th ta="right">{texts.size}</Table.Th>
                <Table.Th>{texts.signature}</Table.Th>
                <Table.Th>{texts.problems}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {list.map((one) => (
                <Table.Tr key={one.url}>
                  <Table.Td className={styles.file}>
                    <Anchor
                      component="button"
                      type="button"
                      size="sm"
                      ta="left"
                      aria-label={texts.open(one.name)}
                      onClick={() => change({ asset: one.name })}
                    >
                      <bdi>{one.name}</bdi>
                    </Anchor>{" "}
                    {one.hidden && <Tone>{texts.hidden}</Tone>}
                  </Table.Td>
                  <Table.Td>{texts.kinds[one.kind] ?? one.kind}</Table.Td>
                  <Table.Td>{one.platform ? platformName(one.platform) : texts.unknown}</Table.Td>
                  <Table.Td>{one.arch ?? texts.unknown}</Table.Td>
                  <Table.Td ta="right" style={{ whiteSpace: "nowrap" }}>
                    {one.size === null ? texts.unknown : format.bytes(one.size)}
                  </Table.Td>
                  <Table.Td>
                    <Signatures asset={one} />
                  </Table.Td>
                  <Table.Td>
                    {one.problems.length > 0 ? (
                      <Tone tone={one.problems.every((code) => minor.includes(code)) ? "neutral" : "warning"}>
                        {format.number(one.problems.length)}
                      </Tone>
                    ) : (
                      texts.fine
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {shown && <Details key={shown.name} {...{ project, version }} asset={shown} onClose={() => change({ asset: "" })} />}
    </section>
  );
}

function Signatures({ asset: { signatures } }: { asset: Asset }) {
  const { assets: texts } = useTexts();
  const all = Object.entries(signatures);
  return all.length === 0
    ? texts.unsigned
    : all.map(([scheme, { status }]) => (
        <Tone key={scheme} tone={tones[status]}>
          {scheme}: {texts.signatures[status] ?? status}
        </Tone>
      ));
}

type Field = Exclude<keyof AssetFields, "hidden">;

type Draft = Record<Field, string> & { hidden: boolean };

const draftOf = (asset: Asset): Draft => ({
  kind: asset.kind,
  platform: asset.platform ?? "",
  arch: asset.arch ?? "",
  variant: asset.variant ?? "",
  os_min: asset.os_min ?? "",
  bundle_version: asset.bundle_version ?? "",
  delta_from: asset.delta_from ?? "",
  size: asset.size === null ? "" : String(asset.size),
  sha1: asset.sha1 ?? "",
  sha256: asset.sha256 ?? "",
  sha512: asset.sha512 ?? "",
  hidden: asset.hidden,
});

/** Returns the fields that differ; a blank one is derived again. */
export function changed(draft: Draft, asset: Asset): AssetFields {
  const before = draftOf(asset);
  const fields = (Object.keys(before) as (keyof Draft)[]).filter((field) => draft[field] !== before[field]);
  return Object.fromEntries(
    fields.map((field) => [
      field,
      field === "hidden" ? draft.hidden : draft[field] === "" ? null : field === "size" ? Number(draft.size) : draft[field],
    ]),
  );
}

interface DetailsProps {
  project: string;
  version: string;
  asset: Asset;
  onClose(): void;
}

function Details({ project, version, asset, onClose }: DetailsProps) {
  const all = useTexts();
  const { common, assets: texts } = all;
  const format = useFormat();
  const platformName = usePlatformName();
  const queries = useQueryClient();
  const [draft, setDraft] = useState(() => draftOf(asset));
  const fields = changed(draft, asset);
  const set = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }));
  const work = useMutation({
    mutationFn: () => clientOf(project).admin.updateVersionAsset(version, asset.name, fields),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ["versions"] });
      onClose();
      noticeDone(all, texts.saved(asset.name));
    },
  });
  const text = (field: Field, label: string, description?: string) => (
    <TextInput
      label={label}
      description={description}
      autoComplete="off"
      spellCheck={false}
      placeholder={texts.derived}
      value={draft[field]}
      onChange={({ currentTarget }) => set({ [field]: currentTarget.value.trim() })}
    />
  );
  const choice = (field: "kind" | "platform" | "arch", label: string, data: { value: string; label: string }[]) => (
    <Select
      label={label}
      clearable
      clearButtonProps={{ "aria-label": common.labelled(common.reset, label) }}
      placeholder={texts.derived}
      data={data}
      value={draft[field] || null}
      onChange={(value) => set({ [field]: value ?? "" })}
    />
  );
  return (
    <Modal opened onClose={onClose} title={<bdi>{asset.name}</bdi>} size="lg" closeButtonProps={{ "aria-label": common.close }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          work.mutate();
        }}
      >
        <Stack gap="md">
          {asset.problems.length > 0 && (
            <List size="sm" spacing={4} aria-label={texts.problems}>
              {asset.problems.map((code) => (
                <List.Item key={code}>
                  {texts.codes[code] ?? code} {minor.includes(code) && <Tone>{texts.told}</Tone>}
                </List.Item>
              ))}
            </List>
          )}
          <Stack gap={6} component="dl" m={0}>
            <Fact title={texts.url}>
              <span className={styles.file}>
                <WebLinkToCopy address={asset.url} />
              </span>
            </Fact>
            {(["sha256", "sha512", "sha1"] as const).map((sum) => (
              <Fact key={sum} title={sum.toUpperCase().replace("SHA", "SHA-")}>
                {asset[sum] ? (
                  <Group gap={4} wrap="nowrap" align="flex-start">
                    <code className={styles.sum}>{asset[sum]}</code>
                    <CopyIcon text={asset[sum]} />
                  </Group>
                ) : (
                  texts.unknown
                )}
              </Fact>
            ))}
            <Fact title={texts.signature}>
              <Signatures asset={asset} />
              {Object.values(asset.signatures).map(({ key_id: key }) => key && <code key={key}> {key}</code>)}
            </Fact>
            {asset.package && (
              <Fact title={texts.package}>{texts.packageOf(asset.package.id, asset.package.version, asset.package.channel ?? "")}</Fact>
            )}
            {asset.block_map_size !== null && <Fact title={texts.blockMap}>{format.bytes(asset.block_map_size)}</Fact>}
          </Stack>
          <div>
            <Title order={3} fz="md" fw={600}>
              {texts.edit}
            </Title>
            <Text size="sm" c="dimmed">
              {texts.editHint}
            </Text>
          </div>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            {choice(
              "kind",
              texts.kind,
              Object.entries(texts.kinds).map(([value, label]) => ({ value, label })),
            )}
            {choice(
              "platform",
              texts.platform,
              platforms.map((value) => ({ value, label: platformName(value) })),
            )}
            {choice(
              "arch",
              texts.arch,
              archs.map((value) => ({ value, label: value })),
            )}
            {text("variant", texts.variant, texts.variantHint)}
            {text("os_min", texts.osMin)}
            {text("bundle_version", texts.bundle)}
            {draft.kind === "sparkle-delta" && text("delta_from", texts.deltaFrom)}
            {asset.file_id === null && text("size", texts.bytes)}
            {asset.file_id === null && text("sha256", "SHA-256")}
            {asset.file_id === null && text("sha512", "SHA-512")}
            {asset.file_id === null && text("sha1", "SHA-1")}
          </SimpleGrid>
          <Switch label={texts.hide} checked={draft.hidden} onChange={({ currentTarget }) => set({ hidden: currentTarget.checked })} />
          {work.error && <Failure error={work.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button type="submit" loading={work.isPending} disabled={Object.keys(fields).length === 0}>
              {common.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function Fact({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="xs" c="dimmed">
        {title}
      </Text>
      <Text component="dd" size="sm" m={0}>
        {children}
      </Text>
    </div>
  );
}
