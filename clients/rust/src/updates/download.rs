//! A download that resumes, is checked, and leaves no half file.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::{header, link};
use crate::core::Core;
use crate::error::{Error, Result};
use crate::events::rules::uuid;
use crate::retry;
use crate::sync::lock;
use crate::transport::{Failure, Request, Response};
use crate::url;

pub(crate) const MOST_REDIRECTS: u32 = 5;
/// Attempts in a row that bring no new byte.
pub(crate) const MOST_IDLE: u32 = 5;

/// How far a download is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Bytes that are here.
    pub received: u64,
    /// Bytes in all, when known.
    pub total: Option<u64>,
}

/// A file that was downloaded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Downloaded {
    /// Where it is.
    pub path: PathBuf,
    /// Its bytes.
    pub size: u64,
    /// Its SHA-256, in hexadecimal digits.
    pub sha256: String,
    /// Whether size and SHA-256 match the file record. Links that lead
    /// elsewhere have none.
    pub verified: bool,
}

/// Downloads `link` to `to`.
pub(crate) fn run(
    core: &Core,
    link: &str,
    to: &Path,
    mut on_progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Downloaded> {
    core.ensure_open()?;
    if !url::is_http(link) {
        return Err(Error::invalid(
            "only http and https links can be downloaded",
        ));
    }
    if url::is_https(&core.settings().base_url) && !url::is_https(link) {
        return Err(Error::invalid("an https base address refuses http links"));
    }
    if to.file_name().is_none() {
        return Err(Error::invalid("the target of a download must be a file"));
    }
    let mut download = Download {
        core,
        link,
        own: link::is_own(link),
        to,
        part: None,
        etag: None,
        total: None,
        on_progress: &mut on_progress,
    };
    let result = download.run();
    if let (Err(_), Some(part)) = (&result, download.part.take()) {
        part.remove();
    }
    result
}

struct Download<'a> {
    core: &'a Core,
    link: &'a str,
    own: bool,
    to: &'a Path,
    part: Option<Part>,
    /// Strong validator of what is being downloaded.
    etag: Option<String>,
    total: Option<u64>,
    on_progress: &'a mut dyn FnMut(Progress) -> ControlFlow<()>,
}

/// Partial files that are being written by this process.
static PARTS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The partial file.
struct Part {
    path: PathBuf,
    file: File,
    size: u64,
    sum: Sha256,
}

/// Why an attempt ended before the end of the file.
enum Broken {
    /// Another attempt may help, after this wait at least.
    Again(Error, Option<u64>),
    /// Ask again for what is missing, at once.
    Resume,
    /// It is over.
    Over(Error),
}

impl From<Error> for Broken {
    fn from(error: Error) -> Self {
        Broken::Over(error)
    }
}

