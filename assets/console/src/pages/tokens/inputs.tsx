// The form of an API key.

import { Alert, Checkbox, Input, MultiSelect, NumberInput, SegmentedControl, Stack, TextInput } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ApiKey, ApiKeyFields, Scope } from "svc-sdk";
import { clientOf } from "../../core/client";
import { Failure } from "../../core/failure";
import { useProjects } from "../../core/project";
import { useTexts } from "../../core/texts";
import { ScopesField } from "../../fields/scopes";
import type { Inputs } from "../../resource/resource";

export interface Values {
  name: string;
  scopes: Scope[];
  expiry: "keep" | "days" | "never";
  expires_in_days: number | string;
  all_projects: boolean;
  project_ids: string[];
}

/** Converts the values to the form for the server. It omits an unchanged expiry. */
export function fieldsOf({ name, scopes, expiry, expires_in_days, all_projects, project_ids }: Values): ApiKeyFields {
  return {
    name,
    scopes,
    all_projects,
    ...(!all_projects && { project_ids }),
    ...(expiry === "days" && { expires_in_days: Number(expires_in_days), never_expires: false }),
    ...(expiry === "never" && { never_expires: true }),
  };
}

// The scopes that are shown until the server has responded. With them, the table has its final
// height from the start, so that nothing below it moves.
const knownScopes: Scope[] = [
  ...(["projects", "versions", "announcements", "events", "feedbacks", "logs", "files"] as const).flatMap(
    (kind) => [`${kind}:read`, `${kind}:write`] as const,
  ),
  "stats:read",
  "tokens:read",
  "tokens:write",
];

export function TokenInputs({ inputs, record }: { inputs: Inputs<Values>; record: ApiKey | null }) {
  const { tokens } = useTexts();
  const { data: projects } = useProjects();
  const scopes = useQuery({
    queryKey: ["scopes"],
    queryFn: ({ signal }) => clientOf("").admin.listApiScopes({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { values } = inputs;
  const name = inputs.bind("name");
  return (
    <Stack gap="md">
      <TextInput
        label={tokens.name}
        description={tokens.nameHint}
        required
        maxLength={64}
        data-autofocus
        value={name.value}
        error={name.error}
        onChange={({ currentTarget }) => name.onChange(currentTarget.value)}
      />
      {scopes.error ? (
        <Failure error={scopes.error} retry={() => void scopes.refetch()} />
      ) : (
        <ScopesField
          label={tokens.scopes}
          description={tokens.scopesHint}
          available={scopes.data?.data ?? knownScopes}
          {...inputs.bind("scopes")}
        />
      )}
      <Stack gap={4}>
        <Input.Label labelElement="div" id="token-expiry">
          {tokens.expiry}
        </Input.Label>
        <SegmentedControl
          aria-labelledby="token-expiry"
          value={values.expiry}
          onChange={(expiry) => inputs.set("expiry", expiry as Values["expiry"])}
          data={[
            ...(record ? [{ value: "keep", label: tokens.keepExpiry }] : []),
            { value: "days", label: tokens.days },
            { value: "never", label: tokens.forever },
          ]}
        />
      </Stack>
      {values.expiry === "days" && (
        <NumberInput
          label={tokens.daysLabel}
          min={1}
          max={365}
          allowDecimal={false}
          clampBehavior="none"
          maw={160}
          {...inputs.bind("expires_in_days")}
        />
      )}
      {values.expiry === "never" && (
        <Alert color="yellow" role="status" icon={<IconAlertTriangle aria-hidden />}>
          {tokens.foreverWarning}
        </Alert>
      )}
      <Stack gap="xs">
        <Checkbox
          label={tokens.allProjects}
          checked={values.all_projects}
          onChange={({ currentTarget }) => inputs.set("all_projects", currentTarget.checked)}
        />
        {!values.all_projects && (
          <MultiSelect
            label={tokens.listedProjects}
            placeholder={tokens.choose}
            searchable
            data={(projects ?? []).map((project) => ({ value: project.project_key, label: project.name }))}
            {...inputs.bind("project_ids")}
          />
        )}
      </Stack>
    </Stack>
  );
}
