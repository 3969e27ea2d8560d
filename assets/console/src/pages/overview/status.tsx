// The state of the instance: the results of the server's checks of itself, and the remedies.

import { Anchor, Box, Group, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { InstanceStatus } from "svc-sdk";
import type { Asked } from "../../charts/figure";
import { Failure } from "../../core/failure";
import { useFormat } from "../../core/format";
import { PageLink } from "../../core/go";
import { sentence } from "../../core/sentence";
import { useTexts } from "../../core/texts";
import { Tone, type ToneName } from "../../core/tone";
import styles from "./overview.module.css";
import { replicationText } from "./replication";

const tones: Record<string, ToneName> = { ok: "good", note: "info", warning: "warning", problem: "bad" };
const order = ["problem", "warning", "note"];

export function StatusCard({ query }: { query: Asked<InstanceStatus> }) {
  const { overview } = useTexts();
  const texts = overview.status;
  const format = useFormat();
  const { data, error } = query;
  const findings = (data?.checks ?? [])
    .flatMap((check) => check.findings.map((finding) => ({ ...finding, ...overview.findings.textOf(finding), check: check.name })))
    .sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  const backup = data?.backup;
  return (
    <Paper withBorder p="md" component="section" aria-label={texts.title}>
      <Stack gap="md">
        <Group justify="space-between" gap="xs">
          <Group gap="sm">
            <Title order={2} fz="md" fw={600}>
              {texts.title}
            </Title>
            {data && (
              <Tone tone={tones[data.status]}>
                {data.status === "note" ? texts.notes(findings.length) : (texts.states[data.status] ?? data.status)}
              </Tone>
            )}
          </Group>
          {data && (
            <Text size="xs" c="dimmed">
              {texts.checks(format.number(data.checks.length))} · {texts.checked(format.time(data.checked_at))}
            </Text>
          )}
        </Group>
        {error && !data ? (
          <Failure error={error} retry={() => void query.refetch()} />
        ) : !data ? (
          <Skeleton height={96} />
        ) : (
          <>
            <dl className={styles.facts}>
              <div>
                <dt>{texts.version}</dt>
                <dd>
                  <Anchor size="sm" className="lone" renderRoot={(props) => <PageLink to="/admin/about" {...props} />}>
                    {data.version}
                  </Anchor>
                </dd>
              </div>
              <div>
                <dt>{texts.running}</dt>
                <dd>{format.time(data.started_at)}</dd>
              </div>
              <div>
                <dt>{texts.backup}</dt>
                <dd>
                  {backup
                    ? ((backup.error && sentence(backup.error)) ??
                      (backup.last_at === null ? texts.never : `${format.ago(backup.last_at)}, ${format.bytes(backup.bytes)}`))
                    : texts.noBackup}
                </dd>
              </div>
              {data.replication && (
                <div>
                  <dt>{texts.replication}</dt>
                  <dd>{replicationText(data.replication, texts, format)}</dd>
                </div>
              )}
              <div>
                <dt>{texts.site}</dt>
                <dd>{data.site_url ?? texts.notSet}</dd>
              </div>
              <div>
                <dt>{texts.distribution}</dt>
                <dd>{data.distribution_url ?? texts.notSet}</dd>
              </div>
            </dl>
            {findings.length > 0 && (
              <ul className={styles.findings}>
                {findings.map((finding) => (
                  <li key={`${finding.check} ${sentence(finding.what)}`} className={styles.finding}>
                    <Box>
                      <Tone tone={tones[finding.status]}>{texts.tones[finding.status] ?? finding.status}</Tone>
                    </Box>
                    <div>
                      <Text size="sm">{sentence(finding.what)}</Text>
                      {finding.repair && (
                        <Text size="sm" c="dimmed">
                          {sentence(finding.repair)}
                        </Text>
                      )}
                    </div>
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Stack>
    </Paper>
  );
}
