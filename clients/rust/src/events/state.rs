//! The stored part of a queue, and how it is merged with the data that other
//! processes keep there.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::rules;
use super::{Analytics, Persistence, Storage};
use crate::sync::lock;

/// Writes of this process happen one after the other, so that two clients on
/// one file do not undo each other's.
static WRITING: Mutex<()> = Mutex::new(());

/// Texts by key.
pub(crate) type Texts = BTreeMap<String, String>;

/// Where texts are kept.
#[derive(Clone)]
pub(crate) enum Place {
    /// Nowhere.
    Memory,
    /// A file with one object of texts.
    File(PathBuf),
    /// A storage of the application.
    Custom(Arc<dyn Storage>),
}

impl Place {
    pub(crate) fn of_events(options: &Analytics, namespace: &str) -> Place {
        Self::of(options, namespace, ".json")
    }

    pub(crate) fn of_updates(options: &Analytics, namespace: &str) -> Place {
        Self::of(options, namespace, ".updates.json")
    }

    fn of(options: &Analytics, namespace: &str, ending: &str) -> Place {
        if options.persistence == Persistence::None {
            return Place::Memory;
        }
        if let Some(storage) = &options.storage {
            return Place::Custom(storage.clone());
        }
        #[cfg(test)]
        let folder = options.directory.clone().or_else(directory);
        #[cfg(not(test))]
        let folder = directory();
        match folder {
            Some(folder) => Place::File(folder.join(rules::state_file_stem(namespace) + ending)),
            None => Place::Memory,
        }
    }

    /// Reads `keys`, without unreadable ones.
    pub(crate) fn read(&self, keys: &[String]) -> Texts {
        match self {
            Place::Memory => Texts::new(),
            Place::File(path) => {
                let text = std::fs::read(path).unwrap_or_default();
                parse_texts(&text)
            }
            Place::Custom(storage) => keys
                .iter()
                .filter_map(|key| Some((key.clone(), storage.read(key).ok()??)))
                .collect(),
        }
    }

    /// Reads `keys`, lets `change` change them, and writes what is different.
    pub(crate) fn update<T>(
        &self,
        keys: &[String],
        change: impl FnOnce(&mut Texts) -> T,
    ) -> (T, io::Result<()>) {
        let _writing = lock(&WRITING);
        let old = self.read(keys);
        let mut new = old.clone();
        let result = change(&mut new);
        if new == old {
            return (result, Ok(()));
        }
        let written = match self {
            Place::Memory => Ok(()),
            Place::File(path) if new.is_empty() => match std::fs::remove_file(path) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
                _ => Ok(()),
            },
            Place::File(path) => serde_json::to_vec(&new)
                .map_err(io::Error::from)
                .and_then(|text| replace(path, &text)),
            Place::Custom(storage) => {
                keys.iter()
                    .try_for_each(|key| match (old.get(key), new.get(key)) {
                        (before, Some(after)) if before != Some(after) => storage.write(key, after),
                        (Some(_), None) => storage.remove(key),
                        _ => Ok(()),
                    })
            }
        };
        (result, written)
    }
}

/// The texts of an object; other values are not there.
fn parse_texts(object: &[u8]) -> Texts {
    let values: BTreeMap<String, Box<RawValue>> =
        serde_json::from_slice(object).unwrap_or_default();
    values
        .into_iter()
        .filter_map(|(key, value)| Some((key, serde_json::from_str(value.get()).ok()?)))
        .collect()
}

/// The folder of the state files.
fn directory() -> Option<PathBuf> {
    let variable = |name: &str| {
        std::env::var_os(name)
            .filter(|v| !v.is_empty())
            .map(PathBuf::from)
    };
    let folder = if cfg!(windows) {
        let profile = || variable("USERPROFILE").map(|p| p.join("AppData").join("Local"));
        variable("LOCALAPPDATA").or_else(profile)?
    } else if cfg!(target_os = "macos") {
        variable("HOME")?
            .join("Library")
            .join("Application Support")
    } else {
        let home = || variable("HOME").map(|h| h.join(".local").join("state"));
        variable("XDG_STATE_HOME")
            .filter(|p| p.is_absolute())
            .or_else(home)?
    };
    Some(folder.join("svc-sdk"))
}

/// Writes a temporary file beside `path` and renames it.
pub(crate) fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    make_folder(folder)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", rules::uuid()));
    let temporary = folder.join(name);
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options
        .open(&temporary)
        .and_then(|mut file| file.write_all(text))
        .and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        // The error that matters is the first one.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// An event that waits, as it is kept.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub distinct_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Only where the namespace does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_key: Option<String>,
    pub event_id: String,
    pub name: String,
    pub occurred_at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub properties: Option<Box<RawValue>>,
}

/// A batch as it is sent.
#[derive(Serialize)]
pub(crate) struct Batch<'a> {
    distinct_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
    events: Vec<Event<'a>>,
}

/// An event as it is sent.
#[derive(Serialize)]
struct Event<'a> {
    event_id: &'a str,
    name: &'a str,
    occurred_at: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    properties: Option<&'a RawValue>,
}

