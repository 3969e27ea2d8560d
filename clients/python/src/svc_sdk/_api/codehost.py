"""Code host: repositories, releases, webhook, app, integration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from .._calls import Call
from .._unset import UNSET, Unset
from ._namespace import Namespace

if TYPE_CHECKING:
    from ..types import (
        CodehostApp,
        CodehostAppTest,
        CodehostCommandFields,
        CodehostImport,
        CodehostIntegration,
        CodehostReleasePreview,
        CodehostRepoPreview,
        CodehostRepoTemplate,
        Webhook,
        WebhookRevealed,
    )


class CodehostMethods(Namespace):
    """Code host: repositories, releases, webhook, app, integration."""

    def preview_codehost_repo(self, repo_url: str) -> CodehostRepoPreview:
        """Read what the code host says about a repository.

        `GET /admin/projects/codehost-repo-preview`
        """
        return self._send(
            Call["CodehostRepoPreview"](
                "GET", "/admin/projects/codehost-repo-preview", query={"repo_url": repo_url}, admin=True
            )
        )

    def preview_codehost_release(self, *, tag: str | None = None) -> CodehostReleasePreview:
        """Read a release of the project's repository.

        `GET /admin/projects/{k}/versions/codehost-release-preview`
        """
        return self._send(
            Call["CodehostReleasePreview"](
                "GET", "/admin/projects/{k}/versions/codehost-release-preview", query={"tag": tag}, admin=True
            )
        )

    def import_codehost_releases(self) -> CodehostImport:
        """Store the releases of the project's repository as versions.

        `POST /admin/projects/{k}/versions/codehost-release-import`
        """
        return self._send(
            Call["CodehostImport"]("POST", "/admin/projects/{k}/versions/codehost-release-import", admin=True)
        )

    def get_codehost_webhook(self) -> Webhook:
        """Read the settings of the release webhook.

        `GET /admin/projects/{k}/codehost-webhook`
        """
        return self._send(Call["Webhook"]("GET", "/admin/projects/{k}/codehost-webhook", admin=True))

    def set_codehost_webhook_secret(
        self, secret: str, *, grace_minutes: int | Unset = UNSET, extra: Mapping[str, Any] | None = None
    ) -> WebhookRevealed:
        """Set the secret of the release webhook.

        `PUT /admin/projects/{k}/codehost-webhook`
        """
        return self._send(
            Call["WebhookRevealed"](
                "PUT",
                "/admin/projects/{k}/codehost-webhook",
                body={"secret": secret, "grace_minutes": grace_minutes},
                extra=extra,
                admin=True,
            )
        )

    def regenerate_codehost_webhook_secret(
        self, *, grace_minutes: int | Unset = UNSET, extra: Mapping[str, Any] | None = None
    ) -> WebhookRevealed:
        """Give the release webhook a new random secret.

        `POST /admin/projects/{k}/codehost-webhook/regenerate`
        """
        return self._send(
            Call["WebhookRevealed"](
                "POST",
                "/admin/projects/{k}/codehost-webhook/regenerate",
                body={"grace_minutes": grace_minutes},
                extra=extra,
                admin=True,
            )
        )

    def clear_codehost_webhook_secret(self) -> Webhook:
        """Switch the release webhook off.

        `DELETE /admin/projects/{k}/codehost-webhook`
        """
        return self._send(Call["Webhook"]("DELETE", "/admin/projects/{k}/codehost-webhook", admin=True))

    def get_codehost_app_config(self) -> CodehostApp:
        """Read the settings of the code host app.

        `GET /admin/codehost-app`
        """
        return self._send(Call["CodehostApp"]("GET", "/admin/codehost-app", admin=True))

    def update_codehost_app_config(
        self,
        *,
        app_id: str | Unset | None = UNSET,
        private_key: str | Unset | None = UNSET,
        webhook_secret: str | Unset | None = UNSET,
        enabled_features: Sequence[Literal["feedback_issue", "comment_commands"]] | Unset | None = UNSET,
        feedback_issue_custom_template: bool | Unset = UNSET,
        feedback_issue_title_template: str | Unset | None = UNSET,
        feedback_issue_body_template: str | Unset | None = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> CodehostApp:
        """Change the settings of the code host app.

        `PUT /admin/codehost-app`
        """
        return self._send(
            Call["CodehostApp"](
                "PUT",
                "/admin/codehost-app",
                body={
                    "app_id": app_id,
                    "private_key": private_key,
                    "webhook_secret": webhook_secret,
                    "enabled_features": enabled_features,
                    "feedback_issue_custom_template": feedback_issue_custom_template,
                    "feedback_issue_title_template": feedback_issue_title_template,
                    "feedback_issue_body_template": feedback_issue_body_template,
                },
                extra=extra,
                admin=True,
            )
        )

    def clear_codehost_app_config(self) -> CodehostApp:
        """Forget the code host app.

        `DELETE /admin/codehost-app`
        """
        return self._send(Call["CodehostApp"]("DELETE", "/admin/codehost-app", admin=True))

    def get_codehost_integration(self) -> CodehostIntegration:
        """Read what a project does with its repository.

        `GET /admin/projects/{k}/codehost-integration`
        """
        return self._send(
            Call["CodehostIntegration"]("GET", "/admin/projects/{k}/codehost-integration", admin=True)
        )

    def update_codehost_integration(
        self,
        *,
        repo_full_name: str | Unset | None = UNSET,
        feedback_issue_enabled: bool | Unset = UNSET,
        feedback_issue_template_source: Literal["inherit", "custom", "repo"] | Unset = UNSET,
        feedback_issue_template_repo_path: str | Unset | None = UNSET,
        feedback_issue_template_repo_ref: str | Unset | None = UNSET,
        feedback_issue_title_template: str | Unset | None = UNSET,
        feedback_issue_body_template: str | Unset | None = UNSET,
        feedback_issue_labels: Sequence[str] | Unset | None = UNSET,
        comment_commands_enabled: bool | Unset = UNSET,
        command_allowed_associations: Sequence[
            Literal[
                "OWNER",
                "MEMBER",
                "COLLABORATOR",
                "CONTRIBUTOR",
                "FIRST_TIME_CONTRIBUTOR",
                "FIRST_TIMER",
                "MANNEQUIN",
                "NONE",
            ]
        ]
        | Unset
        | None = UNSET,
        command_allowed_users: Sequence[str] | Unset | None = UNSET,
        commands: Sequence[CodehostCommandFields] | Unset | None = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> CodehostIntegration:
        """Change what a project does with its repository.

        `PUT /admin/projects/{k}/codehost-integration`
        """
        return self._send(
            Call["CodehostIntegration"](
                "PUT",
                "/admin/projects/{k}/codehost-integration",
                body={
                    "repo_full_name": repo_full_name,
                    "feedback_issue_enabled": feedback_issue_enabled,
                    "feedback_issue_template_source": feedback_issue_template_source,
                    "feedback_issue_template_repo_path": feedback_issue_template_repo_path,
                    "feedback_issue_template_repo_ref": feedback_issue_template_repo_ref,
                    "feedback_issue_title_template": feedback_issue_title_template,
                    "feedback_issue_body_template": feedback_issue_body_template,
                    "feedback_issue_labels": feedback_issue_labels,
                    "comment_commands_enabled": comment_commands_enabled,
                    "command_allowed_associations": command_allowed_associations,
                    "command_allowed_users": command_allowed_users,
                    "commands": commands,
                },
                extra=extra,
                admin=True,
            )
        )

    def get_codehost_integration_repo_template(self, *, refresh: bool = False) -> CodehostRepoTemplate:
        """Read the template of issues in the repository of a project.

        `GET /admin/projects/{k}/codehost-integration/repo-template`
        """
        return self._send(
            Call["CodehostRepoTemplate"](
                "GET",
                "/admin/projects/{k}/codehost-integration/repo-template",
                query={"refresh": True if refresh else None},
                admin=True,
            )
        )

    def test_codehost_app(self) -> CodehostAppTest:
        """Ask the code host about the saved app.

        `POST /admin/codehost-app/test`
        """
        return self._send(Call["CodehostAppTest"]("POST", "/admin/codehost-app/test", admin=True))
