"""Makes `src/svc_sdk/_api/aio` from the files beside it.

Every method is one call, so the two differ only in what they return. Run it
after a change of those files; a test compares.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "svc_sdk" / "_api"
BY_HAND = {"__init__.py", "_namespace.py"}


def convert(text: str) -> str:
    """Turn a file of blocking methods into one of asynchronous ones."""
    text = re.sub(r"\b(class|from \.\w+ import) (\w+)", _rename, text)
    text = re.sub(r"^    (\w+Methods),$", r"    Async\1,", text, flags=re.M)
    text = re.sub(r"\((\w+Methods|Namespace)\):", r"(Async\1):", text)
    text = re.sub(r"\bIterator\b", "AsyncIterator", text)
    text = re.sub(r"^    def .*?(?=^    def |^    @|\Z)", _awaited, text, flags=re.M | re.S)
    text = text.replace("from .._", "from ..._").replace("from ..types", "from ...types")
    if "Coroutine[" in text:
        text = _with_imports(text)
    return text


def _awaited(method: re.Match[str]) -> str:
    text = method[0]
    if "self._send(" not in text and "self._run(" not in text:
        return text
    return re.sub(r"\) -> (.+):\n", r") -> Coroutine[Any, Any, \1]:\n", text, count=1)


def _rename(match: re.Match[str]) -> str:
    return f"{match[1]} Async{match[2]}"


def _with_imports(text: str) -> str:
    abc = re.search(r"from collections\.abc import ([^\n]+)\n", text)
    names = sorted({*(abc[1].split(", ") if abc else []), "Coroutine"})
    line = f"from collections.abc import {', '.join(names)}\n"
    text = text.replace(abc[0], line) if abc else text.replace("from typing", line + "from typing", 1)
    if not re.search(r"from typing import [^\n]*\bAny\b", text):
        text = re.sub(r"from typing import TYPE_CHECKING", "from typing import TYPE_CHECKING, Any", text)
    return text


def outputs() -> dict[str, str]:
    """Return the content of each file, by its name."""
    paths = [path for path in sorted(SOURCE.glob("*.py")) if path.name not in BY_HAND]
    return {path.name: _formatted(convert(path.read_text())) for path in paths}


def _formatted(text: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "-", "--stdin-filename", str(SOURCE / "aio" / "x.py")]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    for name, content in outputs().items():
        (SOURCE / "aio" / name).write_text(content)