impl<'a> Batch<'a> {
    /// Entries of one identifier and session.
    pub(crate) fn new(entries: &'a [Arc<Entry>]) -> Batch<'a> {
        let first = entries.first();
        Batch {
            distinct_id: first.map_or("", |e| &e.distinct_id),
            session_id: first.and_then(|e| e.session_id.as_deref()),
            events: entries
                .iter()
                .map(|e| Event {
                    event_id: &e.event_id,
                    name: &e.name,
                    occurred_at: e.occurred_at,
                    properties: e.properties.as_deref(),
                })
                .collect(),
        }
    }
}

impl Entry {
    fn is_valid(&self) -> bool {
        let properties = self.properties.as_ref().map_or("{", |p| p.get());
        rules::event_name(&self.name).as_deref() == Some(&self.name)
            && self.occurred_at >= 0
            && rules::is_identifier(&self.distinct_id)
            && (1..=128).contains(&self.event_id.len())
            && self.session_id.as_ref().is_none_or(|s| s.len() <= 128)
            && properties.starts_with('{')
            && properties.len() <= rules::LARGEST_PROPERTIES
    }

    /// Bytes of the event within a batch.
    pub(crate) fn size(&self) -> usize {
        const FRAME: usize =
            r#"{"event_id":"","name":"","occurred_at":,"properties":},"#.len() + 20;
        let properties = self.properties.as_ref().map_or(0, |p| p.get().len());
        FRAME + self.event_id.len() + self.name.len() + properties
    }
}

/// The valid entries of a kept queue.
pub(crate) fn parse_queue(text: Option<&String>) -> Vec<Arc<Entry>> {
    let list: Vec<Box<RawValue>> = text
        .and_then(|t| serde_json::from_str(t).ok())
        .unwrap_or_default();
    list.iter()
        .filter_map(|item| serde_json::from_str::<Entry>(item.get()).ok())
        .filter(Entry::is_valid)
        .map(Arc::new)
        .collect()
}

/// Full keys of a namespace.
pub(crate) struct Keys {
    pub distinct_id: String,
    pub queue: String,
    pub opt_out: String,
    pub feedback: String,
}

impl Keys {
    pub(crate) fn new(namespace: &str) -> Keys {
        let key = |suffix: &str| format!("svc.analytics.{namespace}.{suffix}");
        Keys {
            distinct_id: key("distinct_id"),
            queue: key("queue"),
            opt_out: key("opt_out"),
            feedback: key("feedback"),
        }
    }

    pub(crate) fn all(&self) -> [String; 4] {
        [
            self.distinct_id.clone(),
            self.queue.clone(),
            self.opt_out.clone(),
            self.feedback.clone(),
        ]
    }
}

/// Changes of one write.
pub(crate) struct Change {
    /// Whether identifier and queue are kept, and not only the marker.
    pub keeps_events: bool,
    /// The marker is written or removed.
    pub marker: Option<bool>,
    /// Queue, identifier and feedback of before are forgotten.
    pub clear: bool,
    /// The identifier, and whether it replaces that of the file.
    pub distinct_id: Option<(String, bool)>,
    pub entries: Vec<Arc<Entry>>,
    /// Ids that this process delivered or dropped.
    pub gone: HashSet<String>,
    pub limit: usize,
}

/// Result of a write.
#[derive(Default)]
pub(crate) struct Found {
    /// Another process has opted out.
    pub opted_out: bool,
    /// Another process made the identifier first.
    pub distinct_id: Option<String>,
}

impl Change {
    pub(crate) fn apply(&self, keys: &Keys, texts: &mut Texts) -> Found {
        let mut found = Found::default();
        match self.marker {
            Some(true) => {
                texts.insert(keys.opt_out.clone(), "1".to_owned());
            }
            Some(false) => {
                texts.remove(&keys.opt_out);
            }
            None => found.opted_out = texts.get(&keys.opt_out).is_some_and(|t| t == "1"),
        }
        if self.clear || self.marker == Some(true) || found.opted_out {
            texts.remove(&keys.distinct_id);
            texts.remove(&keys.queue);
            texts.remove(&keys.feedback);
        }
        if self.marker == Some(true) || found.opted_out {
            return found;
        }
        if !self.keeps_events {
            return found;
        }
        if let Some((id, replaces)) = &self.distinct_id {
            match texts
                .get(&keys.distinct_id)
                .filter(|t| rules::is_identifier(t))
            {
                Some(other) if !replaces => found.distinct_id = Some(other.clone()),
                _ => {
                    texts.insert(keys.distinct_id.clone(), id.clone());
                }
            }
        }
        let own: HashSet<&str> = self.entries.iter().map(|e| e.event_id.as_str()).collect();
        let mut all: Vec<_> = parse_queue(texts.get(&keys.queue))
            .into_iter()
            .filter(|e| {
                let id = e.event_id.as_str();
                !own.contains(id) && !self.gone.contains(id)
            })
            .chain(self.entries.iter().cloned())
            .collect();
        all.drain(..all.len().saturating_sub(self.limit));
        let all: Vec<&Entry> = all.iter().map(Arc::as_ref).collect();
        match serde_json::to_string(&all) {
            Ok(text) if !all.is_empty() => {
                texts.insert(keys.queue.clone(), text);
            }
            _ => {
                texts.remove(&keys.queue);
            }
        }
        found
    }
}
