import type { CodehostIntegration } from "svc-sdk";
import { expect, test } from "vitest";
import { en } from "../../texts/en";
import { check, draftOf, fieldsOf, repositoryIn } from "./integration";

test.each([
  ["https://github.com/acme/app", "acme/app"],
  ["https://github.com/acme/app.git", "acme/app"],
  [" https://code.example.org/acme/app.js/tree/main ", "acme/app.js"],
  ["acme/app", ""],
  ["https://github.com/acme", ""],
  [null, ""],
])("the repository in %j is %j", (address, repository) => {
  expect(repositoryIn(address)).toBe(repository);
});

const integration: CodehostIntegration = {
  project_key: "app",
  repo_full_name: null,
  feedback_issue_enabled: false,
  feedback_issue_active: false,
  feedback_issue_template_source: "inherit",
  feedback_issue_template_repo_path: null,
  feedback_issue_template_repo_ref: null,
  feedback_issue_title_template: null,
  feedback_issue_body_template: null,
  feedback_issue_labels: [],
  comment_commands_enabled: false,
  comment_commands_active: false,
  command_allowed_associations: ["OWNER"],
  command_allowed_users: [],
  commands: [{ name: "build", workflow: "build.yml", ref: "main" }],
  updated_at: null,
};

test("the repository comes from the project's address until something was saved", () => {
  const project = { repo_url: "https://github.com/acme/app" };
  expect(draftOf(integration, project).repo_full_name).toBe("acme/app");
  expect(draftOf({ ...integration, updated_at: 1 }, project).repo_full_name).toBe("");
});

test("commands without words are not sent, and the secret goes its own way", () => {
  const draft = draftOf(integration, undefined);
  const fields = fieldsOf({ ...draft, secret: "x", commands: [...draft.commands, { name: "", workflow: " ", ref: "", input: "" }] });
  expect(fields.commands).toEqual([{ name: "build", workflow: "build.yml", ref: "main", input: null }]);
  expect(fields).not.toHaveProperty("secret");
});

const { wrong } = en.codehost;
const command = { name: "build", workflow: "build.yml", ref: "main", input: "" };

test.each([
  ["nothing", {}, {}],
  ["a repository without an owner", { repo_full_name: "app" }, { repo_full_name: wrong.repository }],
  ["forwarding without a repository", { feedback_issue_enabled: true }, { repo_full_name: wrong.noRepository }],
  [
    "a template without a path",
    { repo_full_name: "a/b", feedback_issue_enabled: true, feedback_issue_template_source: "repo" },
    { feedback_issue_template_repo_path: wrong.path },
  ],
  ["a command without a workflow", { commands: [{ ...command, workflow: "" }] }, { commands: wrong.command }],
  ["a command with capitals", { commands: [{ ...command, name: "Build" }] }, { commands: wrong.command }],
  ["a command twice", { commands: [command, command] }, { commands: wrong.names }],
  ["a short secret", { secret: "short" }, { secret: wrong.secret }],
  ["a secret that goes", { secret: "" }, {}],
])("%s", (_, part, problems) => {
  expect(check({ ...draftOf(integration, undefined), ...part }, en)).toEqual(problems);
});
