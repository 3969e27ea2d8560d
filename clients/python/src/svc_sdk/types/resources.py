"""Projects, versions, announcements, feedback, logs, search."""

from __future__ import annotations

from typing import Any, TypedDict


class Estimated(TypedDict, total=False):
    """A page whose total may be an upper bound."""

    total_is_estimate: bool


class Localized(TypedDict, total=False):
    """A record in the wanted language."""

    locale_message: str


class _ProjectTranslationInputOptional(TypedDict, total=False):
    name: str | None
    description: str | None


class ProjectTranslationInput(_ProjectTranslationInputOptional):
    """Texts of a project in another language, as they are written."""

    locale: str


class ProjectTranslation(TypedDict):
    """Texts of a project in another language."""

    locale: str
    name: str | None
    description: str | None


class _ProjectOptional(TypedDict, total=False):
    translations: list[ProjectTranslation]


class Project(_ProjectOptional):
    """A project, as administrators see it."""

    id: str
    project_key: str
    name: str
    repo_url: str | None
    description: str | None
    author: str | None
    author_homepage_url: str | None
    icon_url: str | None
    website_url: str | None
    docs_url: str | None
    published_at: int | None
    optional_update_min_comparable_version: str | None
    optional_update_max_comparable_version: str | None
    stats_retention_days: int
    event_collection_enabled: bool
    event_retention_days: int
    log_retention_days: int | None
    feedback_retention_days: int | None
    storage_backend_id: str | None
    mirror_codehost_assets: bool
    aliases: list[str]
    locale: str | None
    created_at: int
    updated_at: int


class PublicProject(Localized):
    """A project, as everybody sees it, in the wanted language."""

    id: str
    project_key: str
    name: str
    repo_url: str | None
    description: str | None
    author: str | None
    author_homepage_url: str | None
    icon_url: str | None
    website_url: str | None
    docs_url: str | None
    published_at: int | None
    optional_update_min_comparable_version: str | None
    optional_update_max_comparable_version: str | None
    stats_retention_days: int
    event_collection_enabled: bool
    event_retention_days: int
    log_retention_days: int | None
    feedback_retention_days: int | None
    storage_backend_id: str | None
    mirror_codehost_assets: bool
    aliases: list[str]
    locale: str | None
    created_at: int
    updated_at: int


class ProjectPage(Estimated):
    """A page of projects."""

    total: int
    data: list[Project]


class ProjectStatistics(TypedDict):
    """How many projects there are."""

    count: int


class AliasList(TypedDict):
    """The former keys of a project, newest first."""

    data: list[Alias]


class Alias(TypedDict):
    """A former key of a project."""

    alias: str
    created_at: int


class Language(TypedDict):
    """A language of a project."""

    locale: str
    aliases: list[str]
    label: str | None
    created_at: int


class LanguageList(TypedDict):
    """The languages of a project, oldest first."""

    data: list[Language]


class _DownloadLinkInputOptional(TypedDict, total=False):
    name: str | None
    platform: str | None


class DownloadLinkInput(_DownloadLinkInputOptional):
    """A download link, as it is written."""

    url: str


class _DownloadLinkOptional(TypedDict, total=False):
    name: str
    platform: str


class DownloadLink(_DownloadLinkOptional):
    """A download link of a version."""

    url: str


class _VersionTranslationInputOptional(TypedDict, total=False):
    title: str | None
    content: str | None


class VersionTranslationInput(_VersionTranslationInputOptional):
    """Texts of a version in another language, as they are written."""

    locale: str


class VersionTranslation(TypedDict):
    """Texts of a version in another language."""

    locale: str
    title: str | None
    content: str | None


class _VersionOptional(TypedDict, total=False):
    translations: list[VersionTranslation]


