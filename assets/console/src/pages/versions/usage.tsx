// Shows which apps must update, and to which version. It contains the line above the list, the
// column of each version, and the table of all versions in use.

import { Button, Group, Modal, Skeleton, Table, Text, Tooltip } from "@mantine/core";
import type { VersionUsageLine } from "svc-sdk";
import { choiceParam, useParams } from "../../core/address";
import { Failure } from "../../core/failure";
import { useFormat } from "../../core/format";
import { PageLink } from "../../core/go";
import { useTexts } from "../../core/texts";
import { Tone, type ToneName } from "../../core/tone";
import type { Heights } from "../../resource/rows";
import { useUsage } from "../../resource/usage";
import styles from "./versions.module.css";

const decisions = ["required", "optional", "current", "unknown"] as const;

type Decision = (typeof decisions)[number];

/** Returns the decision of a line. A newer server may send a decision that is not known here. */
const decisionOf = ({ decision }: VersionUsageLine): Decision => decisions.find((one) => one === decision) ?? "unknown";

/** Heights of the line and the gap below it, on a phone with the tools. They must match versions.module.css. */
export const usageLineHeights: Heights = { wide: 78, phone: 151 };

const params = { usage: choiceParam(["", "all", ...decisions]) };

const tones: Record<Decision, ToneName> = { required: "bad", optional: "info", current: "good", unknown: "neutral" };

/** A line of text: how many apps must update, how many may update, and the share of the latest version. */
export function UsageLine({ project }: { project: string }) {
  const { usage: texts } = useTexts().versions;
  const format = useFormat();
  const { data, error, refetch } = useUsage(project);
  const [, change] = useParams(params);
  if (error && !data) {
    return <Failure error={error} retry={() => void refetch()} />;
  }
  if (!data) {
    return <Skeleton className={styles.line} w="min(420px, 80%)" />;
  }
  if (data.checks === 0) {
    return (
      <Text size="sm" c="dimmed" className={styles.line}>
        {texts.none}
      </Text>
    );
  }
  const stranded = data.data.reduce(
    (sum, { decision, target_has_file: file, checks }) => (decision === "required" && !file ? sum + checks : sum),
    0,
  );
  const figure = (decision: Decision, text: string) => (
    <Button variant="subtle" color="gray" size="compact-sm" className={styles.figure} onClick={() => change({ usage: decision })}>
      {text}
    </Button>
  );
  return (
    <Group gap="2px 8px" className={styles.line} role="group" aria-label={texts.title}>
      {figure("required", texts.required(format.number(data.required)))}
      {figure("optional", texts.optional(format.number(data.optional)))}
      <Text span size="sm" c="dimmed" mx={4}>
        {texts.of(format.number(data.checks))}
      </Text>
      {data.latest && (
        <PageLink to="/admin/versions/release" search={{ project, release: data.latest.id }} className={styles.link}>
          {texts.latest(format.percent(data.latest.share, 0), data.latest.version)}
        </PageLink>
      )}
      {stranded > 0 && <Tone tone="warning">{texts.stranded(format.number(stranded))}</Tone>}
    </Group>
  );
}

/**
 * The number of update checks by apps with a version and, if these apps must update, the version to
 * which they must.
 */
export function UsageBar({ line, most }: { line: VersionUsageLine | undefined; most: number }) {
  const { usage: texts } = useTexts().versions;
  const format = useFormat();
  if (!line) {
    return (
      <span className={styles.usage}>
        <span className={styles.track} />
        <span className={styles.count}>0</span>
      </span>
    );
  }
  const { checks, share, target } = line;
  const decision = decisionOf(line);
  const told = texts.told[decision](target ?? "");
  return (
    <Tooltip label={`${texts.share(format.number(checks), format.percent(share))} ${told}`} openDelay={300}>
      <span className={styles.usage}>
        <span className={styles.track}>
          <span className={styles.fill} data-decision={decision} style={{ width: `${(checks / (most || 1)) * 100}%` }} />
        </span>
        <span className={styles.count}>{format.number(checks)}</span>
        {decision === "required" && target && <span className={styles.target}>→ {target}</span>}
      </span>
    </Tooltip>
  );
}

/**
 * A dialog that lists the versions in use with the decision that their apps get. It lists all
 * versions, or those with one decision.
 */
export function UsageDialog({ project }: { project: string }) {
  const { common, versions } = useTexts();
  const { usage: texts } = versions;
  const format = useFormat();
  const [{ usage: shown }, change] = useParams(params);
  const { data } = useUsage(project, {}, shown !== "");
  const lines = (data?.data ?? [])
    .map((line) => ({ ...line, decision: decisionOf(line) }))
    .filter(({ decision }) => shown === "all" || decision === shown);
  const shares = format.percents(lines.map(({ share }) => share));
  return (
    <Modal
      opened={shown !== ""}
      onClose={() => change({ usage: "" })}
      title={texts.title}
      size="lg"
      closeButtonProps={{ "aria-label": common.close }}
    >
      <Group gap={4} mb="sm" role="group" aria-label={texts.show}>
        {(["all", ...decisions] as const).map((decision) => (
          <Button
            key={decision}
            size="compact-sm"
            variant={decision === shown ? "light" : "subtle"}
            aria-pressed={decision === shown}
            onClick={() => change({ usage: decision }, { replace: true })}
          >
            {texts.decisions[decision]}
          </Button>
        ))}
      </Group>
      {lines.length === 0 ? (
        <Text size="sm" c="dimmed" mih={120}>
          {texts.empty}
        </Text>
      ) : (
        <Table verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{versions.columns.version}</Table.Th>
              <Table.Th ta="right">{versions.columns.usage}</Table.Th>
              <Table.Th ta="right" visibleFrom="xs">
                {texts.shareColumn}
              </Table.Th>
              <Table.Th>{texts.toldColumn}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {lines.map(({ id, version, checks, decision, target, target_has_file: file }, at) => (
              <Table.Tr key={`${id} ${version}`}>
                <Table.Td>
                  {id ? (
                    <PageLink to="." search={{ project, open: id }} className={styles.link}>
                      {version}
                    </PageLink>
                  ) : (
                    version
                  )}
                </Table.Td>
                <Table.Td ta="right">{format.number(checks)}</Table.Td>
                <Table.Td ta="right" visibleFrom="xs">
                  {shares[at]}
                </Table.Td>
                <Table.Td>
                  <Tone tone={tones[decision]}>{texts.told[decision](target ?? "")}</Tone>{" "}
                  {target && !file && (decision === "required" || decision === "optional") && <Tone tone="warning">{texts.noFile}</Tone>}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Modal>
  );
}
