"""Scores us on what other projects' tests expect of a text: ``python tools/benchmarks/vectors.py``.

The files (``vectors*.jsonl``) have one vector per line: the ``dialect`` under the name that the
other project has for it, the ``text``, the ``tools``, where the text starts (``start``), what is
``expected``, and which parts of that the test looks at (``checks``). A vector is met if these are
the same but for white space, which projects put around content as they like.

Not every test is right. ``vectors.json`` has the vectors that we did not always meet, each with the
judgement of who is right: the reference, we, or neither (a matter of taste, or of an option that
the reference sets). ``--show`` prints those that are not met, and ``--mode strict`` reads strictly.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, Final

from agent_parsers import (
    AgentAction,
    OutputParserException,
    StreamParser,
    ToolSet,
    get_dialect,
)
from agent_parsers.engine.reading.turn import content_of, thought_of
from tools.conformance.make import call_of
from tools.conformance.vectors import Got

FOLDER: Final = Path(__file__).parents[3] / "shared" / "dialects"
FILES: Final = ("vectors", "vectors4")
VERDICTS: Final = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))
"""For each verdict the causes, and for each of these the ids of vectors, separated by blanks."""
STARTS: Final = {"content": "content", "reasoning": "thought"}
OTHER_NAMES: Final = {
    "granite4": "hermes",
    "kimi": "kimi_k2",
    "muse": "muse_spark",
    "spark25": "glm47",
}
"""Names of other projects' parsers for dialects of ours."""
CHUNK: Final = 5


@cache
def vectors_of(name: str) -> list[dict[str, Any]]:
    """Return the vectors of a file."""
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [*map(json.loads, lines)]


@cache
def verdicts() -> dict[str, tuple[str, str]]:
    """Return the verdict and the cause of each vector that is judged, by its id."""
    return {
        name: (verdict, cause)
        for verdict, causes in VERDICTS.items()
        for cause, names in causes.items()
        for name in names.split()
    }


def tools_of(vector: dict[str, Any]) -> ToolSet | None:
    """Return the tools of a vector; `None` if it has none, or if their schemas are not valid."""
    if not vector["tools"]:
        return None
    try:
        return ToolSet(vector["tools"], unknown_keys="keep", missing_keys="keep")
    except ValueError:
        return None


def got(vector: dict[str, Any], way: str, size: int = CHUNK) -> tuple[Got, str]:
    """Return what is made of a text, and its error, before which only thoughts may be told.

    Args:
        vector: The vector.
        way: ``"strict"``, ``"lenient"``, or ``"streamed"``: leniently, in chunks.
        size: The size of these chunks.
    """
    parser = StreamParser(
        get_dialect(OTHER_NAMES.get(vector["dialect"], vector["dialect"])),
        mode="strict" if way == "strict" else "lenient",
        tools=tools_of(vector),
        start=STARTS.get(vector["start"], ""),
    )
    text, events = vector["text"], []
    try:
        size = max(len(text), 1) if way != "streamed" else size
        for at in range(0, len(text), size):
            events += parser.feed(text[at : at + size])
        events += parser.close()
    except OutputParserException as error:
        events += parser.last_events
        return Got(content_of(events), thought_of(events)), str(error)
    result = parser.result
    thought = thought_of(events) if parser.thought is None else parser.thought
    if isinstance(result, AgentAction | list):
        actions = result if isinstance(result, list) else [result]
        content = content_of(events) if parser.content is None else parser.content
        return Got(content, thought, [call_of(action) for action in actions]), ""
    assert result is not None
    return Got(result.return_values["output"], thought), ""


def differs(vector: dict[str, Any], way: str, size: int = CHUNK) -> list[str]:
    """Return what differs from what is expected, of all that the other project looks at."""
    (found, error), checks, want = got(vector, way, size), vector["checks"], vector["expected"]
    if error and (
        not (found.content or found.reasoning)
        or want["content"]
        or want["calls"]
        or not want["reasoning"]
    ):
        return [error]
    wrong = [
        part
        for part in ("content", "reasoning")
        if checks[part] and _joined(getattr(found, part)) != _joined(want[part] or "")
    ]
    least = len(want["calls"])
    if len(found.calls) < least * checks["at_least"] or (
        checks["count"] and len(found.calls) != least
    ):
        return [*wrong, "count"]
    for at, (call, known) in enumerate(zip(found.calls, want["calls"], strict=False)):
        keys = checks["args"]
        if checks["names"] and call["name"] != known["name"]:
            wrong.append("name")
        looked_at = [*known["arguments"], *call.get("arguments", {})] if keys == "exact" else []
        looked_at = (keys or {}).get(str(at), []) if keys != "exact" else looked_at
        missing = object()
        for key in looked_at:
            ours, theirs = (each.get("arguments", {}).get(key, missing) for each in (call, known))
            # Their numbers are floats; true is not 1.
            if ours != theirs or isinstance(ours, bool) is not isinstance(theirs, bool):
                wrong.append(f"argument {key!r}")
    return wrong


def _joined(text: str) -> str:
    return "".join(text.split())


def main() -> None:
    """Print how many vectors of each dialect are met, by verdict."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--mode", choices=("strict", "lenient", "streamed"), default="lenient")
    parser.add_argument("--show", action="store_true", help="print those that are not met")
    options = parser.parse_args()
    for name in FILES:
        every, met = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        for vector in vectors_of(name):
            verdict = verdicts().get(vector["id"], ("agreed", ""))[0]
            wrong = differs(vector, options.mode)
            for key in ((vector["dialect"], verdict), ("all", verdict)):
                every[key] += 1
                met[key] += not wrong
            if wrong and options.show:
                print(f"{vector['id']} {vector['dialect']} ({verdict}): {wrong[0]}")
        columns = ("agreed", *VERDICTS)
        print(f"\n{name}, {options.mode}\n")
        print(f"| dialect | {' | '.join(columns)} |")
        print(f"|---|{'--:|' * len(columns)}")
        for dialect in [*sorted({each for each, _ in every} - {"all"}), "all"]:
            cells = (
                f"{met[dialect, each]}/{every[dialect, each]}" if every[dialect, each] else ""
                for each in columns
            )
            print(f"| {dialect} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