class Version(_VersionOptional):
    """A version, as administrators see it."""

    id: str
    version: str
    comparable_version: str
    title: str | None
    content: str | None
    locale: str | None
    download_url: str | None
    download_links: list[DownloadLink]
    forced: bool
    is_latest: bool
    is_preview: bool
    is_milestone: bool
    is_deprecated: bool
    platform: str | None
    platforms: list[str]
    custom_data: dict[str, Any] | None
    published_at: int
    created_at: int


class PublicVersion(Localized):
    """A version, as everybody sees it, in the wanted language."""

    id: str
    version: str
    comparable_version: str
    title: str | None
    content: str | None
    locale: str | None
    download_url: str | None
    download_links: list[DownloadLink]
    forced: bool
    is_latest: bool
    is_preview: bool
    is_milestone: bool
    is_deprecated: bool
    platform: str | None
    platforms: list[str]
    custom_data: dict[str, Any] | None
    published_at: int
    created_at: int


class VersionPage(Estimated):
    """A page of versions."""

    total: int
    data: list[Version]


class PublicVersionPage(Estimated):
    """A page of public versions."""

    total: int
    data: list[PublicVersion]


class VersionStatistics(TypedDict):
    """Counts of the versions of all projects."""

    total_versions: int
    total_projects: int
    forced_versions: int
    latest_version_time: int | None
    first_version_time: int | None


class _AnnouncementTranslationInputOptional(TypedDict, total=False):
    title: str | None
    content: str | None
    is_hidden: bool


class AnnouncementTranslationInput(_AnnouncementTranslationInputOptional):
    """Texts of an announcement in another language, as they are written."""

    locale: str


class AnnouncementTranslation(TypedDict):
    """Texts of an announcement in another language."""

    locale: str
    title: str | None
    content: str | None
    is_hidden: bool


class _AnnouncementOptional(TypedDict, total=False):
    translations: list[AnnouncementTranslation]


class Announcement(_AnnouncementOptional):
    """An announcement, as administrators see it."""

    id: str
    title: str
    content: str
    is_pinned: bool
    is_hidden: bool
    platforms: list[str]
    author: str | None
    min_comparable_version: str | None
    max_comparable_version: str | None
    locale: str | None
    published_at: int
    created_at: int
    updated_at: int


class PublicAnnouncement(Localized):
    """An announcement, as everybody sees it, in the wanted language."""

    id: str
    title: str
    content: str
    is_pinned: bool
    is_hidden: bool
    platforms: list[str]
    author: str | None
    min_comparable_version: str | None
    max_comparable_version: str | None
    locale: str | None
    published_at: int
    created_at: int
    updated_at: int


class AnnouncementPage(Estimated):
    """A page of announcements."""

    total: int
    data: list[Announcement]


class PublicAnnouncementPage(Estimated):
    """A page of public announcements."""

    total: int
    data: list[PublicAnnouncement]


class AnnouncementStatistics(TypedDict):
    """Counts of the announcements of all projects."""

    count: int
    pinned_count: int


class FeedbackOptions(TypedDict):
    """Whether feedback can be forwarded to the code host."""

    project_key: str
    codehost_forward_available: bool
    contact_required_for_forward: bool


class Feedback(TypedDict):
    """What somebody had to say."""

    id: str
    user_id: str | None
    rating: int | None
    content: str
    contact: str | None
    is_hidden: bool
    status: str
    result: str | None
    platform: str | None
    platform_version: str | None
    custom_data: dict[str, Any] | None
    forwarded_to_codehost: bool
    codehost_issue_number: int | None
    codehost_issue_url: str | None
    ip: str | None
    user_agent: str | None
    country_code: str | None
    country_name: str | None
    region_name: str | None
    city: str | None
    created_at: int


class FeedbackPage(Estimated):
    """A page of feedback."""

    total: int
    data: list[Feedback]


class FeedbackStatistics(TypedDict):
    """Counts of the feedback of all projects."""

    count: int
    rate_count: int
    rate_avg: float | None


