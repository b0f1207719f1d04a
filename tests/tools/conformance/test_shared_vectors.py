"""What other projects' tests expect of a text, for the dialects that we share with them.

The vectors are not part of this project: without them these tests are skipped, but not in CI. Each
text is read as a whole in both modes, and in chunks in lenient mode, in thorough runs character by
character. `MET` has how many vectors of each dialect are met in each of these ways, and `NOT_MET`
why the others are not.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import pytest

from agent_parsers import (
    AgentAction,
    OutputParserException,
    StreamParser,
    ToolSet,
    get_dialect,
    list_dialects,
)
from agent_parsers.engine.reading.turn import content_of, thought_of
from tests.helpers.effort import THOROUGH
from tools.conformance.make import call_of
from tools.conformance.vectors import Got

VECTORS: Final = Path(__file__).parents[4] / "shared" / "dialects" / "vectors.jsonl"
WAYS: Final = ("strict", "lenient", "streamed")
STARTS: Final[dict[str, Literal["content", "thought"]]] = {
    "content": "content",
    "reasoning": "thought",
}

MET: Final[dict[str, tuple[int, int, int]]] = {
    "command_a": (3, 15, 15),
    "deepseek_dsml": (4, 3, 3),
    "deepseek_v3": (16, 15, 15),
    "deepseek_v31": (31, 30, 30),
    "deepseek_v32": (5, 6, 6),
    "deepseek_v41": (2, 3, 3),
    "functiongemma": (17, 17, 17),
    "gemma4": (27, 28, 28),
    "glm45": (23, 23, 23),
    "glm47": (3, 3, 3),
    "hermes": (35, 38, 38),
    "json_toolcall": (12, 15, 15),
    "kimi_k2": (5, 7, 7),
    "laguna": (10, 12, 12),
    "lfm2": (32, 33, 33),
    "llama3_json": (8, 9, 9),
    "minimax_m2": (12, 12, 12),
    "minimax_m3": (1, 1, 1),
    "mistral": (38, 38, 38),
    "muse_glimmer": (2, 2, 2),
    "olmo3": (33, 36, 36),
    "pythonic": (9, 12, 12),
    "qwen3_coder": (47, 48, 48),
    "step3": (4, 4, 4),
}
"""Vectors that are met: read strictly, leniently, and in chunks."""
NOT_MET: Final[dict[str, str]] = {
    "a broken or cut call is dropped or shown, and here it is an error": (
        "o57d17d504939 o73e0e0341198 o8ab00679e090 o8bdf8e102f45 oed391978eae8 s0d2774386ae "
        "s1873ddd9d0e s311fb672c58 s4f2a2cfffa5 s6e29bcdaea4 sdd3d1c8842a sebfe2f5f677 "
    ),
    "a call beside a broken one is made, and here that is an error": (
        "s298ab83b4b2 s5633229e19d sd7688cf10fd "
    ),
    "a call in another form is read, and here it is an error unless the tools are known": (
        "o25309d8a9df7 o38764fa579bc o678972b1f47e oab3bfa9a4891 od01728c61b9b "
    ),
    "a call is shown as content, and here it is read": (
        "o0c5e39a628c4 o329748db97aa o81954544ff28 oa55f529b80ea ocd2ac05dc0ae oe9f37cfe38d1 "
        "of70fe5331a01 s44ae35d147a "
    ),
    "a call within a sentence is made, and here it is an error": ("scf4231dc403 "),
    "a mark in a thought ends it, and a stray one is content": (
        "o19b914325dfc o2006f9f48e4a o2df1655f314c o35e1db0f2923 o360c9291c662 o436c07c9ccf1 "
        "o4ae6e472efe8 o5cf62307ddf4 o677a091fb107 o91478f3181ad oa9e460db0cfa obb3de0199a47 "
        "oc84bb992f2a0 od10008b020c2 oe0d0d39f483a offd67f0cfc9e "
    ),
    "content begins a mark and is cut, or holds a broken call": (
        "occea8a60dc12 odeb737c2650b s0efb1ea6086 "
    ),
    "marks of invented results are stripped, and here the turn ends at them": (
        "o4f927dd1a506 o654bf1ef799c o7bf2f5394bfa oa760461cc365 obf0c5ece9b1b oea27a17e45e5 "
        "of6607f31e762 ofcfca76075a7 "
    ),
    "of two equal keys the last counts, and here they are an error": ("s35d754fbff8 "),
    "the name of a tool is replaced by that of another": ("o7676c990ea3e "),
    "thoughts are switched off there": (
        "o1289e0d510dc o6d38d225d63b o9d144732f0f4 o9d186d7853cd o9d4a59c5ca7d od58149a282e5 "
    ),
    "two pieces of content or thought are joined, and here they are lines": (
        "o1bb0690e9352 o34d562df2913 oe70101e6fe69 oe974e4361f70 "
    ),
    "values are typed without a schema, which is a guess": (
        "ocf45ed502da9 s1565c8949c8 s189c942fe33 s38dfe34e20e s40b984f0b97 s7993527c3f5 "
        "s80968c37c38 s95b8ca474f0 sa23c36155cd sb8fca4336c0 sba899b7a461 scab75180d6f "
        "scc539fcbb5f sdee4035888a se0ec3bcbe2a se72fbc995f8 sea77447dd86 sfb9376be98c "
    ),
}
"""Vectors that are not met in lenient mode, by cause."""

if not VECTORS.is_file() and os.environ.get("CI") != "true":
    pytest.skip(f"there are no vectors at {VECTORS}", allow_module_level=True)


@cache
def vectors() -> list[dict[str, Any]]:
    return [*map(json.loads, VECTORS.read_text(encoding="utf-8").splitlines())]


def got(vector: dict[str, Any], way: str) -> tuple[Got, str]:
    """Return what is made of a text, and its error, before which only thoughts may be told."""
    if vector["dialect"] not in list_dialects():
        return Got(), "there is no such dialect"
    tools = vector["tools"] and ToolSet(vector["tools"], unknown_keys="keep", missing_keys="keep")
    parser = StreamParser(
        get_dialect(vector["dialect"]),
        mode="strict" if way == "strict" else "lenient",
        tools=tools,
        start=STARTS.get(vector["start"]),
    )
    text, events = vector["text"], []
    try:
        size = max(len(text), 1) if way != "streamed" else 1 if THOROUGH else 5
        for at in range(0, len(text), size):
            events += parser.feed(text[at : at + size])
        events += parser.close()
    except OutputParserException as error:
        events += parser.last_events
        return Got(content_of(events), thought_of(events)), str(error)
    result = parser.result
    if isinstance(result, AgentAction | list):
        actions = result if isinstance(result, list) else [result]
        content = content_of(events) if parser.content is None else parser.content
        thought = thought_of(events) if parser.thought is None else parser.thought
        return Got(content, thought, [call_of(action) for action in actions]), ""
    assert result is not None
    thought = thought_of(events) if parser.thought is None else parser.thought
    return Got(result.return_values["output"], thought), ""


def differs(vector: dict[str, Any], way: str) -> list[str]:
    """Return what differs from what is expected, of all that the other project looks at."""
    (found, error), checks, want = got(vector, way), vector["checks"], vector["expected"]
    if error and (
        not (found.content or found.reasoning)
        or want["content"]
        or want["calls"]
        or not want["reasoning"]
    ):
        return [error]
    expected = Got(want["content"] or "", want["reasoning"] or "", found.calls)
    wrong = [part for part in found.differs_from(expected) if checks[part]]
    least = len(want["calls"])
    if len(found.calls) < least * checks["at_least"] or (
        checks["count"] and len(found.calls) != least
    ):
        return [*wrong, "count"]
    for at, (call, known) in enumerate(zip(found.calls, want["calls"], strict=False)):
        keys = checks["args"]
        if checks["names"] and call["name"] != known["name"]:
            wrong.append("name")
        looked_at = [*known["arguments"], *call["arguments"]] if keys == "exact" else []
        looked_at = (keys or {}).get(str(at), []) if keys != "exact" else looked_at
        missing = object()
        for key in looked_at:
            ours, theirs = (each["arguments"].get(key, missing) for each in (call, known))
            # Their numbers are floats; true is not 1.
            if ours != theirs or isinstance(ours, bool) is not isinstance(theirs, bool):
                wrong.append(f"argument {key!r}")
    return wrong


@cache
def failures(way: str) -> dict[str, list[str]]:
    return {v["id"]: wrong for v in vectors() if (wrong := differs(v, way))}


def test_as_many_are_met_as_the_table_says() -> None:
    counts = Counter(vector["dialect"] for vector in vectors())
    failed = [
        Counter(vector["dialect"] for vector in vectors() if vector["id"] in failures(way))
        for way in WAYS
    ]
    met = {name: tuple(counts[name] - each[name] for each in failed) for name in sorted(counts)}
    assert met == MET


def test_each_that_is_not_met_has_a_cause() -> None:
    listed = [name for names in NOT_MET.values() for name in names.split()]
    assert len(listed) == len({*listed})
    assert {*failures("lenient")} == {*listed}


def test_chunks_make_no_difference() -> None:
    assert failures("streamed") == failures("lenient")
