"""Files, storage, terms, code host, translation."""

from __future__ import annotations

from typing import Any, TypedDict

from .resources import DownloadLink, Localized


class TermsSummary(Localized):
    """A document of terms, without its text."""

    slug: str
    title: str
    summary: str
    source: str
    updated_at: int


class TermsList(TypedDict):
    """The documents of terms."""

    data: list[TermsSummary]


class Terms(Localized):
    """A document of terms."""

    slug: str
    title: str
    summary: str
    source: str
    updated_at: int
    content: str


class TermsDocument(TypedDict):
    """A document of terms, as administrators see it."""

    slug: str
    title: str
    summary: str
    custom: bool
    content: str
    custom_content: str | None
    custom_updated_at: int | None
    builtin_content: str
    builtin_updated_at: int
    updated_at: int | None
    placeholders: list[TermsPlaceholder]


class TermsPlaceholder(TypedDict):
    """A placeholder that the text of a document may have."""

    key: str
    label: str
    hint: str
    example: str
    required: bool


class TermsDocumentList(TypedDict):
    """The documents of terms, as administrators see them."""

    data: list[TermsDocument]


class CodehostApp(TypedDict):
    """Settings of the app at the code host; secrets are not shown."""

    configured: bool
    app_id: str | None
    has_private_key: bool
    private_key_fingerprint: str | None
    private_key_updated_at: int | None
    has_webhook_secret: bool
    webhook_secret_hint: str | None
    webhook_secret_length: int | None
    webhook_secret_masked: str | None
    webhook_secret_updated_at: int | None
    webhook_payload_path: str
    enabled_features: list[str]
    feedback_issue_custom_template: bool
    feedback_issue_title_template: str | None
    feedback_issue_body_template: str | None
    builtin_feedback_issue_title_template: str
    builtin_feedback_issue_body_template: str
    feedback_issue_template_variables: list[str]
    updated_at: int | None


class CodehostAppTest(TypedDict):
    """What a test of the app at the code host found."""

    ok: bool
    name: str | None
    slug: str | None
    missing_permissions: list[str]
    missing_events: list[str]
    latency_ms: int
    error: str | None


class _CodehostCommandFieldsOptional(TypedDict, total=False):
    input: str | None


class CodehostCommandFields(_CodehostCommandFieldsOptional):
    """A command for comments, as it is written."""

    name: str
    workflow: str
    ref: str


class _CodehostCommandOptional(TypedDict, total=False):
    input: str


class CodehostCommand(_CodehostCommandOptional):
    """A command for comments."""

    name: str
    workflow: str
    ref: str


class CodehostIntegration(TypedDict):
    """How a project works with its repository."""

    project_key: str
    repo_full_name: str | None
    feedback_issue_enabled: bool
    feedback_issue_active: bool
    feedback_issue_template_source: str
    feedback_issue_template_repo_path: str | None
    feedback_issue_template_repo_ref: str | None
    feedback_issue_title_template: str | None
    feedback_issue_body_template: str | None
    feedback_issue_labels: list[str]
    comment_commands_enabled: bool
    comment_commands_active: bool
    command_allowed_associations: list[str]
    command_allowed_users: list[str]
    commands: list[CodehostCommand]
    updated_at: int | None


class CodehostRepoTemplate(TypedDict):
    """The template of issues that the repository has."""

    path: str
    ref: str | None
    fetched_at: int | None
    title_template: str | None
    body_template: str | None
    labels: list[str]
    error: str | None


class CodehostRepoPreview(TypedDict):
    """A draft of a project, made from a repository."""

    project_key: str
    name: str
    repo_url: str
    description: str | None
    author: str | None
    author_homepage_url: str | None
    icon_url: str | None
    website_url: str | None
    docs_url: str | None
    published_at: int | None
    optional_update_min_comparable_version: str | None
    optional_update_max_comparable_version: str | None


class _CodehostReleasePreviewOptional(TypedDict, total=False):
    title: str
    content: str
    download_url: str


class CodehostReleasePreview(_CodehostReleasePreviewOptional):
    """A draft of a version, made from a release."""

    version: str
    comparable_version: str
    download_links: list[DownloadLink]
    forced: bool
    is_latest: bool
    is_preview: bool
    is_milestone: bool
    is_deprecated: bool
    platform: str | None
    platforms: list[str]
    published_at: int
    custom_data: dict[str, Any]


class CodehostImport(TypedDict):
    """What an import of releases did."""

    imported: int
    skipped: int
    scanned: int


