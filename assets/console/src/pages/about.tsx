// Which version runs, how the instance stands and what to do about it.

import { Anchor, Badge, Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { InstanceCheck, InstanceStatus } from "svc-sdk";
import { clientOf } from "../app/client";
import { Failure } from "../app/failure";
import { useFormat } from "../app/format";
import { useTexts } from "../app/texts";
import { ApiHelpButton } from "../resource/page";
import { Facts, Section } from "./settings/layout";

const colours: Record<string, string> = { ok: "green", note: "blue", warning: "yellow", problem: "red" };
const links = ["reference", "start"] as const;
const addresses = { reference: "/doc", start: "/" };

export default function AboutPage() {
  const { about, frame, common } = useTexts();
  const status = useQuery({ queryKey: ["status"], queryFn: ({ signal }) => clientOf("").admin.getStatus({ signal }) });
  return (
    <Stack gap="md" maw={880}>
      <Group justify="space-between" gap="xs">
        <Title order={1} size="h2" tabIndex={-1}>
          {frame.pages.about}
        </Title>
        <Group gap="xs">
          <ApiHelpButton operations={["getInstanceStatus"]} />
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            loading={status.isFetching}
            onClick={() => void status.refetch()}
          >
            {about.again}
          </Button>
        </Group>
      </Group>
      {status.data ? (
        <>
          <Instance status={status.data} />
          <Health status={status.data} />
        </>
      ) : status.error ? (
        <Failure error={status.error} retry={() => void status.refetch()} />
      ) : (
        <Skeleton height={320} role="status" aria-label={common.loading} />
      )}
      <Section title={about.links}>
        <Group gap="lg">
          {links.map((name) => (
            <Anchor key={name} href={addresses[name]}>
              {about[name]}
            </Anchor>
          ))}
        </Group>
      </Section>
    </Stack>
  );
}

function Instance({ status }: { status: InstanceStatus }) {
  const { about } = useTexts();
  const format = useFormat();
  const { backup } = status;
  const made = backup?.last_at ? `${format.time(backup.last_at)} (${format.bytes(backup.bytes)})` : about.noBackup;
  return (
    <Section title={about.running}>
      <Facts
        facts={[
          [about.version, status.version],
          [about.started, format.time(status.started_at)],
          [about.site, status.site_url ?? about.unset],
          [about.distribution, status.distribution_url ?? about.unset],
          [about.backup, backup?.error ? `${made}\n${about.backupFailed}: ${backup.error}` : made],
        ]}
      />
    </Section>
  );
}

function Health({ status }: { status: InstanceStatus }) {
  const { about } = useTexts();
  const format = useFormat();
  const found = status.checks.filter(({ findings }) => findings.length > 0);
  return (
    <Section title={about.health} description={about.healthText} aside={<State of={status.status} />}>
      {found.map((check) => (
        <Findings key={check.name} check={check} />
      ))}
      <Text size="xs" c="dimmed">
        {about.checked}: {format.time(status.checked_at)}
      </Text>
    </Section>
  );
}

function State({ of }: { of: string }) {
  const { states } = useTexts().about;
  return <Badge color={colours[of] ?? "gray"}>{states[of as keyof typeof states] ?? of}</Badge>;
}

function Findings({ check }: { check: InstanceCheck }) {
  return (
    <Stack gap={8} component="article" aria-label={check.title}>
      <Group gap="xs">
        <Title order={3} size="h5">
          {check.title}
        </Title>
        <State of={check.status} />
      </Group>
      {check.findings.map(({ what, repair }) => (
        <div key={what}>
          <Text size="sm" className="lines">
            {what}
          </Text>
          {repair && (
            <Text size="sm" c="dimmed" className="lines">
              {repair}
            </Text>
          )}
        </div>
      ))}
    </Stack>
  );
}
