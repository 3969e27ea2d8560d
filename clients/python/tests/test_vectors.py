"""Every section of the vectors that this library implements, one test a case."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from conftest import VECTORS

from svc_sdk import (
    SvcError,
    _clock,
    _device,
    _download,
    _events,
    _exchange,
    _links,
    _options,
    _reports,
    _state,
    _updates,
    compare_versions,
    is_comparable_version,
)
from svc_sdk._calls import path_segment
from svc_sdk._versions import derive_comparable

SERVER_ONLY = {"client_time_parse", "language_key", "language_match"}
ELSEWHERE = {"scenarios", "queue_scenarios", "endpoints", "error_limits"}
NOT_CASES = {"format", "about", "version", "defaults"}
USED: set[str] = {"version", "defaults", "os_version"} | ELSEWHERE


def cases(section: str) -> Any:
    USED.add(section)
    return pytest.mark.parametrize("case", VECTORS[section], ids=str)


def test_unknown_sections_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    unknown = set(VECTORS) - USED - SERVER_ONLY - NOT_CASES
    with capsys.disabled():
        for section in sorted(unknown):
            print(f"notice: vectors.json has section {section}, which no test reads")


@cases("fnv1a32")
def test_fnv1a32(case: Any) -> None:
    assert _state.fnv1a32(case["in"]) == case["out"]


@cases("origin")
def test_origin(case: Any) -> None:
    assert _state.origin(case["in"]) == case["out"]


@cases("namespace")
def test_namespace(case: Any) -> None:
    assert _state.namespace(case["base_url"], case["project_key"]) == case["out"]


@cases("state_file")
def test_state_file(case: Any) -> None:
    assert _state.file_stem(case["in"]) + ".json" == case["out"]


@cases("client_time")
def test_client_time(case: Any) -> None:
    assert _clock.client_time(case["unix_ms"], case["offset_seconds"]) == case["out"]


@cases("header_value")
def test_header_value(case: Any) -> None:
    assert _device.header_value(case["in"]) == case["out"]


@cases("retry")
def test_retry(case: Any) -> None:
    delay = _exchange.retry_delay(
        case["method"],
        case["done"],
        case["max"],
        status=case.get("status"),
        error=case.get("error"),
        retry_after=case.get("retry_after"),
    )
    assert delay == case["delay_ms"]


@cases("event_backoff")
def test_event_backoff(case: Any) -> None:
    assert _events.backoff(case["interval_ms"] / 1000, case["failures"]) * 1000 == case["delay_ms"]


@cases("event_backoff_retry_after")
def test_event_backoff_retry_after(case: Any) -> None:
    delay = _events.backoff(case["interval_ms"] / 1000, case["failures"], case["retry_after"])
    assert delay * 1000 == case["delay_ms"]


@cases("event_outcome")
def test_event_outcome(case: Any) -> None:
    assert _events.outcome(case["status"], case["events"]) == case["action"]


@cases("event_name")
def test_event_name(case: Any) -> None:
    assert _events.event_name(case["in"]) == case["out"]


@cases("error_message")
def test_error_message(case: Any) -> None:
    assert _exchange.error_message(case["status"], case["body"]) == case["out"]


# Python asks macOS for its product version, so it has no rule for the kernel's.
OS_VERSIONS = [case for case in VECTORS["os_version"] if case["kind"] != "darwin_release"]


@pytest.mark.parametrize("case", OS_VERSIONS, ids=str)
def test_os_version(case: Any) -> None:
    rule = {
        "macos_product": _device.macos_version,
        "windows_build": _device.windows_version,
        "os_release": _device.os_release_version,
    }[case["kind"]]
    assert rule(case["in"]) == case["out"]


@cases("base_url")
def test_base_url(case: Any) -> None:
    assert _options.normalize_base_url(case["in"]) == case["out"]


@cases("path_segment")
def test_path_segment(case: Any) -> None:
    if case["out"] is None:
        with pytest.raises(SvcError):
            path_segment("version", case["in"])
    else:
        assert path_segment("version", case["in"]) == case["out"]


@cases("retry_after")
def test_retry_after(case: Any) -> None:
    assert _exchange.retry_after(case["header"], case["now_unix"]) == case["seconds"]


@cases("architecture")
def test_architecture(case: Any) -> None:
    assert _device.architecture(case["in"]) == case["out"]


@cases("update_link")
def test_update_link(case: Any) -> None:
    assert _links.choose_link(case["links"], case["platform"], case["arch"]) == case["out"]


@cases("update_decision")
def test_update_decision(case: Any) -> None:
    assert _updates.decision(case["in"]) == case["out"]


@cases("update_due")
def test_update_due(case: Any) -> None:
    assert _updates.due(case["remembered"], case["interval_seconds"], case["now"]) is case["out"]


@cases("update_memory")
def test_update_memory(case: Any) -> None:
    memory = _updates.read_memory(case["memory"], case["key"])
    assert _updates.due(memory, case["interval_seconds"], case["now"]) is case["due"]


@cases("update_key")
def test_update_key(case: Any) -> None:
    key = _updates.memory_key(
        case["current_version"],
        case["current_comparable_version"],
        case["include_preview"],
        case["locale"],
    )
    assert key == case["out"]


@cases("own_link")
def test_own_link(case: Any) -> None:
    assert _links.own_link(case["in"]) is case["out"]


@cases("error_fingerprint")
def test_error_fingerprint(case: Any) -> None:
    assert _reports.fingerprint(case["type"], case["message"], case["frame"]) == case["out"]


@cases("error_content")
def test_error_content(case: Any) -> None:
    text = _reports.content(case["type"], case["message"], case["stack"] * case["repeat"])
    if "out" in case:
        assert text == case["out"]
    else:
        assert len(text) == case["characters"]
        assert text.endswith(case["end"])


VERSION = VECTORS["version"]


@pytest.mark.parametrize("version", VERSION["valid"])
def test_version_is_comparable(version: str) -> None:
    assert is_comparable_version(version)


@pytest.mark.parametrize("version", VERSION["invalid"])
def test_version_is_not_comparable(version: str) -> None:
    assert not is_comparable_version(version)
    with pytest.raises(ValueError, match="not a comparable version"):
        compare_versions(version, "1")


@pytest.mark.parametrize(("older", "newer"), [*itertools.combinations(VERSION["ascending"], 2)])
def test_version_order(older: str, newer: str) -> None:
    assert compare_versions(older, newer) == -1
    assert compare_versions(newer, older) == 1


@pytest.mark.parametrize("group", VERSION["equal"], ids=str)
def test_version_equal(group: list[str]) -> None:
    for a, b in itertools.product(group, group):
        assert compare_versions(a, b) == 0


@pytest.mark.parametrize("case", VERSION["in_range"], ids=str)
def test_version_in_range(case: Any) -> None:
    low = case["min"] is None or compare_versions(case["version"], case["min"]) >= 0
    high = case["max"] is None or compare_versions(case["version"], case["max"]) <= 0
    assert (low and high) is case["out"]


@pytest.mark.parametrize("case", VERSION["derive"], ids=str)
def test_version_derive(case: Any) -> None:
    assert derive_comparable(case["in"]) == case["out"]


def test_a_number_of_any_length_compares() -> None:
    long = "9" * 10000
    assert compare_versions(long, long + "0") == -1


OURS = {
    "timeout_seconds": 15,
    "retries": 3,
    "retry_first_ms": _exchange.FIRST_DELAY_MS,
    "retry_last_ms": _exchange.LAST_DELAY_MS,
    "retry_jitter_percent": _exchange.JITTER * 100,
    "retry_after_seconds": _exchange.MAX_RETRY_AFTER,
    "response_bytes": _exchange.MAX_ANSWER,
    "error_body_bytes": _exchange.MAX_ERROR_TEXT,
    "redirects": _exchange.MAX_REDIRECTS,
    "header_characters": len(_device.header_value("x" * 99) or ""),
    "page_limit": 100,
    "flush_interval_ms": _events.Analytics().flush_interval * 1000,
    "batch_size": _events.Analytics().batch_size,
    "batch_size_max": _events.MAX_BATCH,
    "batch_bytes": _events.MAX_BATCH_BYTES,
    "max_queue_size": _events.Analytics().max_queue_size,
    "session_timeout_ms": _events.Analytics().session_timeout * 1000,
    "properties_bytes": _events.MAX_PROPERTIES_BYTES,
    "backoff_ms": _events.MAX_BACKOFF * 1000,
    "backoff_retry_after_ms": _events.MAX_RETRY_AFTER * 1000,
    "hold_ms": _events.HOLD * 1000,
    "hold_answers": _events.MAX_HOLDS,
    "save_interval_ms": 1000,
    "unload_bytes": VECTORS["defaults"]["unload_bytes"],  # browsers only
    "close_timeout_ms": 2000,
    "update_interval_seconds": _updates.INTERVAL,
    "update_spread_percent": _updates.SPREAD * 100,
    "update_memory_bytes": _updates.MAX_MEMORY,
    "download_redirects": _download.MAX_REDIRECTS,
    "download_attempts": _download.MAX_ATTEMPTS,
    "log_queue": _reports.MAX_QUEUE,
    "log_content_characters": _reports.MAX_CONTENT,
    "log_source_characters": _reports.MAX_SOURCE,
    "log_repeat_seconds": _reports.REPEAT_SECONDS,
    "log_fingerprints": _reports.MAX_FINGERPRINTS,
    "log_burst": _reports.BURST,
    "log_refill_seconds": _reports.REFILL_SECONDS,
}


@pytest.mark.parametrize("name", VECTORS["defaults"])
def test_default(name: str) -> None:
    assert OURS[name] == VECTORS["defaults"][name]
