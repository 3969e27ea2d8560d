//! Files, uploads and storage.

use serde::{Deserialize, Serialize};

use super::FileStatus;

/// File record.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct FileRecord {
    /// Id of the file. It is part of the link.
    pub id: String,
    /// Current key of its project.
    pub project_key: String,
    /// Its name.
    pub filename: String,
    /// Bytes; 0 while an attachment is not fetched yet.
    pub size: i64,
    /// Sum of the whole content; null until it is known.
    pub sha256: Option<String>,
    /// Bytes of a part where it is stored in parts.
    pub part_size: Option<i64>,
    /// What downloads are served as.
    pub content_type: String,
    /// `ready` can be downloaded, `pending` is being written or fetched.
    pub status: FileStatus,
    /// Where it comes from.
    pub source: String,
    /// Address of the attachment that it copies.
    pub source_url: Option<String>,
    /// Why it failed last.
    pub error: Option<String>,
    /// Id of the storage that it is on.
    pub storage_backend_id: String,
    /// Name of the storage that it is on.
    pub storage_backend_name: String,
    /// Path of its link, percent-encoded. It never changes.
    pub path: String,
    /// The whole link; null without a distribution address: join `path` to the address of the
    /// site.
    pub url: Option<String>,
    /// Versions of the project that link to it, newest first.
    pub referenced_by: Vec<String>,
    /// When it was made.
    pub created_at: i64,
    /// When it was last changed.
    pub updated_at: i64,
}

/// File deleted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct FileDeleted {
    /// It is deleted.
    pub success: bool,
    /// What became of the copies in the CDN; null where none was asked.
    pub cdn_refresh: Option<CdnRefresh>,
}

/// CDN refresh.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CdnRefresh {
    /// Whether the CDN took it.
    pub ok: bool,
    /// The links that it was told.
    pub urls: Vec<String>,
    /// What the CDN calls its work.
    pub task_ids: Vec<String>,
    /// Why it did not.
    pub error: Option<String>,
}

/// Upload session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct UploadSession {
    /// Id of the session.
    pub upload_id: String,
    /// The name that the file will have.
    pub filename: String,
    /// Bytes of the file.
    pub size: i64,
    /// Bytes of each chunk but the last, which has the rest.
    pub chunk_size: i64,
    /// How many chunks there are.
    pub total_chunks: i64,
    /// Those that have arrived, ascending.
    pub received_chunks: Vec<i64>,
    /// Where the file goes.
    pub storage_backend_id: String,
    /// When what has arrived is thrown away.
    pub expires_at: i64,
}

/// An upload that is not complete.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct OpenUpload {
    /// Id of the session.
    pub upload_id: String,
    /// The name that the file will have.
    pub filename: String,
    /// Bytes of the file.
    pub size: i64,
    /// Bytes in the chunks that have arrived.
    pub received_bytes: i64,
    /// When it was begun.
    pub created_at: i64,
    /// Name of the API key that began it, or `administrator`.
    pub credential: String,
}

/// Chunk receipt.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ChunkReceipt {
    /// Number of the chunk.
    pub index: i64,
    /// How many it has.
    pub bytes: i64,
}

/// Mirror result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct MirrorResult {
    /// Attachments that are being fetched.
    pub queued: i64,
    /// Attachments that were here already; their links are replaced.
    pub reused: i64,
    /// Links that are no attachments.
    pub skipped: i64,
}

/// Storage overview.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct StorageOverview {
    /// What direct links begin with.
    pub dist_base_url: Option<String>,
    /// Bytes of the largest file that is taken.
    pub upload_max_bytes: i64,
    /// Bytes of a chunk.
    pub chunk_size: i64,
    /// The storages, oldest first.
    pub backends: Vec<StorageBackend>,
}