impl Download<'_> {
    fn run(&mut self) -> Result<Downloaded> {
        let (mut idle, mut most) = (0, 0);
        loop {
            let (error, asked) = match self.attempt() {
                Ok(()) => return self.finish(),
                Err(Broken::Over(error)) => return Err(error),
                Err(Broken::Resume) => continue,
                Err(Broken::Again(error, asked)) => (error, asked),
            };
            // Bytes that arrive a second time are no progress.
            idle = if self.received() > most { 1 } else { idle + 1 };
            most = most.max(self.received());
            if idle >= MOST_IDLE {
                return Err(error);
            }
            let wait = Duration::from_millis(retry::backoff(idle - 1));
            let wait = wait.max(Duration::from_secs(asked.unwrap_or(0).min(30)));
            if self.core.clock.wait(wait, &self.core.closed) {
                return Err(Error::invalid("the client was closed"));
            }
        }
    }

    fn received(&self) -> u64 {
        self.part.as_ref().map_or(0, |p| p.size)
    }

    /// One request for what is missing. `Ok` when everything is here.
    fn attempt(&mut self) -> Result<(), Broken> {
        let resume = self.received() > 0 && self.etag.is_some();
        let response = self.request(resume)?;
        match response.status {
            200 => self.start(&response)?,
            206 if resume => self.check_range(&response)?,
            416 if resume => {
                // The local part does not belong to the current file.
                self.restart()?;
                return Err(Broken::Again(status_error(416), None));
            }
            408 | 429 | 502..=504 => {
                let now = self.core.clock.unix_seconds();
                let asked = header(&response.headers, "retry-after")
                    .and_then(|h| crate::clock::retry_after(h, now));
                return Err(Broken::Again(status_error(response.status), asked));
            }
            status => return Err(Broken::Over(status_error(status))),
        }
        self.read(response)
    }

    /// Sends the request and follows redirects.
    fn request(&self, resume: bool) -> Result<Response, Broken> {
        let settings = self.core.settings();
        let mut headers = vec![
            ("accept".to_owned(), "*/*".to_owned()),
            ("accept-encoding".to_owned(), "identity".to_owned()),
            ("user-agent".to_owned(), settings.user_agent.clone()),
        ];
        if let Some(etag) = self.etag.as_ref().filter(|_| resume) {
            headers.push(("range".to_owned(), format!("bytes={}-", self.received())));
            headers.push(("if-range".to_owned(), etag.clone()));
        }
        let mut request = Request {
            method: "GET",
            url: self.link.to_owned(),
            headers,
            body: None,
            timeout: settings.timeout,
            connect_timeout: settings.connect_timeout,
            streamed: true,
        };
        for _ in 0..=MOST_REDIRECTS {
            let response = self.core.transport.send(&request).map_err(|e| {
                let final_ = matches!(e.kind, Failure::Certificate | Failure::Aborted);
                match final_ {
                    true => Broken::Over(e.into()),
                    false => Broken::Again(e.into(), None),
                }
            })?;
            let location = header(&response.headers, "location");
            let (301 | 302 | 303 | 307 | 308, Some(location)) = (response.status, location) else {
                return Ok(response);
            };
            let target = url::join(&request.url, location);
            if !url::is_http(&target) || (url::is_https(&request.url) && !url::is_https(&target)) {
                let message = "the download was redirected from https to an insecure address";
                return Err(Broken::Over(Error::connection(message)));
            }
            request.url = target;
        }
        Err(Broken::Over(Error::connection(
            "the download was redirected too often",
        )))
    }

    /// The answer has the whole file: begins with it, or, when a killed
    /// process left the first part of it, asks for the rest.
    fn start(&mut self, response: &Response) -> Result<(), Broken> {
        let length = header(&response.headers, "content-length").and_then(|h| h.parse().ok());
        let etag = header(&response.headers, "etag").filter(|e| e.starts_with('"'));
        let sum = etag
            .map(|e| e.trim_matches('"'))
            .filter(|s| s.len() == 64 && s.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')));
        if self.own && sum.is_none() {
            let message = "the server gives no SHA-256 for this file";
            return Err(Broken::Over(Error::connection(message)));
        }
        if self.own && length.is_none() {
            let message = "the server gives no size for this file";
            return Err(Broken::Over(Error::connection(message)));
        }
        let same = self.etag.as_deref() == etag && self.etag.is_some();
        self.etag = etag.map(str::to_owned);
        self.total = length;
        if let Some(part) = &mut self.part {
            // The server sends everything again.
            part.truncate().map_err(local)?;
            if same || !self.own {
                return Ok(());
            }
        }
        if let Some(old) = self.part.take() {
            old.remove();
        }
        let tag = match sum.filter(|_| self.own) {
            Some(sum) => sum[..16].to_owned(),
            None => uuid(),
        };
        let part = Part::open(self.to, &tag).map_err(local)?;
        let size = part.size;
        self.part = Some(part);
        match self.total {
            Some(total) if size == total => Ok(()),
            Some(total) if size > 0 && size < total => Err(Broken::Resume),
            _ => self.restart().map_err(Broken::from),
        }
    }

    fn restart(&mut self) -> Result<()> {
        match &mut self.part {
            Some(part) => part.truncate().map_err(local),
            None => Ok(()),
        }
    }

    /// The answer must begin where we stopped and be of the same file.
    fn check_range(&mut self, response: &Response) -> Result<(), Broken> {
        let range = header(&response.headers, "content-range").unwrap_or("");
        let parsed = range.strip_prefix("bytes ").and_then(|r| {
            let (range, total) = r.split_once('/')?;
            let (first, _) = range.split_once('-')?;
            Some((first.parse::<u64>().ok()?, total.parse::<u64>().ok()))
        });
        match parsed {
            Some((first, total))
                if first == self.received() && (total.is_none() || total == self.total) =>
            {
                Ok(())
            }
            _ => {
                self.restart()?;
                let message = "the server sent another part than was asked for";
                Err(Broken::Again(Error::connection(message), None))
            }
        }
    }

    fn read(&mut self, mut response: Response) -> Result<(), Broken> {
        let mut buffer = vec![0; 64 << 10];
        self.tell()?;
        let whole = |size: u64, total: Option<u64>| total.is_some_and(|total| size >= total);
        while !whole(self.received(), self.total) {
            let read = match response.body.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => {
                    let kind = match e.kind() {
                        io::ErrorKind::TimedOut => Failure::ReadTimeout,
                        _ => Failure::Body,
                    };
                    let error = crate::transport::TransportError::new(kind, e);
                    return Err(Broken::Again(error.into(), None));
                }
            };
            if let Some(part) = &mut self.part {
                part.append(&buffer[..read]).map_err(local)?;
            }
            self.tell()?;
        }
        if self.total.is_some_and(|total| self.received() < total) {
            return Err(Broken::Again(
                Error::from(crate::transport::TransportError::from(Failure::Body)),
                None,
            ));
        }
        Ok(())
    }

    fn tell(&mut self) -> Result<()> {
        self.core.ensure_open()?;
        let progress = Progress {
            received: self.received(),
            total: self.total,
        };
        match (self.on_progress)(progress) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Error::connection("the download was given up")),
        }
    }

    /// Checks the file and puts it where it belongs.
    fn finish(&mut self) -> Result<Downloaded> {
        let Some(part) = &mut self.part else {
            return Err(Error::connection("the download has no content"));
        };
        part.file.sync_all().map_err(local)?;
        let sha256 = hex(part.sum.clone().finalize().as_slice());
        if let Some(total) = self.total.filter(|total| *total != part.size) {
            let message = format!("the size of the download is {}, not {total}", part.size);
            return Err(Error::connection(message));
        }
        let expected = self.etag.as_deref().map(|e| e.trim_matches('"'));
        if self.own && expected != Some(&sha256) {
            let message = "the SHA-256 of the download is not that of the file";
            return Err(Error::connection(message));
        }
        std::fs::rename(&part.path, self.to).map_err(local)?;
        let size = part.size;
        self.part = None;
        Ok(Downloaded {
            path: self.to.to_owned(),
            size,
            sha256,
            verified: self.own,
        })
    }
}

