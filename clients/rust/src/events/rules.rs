//! Rules of event collection that need no state: names, outcomes, waits.

use std::collections::HashMap;
use std::time::Duration;

use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::url;

const LONGEST_NAME: usize = 64;
/// Bytes of properties as JSON.
pub(crate) const LARGEST_PROPERTIES: usize = 16 << 10;
const LONGEST_BACKOFF: Duration = Duration::from_secs(60);
const LONGEST_RETRY_AFTER: u64 = 3600;
/// Wait after an answer that no repetition changes soon.
pub(crate) const HOLD: Duration = Duration::from_secs(60);

/// FNV-1a, 32 bit, as 8 hexadecimal digits.
pub(crate) fn fnv1a32(text: &str) -> String {
    let hash = text.bytes().fold(2_166_136_261_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(16_777_619)
    });
    format!("{hash:08x}")
}

/// Name of the local state of an instance and a project.
pub(crate) fn namespace(base_url: &str, project_key: Option<&str>) -> String {
    let hash = fnv1a32(&url::origin(base_url));
    let key = project_key.unwrap_or("").trim().to_ascii_lowercase();
    let key = if key.is_empty() { "default" } else { &key };
    format!("{hash}-{key}")
}

/// Name of the file of a namespace, without `.json`.
pub(crate) fn state_file_stem(namespace: &str) -> String {
    namespace
        .chars()
        .map(|c| match c {
            'A'..='Z' | 'a'..='z' | '0'..='9' | '.' | '_' | '-' => c,
            _ => '_',
        })
        .take(96)
        .collect()
}

/// The form of a name in which it is sent.
pub(crate) fn event_name(name: &str) -> Option<String> {
    let name = name.trim().to_ascii_lowercase();
    let valid = name
        .bytes()
        .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.' | b':' | b'-'));
    (valid && !name.is_empty() && name.len() <= LONGEST_NAME).then_some(name)
}

/// Properties as JSON, now; `None` when there are none. Numbers that are none
/// become null. Properties without `app_version` get the given one.
pub(crate) fn properties(
    properties: impl Serialize,
    app_version: Option<&str>,
) -> Result<Option<Box<RawValue>>, &'static str> {
    let encoded = serde_json::to_string(&properties).and_then(|text| match app_version {
        Some(version) => with_version(text, version),
        None => Ok(text),
    });
    let text = encoded.map_err(|_| "properties cannot be encoded")?;
    match text.as_str() {
        "{}" | "null" => Ok(None),
        text if text.len() > LARGEST_PROPERTIES => Err("properties have more than 16 KiB"),
        text if !text.starts_with('{') => Err("properties are no object"),
        _ => RawValue::from_string(text)
            .map(Some)
            .map_err(|_| "properties cannot be encoded"),
    }
}

/// Adds the version of the application to an object, unless it has one.
fn with_version(text: String, version: &str) -> serde_json::Result<String> {
    let start = match text.as_str() {
        "{}" | "null" => "{".to_owned(),
        object if object.starts_with('{') => {
            let keys: HashMap<String, IgnoredAny> = serde_json::from_str(object)?;
            if keys.contains_key("app_version") {
                return Ok(text);
            }
            format!("{},", &object[..object.len() - 1])
        }
        _ => return Ok(text),
    };
    let version = serde_json::to_string(version)?;
    Ok(format!(r#"{start}"app_version":{version}}}"#))
}

/// Whether a text can identify a sender: 1 to 128 printable ASCII characters.
pub(crate) fn is_identifier(text: &str) -> bool {
    (1..=128).contains(&text.len()) && text.bytes().all(|b| (b' '..=b'~').contains(&b))
}

/// Treatment of a batch after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    DropBatch,
    Split,
    Hold,
    Retry,
}

/// Decides what becomes of a batch. Status 0 is no answer.
pub(crate) fn outcome(status: u16, events: usize) -> Action {
    match status {
        200..=299 => Action::DropBatch,
        400 | 413 | 422 if events > 1 => Action::Split,
        400 | 413 | 422 => Action::DropBatch,
        401 | 403 | 404 | 405 | 410 => Action::Hold,
        _ => Action::Retry,
    }
}

/// The wait after `failures` in a row.
pub(crate) fn backoff(interval: Duration, failures: u32, retry_after: Option<u64>) -> Duration {
    let own = interval
        .checked_mul(1 << failures.saturating_sub(1).min(20))
        .unwrap_or(LONGEST_BACKOFF)
        .min(LONGEST_BACKOFF);
    let asked = retry_after.unwrap_or(0).min(LONGEST_RETRY_AFTER);
    own.max(Duration::from_secs(asked))
}

/// Whether a text is a number from 0 to 9999.
pub(crate) fn is_rollout_key(text: &str) -> bool {
    (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}

/// A random UUID, version 4, from the system's generator.
pub(crate) fn uuid() -> String {
    let mut bytes = [0_u8; 16];
    if getrandom::fill(&mut bytes).is_err() {
        // Without a generator uniqueness is all that is left to hope for.
        let now = std::time::SystemTime::now();
        let since = now
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        bytes = since.as_nanos().to_le_bytes();
    }
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut text = String::with_capacity(36);
    for (i, byte) in bytes.iter().enumerate() {
        if matches!(i, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from(b"0123456789abcdef"[usize::from(digit)]));
        }
    }
    text
}
