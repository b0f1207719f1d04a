"""What of calls is compared with the tests of servers."""

from __future__ import annotations

from typing import Any

import pytest

from tools.benchmarks.server_tests import agree

EXACT = {"names": True, "args": "exact", "count": True}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


@pytest.mark.parametrize(
    ("found", "wanted", "checks", "agrees"),
    [
        ([call("lift", to=3)], [call("lift", to=3.0)], EXACT, True),
        ([call("lift", to=True)], [call("lift", to=1)], EXACT, False),
        ([call("lift", to="3")], [call("lift", to=3)], EXACT, False),
        ([call("lift"), call("stop")], [call("lift")], EXACT, False),
        ([call("lift"), call("stop")], [call("lift")], EXACT | {"count": False}, True),
        ([], [call("lift")], EXACT | {"count": False}, False),
        ([call("drop", to=3)], [call("lift", to=3)], EXACT | {"names": False}, True),
        ([call("lift", to=3, by="x")], [call("lift", to=3)], EXACT | {"args": {"0": ["to"]}}, True),
        ([call("lift", to=4)], [call("lift", to=3)], EXACT | {"args": {"0": ["to"]}}, False),
        ([call("lift", to={1})], [call("lift", to=[1])], EXACT, False),
        ([], [], EXACT, True),
    ],
)
def test_calls_agree_as_far_as_a_test_checks_them(
    found: list[Any], wanted: list[Any], checks: dict[str, Any], agrees: bool
) -> None:
    assert agree(found, wanted, checks) is agrees
