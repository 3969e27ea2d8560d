//! Comparable versions: `digits(.digits)*`, then optionally `-alpha`, `-beta`
//! or `-rc` with numbers of its own.

use std::cmp::Ordering;

struct Version<'a> {
    core: Vec<&'a str>,
    tag: u8,
    tag_numbers: Vec<&'a str>,
}

fn parse(text: &str) -> Option<Version<'_>> {
    let (core, tag) = match text.split_once('-') {
        Some((core, tag)) => (core, Some(tag)),
        None => (text, None),
    };
    let core = numbers(core)?;
    let Some(tag) = tag else {
        return Some(Version {
            core,
            tag: 3,
            tag_numbers: Vec::new(),
        });
    };
    let (name, rest) = match tag.split_once('.') {
        Some((name, rest)) => (name, Some(rest)),
        None => (tag, None),
    };
    let tag = ["alpha", "beta", "rc"].iter().position(|t| *t == name)? as u8;
    let tag_numbers = match rest {
        Some(rest) => numbers(rest)?,
        None => Vec::new(),
    };
    Some(Version {
        core,
        tag,
        tag_numbers,
    })
}

/// The numbers between dots, without leading zeros. They may be of any size.
fn numbers(text: &str) -> Option<Vec<&str>> {
    text.split('.')
        .map(|part| {
            let digits = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
            digits.then(|| part.trim_start_matches('0'))
        })
        .collect()
}

fn compare_numbers(a: &[&str], b: &[&str]) -> Ordering {
    (0..a.len().max(b.len()))
        .map(|i| {
            let (a, b) = (a.get(i).unwrap_or(&""), b.get(i).unwrap_or(&""));
            a.len().cmp(&b.len()).then_with(|| a.cmp(b))
        })
        .find(|o| o.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// Whether `text` is a comparable version.
///
/// ```
/// assert!(svc_sdk::is_comparable_version("2.0.0-beta.3"));
/// assert!(!svc_sdk::is_comparable_version("v2.0.0"));
/// ```
pub fn is_comparable_version(text: &str) -> bool {
    parse(text).is_some()
}

/// Returns the comparable version of a display version: `1.4.0` for
/// `v1.4.0`.
pub(crate) fn derive(display: &str) -> Option<&str> {
    let text = display.trim();
    let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
    is_comparable_version(text).then_some(text)
}

/// Compares two comparable versions; `None` when one of them is not comparable.
///
/// ```
/// use std::cmp::Ordering;
/// assert_eq!(svc_sdk::compare_versions("1.10", "1.9.3"), Some(Ordering::Greater));
/// assert_eq!(svc_sdk::compare_versions("1.0-rc", "1.0"), Some(Ordering::Less));
/// ```
pub fn compare_versions(a: &str, b: &str) -> Option<Ordering> {
    let (a, b) = (parse(a)?, parse(b)?);
    Some(
        compare_numbers(&a.core, &b.core)
            .then(a.tag.cmp(&b.tag))
            .then_with(|| compare_numbers(&a.tag_numbers, &b.tag_numbers)),
    )
}
