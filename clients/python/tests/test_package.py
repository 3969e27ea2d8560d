"""The package as it is published: built, installed into an empty environment, cheap to import."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT, environment

HERE = ROOT / "clients/python"
USE = """
import httpx, svc_sdk, sys, importlib.metadata
assert importlib.metadata.version("svc-sdk") == svc_sdk.SDK_VERSION == svc_sdk.__version__
transport = httpx.MockTransport(lambda request: httpx.Response(200, json={"status": "ok"}))
with svc_sdk.SvcClient("https://svc.example.com/api/v1", transport=transport) as client:
    assert client.health() == {"status": "ok"}
assert svc_sdk.AsyncSvcClient and svc_sdk.Update
"""


def run(*command: str, cwd: Path = HERE) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_built_and_installed_into_an_empty_environment(tmp_path: Path) -> None:
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path), ".")
    [wheel] = tmp_path.glob("svc_sdk-*.whl")
    assert len(list(tmp_path.glob("svc_sdk-*.tar.gz"))) == 1
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [metadata] = [name for name in names if name.endswith("/METADATA")]
        text = archive.read(metadata).decode()
    assert "svc_sdk/py.typed" in names
    for field in (
        "Author: ",
        "License-Expression: ",
        "Project-URL: Repository, ",
        "Project-URL: Changelog, ",
    ):
        assert f"\n{field}" in text
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if "test" in name or "player" in name]
    assert [line for line in text.splitlines() if line.startswith("Requires-Dist")] == [
        "Requires-Dist: httpx<1,>=0.27"
    ]
    run(sys.executable, "-m", "venv", str(tmp_path / "empty"))
    python = str(tmp_path / "empty/bin/python")
    # The dependencies of httpx are in this environment, so that nothing is fetched.
    run(python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", str(wheel))
    site = next(Path(sys.prefix).glob("lib/python*/site-packages"))
    (next((tmp_path / "empty/lib").glob("python*")) / "site-packages/httpx.pth").write_text(str(site))
    run(python, "-W", "error", "-c", USE, cwd=tmp_path)


IMPORT = """
import sys
import dataclasses, httpx
before = set(sys.modules)
import svc_sdk
print(*{name.partition(".")[0] for name in set(sys.modules) - before})
"""


def test_import_loads_nothing_beyond_httpx_but_itself() -> None:
    # asyncio alone would double the time of the import, which `make bench-clients` prints.
    command = [sys.executable, "-c", IMPORT]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["svc_sdk"]


def test_readme_blocks_run(tmp_path: Path) -> None:
    text = (HERE / "README.md").read_text()
    blocks = [block.partition("```")[0] for block in text.split("```python\n")[1:]]
    assert len(blocks) == 7
    for block in blocks:
        if "async with" in block:
            compile("async def main():\n    " + block.replace("\n", "\n    "), "README.md", "exec")
        else:
            compile(block, "README.md", "exec")


@pytest.mark.parametrize("heading", ["Updates", "Feedback", "Events", "Consent", "Errors"])
def test_readme_has_its_sections(heading: str) -> None:
    assert f"\n## {heading}\n" in (HERE / "README.md").read_text()