impl Part {
    /// Opens the partial file of `to`, with what is in it already.
    fn open(to: &Path, tag: &str) -> io::Result<Part> {
        let beside = |tag: &str| {
            let mut name = to.file_name().unwrap_or_default().to_owned();
            name.push(format!(".{tag}.part"));
            to.with_file_name(name)
        };
        let mut path = beside(tag);
        if !lock(&PARTS).insert(path.clone()) {
            // Another thread downloads the same.
            path = beside(&uuid());
            lock(&PARTS).insert(path.clone());
        }
        Part::read(&path).inspect_err(|_| {
            lock(&PARTS).remove(&path);
        })
    }

    fn read(path: &Path) -> io::Result<Part> {
        // In a folder where others may write, it need not be a file.
        let found = std::fs::symlink_metadata(path).is_ok_and(|m| m.is_file());
        let mut file = match found {
            true => OpenOptions::new().read(true).write(true).open(path)?,
            false => create(path)?,
        };
        let mut sum = Sha256::new();
        let mut buffer = vec![0; 64 << 10];
        let mut size = 0;
        loop {
            let read = file.read(&mut buffer)?;
            if read == 0 {
                break;
            }
            sum.update(&buffer[..read]);
            size += read as u64;
        }
        Ok(Part {
            path: path.to_owned(),
            file,
            size,
            sum,
        })
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.sum.update(bytes);
        self.size += bytes.len() as u64;
        Ok(())
    }

    /// Begins anew, in a new file: another process may be renaming this one
    /// just now.
    fn truncate(&mut self) -> io::Result<()> {
        self.file = create(&self.path)?;
        self.sum = Sha256::new();
        self.size = 0;
        Ok(())
    }

    fn remove(self) {
        // Nothing more can be done about a file that cannot be removed.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        lock(&PARTS).remove(&self.path);
    }
}

/// A new file in the place of what is there.
fn create(path: &Path) -> io::Result<File> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).open(path)
}

fn status_error(status: u16) -> Error {
    Error::connection(format!("the download was answered with status {status}"))
}

fn local(e: io::Error) -> Error {
    Error::connection(format!("the download cannot be written: {e}"))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
