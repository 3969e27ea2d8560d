"""Projects, their former keys and languages, and the search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._calls import PROJECT_KEY, Call, unless
from .._unset import UNSET, Unset
from ._namespace import Namespace

if TYPE_CHECKING:
    from ..types import (
        AliasList,
        Done,
        Language,
        LanguageList,
        Project,
        ProjectContents,
        ProjectPage,
        ProjectStatistics,
        ProjectTranslationInput,
        SearchPage,
    )


class ProjectMethods(Namespace):
    """Projects, their former keys and languages, and the search."""

    def list_projects(
        self, *, limit: int | None = None, offset: int | None = None, search: str | None = None
    ) -> ProjectPage:
        """List projects, newest first.

        `GET /admin/projects`
        """
        return self._send(
            Call["ProjectPage"](
                "GET",
                "/admin/projects",
                query={"limit": limit, "offset": offset, "search": search},
                admin=True,
            )
        )

    def iter_projects(self, *, search: str | None = None) -> Iterator[Project]:
        """Walk all pages of `list_projects`."""
        return self._each(Call["Project"]("GET", "/admin/projects", query={"search": search}, admin=True))

    def create_project(
        self,
        *,
        name: str,
        project_key: str | Unset = UNSET,
        repo_url: str | Unset | None = UNSET,
        description: str | Unset | None = UNSET,
        author: str | Unset | None = UNSET,
        author_homepage_url: str | Unset | None = UNSET,
        icon_url: str | Unset | None = UNSET,
        website_url: str | Unset | None = UNSET,
        docs_url: str | Unset | None = UNSET,
        published_at: int | Unset | None = UNSET,
        optional_update_min_comparable_version: str | Unset | None = UNSET,
        optional_update_max_comparable_version: str | Unset | None = UNSET,
        stats_retention_days: int | Unset = UNSET,
        event_collection_enabled: bool | Unset = UNSET,
        event_retention_days: int | Unset = UNSET,
        log_retention_days: int | Unset | None = UNSET,
        feedback_retention_days: int | Unset | None = UNSET,
        storage_backend_id: str | Unset | None = UNSET,
        mirror_codehost_assets: bool | Unset = UNSET,
        translations: Sequence[ProjectTranslationInput] | Unset | None = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Project:
        """Create a project.

        `POST /admin/projects`
        """
        return self._send(
            Call["Project"](
                "POST",
                "/admin/projects",
                body={
                    "name": name,
                    "project_key": unless(project_key, PROJECT_KEY),
                    "repo_url": repo_url,
                    "description": description,
                    "author": author,
                    "author_homepage_url": author_homepage_url,
                    "icon_url": icon_url,
                    "website_url": website_url,
                    "docs_url": docs_url,
                    "published_at": published_at,
                    "optional_update_min_comparable_version": optional_update_min_comparable_version,
                    "optional_update_max_comparable_version": optional_update_max_comparable_version,
                    "stats_retention_days": stats_retention_days,
                    "event_collection_enabled": event_collection_enabled,
                    "event_retention_days": event_retention_days,
                    "log_retention_days": log_retention_days,
                    "feedback_retention_days": feedback_retention_days,
                    "storage_backend_id": storage_backend_id,
                    "mirror_codehost_assets": mirror_codehost_assets,
                    "translations": translations,
                },
                extra=extra,
                admin=True,
            )
        )

    def get_project(self) -> Project:
        """Read a project.

        `GET /admin/projects/{k}`
        """
        return self._send(Call["Project"]("GET", "/admin/projects/{k}", admin=True))

    def get_project_contents(self) -> ProjectContents:
        """Count what goes when the project is deleted.

        `GET /admin/projects/{k}/contents`
        """
        return self._send(Call["ProjectContents"]("GET", "/admin/projects/{k}/contents", admin=True))

    def update_project(
        self,
        *,
        new_project_key: str | Unset = UNSET,
        name: str | Unset = UNSET,
        repo_url: str | Unset | None = UNSET,
        description: str | Unset | None = UNSET,
        author: str | Unset | None = UNSET,
        author_homepage_url: str | Unset | None = UNSET,
        icon_url: str | Unset | None = UNSET,
        website_url: str | Unset | None = UNSET,
        docs_url: str | Unset | None = UNSET,
        published_at: int | Unset | None = UNSET,
        optional_update_min_comparable_version: str | Unset | None = UNSET,
        optional_update_max_comparable_version: str | Unset | None = UNSET,
        stats_retention_days: int | Unset = UNSET,
        event_collection_enabled: bool | Unset = UNSET,
        event_retention_days: int | Unset = UNSET,
        log_retention_days: int | Unset | None = UNSET,
        feedback_retention_days: int | Unset | None = UNSET,
        storage_backend_id: str | Unset | None = UNSET,
        mirror_codehost_assets: bool | Unset = UNSET,
        translations: Sequence[ProjectTranslationInput] | Unset | None = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Project:
        """Change a project.

        `PATCH /admin/projects/{k}`
        """
        return self._send(
            Call["Project"](
                "PATCH",
                "/admin/projects/{k}",
                body={
                    "project_key": new_project_key,
                    "name": name,
                    "repo_url": repo_url,
                    "description": description,
                    "author": author,
                    "author_homepage_url": author_homepage_url,
                    "icon_url": icon_url,
                    "website_url": website_url,
                    "docs_url": docs_url,
                    "published_at": published_at,
                    "optional_update_min_comparable_version": optional_update_min_comparable_version,
                    "optional_update_max_comparable_version": optional_update_max_comparable_version,
                    "stats_retention_days": stats_retention_days,
                    "event_collection_enabled": event_collection_enabled,
                    "event_retention_days": event_retention_days,
                    "log_retention_days": log_retention_days,
                    "feedback_retention_days": feedback_retention_days,
                    "storage_backend_id": storage_backend_id,
                    "mirror_codehost_assets": mirror_codehost_assets,
                    "translations": translations,
                },
                extra=extra,
                admin=True,
            )
        )

    def delete_project(self) -> Done:
        """Delete a project and everything in it.

        `DELETE /admin/projects/{k}`
        """
        return self._send(Call["Done"]("DELETE", "/admin/projects/{k}", admin=True))

    def get_project_statistics(self) -> ProjectStatistics:
        """Count the projects.

        `GET /admin/projects/statistics`
        """
        return self._send(Call["ProjectStatistics"]("GET", "/admin/projects/statistics", admin=True))

    def list_project_aliases(self) -> AliasList:
        """List the former keys of a project, newest first.

        `GET /admin/projects/{k}/aliases`
        """
        return self._send(Call["AliasList"]("GET", "/admin/projects/{k}/aliases", admin=True))

    def delete_project_alias(self, alias: str) -> Done:
        """Give up a former key.

        `DELETE /admin/projects/{k}/aliases/{alias}`
        """
        return self._send(
            Call["Done"](
                "DELETE", "/admin/projects/{k}/aliases/{alias}", arguments={"alias": alias}, admin=True
            )
        )

    def list_project_locales(self) -> LanguageList:
        """List the languages of a project, oldest first.

        `GET /admin/projects/{k}/locales`
        """
        return self._send(Call["LanguageList"]("GET", "/admin/projects/{k}/locales", admin=True))

    def create_project_locale(
        self,
        locale: str,
        *,
        aliases: Sequence[str] | Unset | None = UNSET,
        label: str | Unset | None = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Language:
        """Register a language.

        `POST /admin/projects/{k}/locales`
        """
        return self._send(
            Call["Language"](
                "POST",
                "/admin/projects/{k}/locales",
                body={"locale": locale, "aliases": aliases, "label": label},
                extra=extra,
                admin=True,
            )
        )

    def update_project_locale(
        self,
        locale: str,
        *,
        new_locale: str | Unset = UNSET,
        aliases: Sequence[str] | Unset | None = UNSET,
        label: str | Unset | None = UNSET,
        extra: Mapping[str, Any] | None = None,
    ) -> Language:
        """Change a language.

        `PATCH /admin/projects/{k}/locales/{locale}`
        """
        return self._send(
            Call["Language"](
                "PATCH",
                "/admin/projects/{k}/locales/{locale}",
                arguments={"locale": locale},
                body={"locale": new_locale, "aliases": aliases, "label": label},
                extra=extra,
                admin=True,
            )
        )

    def delete_project_locale(self, locale: str) -> Done:
        """Remove a language.

        `DELETE /admin/projects/{k}/locales/{locale}`
        """
        return self._send(
            Call["Done"](
                "DELETE", "/admin/projects/{k}/locales/{locale}", arguments={"locale": locale}, admin=True
            )
        )

    def search(
        self,
        q: str,
        *,
        project: str | None = None,
        kind: str | None = None,
        limit: int | None = None,
        include_hidden: bool | None = None,
    ) -> SearchPage:
        """Search all projects.

        `GET /admin/search`
        """
        return self._send(
            Call["SearchPage"](
                "GET",
                "/admin/search",
                query={
                    "q": q,
                    "project": project,
                    "kind": kind,
                    "limit": limit,
                    "include_hidden": include_hidden,
                },
                admin=True,
            )
        )
