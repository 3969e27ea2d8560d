// The public keys that sign the downloads of a project.

import { Button, Group, Modal, Select, Skeleton, Stack, Table, Text, Textarea, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { TrustKey } from "svc-sdk";
import { choiceParam, useParams } from "../../core/address";
import { clientOf } from "../../core/client";
import { Confirm } from "../../core/confirm";
import { Failure } from "../../core/failure";
import { useFormat } from "../../core/format";
import { noticeDone } from "../../core/notice";
import { useTexts } from "../../core/texts";
import { Tone, type ToneName } from "../../core/tone";
import { useAct } from "../../resource/act";
import { Section } from "../settings/layout";

const params = { dialog: choiceParam(["", "key"]) };

const tones: Record<string, ToneName> = { active: "good", retired: "neutral", revoked: "bad" };

const name = "trust-keys";

export function TrustKeys({ project }: { project: string }) {
  const { common, distribution } = useTexts();
  const texts = distribution.keys;
  const [{ dialog }, change] = useParams(params);
  const { data, error, refetch } = useQuery({
    queryKey: [name, project],
    queryFn: ({ signal }) => clientOf(project).admin.listTrustKeys({ signal }),
  });
  return (
    <Section
      title={texts.title}
      description={texts.hint}
      aside={
        <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => change({ dialog: "key" })}>
          {texts.add}
        </Button>
      }
    >
      {error ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Skeleton height={90} role="status" aria-label={common.loading} />
      ) : data.data.length === 0 ? (
        <Text size="sm" c="dimmed">
          {texts.none}
        </Text>
      ) : (
        <Table.ScrollContainer
          minWidth={560}
          scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "group", "aria-label": texts.title } }}
        >
          <Table verticalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{texts.scheme}</Table.Th>
                <Table.Th>{texts.id}</Table.Th>
                <Table.Th>{texts.label}</Table.Th>
                <Table.Th>{texts.state}</Table.Th>
                <Table.Th>
                  <span className="offscreen">{common.more}</span>
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.data.map((key) => (
                <Key key={key.id} project={project} trusted={key} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {dialog === "key" && <NewKey project={project} onClose={() => change({ dialog: "" })} />}
    </Section>
  );
}

function Key({ project, trusted: { id, scheme, key_id: number, label, state, created_at: at } }: { project: string; trusted: TrustKey }) {
  const { distribution } = useTexts();
  const texts = distribution.keys;
  const format = useFormat();
  const act = useAct(name);
  const queries = useQueryClient();
  const [revoking, setRevoking] = useState(false);
  const { admin } = clientOf(project);
  const set = (next: string) => () => admin.updateTrustKey(id, { state: next as TrustKey["state"] });
  return (
    <Table.Tr>
      <Table.Td>{scheme}</Table.Td>
      <Table.Td>
        <code>{number}</code>
      </Table.Td>
      <Table.Td>
        <bdi>{label}</bdi>{" "}
        <Text span size="xs" c="dimmed">
          {format.date(at)}
        </Text>
      </Table.Td>
      <Table.Td>
        <Tone tone={tones[state]}>{texts.states[state] ?? state}</Tone>
      </Table.Td>
      <Table.Td>
        <Group gap={6} justify="flex-end" wrap="nowrap">
          {state !== "revoked" && (
            <Button
              size="xs"
              variant="default"
              onClick={() => {
                const next = state === "active" ? "retired" : "active";
                void act(set(next), texts.changed(number), set(state));
              }}
            >
              {state === "active" ? texts.retire : texts.activate}
            </Button>
          )}
          {state !== "revoked" && (
            <Button size="xs" variant="default" c="var(--mantine-color-error)" onClick={() => setRevoking(true)}>
              {texts.revoke}
            </Button>
          )}
        </Group>
        {revoking && (
          <Confirm
            title={texts.revokeTitle(number)}
            text={texts.revokeText}
            label={texts.revoke}
            run={async () => {
              await set("revoked")();
              await queries.invalidateQueries({ queryKey: [name] });
            }}
            onClose={() => setRevoking(false)}
          />
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function NewKey({ project, onClose }: { project: string; onClose(): void }) {
  const all = useTexts();
  const { common, distribution } = all;
  const texts = distribution.keys;
  const queries = useQueryClient();
  const [scheme, setScheme] = useState("minisign");
  const [text, setText] = useState("");
  const [label, setLabel] = useState("");
  const work = useMutation({
    mutationFn: () => clientOf(project).admin.createTrustKey({ scheme, public_key: text.trim(), label: label.trim() || null }),
    onSuccess: async ({ key_id: number }) => {
      await queries.invalidateQueries({ queryKey: [name] });
      onClose();
      noticeDone(all, texts.added(number));
    },
  });
  return (
    <Modal opened onClose={onClose} title={texts.add} closeButtonProps={{ "aria-label": common.close }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          work.mutate();
        }}
      >
        <Stack gap="sm">
          <Select
            label={texts.scheme}
            allowDeselect={false}
            data={[
              { value: "minisign", label: texts.schemes.minisign },
              { value: "sparkle", label: texts.schemes.sparkle },
            ]}
            value={scheme}
            onChange={(next) => setScheme(next ?? "minisign")}
          />
          <Textarea
            label={texts.text}
            description={texts.textHint}
            required
            data-autofocus
            autosize
            minRows={2}
            maxLength={1024}
            spellCheck={false}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          <TextInput label={texts.label} maxLength={64} value={label} onChange={({ currentTarget }) => setLabel(currentTarget.value)} />
          {work.error && <Failure error={work.error} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button type="submit" loading={work.isPending}>
              {texts.add}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