/// Storage backend.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct StorageBackend {
    /// Id of the storage; `local` is the built-in one.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it speaks.
    pub kind: String,
    /// Whether it is the folder of this server.
    pub is_builtin: bool,
    /// Whether files go here for which none is named. One storage is the default.
    pub is_default: bool,
    /// Where it is.
    pub base_url: Option<String>,
    /// User, or access key id.
    pub username: Option<String>,
    /// Whether there is a password or secret.
    pub has_password: bool,
    /// Tells passwords apart.
    pub password_fingerprint: Option<String>,
    /// KiB of a part; null where files are written whole.
    pub part_size_kb: Option<i64>,
    /// S3 only.
    pub region: Option<String>,
    /// S3 only.
    pub bucket: Option<String>,
    /// S3 only.
    pub path_prefix: Option<String>,
    /// S3 only.
    pub path_style: Option<bool>,
    /// Files on it.
    pub file_count: i64,
    /// Where a CDN may fetch files from the storage itself; null where it cannot.
    pub cdn_origin: Option<CdnOrigin>,
    /// When it was made.
    pub created_at: i64,
    /// When it was last changed.
    pub updated_at: i64,
}

/// CDN origin.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CdnOrigin {
    /// How to reach it.
    pub scheme: String,
    /// Its name, with a port that is not the usual one.
    pub host: String,
    /// What comes before the path of a link; no slash at the end.
    pub path_prefix: String,
}

/// Storage probe.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct StorageProbe {
    /// Whether a file could be written, read and deleted.
    pub ok: bool,
    /// Whether a part of a file could be read.
    pub range_supported: Option<bool>,
    /// Whether a large file could be written.
    pub large_write_ok: Option<bool>,
    /// How long it took.
    pub latency_ms: i64,
    /// What did not work.
    pub error: Option<String>,
}

/// CDN config.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CdnConfig {
    /// Whose CDN it is.
    pub provider: String,
    /// Whether copies are refreshed when files are deleted.
    pub enabled: bool,
    /// Whether id and secret are there.
    pub configured: bool,
    /// Id of the key, or of the zone.
    pub access_key_id: Option<String>,
    /// Whether there is a secret.
    pub has_access_key_secret: bool,
    /// Tells secrets apart.
    pub access_key_secret_fingerprint: Option<String>,
    /// What direct links begin with; without it nothing is refreshed.
    pub dist_base_url: Option<String>,
    /// When it was last saved.
    pub updated_at: Option<i64>,
}

/// CDN test.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CdnTest {
    /// Whether the credentials work.
    pub ok: bool,
    /// Links that may be refreshed today.
    pub url_remain: Option<i64>,
    /// Links a day.
    pub url_quota: Option<i64>,
    /// How long it took.
    pub latency_ms: i64,
    /// What did not work.
    pub error: Option<String>,
}

input! {
    /// Upload create.
    pub struct UploadCreate {
        /// Its name. Characters that file systems do not take become `_`.
        optional filename: String,
        /// Bytes.
        optional size: i64,
        /// Where it goes. Left out or blank, it is the storage of the project.
        patch storage_backend_id: String,
    }
}

input! {
    /// Fields of a storage backend; `kind` counts at creation only.
    pub struct StorageBackendFields {
        /// Its name. Not blank.
        optional name: String,
        /// Where it is, http or https: the collection of a WebDAV server, the endpoint of an
        /// S3 store.
        optional base_url: String,
        /// User, or access key id. Blank is null.
        patch username: String,
        /// Password, or secret. Blank clears it. It can be set, never read.
        patch password: String,
        /// For WebDAV behind a proxy that cuts long uploads: larger files are written in
        /// parts of so many KiB.
        patch part_size_kb: i64,
        /// Makes it the storage of files for which none is named. To unset it, set another.
        optional is_default: bool,
        /// S3 only. Null is what the store says.
        patch region: String,
        /// S3 only, where it is required. It must exist.
        patch bucket: String,
        /// S3 only. What keys of objects begin with, without a slash at either end.
        patch path_prefix: String,
        /// S3 only. Whether the bucket is in the path, not in the host name.
        patch path_style: bool,
        /// `webdav` or `s3`; needed at creation.
        optional kind: String,
    }
}

input! {
    /// What can be written: cdn config.
    pub struct CdnConfigFields {
        /// Whose CDN it is. Another one clears the credentials.
        optional provider: String,
        /// Whether copies are refreshed when files are deleted.
        optional enabled: bool,
        /// Id of the key, or of the zone. Blank is null.
        patch access_key_id: String,
        /// Secret of the key, or a token. Blank clears it. It can be set, never read.
        patch access_key_secret: String,
    }
}
