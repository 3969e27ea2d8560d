//! Platform of this process. Detected once; never fails.

use std::sync::OnceLock;

/// One of the seven platforms of the service.
pub(crate) fn platform() -> &'static str {
    if cfg!(target_os = "windows") {
        "windows"
    } else if cfg!(target_os = "macos") {
        "macos"
    } else if cfg!(target_os = "ios") {
        "ios"
    } else if cfg!(target_os = "android") {
        "android"
    } else if cfg!(target_os = "linux") {
        "linux"
    } else if cfg!(target_family = "wasm") {
        "web"
    } else {
        "others"
    }
}

/// Version of the system, empty when it is not known.
pub(crate) fn platform_version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        if cfg!(target_os = "windows") {
            windows()
        } else if cfg!(target_os = "macos") {
            macos()
        } else if cfg!(any(target_os = "linux", target_os = "android")) {
            linux()
        } else {
            String::new()
        }
    })
}

fn linux() -> String {
    std::fs::read_to_string("/etc/os-release")
        .or_else(|_| std::fs::read_to_string("/usr/lib/os-release"))
        .map(|text| os_release(&text))
        .unwrap_or_default()
}

fn macos() -> String {
    let list = "/System/Library/CoreServices/SystemVersion.plist";
    let text = std::fs::read_to_string(list).unwrap_or_default();
    let value = text
        .split_once("<key>ProductVersion</key>")
        .and_then(|(_, rest)| rest.split_once("<string>"))
        .and_then(|(_, rest)| rest.split_once("</string>"));
    value.map(|(v, _)| macos_product(v)).unwrap_or_default()
}

/// The version command is part of the command interpreter; its words are
/// translated, so only digits and dots count.
fn windows() -> String {
    let output = std::process::Command::new("cmd")
        .args(["/C", "ver"])
        .output();
    let Ok(output) = output else {
        return String::new();
    };
    let text: String = output
        .stdout
        .iter()
        .map(|&b| {
            if b.is_ascii_digit() || b == b'.' {
                b as char
            } else {
                ' '
            }
        })
        .collect();
    let build = text.split(' ').find(|word| word.matches('.').count() >= 2);
    build.map(windows_build).unwrap_or_default()
}

/// `10.0.22631` and the like as people call it.
pub(crate) fn windows_build(text: &str) -> String {
    let mut parts = text.split('.').map(|p| p.parse::<u32>().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0);
    match (next(), next(), next()) {
        (10, 0, 22_000..) => "11",
        (10, 0, _) => "10",
        (6, 3, _) => "8.1",
        (6, 2, _) => "8",
        (6, 1, _) => "7",
        _ => "",
    }
    .to_owned()
}

/// Product version of macOS: the major number, `10.x` with its minor one.
pub(crate) fn macos_product(text: &str) -> String {
    let mut parts = text.trim().split('.');
    match (parts.next().unwrap_or(""), parts.next()) {
        ("10", Some("16")) => "11".to_owned(),
        ("10", Some(minor)) => format!("10.{minor}"),
        (major, _) => major.to_owned(),
    }
}

/// macOS from the version of its kernel.
#[cfg(test)]
pub(crate) fn darwin_release(text: &str) -> String {
    match text.split('.').next().unwrap_or("").parse::<u32>() {
        Ok(n @ 25..) => (n + 1).to_string(),
        Ok(n @ 20..=24) => (n - 9).to_string(),
        Ok(n @ 16..=19) => format!("10.{}", n - 4),
        _ => String::new(),
    }
}

/// `ID` and `VERSION_ID` of an os-release file.
pub(crate) fn os_release(text: &str) -> String {
    let field = |name: &str| {
        text.lines()
            .filter_map(|line| line.trim().split_once('='))
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value.trim().trim_matches(['"', '\'']))
            .unwrap_or("")
    };
    let id = field("ID").to_ascii_lowercase();
    format!("{id} {}", field("VERSION_ID")).trim().to_owned()
}

/// The name of an architecture in links of downloads, or `None`.
pub(crate) fn architecture(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "x86_64" | "amd64" | "x64" => "amd64",
        "aarch64" | "arm64" => "arm64",
        "386" | "x86" | "i386" | "i486" | "i586" | "i686" | "ia32" => "386",
        "riscv64" => "riscv64",
        "ppc64le" | "powerpc64le" => "ppc64le",
        "s390x" => "s390x",
        "loong64" | "loongarch64" => "loong64",
        arm if arm == "arm" || arm.starts_with("armv6") || arm.starts_with("armv7") => "arm",
        _ => return None,
    })
}

/// The architecture of this process.
pub(crate) fn own_architecture() -> Option<&'static str> {
    match std::env::consts::ARCH {
        "powerpc64" if cfg!(target_endian = "little") => Some("ppc64le"),
        other => architecture(other),
    }
}

/// Cleans a value of the platform headers: printable ASCII, single spaces, at
/// most 32 characters. Empty is `None`.
pub(crate) fn header_value(text: &str) -> Option<String> {
    let printable: String = text
        .chars()
        .map(|c| if ('!'..='~').contains(&c) { c } else { ' ' })
        .collect();
    let mut value = printable
        .split_ascii_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    value.truncate(32);
    let value = value.trim_end();
    (!value.is_empty()).then(|| value.to_owned())
}
