"""Which download link fits this device, from what people wrote about it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

_PLATFORMS = {
    "windows": "windows",
    "win": "windows",
    "win32": "windows",
    "win64": "windows",
    "macos": "macos",
    "mac": "macos",
    "osx": "macos",
    "darwin": "macos",
    "linux": "linux",
    "android": "android",
    "ios": "ios",
    "iphone": "ios",
    "ipad": "ios",
    "web": "web",
    "wasm": "web",
}
_EXTENSIONS = {
    "exe": "windows",
    "msi": "windows",
    "msix": "windows",
    "dmg": "macos",
    "pkg": "macos",
    "deb": "linux",
    "rpm": "linux",
    "appimage": "linux",
    "flatpak": "linux",
    "snap": "linux",
    "apk": "android",
    "aab": "android",
    "ipa": "ios",
}
_EVERY = "every architecture"
_ARCHITECTURES = {
    **dict.fromkeys(("amd64", "x64", "win64"), "amd64"),
    **dict.fromkeys(("arm64", "aarch64"), "arm64"),
    **dict.fromkeys(("386", "x86", "i386", "i486", "i586", "i686", "ia32"), "386"),
    **dict.fromkeys(("arm", "armv6", "armv6l", "armv7", "armv7l", "armhf"), "arm"),
    "riscv64": "riscv64",
    **dict.fromkeys(("ppc64le", "powerpc64le"), "ppc64le"),
    "s390x": "s390x",
    **dict.fromkeys(("loong64", "loongarch64"), "loong64"),
    **dict.fromkeys(("universal", "universal2", "noarch", "all"), _EVERY),
}
_OWN = re.compile(r"https?://[^/?#]+(?:/[^?#]*)?/f/[^/?#]+/[0-9a-z]{12}/[^/?#]+(?:[?#].*)?\Z", re.IGNORECASE)
_OWN_ID = re.compile(r"/f/[^/?#]+/([0-9a-z]{12})/[^/?#]+(?:[?#].*)?\Z")


def own_link(url: str) -> bool:
    """Report whether a link is to a file of this service, whose size and SHA-256 it tells."""
    return _OWN.match(url) is not None and _OWN_ID.search(url) is not None


def choose_link(links: Sequence[Mapping[str, Any]], platform: str | None, arch: str | None) -> int | None:
    """Return the place of the link that fits best, `None` when none fits.

    A platform that is named goes before any; an architecture that is equal
    before one for all before an unknown one; then the order of the list.
    """
    if platform is None:
        return None
    best: tuple[tuple[int, int], int] | None = None
    for i, link in enumerate(links):
        platforms, architectures = _fits(link)
        if platforms is not None and platform not in platforms:
            continue
        if arch is None or not architectures:
            match = 0 if arch is None else 2
        elif arch in architectures:
            match = 0
        elif _EVERY in architectures:
            match = 1
        else:
            continue
        rank = (0 if platforms is not None else 1, match)
        if best is None or rank < best[0]:
            best = rank, i
    return best[1] if best is not None else None


def _fits(link: Mapping[str, Any]) -> tuple[set[str] | None, set[str]]:
    """Return the platforms of a link, `None` for any, and its architectures, none when unknown."""
    declared, name = link.get("platform") or "", link.get("name") or ""
    file_name = unquote(urlsplit(str(link["url"])).path.rpartition("/")[2])
    sources = [_tokens(declared), _tokens(name), _tokens(file_name)]
    platforms: set[str] | None
    if declared.strip():
        platforms = _known(sources[0], _PLATFORMS)
    else:
        platforms = _known(sources[1], _PLATFORMS) or _known(sources[2], _PLATFORMS)
        if not platforms:
            extension = _EXTENSIONS.get(file_name.rpartition(".")[2].lower())
            platforms = {extension} if extension else None
    for tokens in sources:
        architectures = _known(tokens, _ARCHITECTURES)
        if not architectures and "win32" in tokens:
            architectures = {"386"}
        if architectures:
            return platforms, architectures
    return platforms, set()


def _tokens(text: str) -> list[str]:
    lower = text.translate({upper: upper + 32 for upper in range(65, 91)})
    return re.split(r"[^a-z0-9]+", re.sub("x86[_-]64", "amd64", lower))


def _known(tokens: Sequence[str], known: Mapping[str, str]) -> set[str]:
    return {known[token] for token in tokens if token in known}
