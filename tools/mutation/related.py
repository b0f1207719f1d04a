"""What is mutated, and which tests are related to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from .mutants import mutants_of, prompt_mutants_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .mutants import Mutant

__all__ = ["ROOT", "all_mutants", "group_of", "sources", "stages_for"]

ROOT: Final = Path(__file__).parents[2]

_GROUPS: Final = {
    "agent_parsers/engine/writing": "prompts",
    "agent_parsers/dialects": "prompts",
    "agent_parsers/families": "prompts",
    "output_parsers/format_instructions": "prompts",
    "output_parsers/prompts": "prompts",
    "agent_parsers/engine/calls": "engine/calls",
    "agent_parsers/engine/tables": "engine/tables",
    "agent_parsers/engine/markers": "engine/markers",
    "agent_parsers/engine/repairs": "engine/repairs",
    "agent_parsers/engine": "engine/reading",
}
"""The line of the table in which a file or folder counts; any other counts in its package's."""

_PACKAGES: Final = (
    "outputs", "output_parsers", "agent_parsers", "agent_runs", "agent_serving", "agent_laws",
)  # fmt: skip
_WRITTEN: Final = ("names.py", "shipped.py")
"""Files that a program writes."""
_PROMPT_WORDS_ONLY: Final = ("agent_parsers/dialects", "agent_parsers/families")
"""Folders of which only the words of prompts are mutated."""

_DIALECTS: Final = "tests/agent_parsers/dialects"
_TEST_CASES: Final = f"{_DIALECTS}/test_cases.py"
_ALL_CASES: Final = (  # named, so that they run for every dialect
    f"{_TEST_CASES}::test_cases",
    f"{_TEST_CASES}::test_every_case_keeps_every_law_of_texts",
)
_PAGES: Final = (f"{_DIALECTS}/test_snapshots.py",)
_OUTPUT_PAGES: Final = ("tests/output_parsers/test_snapshots.py",)

_FIRST_DIALECTS: Final = {
    "agent_parsers/engine/calls/code": "gemma4 lfm2 llama4_pythonic olmo3 pythonic smolagents_code",
    "agent_parsers/engine/calls/json": "hermes json_toolcall kimi_k2 llama3_json mistral xlam",
    "agent_parsers/engine/calls/tags": "anthropic_xml glm45 minimax_m2 minimax_m3 qwen3_coder",
    "agent_parsers/engine": "conversational hermes pythonic qwen3_coder react react_json self_ask",
}
"""The dialects whose cases run first."""
_ALSO_NEAR: Final = {
    "agent_parsers/engine/calls/code": f"{_DIALECTS}/test_python_dialects.py",
    "agent_parsers/engine/calls/json": f"{_DIALECTS}/test_json_dialects.py",
    "agent_parsers/engine/calls/tags": f"{_DIALECTS}/test_tagged_dialects.py",
    "agent_parsers/engine/calls": f"{_DIALECTS}/test_several_calls.py",
    "agent_parsers/engine/reading/message_text": "tests/clients/test_text_parsers.py",
}
"""Tests named after what is read: a kind of dialect, or the messages of clients."""
_SLOW: Final = {
    "agent_parsers": (
        (_DIALECTS, "tests/agent_parsers/engine", "tests/agent_parsers/families"),
        (
            "tests/agent_parsers/explain",
            "tests/agent_parsers/parsers",
            "tests/agent_runs",
            "tests/agent_laws/laws",
        ),
    ),
    "output_parsers": (
        ("tests/output_parsers", "tests/test_langchain_modules.py", "tests/agent_parsers/messages"),
    ),
    "outputs": (("tests/outputs", "tests/output_parsers"), ("tests/clients",)),
    "agent_runs": (("tests/agent_runs",),),
    "agent_serving": (("tests/agent_serving",),),
    "agent_laws": (("tests/agent_laws",),),
}
"""What a mutant has to survive after the other tests, by package."""


def sources() -> Iterator[Path]:
    """Yield the files of all packages but those that are written by programs, and fronts."""
    for package in _PACKAGES:
        files = sorted((ROOT / package).rglob("*.py"))
        yield from (each for each in files if each.name not in ("__init__.py", *_WRITTEN))


def all_mutants() -> Iterator[Mutant]:
    """Yield all mutants of these files; of dialects and families only the words of prompts."""
    for file in sources():
        path = file.relative_to(ROOT).as_posix()
        mutants = prompt_mutants_of if path.startswith(_PROMPT_WORDS_ONLY) else mutants_of
        yield from mutants(path, file.read_bytes())


def group_of(path: str) -> str:
    """Return the line of the table in which a file counts."""
    return [*_of_folder(Path(path), _GROUPS), Path(path).parts[0]][0]


def stages_for(path: str, *, quick: bool = False) -> list[tuple[str, ...]]:
    """Return the tests that are related to a file, in stages; a mutant has to survive them all.

    Args:
        path: The file.
        quick: Whether to leave out the slow ones.
    """
    near = _tests_next_to(Path(path))
    slow = () if quick else _SLOW[Path(path).parts[0]]
    if path.startswith("agent_parsers/dialects"):
        own = f"{_DIALECTS}/test_snapshots.py::test_prompt[{Path(path).stem}]"
        return [(own,), _PAGES, near, *slow]
    if group_of(path) == "prompts":
        return [(*_PAGES, *_OUTPUT_PAGES), near, *slow]
    if not path.startswith("agent_parsers/engine"):
        pages = (_OUTPUT_PAGES,) if path.startswith("output_parsers") else ()
        return [*pages, near, *slow]
    dialects = _of_folder(Path(path), _FIRST_DIALECTS)[0].split()
    first = tuple(f"{_TEST_CASES}::test_cases[{name}]" for name in dialects)
    return [first, _ALL_CASES, near, _PAGES, *slow]


def _tests_next_to(path: Path) -> tuple[str, ...]:
    """Return the tests of a file: those named after it, or all in the nearest folder of tests."""
    folder = ROOT / "tests" / path.parent
    found = sorted(folder.glob(f"test_{path.stem}*.py"))
    while not found:
        found = sorted(folder.glob("test_*.py"))
        folder = folder.parent
    also = _of_folder(path, _ALSO_NEAR)
    return (*(each.relative_to(ROOT).as_posix() for each in found), *also)


def _of_folder(path: Path, table: Mapping[str, str]) -> list[str]:
    """Return the values of a file, or of the folders that contain it, the nearest first."""
    stem = path.with_suffix("")
    return [table[str(part)] for part in (stem, *stem.parents) if str(part) in table]