class File(TypedDict):
    """A stored file."""

    id: str
    project_key: str
    filename: str
    size: int
    sha256: str | None
    part_size: int | None
    content_type: str
    status: str
    source: str
    source_url: str | None
    error: str | None
    storage_backend_id: str
    storage_backend_name: str
    path: str
    url: str | None
    referenced_by: list[str]
    created_at: int
    updated_at: int


class FilePage(TypedDict):
    """A page of files."""

    total: int
    data: list[File]


class CdnRefresh(TypedDict):
    """What became of the copies of a file in the CDN."""

    ok: bool
    urls: list[str]
    task_ids: list[str]
    error: str | None


class FileDeleted(TypedDict):
    """A file was deleted."""

    success: bool
    cdn_refresh: CdnRefresh | None


class UploadSession(TypedDict):
    """An upload in chunks, and which of them have arrived."""

    upload_id: str
    filename: str
    size: int
    chunk_size: int
    total_chunks: int
    received_chunks: list[int]
    storage_backend_id: str
    expires_at: int


class OpenUploadList(TypedDict):
    """The uploads of a project that are not complete, newest first."""

    data: list[OpenUpload]


class OpenUpload(TypedDict):
    """An upload that is not complete."""

    upload_id: str
    filename: str
    size: int
    received_bytes: int
    created_at: int
    credential: str


class ChunkReceipt(TypedDict):
    """A chunk has arrived."""

    index: int
    bytes: int


class MirrorResult(TypedDict):
    """What will be copied from the code host."""

    queued: int
    reused: int
    skipped: int


class CdnOrigin(TypedDict):
    """Where the CDN fetches from."""

    scheme: str
    host: str
    path_prefix: str


class StorageBackend(TypedDict):
    """A storage; its password is not shown."""

    id: str
    name: str
    kind: str
    is_builtin: bool
    is_default: bool
    base_url: str | None
    username: str | None
    has_password: bool
    password_fingerprint: str | None
    part_size_kb: int | None
    region: str | None
    bucket: str | None
    path_prefix: str | None
    path_style: bool | None
    file_count: int
    cdn_origin: CdnOrigin | None
    created_at: int
    updated_at: int


class StorageOverview(TypedDict):
    """All storages and the limits of uploads."""

    dist_base_url: str | None
    upload_max_bytes: int
    chunk_size: int
    backends: list[StorageBackend]


class StorageProbe(TypedDict):
    """What a test of a storage found."""

    ok: bool
    range_supported: bool | None
    large_write_ok: bool | None
    latency_ms: int
    error: str | None


class WebhookDelivery(TypedDict):
    """A delivery with a right signature, and what became of it."""

    received_at: int
    event: str
    status: str
    reason: str | None


class Webhook(TypedDict):
    """The webhook of a project; its secret is not shown."""

    enabled: bool
    payload_path: str
    content_type: str
    secret_hint: str | None
    secret_length: int | None
    secret_updated_at: int | None
    last_delivery: WebhookDelivery | None


class WebhookRevealed(TypedDict):
    """The webhook of a project with its new secret, shown once."""

    enabled: bool
    payload_path: str
    content_type: str
    secret_hint: str
    secret_length: int
    secret_updated_at: int
    last_delivery: WebhookDelivery | None
    secret: str


class CdnConfig(TypedDict):
    """Settings of the CDN; secrets are not shown."""

    provider: str
    enabled: bool
    configured: bool
    access_key_id: str | None
    has_access_key_secret: bool
    access_key_secret_fingerprint: str | None
    dist_base_url: str | None
    updated_at: int | None


class TranslationConfig(TypedDict):
    """Settings of machine translation; the key is not shown."""

    configured: bool
    enabled: bool
    provider: str
    base_url: str | None
    model: str | None
    has_api_key: bool
    api_key_fingerprint: str | None
    api_key_updated_at: int | None
    custom_prompt: bool
    system_prompt: str | None
    builtin_system_prompt: str
    prompt_variables: list[str]
    request_url: str | None
    updated_at: int | None


class TranslationTest(TypedDict):
    """What a test of machine translation found."""

    ok: bool
    provider: str
    model: str | None
    request_url: str | None
    sample: str | None
    latency_ms: int
    error: str | None


class TranslatedTexts(TypedDict):
    """Texts in another language."""

    locale: str
    provider: str
    model: str
    fields: dict[str, str]


class CdnTest(TypedDict):
    """What a test of the CDN found."""

    ok: bool
    url_remain: int | None
    url_quota: int | None
    latency_ms: int
    error: str | None
