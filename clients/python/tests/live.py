"""Starts the built server for a test."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PASSWORD = "a long password"


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """Run SVC_BINARY on a new folder and give its address."""
    binary = os.environ.get("SVC_BINARY")
    if not binary:
        pytest.skip("needs the server: build it (make build) and set SVC_BINARY to its path")
    command = [binary, "serve", "--data", str(folder), "--listen", "127.0.0.1:0", "--public-rate-limit", "0"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "ADMIN_PASSWORD": PASSWORD},
    )
    lines: list[str] = []
    try:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if '"listening"' in line:
                # Read the rest, so that the server never waits for us.
                reader = threading.Thread(target=lines.extend, args=(process.stdout,), daemon=True)
                reader.start()
                yield json.loads(line)["url"].rstrip("/") + "/api/v1"
                return
        pytest.fail("the server did not start:\n" + "".join(lines))
    finally:
        process.terminate()
        process.wait(20)
        if process.stdout is not None:
            process.stdout.close()
