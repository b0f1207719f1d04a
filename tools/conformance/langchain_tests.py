"""Runs LangChain's own tests of messages and parsers on this library's classes.

``python -m tools.conformance.langchain_tests FOLDER`` takes a checkout of langchain-ai/langchain,
or a folder with the unpacked source distributions of ``langchain-core``, ``langchain-classic`` and
``langchain``, of the versions that are installed::

    pip download --no-deps --no-binary langchain-core,langchain-classic,langchain \
        langchain-core langchain-classic langchain
    pip install pytest-asyncio pytest-mock freezegun blockbuster

The tests are copied to a temporary folder, where their import lines name our modules; the rest of
them is unchanged. A name that we do not have is imported as `missing`, which skips a test that uses
it. Every failure must be in `DIFFERENT`, with a row of docs/differences.md, and what is in
`DIFFERENT` must fail. No text of LangChain is in this repository.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

HOUSE: Final = Path(__file__).parents[2]

IN_SCOPE: Final = {
    # the package, its folder in a checkout, and its tests of what is here too
    ("langchain_core", "core"): (
        "output_parsers",
        "outputs",
        "messages",
        "test_messages.py",
        "test_outputs.py",
        "test_prompt_values.py",
        "test_exceptions.py",
    ),
    ("langchain_classic", "langchain"): (
        "agents/output_parsers",
        "agents/format_scratchpad",
        "agents/test_chat.py",
        "agents/test_mrkl.py",
        "agents/test_mrkl_output_parser.py",
        "agents/test_structured_chat.py",
        "output_parsers",
        "test_schema.py",
    ),
    ("langchain", "langchain_v1"): ("agents/test_responses.py",),
}

AGENTS: Final = (
    "chat",
    "conversational",
    "conversational_chat",
    "mrkl",
    "react",
    "structured_chat",
)
MODULES: Final = {
    "langchain_core.agents": "agent_parsers",
    "langchain_core.exceptions": "output_parsers.exceptions",
    "langchain_core.messages": "outputs.messages",
    "langchain_core.output_parsers": "output_parsers",
    "langchain_core.outputs": "outputs",
    "langchain_core.prompt_values": "output_parsers.prompt_values",
    "langchain_classic.agents.format_scratchpad": "agent_parsers.format_scratchpad",
    "langchain_classic.agents.output_parsers": "agent_parsers",
    "langchain_classic.output_parsers": "output_parsers",
    "langchain.agents.structured_output": "output_parsers",
    **{
        f"langchain_classic.agents.{agent}.output_parser": f"agent_parsers.{agent}.output_parser"
        for agent in AGENTS
    },
}
"""The modules of LangChain in scope, with those below them, and where their names are here."""
OURS: Final = MODULES | {
    "langchain_core.utils.json": "output_parsers.json",
    "langchain_classic.schema": "output_parsers",
}
"""Those, and the modules from which LangChain's tests import names that are here as well."""
RENAMED: Final = {"_SchemaSpec": "SchemaSpec"}

DIFFERENT: Final = {
    r"test_imports::test_all_imports": "Names, arguments and defaults",
    r"::test_asdict_replaces_deprecated_dict": "`parser.dict()`",
    r"::test_parse_json\[.*\{\\n  \"foo\": \"bar\"\\n\\n```": "whose last `}` is missing",
    r"::test_content_blocks_(preserve_index_for_parallel|tool_call_index)": "Gemini's chunks",
    r"::test_grounding_citations_do_not_mutate_content": "Gemini's chunks",
    r"::test_convert_to_v1_from_responses_chunk": "the `index` of a block",
    r"::test_compat_responses_v03": "langchain-openai 0.3",
    r"::test_(serdes_message|tool_message_ser)": "`lc_*` serialisation",
    r"::test_(error_from_|model_refusal_error)": "`output_parsers.exceptions.*`",
    r"::test_xml_escaping_minimal": "an XML observation",
    r"::test_parse_with_language_without_a_new_line": "`structured_chat`: bare JSON",
}
"""Tests that fail (a pattern of their names), and the row of docs/differences.md that says why."""

MISSING: Final = """
import os
import pytest


class Missing:
    def __init__(self, name):
        self._name = name

    def _used(self, *args, **kwargs):
        if "PYTEST_CURRENT_TEST" in os.environ:
            pytest.skip(f"not here: {self._name}")
        return self

    __call__ = __getattr__ = __getitem__ = __or__ = __ror__ = __eq__ = _used
    __contains__ = __instancecheck__ = _used

    def __iter__(self):
        self._used()
        return iter(())

    def __hash__(self):
        return 0
"""
MODEL: Final = '''
"""LangChain's scripted model, which also takes messages of ours."""
from agent_parsers import to_langchain
from langchain_core.language_models import GenericFakeChatModel as Theirs
from output_parsers import with_structured_output


class GenericFakeChatModel(Theirs):
    def __init__(self, messages, **settings):
        super().__init__(messages=(to_langchain([each])[0] for each in messages), **settings)

    def with_structured_output(self, schema, **settings):
        return with_structured_output(self, schema, **settings)
'''
CONFTEST: Final = """
import importlib.util
import pytest


def pytest_collection_modifyitems(items):
    for item in items:
        for mark in item.iter_markers("requires"):
            for name in mark.args:
                if importlib.util.find_spec(name) is None:
                    item.add_marker(pytest.mark.skip(reason=f"needs {name}"))
"""
SETTINGS: Final = """
[pytest]
asyncio_mode = auto
markers =
    requires: needs a package
"""


class Outcome(NamedTuple):
    """What became of a test."""

    test: str
    verdict: str
    """``passed``, ``failed`` or ``skipped``."""
    reason: str


