//! Which link of a version is for this system, and which links lead to files
//! of the service.

use crate::models::DownloadLink;
use crate::url;

const PLATFORMS: [(&str, &[&str]); 6] = [
    ("windows", &["windows", "win", "win32", "win64"]),
    ("macos", &["macos", "mac", "osx", "darwin"]),
    ("linux", &["linux"]),
    ("android", &["android"]),
    ("ios", &["ios", "iphone", "ipad"]),
    ("web", &["web", "wasm"]),
];

const ENDINGS: [(&str, &[&str]); 5] = [
    ("windows", &["exe", "msi", "msix"]),
    ("macos", &["dmg", "pkg"]),
    ("linux", &["deb", "rpm", "appimage", "flatpak", "snap"]),
    ("android", &["apk", "aab"]),
    ("ios", &["ipa"]),
];

const ARCHITECTURES: [(&str, &[&str]); 8] = [
    ("amd64", &["amd64", "x64", "win64"]),
    ("arm64", &["arm64", "aarch64"]),
    (
        "386",
        &["386", "x86", "i386", "i486", "i586", "i686", "ia32"],
    ),
    (
        "arm",
        &["arm", "armv6", "armv6l", "armv7", "armv7l", "armhf"],
    ),
    ("riscv64", &["riscv64"]),
    ("ppc64le", &["ppc64le", "powerpc64le"]),
    ("s390x", &["s390x"]),
    ("loong64", &["loong64", "loongarch64"]),
];

const UNIVERSAL: [&str; 4] = ["universal", "universal2", "noarch", "all"];

/// Lower-case words of a text; `x86_64` is one of them.
fn tokens(text: &str) -> Vec<String> {
    text.to_ascii_lowercase()
        .replace("x86_64", "amd64")
        .replace("x86-64", "amd64")
        .split(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit())
        .filter(|t| !t.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The names with words among `tokens`.
fn known(table: &[(&'static str, &[&str])], tokens: &[String]) -> Vec<&'static str> {
    table
        .iter()
        .filter(|(_, words)| tokens.iter().any(|t| words.contains(&t.as_str())))
        .map(|(name, _)| *name)
        .collect()
}

/// The facts in the texts of a link.
struct Sources {
    platform: Option<Vec<String>>,
    name: Vec<String>,
    file: Vec<String>,
    ending: String,
}

impl Sources {
    fn of(link: &DownloadLink) -> Sources {
        let file = url::path(&link.url).rsplit('/').next().unwrap_or("");
        let file = url::decode(file);
        let ending = file
            .rsplit_once('.')
            .map_or("", |(_, e)| e)
            .to_ascii_lowercase();
        let platform = link.platform.as_deref().filter(|p| !p.trim().is_empty());
        Sources {
            platform: platform.map(tokens),
            name: tokens(link.name.as_deref().unwrap_or("")),
            file: tokens(&file),
            ending,
        }
    }

    /// Platforms that the link is for; `None` is any.
    fn platforms(&self) -> Option<Vec<&'static str>> {
        if let Some(platform) = &self.platform {
            return Some(known(&PLATFORMS, platform));
        }
        for source in [&self.name, &self.file] {
            let found = known(&PLATFORMS, source);
            if !found.is_empty() {
                return Some(found);
            }
        }
        let by_ending = ENDINGS
            .iter()
            .find(|(_, e)| e.contains(&self.ending.as_str()));
        by_ending.map(|(platform, _)| vec![*platform])
    }

    /// How well the link fits an architecture, 0 best; `None` not at all.
    fn architecture(&self, own: Option<&str>) -> Option<u8> {
        let empty = Vec::new();
        for source in [
            self.platform.as_ref().unwrap_or(&empty),
            &self.name,
            &self.file,
        ] {
            let universal = source.iter().any(|t| UNIVERSAL.contains(&t.as_str()));
            let mut found = known(&ARCHITECTURES, source);
            if found.is_empty() && source.iter().any(|t| t == "win32") {
                found.push("386");
            }
            if found.is_empty() && !universal {
                continue;
            }
            let Some(own) = own else { return Some(0) };
            return if found.contains(&own) {
                Some(0)
            } else {
                universal.then_some(1)
            };
        }
        Some(if own.is_some() { 2 } else { 0 })
    }
}

/// Index of the link that fits best.
pub(crate) fn best(
    links: &[DownloadLink],
    platform: Option<&str>,
    architecture: Option<&str>,
) -> Option<usize> {
    let platform = platform?;
    let fit = |link: &DownloadLink| {
        let sources = Sources::of(link);
        let any = match sources.platforms() {
            Some(platforms) if platforms.contains(&platform) => 0,
            Some(_) => return None,
            None => 1,
        };
        Some((any, sources.architecture(architecture)?))
    };
    links
        .iter()
        .enumerate()
        .filter_map(|(at, link)| Some((fit(link)?, at)))
        .min()
        .map(|(_, at)| at)
}

/// Whether a link leads to a file of the service: `…/f/{project}/{id}/{name}`.
pub(crate) fn is_own(link: &str) -> bool {
    if !url::is_http(link) {
        return false;
    }
    let segments: Vec<&str> = url::path(link).split('/').collect();
    let [.., f, project, id, name] = segments.as_slice() else {
        return false;
    };
    let id_char = |b: u8| b.is_ascii_digit() || b.is_ascii_lowercase();
    *f == "f"
        && !project.is_empty()
        && !name.is_empty()
        && id.len() == 12
        && id.bytes().all(id_char)
}