class Log(TypedDict):
    """A log that an application sent."""

    id: str
    level: int
    content: str
    source: str | None
    device_info: dict[str, Any] | None
    custom_data: dict[str, Any] | None
    is_hidden: bool
    platform: str | None
    platform_version: str | None
    ip: str | None
    user_agent: str | None
    country_code: str | None
    country_name: str | None
    region_name: str | None
    city: str | None
    created_at: int


class LogPage(Estimated):
    """A page of logs."""

    total: int
    data: list[Log]


class PrunedLogs(TypedDict):
    """How many logs matched, and how many were deleted."""

    matched: int
    deleted: int


class LogStatistics(TypedDict):
    """Counts of the logs of all projects."""

    count: int
    debug_count: int
    info_count: int
    warning_count: int
    error_count: int


class SearchHit(TypedDict):
    """A record that the search found."""

    kind: str
    project_key: str
    id: str
    title: str
    excerpt: str
    created_at: int


class SearchPage(Estimated):
    """What the search found, best first."""

    total: int
    data: list[SearchHit]


class UpdateCheck(TypedDict):
    """Whether there is something newer, and which version to install."""

    should_update: bool
    required: bool
    reason_codes: list[str]
    current_version: str | None
    current_comparable_version: str
    latest_version: PublicVersion
    latest_preview_version: PublicVersion | None
    target_version: PublicVersion | None
    milestone: MilestoneState


class MilestoneState(TypedDict):
    """Which versions of an update check are milestones."""

    current: bool
    latest: bool
    target_is_milestone: bool


class UpdateCheckSimulation(TypedDict):
    """What the update check answers a client, and why."""

    status: int
    message: str | None
    answer: UpdateCheck | None
    reasons: list[UpdateCheckReason]


class UpdateCheckReason(TypedDict):
    """A rule that applied; facts that do not belong to it are `None`."""

    code: str
    version_id: str | None
    version: str | None
    comparable_version: str | None
    min_comparable_version: str | None
    max_comparable_version: str | None
    platforms: list[str] | None
    published_at: int | None


class ProjectContents(TypedDict):
    """How much belongs to a project."""

    versions: int
    announcements: int
    feedbacks: int
    logs: int
    files: int
    file_bytes: int
    events: int
    event_definitions: int
    dashboard_cards: int
    languages: int
    aliases: int
    api_keys: int


class InstanceStatus(TypedDict):
    """How the instance stands; `status` is the worst of its checks."""

    status: str
    version: str
    started_at: int
    checked_at: int
    site_url: str | None
    distribution_url: str | None
    backup: InstanceBackup | None
    checks: list[InstanceCheck]


class InstanceBackup(TypedDict):
    """How scheduled backups stand."""

    last_at: int | None
    bytes: int
    error: str | None


class InstanceCheck(TypedDict):
    """One check, as in `svc doctor`."""

    name: str
    title: str
    status: str
    findings: list[InstanceFinding]


class InstanceFinding(TypedDict):
    """Something to know or to do; `values` stand in `what` and then in `repair`."""

    status: str
    code: str
    what: str
    repair: str
    values: list[str]


class About(TypedDict):
    """Which program runs, and what is published of it; `update` is None when nobody is asked."""

    version: str
    commit: str | None
    modified: bool
    go: str
    platform: str
    started_at: int
    docs_url: str | None
    upstream_url: str | None
    release: AboutRelease | None
    update: AboutUpdate | None


class AboutRelease(TypedDict):
    """A version of the server."""

    version: str
    title: str | None
    content: str | None
    published_at: int
    url: str


class AboutUpdate(TypedDict):
    """What a check for updates of the server has given; `error` says why it gave nothing."""

    checked_at: int
    error: str | None
    should_update: bool
    required: bool
    reason_codes: list[str]
    target: AboutRelease | None
    latest: AboutRelease | None


class MarkdownPreview(TypedDict):
    """A text as HTML that may stand in any page."""

    html: str
