"""The event scenarios of the vectors, with both clients."""

from __future__ import annotations

from typing import Any

import pytest
import scenarios
from conftest import VECTORS

# Browsers alone have privacy signals.
CASES = [
    case
    for case in VECTORS["scenarios"] + VECTORS["queue_scenarios"]
    if not case.get("options", {}).get("dnt")
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_scenario(case: dict[str, Any]) -> None:
    scenarios.run(case)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
async def test_scenario_async(case: dict[str, Any]) -> None:
    await scenarios.run_async(case)
