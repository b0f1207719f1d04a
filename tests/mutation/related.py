"""What is mutated, and which tests are related to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from .mutants import mutants_of, prompt_mutants_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .mutants import Mutant

__all__ = ["ROOT", "all_mutants", "group_of", "sources", "stages_for"]

ROOT: Final = Path(__file__).parents[2]

_GROUPS: Final = {
    "agent_parsers/engine/writing": "prompts",
    "agent_parsers/engine/grammar/words": "prompts",
    "agent_parsers/dialects": "prompts",
    "agent_parsers/families": "prompts",
    "output_parsers/format_instructions": "prompts",
    "output_parsers/prompts": "prompts",
    "agent_parsers/engine/calls": "engine/calls",
    "agent_parsers/engine/grammar": "engine/grammar",
    "agent_parsers/engine/markers": "engine/markers",
    "agent_parsers/engine/repairs": "engine/repairs",
    "agent_parsers/engine": "engine/reading",
    "output_parsers": "output_parsers",
}
"""The line of the table in which a file or folder counts."""

_PROMPT_WORDS_ONLY: Final = ("agent_parsers/dialects", "agent_parsers/families")
"""Folders of which only the words of prompts are mutated."""

_DIALECTS: Final = "tests/agent_parsers/dialects"
_TEST_CASES: Final = f"{_DIALECTS}/test_cases.py"
_CASES: Final = (  # named, so that they run for every dialect
    f"{_TEST_CASES}::test_cases",
    f"{_TEST_CASES}::test_every_case_yields_the_same_events_whole_and_character_by_character",
)
_PAGES: Final = (
    "tests/agent_parsers/explain",
    f"{_DIALECTS}/test_snapshots.py",
    "tests/agent_parsers/native/test_snapshots.py",
)
_OUTPUT_PAGES: Final = ("tests/output_parsers/test_snapshots.py",)

_QUICK_OF: Final = {
    "prompts": ((*_PAGES, *_OUTPUT_PAGES),),
    "output_parsers": (_OUTPUT_PAGES,),
}
"""The quick tests of a group."""
_QUICK: Final = (_CASES, _PAGES)
"""The quick tests of the other groups."""
_ALSO_NEAR: Final = {
    "agent_parsers/engine/calls/code": f"{_DIALECTS}/test_python_dialects.py",
    "agent_parsers/engine/calls/json": f"{_DIALECTS}/test_json_dialects.py",
    "agent_parsers/engine/calls/tags": f"{_DIALECTS}/test_tagged_dialects.py",
    "agent_parsers/engine/calls": f"{_DIALECTS}/test_several_calls.py",
}
"""Tests of the call readers that are named after kinds of dialects."""
_SLOW: Final = {
    "agent_parsers": (
        (_DIALECTS, "tests/agent_parsers/engine", "tests/agent_parsers/families"),
        (
            "tests/agent_parsers/parsers",
            "tests/agent_parsers/runs",
            "tests/agent_parsers/testing/laws",
        ),
    ),
    "output_parsers": (
        ("tests/output_parsers", "tests/test_langchain_modules.py", "tests/agent_parsers/native"),
    ),
}
"""What a mutant has to survive after the quick tests, by package."""


def sources() -> Iterator[Path]:
    """Yield the files of the engine, the output parsers, the dialects and their families."""
    for folder in ("agent_parsers/engine", "output_parsers", *_PROMPT_WORDS_ONLY):
        yield from sorted((ROOT / folder).rglob("*.py"))


def all_mutants() -> Iterator[Mutant]:
    """Yield all mutants of these files; of dialects and families only the words of prompts."""
    for file in sources():
        path = file.relative_to(ROOT).as_posix()
        mutants = prompt_mutants_of if path.startswith(_PROMPT_WORDS_ONLY) else mutants_of
        yield from mutants(path, file.read_bytes())


def group_of(path: str) -> str:
    """Return the line of the table in which a file counts."""
    stem = Path(path).with_suffix("")
    return next(_GROUPS[str(part)] for part in (stem, *stem.parents) if str(part) in _GROUPS)


def stages_for(path: str, *, quick: bool = False) -> list[tuple[str, ...]]:
    """Return the tests that are related to a file, in stages; a mutant has to survive them all.

    Args:
        path: The file.
        quick: Whether to leave out the slow ones.
    """
    first, *others = _QUICK_OF.get(group_of(path), _QUICK)
    slow = () if quick else _SLOW[Path(path).parts[0]]
    return [first, *dict.fromkeys((_tests_next_to(Path(path)), *others, *slow))]


def _tests_next_to(path: Path) -> tuple[str, ...]:
    """Return the tests of a file: those named after it, or all in the nearest folder of tests."""
    folder = ROOT / "tests" / path.parent
    found = sorted(folder.glob(f"test_{path.stem}*.py"))
    while not found:
        found = sorted(folder.glob("test_*.py"))
        folder = folder.parent
    also = (_ALSO_NEAR[str(part)] for part in path.parents if str(part) in _ALSO_NEAR)
    return (*(each.relative_to(ROOT).as_posix() for each in found), *also)
