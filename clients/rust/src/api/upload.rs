//! Uploading a whole file: a session, its chunks, and its end.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use crate::error::{Error, Result};
use crate::models::{FileRecord, UploadCreate, UploadSession};

#[cfg(feature = "async")]
use super::AsyncAdmin;
use super::{Admin, Chunk};

/// How often missing chunks are sent again.
const MOST_ROUNDS: u32 = 3;

/// An upload.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Upload {
    /// The name that the file will have.
    pub name: String,
    /// Where it goes; the project's place unless set.
    pub storage_backend_id: Option<String>,
    /// An earlier session to go on with.
    pub upload_id: Option<String>,
}

impl Upload {
    /// Uploads under a name.
    pub fn new(name: impl Into<String>) -> Self {
        Upload {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Where it goes.
    pub fn storage_backend_id(mut self, id: impl Into<String>) -> Self {
        self.storage_backend_id = Some(id.into());
        self
    }

    /// An earlier session to go on with.
    pub fn upload_id(mut self, id: impl Into<String>) -> Self {
        self.upload_id = Some(id.into());
        self
    }

    fn session(&self, source: &mut impl Seek) -> Result<UploadCreate> {
        let size = source.seek(SeekFrom::End(0)).map_err(unreadable)?;
        let mut create = UploadCreate::new()
            .filename(self.name.as_str())
            .size(i64::try_from(size).unwrap_or(i64::MAX));
        if let Some(id) = &self.storage_backend_id {
            create = create.storage_backend_id(id.as_str());
        }
        Ok(create)
    }
}

fn unreadable(e: io::Error) -> Error {
    Error::invalid(format!("the file cannot be read: {e}"))
}

fn open(path: &Path) -> Result<std::fs::File> {
    std::fs::File::open(path).map_err(unreadable)
}

/// Chunks of a session that have not arrived.
fn missing(session: &UploadSession) -> Vec<i64> {
    (0..session.total_chunks)
        .filter(|index| !session.received_chunks.contains(index))
        .collect()
}

/// Reads one chunk.
fn chunk(source: &mut (impl Read + Seek), session: &UploadSession, index: i64) -> Result<Chunk> {
    let start = index.saturating_mul(session.chunk_size).max(0) as u64;
    let length = session
        .chunk_size
        .clamp(0, (session.size - start as i64).max(0));
    source.seek(SeekFrom::Start(start)).map_err(unreadable)?;
    let mut data = vec![0; length as usize];
    source.read_exact(&mut data).map_err(unreadable)?;
    Ok(Chunk { data })
}

/// Whether sending what is missing again may help.
fn may_help(error: &Error) -> bool {
    match error {
        Error::Connection(_) => true,
        Error::Api(e) => matches!(e.status, 408 | 429 | 500..),
        _ => false,
    }
}

/// Declares the method of a client. The two differ in how they wait: `$wait`
/// is the end of each call.
macro_rules! upload_file {
    ($client:ident [$($async:ident)?] [$($wait:tt)*] [$($send:tt)*]) => {
        impl $client {
            /// Uploads a file: starts a session, sends its chunks, ends it.
            /// After a failure it asks which chunks have arrived and sends the
            /// others, at most three times.
            pub $($async)? fn upload_file(
                &self,
                mut source: impl Read + Seek $($send)*,
                options: &Upload,
            ) -> Result<FileRecord> {
                let mut session = match &options.upload_id {
                    Some(id) => self.get_upload(id)$($wait)*?,
                    None => {
                        let create = options.session(&mut source)?;
                        self.create_upload(&create)$($wait)*?
                    }
                };
                for round in 1.. {
                    let mut failed = None;
                    for index in missing(&session) {
                        let chunk = chunk(&mut source, &session, index)?;
                        let (id, index) = (&session.upload_id, index.to_string());
                        let sent = self.put_upload_chunk(id, &index, &chunk)$($wait)*;
                        if let Err(e) = sent {
                            failed = Some(e);
                            break;
                        }
                    }
                    match failed {
                        None => break,
                        Some(e) if round >= MOST_ROUNDS || !may_help(&e) => return Err(e),
                        Some(_) => session = self.get_upload(&session.upload_id)$($wait)*?,
                    }
                }
                self.complete_upload(&session.upload_id)$($wait)*
            }

            /// Uploads the file at a path.
            pub $($async)? fn upload_path(
                &self,
                path: impl AsRef<Path> $($send)*,
                options: &Upload,
            ) -> Result<FileRecord> {
                let file = open(path.as_ref())?;
                self.upload_file(file, options)$($wait)*
            }
        }
    };
}

upload_file!(Admin [] [] []);
#[cfg(feature = "async")]
upload_file!(AsyncAdmin [async] [.await] [+ Send]);
