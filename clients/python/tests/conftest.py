"""What all tests share: state in a folder of their own, the vectors, a scripted server."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
VECTORS: dict[str, Any] = json.loads((ROOT / "clients/vectors/vectors.json").read_text())
assert VECTORS["format"] == 1


@pytest.fixture(autouse=True)
def state_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep local state away from that of the machine."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    return tmp_path / "state" / "svc-sdk"


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


def environment(**more: str) -> dict[str, str]:
    """Return the environment of a Python process that imports this library."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "clients/python/src"), **more}
