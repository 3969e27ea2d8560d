//! The little of addresses that the library needs: encoding, origins, joining.

use crate::error::{Error, Result};

/// Percent-encodes everything but `A–Z a–z 0–9 - . _ ~`.
pub(crate) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for b in text.bytes() {
        if b.is_ascii_alphanumeric() || b"-._~".contains(&b) {
            out.push(b as char);
        } else {
            const HEX: &[u8; 16] = b"0123456789ABCDEF";
            out.push('%');
            out.push(HEX[(b >> 4) as usize] as char);
            out.push(HEX[(b & 15) as usize] as char);
        }
    }
    out
}

/// Encodes one segment of a path. Parsers of addresses rewrite empty segments
/// and dots, so those are refused.
pub(crate) fn segment(name: &str, text: &str) -> Result<String> {
    if matches!(text, "" | "." | "..") {
        return Err(Error::invalid(format!(
            "{name} must not be empty, \".\" or \"..\""
        )));
    }
    Ok(encode(text))
}

/// Decodes percent-escapes; what is no escape stays.
pub(crate) fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let hex = |at: usize| bytes.get(at).and_then(|b| (*b as char).to_digit(16));
        match (bytes[i], hex(i + 1), hex(i + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                i += 3;
            }
            (b, _, _) => {
                out.push(b);
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Scheme and authority of a base address in one form: lower case, without
/// user and default port.
pub(crate) fn origin(base_url: &str) -> String {
    let text = base_url.trim();
    let Some((scheme, rest)) = text.split_once("://") else {
        return text.to_ascii_lowercase();
    };
    let scheme = scheme.to_ascii_lowercase();
    let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
    let host = authority
        .rsplit('@')
        .next()
        .unwrap_or("")
        .to_ascii_lowercase();
    let default = match scheme.as_str() {
        "http" => ":80",
        "https" => ":443",
        _ => ":",
    };
    let host = host
        .strip_suffix(default)
        .or_else(|| host.strip_suffix(':'))
        .unwrap_or(&host);
    format!("{scheme}://{host}")
}

/// Scheme, host name without port, and the rest of an absolute address.
fn parts(url: &str) -> Option<(String, String, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let host = rest[..end].rsplit('@').next()?.to_ascii_lowercase();
    let port = host
        .rfind(':')
        .filter(|colon| !host[*colon..].contains(']'));
    let host = host[..port.unwrap_or(host.len())].to_owned();
    Some((scheme.to_ascii_lowercase(), host, &rest[end..]))
}

/// Whether `url` is an https address.
pub(crate) fn is_https(url: &str) -> bool {
    parts(url).is_some_and(|(scheme, _, _)| scheme == "https")
}

/// Whether `url` is an http or https address with a host.
pub(crate) fn is_http(url: &str) -> bool {
    parts(url)
        .is_some_and(|(s, host, _)| matches!(s.as_str(), "http" | "https") && !host.is_empty())
}

/// Whether a redirect may lead from one address to the other: same host name,
/// and never from https to http.
pub(crate) fn may_follow(from: &str, to: &str) -> bool {
    match (parts(from), parts(to)) {
        (Some((a, host_a, _)), Some((b, host_b, _))) => {
            host_a == host_b && (a == b || (a == "http" && b == "https"))
        }
        _ => false,
    }
}

/// The path of an absolute address, without query and fragment.
pub(crate) fn path(url: &str) -> &str {
    let rest = match url.split_once("://") {
        Some((_, rest)) => rest,
        None => url,
    };
    let rest = rest.find('/').map_or("", |at| &rest[at..]);
    rest.split(['?', '#']).next().unwrap_or("")
}

/// Resolves the `Location` of a redirect against the address it came from.
pub(crate) fn join(base: &str, location: &str) -> String {
    let location = location.split('#').next().unwrap_or("").trim();
    let Some((scheme, rest)) = base.split_once("://") else {
        return location.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let origin = format!("{scheme}://{}", &rest[..end]);
    if location.contains("://") && !location.starts_with(['/', '?', '.']) {
        return location.to_owned();
    }
    if location.starts_with("//") {
        return format!("{scheme}:{location}");
    }
    if location.starts_with('/') {
        return origin + location;
    }
    let base_path = rest[end..].split(['?', '#']).next().unwrap_or("");
    if location.starts_with('?') || location.is_empty() {
        return format!("{origin}{base_path}{location}");
    }
    let folder = base_path.rfind('/').map_or("/", |at| &base_path[..=at]);
    format!("{origin}{folder}{location}")
}
