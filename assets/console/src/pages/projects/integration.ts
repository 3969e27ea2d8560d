// The form values of a project's integration with its repository.

import type { CodehostIntegration, CodehostIntegrationFields, Project } from "svc-sdk";
import type { Texts } from "../../texts/en";

export const associations = [
  "OWNER",
  "MEMBER",
  "COLLABORATOR",
  "CONTRIBUTOR",
  "FIRST_TIME_CONTRIBUTOR",
  "FIRST_TIMER",
  "MANNEQUIN",
  "NONE",
] as const;

export type Association = (typeof associations)[number];

/** The values that the form offers. Any other value is only shown if it is already set. */
export const offered: Association[] = ["OWNER", "MEMBER", "COLLABORATOR", "CONTRIBUTOR", "NONE"];

export interface CommandDraft {
  name: string;
  workflow: string;
  ref: string;
  input: string;
}

export interface Draft {
  repo_full_name: string;
  feedback_issue_enabled: boolean;
  feedback_issue_template_source: string;
  feedback_issue_template_repo_path: string;
  feedback_issue_template_repo_ref: string;
  feedback_issue_title_template: string;
  feedback_issue_body_template: string;
  feedback_issue_labels: string[];
  comment_commands_enabled: boolean;
  command_allowed_associations: Association[];
  command_allowed_users: string[];
  commands: CommandDraft[];
  /** The secret of the webhook: null keeps the stored one, and a blank text removes it. */
  secret: string | null;
}

/** Returns owner/name from the address of a repository at a code host, or "" for any other address. */
export function repositoryIn(address: string | null): string {
  const [, owner, name] = /^https?:\/\/[^/]+\/([\w.-]+)\/([\w.-]+?)(?:\.git)?(?:[/?#]|$)/.exec(address?.trim() ?? "") ?? [];
  return owner && name ? `${owner}/${name}` : "";
}

/**
 * Returns the form values of an integration. If it has no repository, the form begins with the
 * repository in the project's address.
 */
export function draftOf(integration: CodehostIntegration, project: Pick<Project, "repo_url"> | undefined): Draft {
  const text = (value: string | null) => value ?? "";
  return {
    repo_full_name: integration.repo_full_name ?? (integration.updated_at === null ? repositoryIn(project?.repo_url ?? null) : ""),
    feedback_issue_enabled: integration.feedback_issue_enabled,
    feedback_issue_template_source: integration.feedback_issue_template_source,
    feedback_issue_template_repo_path: text(integration.feedback_issue_template_repo_path),
    feedback_issue_template_repo_ref: text(integration.feedback_issue_template_repo_ref),
    feedback_issue_title_template: text(integration.feedback_issue_title_template),
    feedback_issue_body_template: text(integration.feedback_issue_body_template),
    feedback_issue_labels: integration.feedback_issue_labels,
    comment_commands_enabled: integration.comment_commands_enabled,
    command_allowed_associations: integration.command_allowed_associations,
    command_allowed_users: integration.command_allowed_users,
    commands: integration.commands.map(({ input = "", ...command }) => ({ ...command, input })),
    secret: null,
  };
}

export function fieldsOf({ secret: _, ...draft }: Draft): CodehostIntegrationFields {
  return {
    ...draft,
    repo_full_name: draft.repo_full_name.trim(),
    commands: draft.commands
      .filter((command) => Object.values(command).some((text) => text.trim()))
      .map(({ name, workflow, ref, input }) => ({
        name: name.trim(),
        workflow: workflow.trim(),
        ref: ref.trim(),
        input: input.trim() || null,
      })),
  };
}

export function check(draft: Draft, { codehost }: Texts): Partial<Record<keyof Draft, string>> {
  const repository = draft.repo_full_name.trim();
  const names = draft.commands.map(({ name }) => name.trim()).filter(Boolean);
  const broken = draft.commands.some(
    ({ name, workflow, ref, input }) =>
      [name, workflow, ref, input].some((text) => text.trim()) &&
      (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(name.trim()) ||
        !workflow.trim() ||
        !ref.trim() ||
        !/^([A-Za-z_][\w-]{0,63})?$/.test(input.trim())),
  );
  return {
    ...(repository && !/^[\w.-]+\/[\w.-]+$/.test(repository) && { repo_full_name: codehost.wrong.repository }),
    ...(!repository && (draft.feedback_issue_enabled || draft.comment_commands_enabled) && { repo_full_name: codehost.wrong.noRepository }),
    ...(draft.feedback_issue_enabled &&
      draft.feedback_issue_template_source === "repo" &&
      !draft.feedback_issue_template_repo_path.trim() && { feedback_issue_template_repo_path: codehost.wrong.path }),
    ...(broken && { commands: codehost.wrong.command }),
    ...(new Set(names).size < names.length && { commands: codehost.wrong.names }),
    ...(draft.secret && draft.secret.trim().length < 16 && { secret: codehost.wrong.secret }),
  };
}

/** Sample feedback for the preview of a template. */
export const sample = {
  project_key: "my-app",
  project_name: "My App",
  feedback_id: "0199f3a2",
  content: "The export is slow since 1.4.",
  content_head: "The export is slow since 1.4.",
  rating: "3/5",
  contact: "me@example.com",
  user_id: "u-42",
  platform: "linux",
  platform_version: "6.8",
  created_at: "2026-01-31T09:30:00Z",
};
