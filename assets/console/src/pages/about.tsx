// The page about the program: its version, available updates, the state of the instance, and
// recommended actions.

import { Alert, Anchor, Badge, Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { About, AboutRelease, AboutUpdate, InstanceCheck, InstanceStatus } from "svc-sdk";
import { clientOf } from "../core/client";
import { Failure } from "../core/failure";
import { useFormat } from "../core/format";
import { sentence } from "../core/sentence";
import { useTexts } from "../core/texts";
import { WebLink } from "../core/weblink";
import { PageHead } from "../resource/head";
import { Facts, Section } from "./settings/layout";

const colours: Record<string, string> = { ok: "green", note: "blue", warning: "yellow", problem: "red" };
const links = ["reference", "start", "licences"] as const;
const addresses = { reference: "/doc", start: "/", licences: "/console/licences.txt" };

export default function AboutPage() {
  const { about, frame, common } = useTexts();
  const queries = useQueryClient();
  const status = useQuery({ queryKey: ["status"], queryFn: ({ signal }) => clientOf("").admin.getStatus({ signal }) });
  const program = useQuery({ queryKey: ["about"], queryFn: ({ signal }) => clientOf("").admin.getAbout({}, { signal }) });
  const again = useMutation({
    mutationFn: async () => {
      const [fresh] = await Promise.all([clientOf("").admin.getAbout({ refresh: "true" }), status.refetch()]);
      return fresh;
    },
    onSuccess: (fresh) => queries.setQueryData(["about"], fresh),
  });
  const error = program.error ?? status.error ?? again.error;
  const loaded = program.data && status.data && { program: program.data, status: status.data };
  return (
    <Stack gap="md" maw={880}>
      <PageHead
        title={frame.pages.about}
        operations={["getAbout", "getInstanceStatus"]}
        action={
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={again.isPending}
            onClick={() => again.mutate()}
          >
            {about.again}
          </Button>
        }
      />
      {error && <Failure error={error} retry={() => again.mutate()} />}
      {loaded ? (
        <>
          <Running {...loaded} />
          <Update {...loaded} />
          <Health {...loaded} />
        </>
      ) : (
        !error && <Skeleton height={480} role="status" aria-label={common.loading} />
      )}
      {(loaded || error) && (
        <Section title={about.links}>
          <Group gap="lg">
            {links.map((name) => (
              <Anchor key={name} href={addresses[name]} className="lone">
                {about[name]}
              </Anchor>
            ))}
            {program.data?.docs_url && (
              <Anchor href={program.data.docs_url} target="_blank" rel="noopener noreferrer" className="lone">
                {about.docs}
              </Anchor>
            )}
          </Group>
        </Section>
      )}
    </Stack>
  );
}

function Running({ program, status }: { program: About; status: InstanceStatus }) {
  const { about, common } = useTexts();
  const format = useFormat();
  const { backup } = status;
  const { release } = program;
  const made = !backup
    ? about.noBackup
    : backup.last_at === null
      ? about.noBackupYet
      : `${format.time(backup.last_at)} (${format.bytes(backup.bytes)})`;
  const commit = program.commit && (program.modified ? `${program.commit.slice(0, 12)} (${about.modified})` : program.commit.slice(0, 12));
  return (
    <Section title={about.running}>
      <Facts
        facts={[
          [about.version, program.version],
          [about.build, [commit, program.go, program.platform].filter(Boolean).join("\n")],
          [about.release, release ? <Release release={release} /> : about.unpublished],
          [about.started, format.time(program.started_at)],
          [about.site, status.site_url ?? about.unset],
          [about.distribution, status.distribution_url ?? about.unset],
          [about.backup, backup?.error ? `${made}\n${common.labelled(about.backupFailed, backup.error)}` : made],
        ]}
      />
    </Section>
  );
}

/** Title and time of a release, with a link to its page. */
function Release({ release }: { release: AboutRelease }) {
  const format = useFormat();
  return (
    <>
      <WebLink address={release.url}>{release.title || release.version}</WebLink>
      {"\n"}
      {format.time(release.published_at)}
    </>
  );
}

/** The result of the update check. */
function Update({ program: { update, upstream_url } }: { program: About }) {
  const { about } = useTexts();
  const format = useFormat();
  if (!update) {
    return (
      <Section title={about.update.title}>
        <Text size="sm">{about.update.off}</Text>
      </Section>
    );
  }
  return (
    <Section title={about.update.title} aside={<Verdict of={update} />}>
      {update.error ? (
        <Alert color="yellow" title={about.update.failed(upstream_url ?? "")}>
          {update.error}
        </Alert>
      ) : (
        update.target && (
          <Facts
            facts={[
              [about.update.target, update.target.version],
              [about.release, <Release key="release" release={update.target} />],
              [
                about.update.reasons,
                update.reason_codes.map((code) => about.update.codes[code as keyof typeof about.update.codes] ?? code).join("\n"),
              ],
            ]}
          />
        )
      )}
      <Text size="xs" c="dimmed">
        {about.update.askedAt(upstream_url ?? "", format.time(update.checked_at))}
      </Text>
    </Section>
  );
}

function Verdict({ of: { error, should_update, required } }: { of: AboutUpdate }) {
  const { verdicts } = useTexts().about.update;
  const verdict = error ? "unknown" : !should_update ? "current" : required ? "required" : "available";
  return <Badge color={{ unknown: "yellow", current: "green", available: "blue", required: "red" }[verdict]}>{verdicts[verdict]}</Badge>;
}

function Health({ status }: { status: InstanceStatus }) {
  const { about, common } = useTexts();
  const format = useFormat();
  const found = status.checks.filter(({ findings }) => findings.length > 0);
  return (
    <Section title={about.health} description={about.healthText} aside={<State of={status.status} />}>
      {found.map((check) => (
        <Findings key={check.name} check={check} />
      ))}
      <Text size="xs" c="dimmed">
        {common.labelled(about.checked, format.time(status.checked_at))}
      </Text>
    </Section>
  );
}

function State({ of }: { of: string }) {
  const { states } = useTexts().about;
  return <Badge color={colours[of] ?? "gray"}>{states[of as keyof typeof states] ?? of}</Badge>;
}

function Findings({ check }: { check: InstanceCheck }) {
  const { findings } = useTexts().about;
  const title = findings.titleOf(check);
  return (
    <Stack gap={8} component="article" aria-label={title}>
      <Group gap="xs">
        <Title order={3} size="h5">
          {sentence(title)}
        </Title>
        <State of={check.status} />
      </Group>
      {check.findings.map(findings.textOf).map(({ what, repair }) => (
        <div key={what}>
          <Text size="sm" className="lines">
            {sentence(what)}
          </Text>
          {repair && (
            <Text size="sm" c="dimmed" className="lines">
              {sentence(repair)}
            </Text>
          )}
        </div>
      ))}
    </Stack>
  );
}