# -- the tests -------------------------------------------------------------------------------------


def unit_tests_of(folder: Path, package: str, in_checkout: str) -> Path:
    """Return the folder with the unit tests of a package.

    Raises:
        SystemExit: They are not in *folder*.
    """
    places = [folder / "libs" / in_checkout, *sorted(folder.glob(f"{package}-*"))]
    for place in reversed(places):
        if (place / "tests" / "unit_tests").is_dir():
            return place / "tests"
    raise SystemExit(f"no tests of {package} in {folder}")


def ours(module: str) -> str | None:
    """Return the name of our module for one of LangChain's, if it is in scope."""
    for theirs, here in OURS.items():
        if module == theirs or module.startswith(f"{theirs}."):
            return here + module.removeprefix(theirs)
    return None


def has(module: str, name: str) -> bool:
    """Return whether a module of ours exists and has the name."""
    try:
        return hasattr(importlib.import_module(module), name)
    except ImportError:
        return False


def with_our_imports(source: str) -> str:
    """Return the source of a test with LangChain's names imported from this library."""
    lines = source.splitlines(keepends=True)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module and node.end_lineno:
            found = [our_import(node.module, name) for name in node.names]
            if any(is_ours for _, is_ours in found):
                line = " " * node.col_offset + "; ".join(line for line, _ in found) + "\n"
                blank = ["\n"] * (node.end_lineno - node.lineno)  # so that no line moves
                lines[node.lineno - 1 : node.end_lineno] = [line, *blank]
    return "".join(lines)


def our_import(module: str, imported: ast.alias) -> tuple[str, bool]:
    """Return the line that imports a name of a module, and whether it is another line."""
    theirs, name = imported.name, imported.asname or imported.name
    if theirs == "GenericFakeChatModel":
        return f"from scripted_model import {theirs} as {name}", True
    here = ours(module)
    if here is None:
        return f"from {module} import {theirs} as {name}", False
    if has(here, own := RENAMED.get(theirs, theirs)):
        return f"from {here} import {own} as {name}", True
    return f"from missing import Missing; {name} = Missing('{module}.{theirs}')", True


def copy(folder: Path, names: tuple[str, ...], to: Path) -> list[str]:
    """Copy the tests of a package, those in scope with our imports; return where these are."""
    left_out = shutil.ignore_patterns("integration_tests", "conftest.py")
    shutil.copytree(folder, to / "tests", ignore=left_out)
    (to / "scripted_model.py").write_text(MODEL, "utf-8")
    (to / "conftest.py").write_text(CONFTEST, "utf-8")
    (to / "missing.py").write_text(MISSING, "utf-8")
    (to / "pytest.ini").write_text(SETTINGS, "utf-8")
    places = [to / "tests" / "unit_tests" / name for name in names]
    for place in places:
        for path in [place] if place.is_file() else place.rglob("*.py"):
            path.write_text(with_our_imports(path.read_text("utf-8")), "utf-8")
    return [str(place.relative_to(to)) for place in places if place.exists()]


def outcomes(folder: Path, places: list[str]) -> Iterator[Outcome]:
    """Run the tests in *places*, below *folder*, and yield what becomes of each."""
    report = folder / "report.xml"
    paths = [str(folder), str(HOUSE), *filter(None, [os.environ.get("PYTHONPATH")])]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider"]
    run = subprocess.run(
        [*command, "-c", "pytest.ini", f"--junit-xml={report}", *places],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        check=False,
        capture_output=True,
        text=True,
    )
    if not report.exists():
        raise SystemExit(f"{run.stdout}\n{run.stderr}")
    for case in ET.parse(report).iter("testcase"):
        name = f"{case.get('classname', '')}::{case.get('name', '')}"
        name = name.removeprefix("tests.unit_tests.")
        bad = next((each for each in case if each.tag in ("failure", "error")), None)
        skipped = case.find("skipped")
        if bad is not None:
            yield Outcome(name, "failed", (bad.get("message") or "").partition("\n")[0])
        elif skipped is not None:
            yield Outcome(name, "skipped", skipped.get("message") or "")
        else:
            yield Outcome(name, "passed", "")


def row_of(test: str) -> str | None:
    """Return the row that says why a test fails, if there is one."""
    return next((row for name, row in DIFFERENT.items() if re.search(name, test)), None)


def main() -> int:
    """Run the tests and print those that do not pass; return 1 if a failure has no row."""
    parser = argparse.ArgumentParser(prog="python -m tools.conformance.langchain_tests")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--keep", type=Path, help="an empty folder, where the copies stay")
    asked = parser.parse_args()
    folder = asked.folder
    found: list[Outcome] = []
    with tempfile.TemporaryDirectory() as temporary:
        for (package, in_checkout), names in IN_SCOPE.items():
            to = (asked.keep or Path(temporary)) / package
            places = copy(unit_tests_of(folder, package, in_checkout), names, to)
            found += outcomes(to, places)
    failed = [each for each in found if each.verdict == "failed"]
    for each in found:
        if each.verdict != "passed":
            print(f"{each.verdict}: {each.test}: {row_of(each.test) or each.reason}")
    stale = [name for name in DIFFERENT if not any(re.search(name, each.test) for each in failed)]
    print(*(f"passes, though it is in the list: {name}" for name in stale), sep="\n")
    unknown = [each for each in failed if not row_of(each.test)]
    counts = {
        verdict: sum(each.verdict == verdict for each in found)
        for verdict in ("passed", "failed", "skipped")
    }
    print(*(f"{count} {verdict}" for verdict, count in counts.items()), sep=", ")
    return bool(unknown or stale)


if __name__ == "__main__":
    sys.exit(main())
