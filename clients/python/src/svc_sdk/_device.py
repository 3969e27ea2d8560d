"""What this process runs on: platform, version of the system, processor."""

from __future__ import annotations

import functools
import re
import sys

_NOT_PRINTABLE = re.compile(r"[^\x21-\x7e]+")
_ARCHITECTURES = {
    "x86_64": "amd64",
    "amd64": "amd64",
    "x64": "amd64",
    "aarch64": "arm64",
    "arm64": "arm64",
    "i386": "386",
    "i486": "386",
    "i586": "386",
    "i686": "386",
    "x86": "386",
    "ia32": "386",
    "386": "386",
    "arm": "arm",
    "armv6": "arm",
    "armv6l": "arm",
    "armv7": "arm",
    "armv7l": "arm",
    "riscv64": "riscv64",
    "ppc64le": "ppc64le",
    "powerpc64le": "ppc64le",
    "s390x": "s390x",
    "loong64": "loong64",
    "loongarch64": "loong64",
}


def header_value(text: str | None) -> str | None:
    """Clean a platform or its version for a header; `None` when nothing is left.

    What is not printable ASCII becomes a space, spaces collapse, and at most
    32 characters stay.
    """
    if text is None:
        return None
    return _NOT_PRINTABLE.sub(" ", text).strip()[:32].rstrip() or None


def architecture(name: str) -> str | None:
    """Turn the system's name of the processor into that of download links."""
    return _ARCHITECTURES.get(name.lower())


@functools.lru_cache(maxsize=1)
def detect_architecture() -> str | None:
    """Return the processor that this process runs on, `None` when it is not known."""
    if sys.platform == "win32":
        import sysconfig

        return {"win-amd64": "amd64", "win-arm64": "arm64", "win32": "386"}.get(sysconfig.get_platform())
    import os

    found = architecture(os.uname().machine)
    if sys.maxsize < 2**32:
        return {"amd64": "386", "arm64": "arm"}.get(found or "", found)
    return found


@functools.lru_cache(maxsize=1)
def detect_platform() -> str:
    """Return one of the seven platforms."""
    name = sys.platform
    if name.startswith("win"):
        return "windows"
    if name == "darwin":
        return "macos"
    if name == "ios":
        return "ios"
    if name == "android" or (name.startswith("linux") and hasattr(sys, "getandroidapilevel")):
        return "android"
    if name.startswith("linux"):
        return "linux"
    if name in ("emscripten", "wasi"):
        return "web"
    return "others"


@functools.lru_cache(maxsize=1)
def detect_platform_version() -> str:
    """Return the version of the system, empty when it cannot be told."""
    try:
        if sys.platform == "win32":
            version = sys.getwindowsversion()
            kernel = version.platform_version or (version.major, version.minor, version.build)
            return windows_version(".".join(str(n) for n in kernel))
        if sys.platform == "darwin":
            import platform

            return macos_version(platform.mac_ver()[0])
        if detect_platform() == "linux":
            return os_release_version(_read_os_release())
    except Exception:
        # A version that cannot be told is left out, whatever the reason.
        pass
    return ""


def _read_os_release() -> str:
    for path in ("/etc/os-release", "/usr/lib/os-release"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                return file.read(65536)
        except OSError:
            continue
    return ""


def windows_version(kernel: str) -> str:
    """Turn `10.0.22631` into `11`; empty when it is not known."""
    match = re.match(r"([0-9]+)\.([0-9]+)(?:\.([0-9]+))?", kernel)
    if not match:
        return ""
    major, minor, build = int(match[1]), int(match[2]), int(match[3] or 0)
    if (major, minor) == (10, 0):
        return "11" if build >= 22000 else "10"
    return {(6, 3): "8.1", (6, 2): "8", (6, 1): "7"}.get((major, minor), "")


def macos_version(product: str) -> str:
    """Turn a product version into the number that people know: `15.3.1` into `15`."""
    match = re.match(r"([0-9]+)(?:\.([0-9]+))?", product)
    if not match:
        return ""
    if match[1] != "10":
        return match[1]
    if match[2] == "16":
        # macOS 11 calls itself 10.16 for programs that were built for an older one.
        return "11"
    return f"10.{match[2]}" if match[2] else "10"


def os_release_version(text: str) -> str:
    """Return `<ID> <VERSION_ID>` of an os-release file."""
    fields: dict[str, str] = {}
    for line in text.splitlines():
        name, found, value = line.strip().partition("=")
        if found:
            fields[name] = value.strip().strip("\"'")
    return f"{fields.get('ID', '').lower()} {fields.get('VERSION_ID', '')}".strip()
