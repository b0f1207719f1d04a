"""What is changed in LangChain's tests, and what may fail in them."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tools.conformance.langchain_tests import (
    DIFFERENT,
    OURS,
    row_of,
    unit_tests_of,
    with_our_imports,
)

PAGE = Path(__file__).parents[3] / "docs" / "differences.md"
SOURCE = dedent("""\
    import json
    from langchain_core.messages import (
        AIMessage,
        trim_messages as trim,
    )
    from langchain_core.runnables import Runnable
    def test_it():
        from langchain_classic.agents.mrkl.output_parser import MRKLOutputParser
""")


def test_import_lines_name_our_modules_and_no_line_moves() -> None:
    lines = with_our_imports(SOURCE).splitlines()
    assert lines.pop(1).split("; ") == [
        "from outputs.messages import AIMessage as AIMessage",
        "from missing import Missing",
        "trim = Missing('langchain_core.messages.trim_messages')",
    ]
    assert lines == [
        "import json",
        "",
        "",
        "",
        "from langchain_core.runnables import Runnable",
        "def test_it():",
        "    from agent_parsers.mrkl.output_parser import MRKLOutputParser as MRKLOutputParser",
    ]


@pytest.mark.parametrize("row", sorted({*DIFFERENT.values()}))
def test_what_fails_is_on_the_page(row: str) -> None:
    assert row in PAGE.read_text("utf-8")


def test_every_module_has_a_row_on_the_page_for_switching() -> None:
    page = (PAGE.parent / "coming-from.md").read_text("utf-8")
    not_named = {name for name in OURS if f"`{name}`" not in page and "agents." not in name}
    assert not_named == {"langchain_classic.schema"}


def test_tests_are_found_in_a_checkout_and_in_a_distribution(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no tests of langchain_core"):
        unit_tests_of(tmp_path, "langchain_core", "core")
    for place in ("libs/core", "langchain_core-9.1"):
        (tmp_path / place / "tests" / "unit_tests").mkdir(parents=True)
        found = unit_tests_of(tmp_path, "langchain_core", "core")
        assert found == tmp_path / place / "tests"
    assert row_of("messages.test_ai::test_serdes_message") == "`lc_*` serialisation"
    assert row_of("messages.test_ai::test_other") is None
