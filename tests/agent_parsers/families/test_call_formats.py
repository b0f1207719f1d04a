"""The dialects of open models: each mark is written once, and the tables follow from the marks."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Final

import pytest

from agent_laws import check_dialect
from agent_parsers import (
    MultiActionDialectParser,
    OutputParserException,
    get_dialect,
    get_parser,
    list_dialects,
)
from agent_parsers.authoring import (
    CallFormat,
    Dialect,
    Given,
    HeadedPayload,
    JsonPayload,
    Result,
    Table,
    TaggedPayload,
    WrittenCall,
)
from agent_parsers.engine.markers.kinds import spelt_texts
from agent_parsers.engine.reading.turn import read_turn
from agent_parsers.families.results_writer import ResultsWriter, numbered_id

from ...helpers.effort import THOROUGH

if TYPE_CHECKING:
    from agent_parsers.engine.tables.table import Transition
    from agent_parsers.registry.dialects_by_name import Start

LISTING: Final = Path(__file__).parents[2] / "helpers" / "call_tables.txt"
OPEN: Final = [
    name for name in list_dialects() if get_dialect(name).several and name != "anthropic_xml"
]
"""The dialects of open models; `anthropic_xml` is a form of prompts."""
OWN_TABLES: Final = {"harmony", "json_toolcall"}
"""Those whose tables are written out in their files."""
FLAGS: Final = ("closes", "restarts", "unopened", "firm", "odd", "clash", "late")

every_dialect = pytest.mark.parametrize("name", OPEN)


def marks_of(table: Table) -> str:
    """Return the markers of a table, each with its spellings."""
    return "; ".join(
        f"{name} = {' '.join(text.replace(' ', '␠') for text in spelt_texts(marker))}".replace(
            "\n", "⏎"
        )
        for name, marker in table.markers.items()
    )


def told(transition: Transition) -> str:
    """Return where a transition leads, and what else it does."""
    flags = (flag for flag in FLAGS if getattr(transition, flag, False))
    return " ".join([f"{type(transition).__name__} {transition.to}", *flags])


def rows_of(table: Table) -> str:
    """Return the transitions of a table by state; all that end a turn are alike."""
    rows: dict[str, dict[str, dict[str, None]]] = {}
    for (state, marker), transition in table.transitions.items():
        is_end = marker.startswith("end ") and not marker.startswith("end of ")
        markers = rows.setdefault(state, {}).setdefault(told(transition), {})
        markers["an end" if is_end else marker.partition(" after ")[0]] = None
    return "\n".join(
        f"  {state}: " + "; ".join(f"{' | '.join(found)} -> {to}" for to, found in moves.items())
        for state, moves in sorted(rows.items())
    )


def listing() -> str:
    """Return the lenient tables of the dialects that are listed: those that were once written."""
    lines = LISTING.read_text("utf-8").partition("\n\n")[0].splitlines()
    derived = [line.partition(":")[0] for line in lines]
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for name in derived:
        alike[rows_of(get_dialect(name).lenient)].append(name)
    marks = "\n".join(f"{name}: {marks_of(get_dialect(name).lenient)}" for name in derived)
    rows = "\n".join(f"{' '.join(names)}\n{shape}" for shape, names in alike.items())
    return f"{marks}\n\n{rows}\n"


def test_tables_are_what_they_were() -> None:
    """A dialect that was added later needs no listing: its cases say what it reads.

    If the new tables are meant: ``LISTING.write_text(listing(), "utf-8")``.
    """
    assert listing() == LISTING.read_text("utf-8")


def tree_of(name: str) -> ast.Module:
    path = import_module(f"agent_parsers.dialects.{name}").__file__
    return ast.parse(Path(path or "").read_text("utf-8"))


def literals_of(tree: ast.Module) -> list[str]:
    """Return the strings of a module, apart from docstrings, samples and the dialect's summary."""
    prose: set[ast.AST] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Expr(ast.Constant()) | ast.keyword("summary"):
                prose |= {*ast.walk(node)}
            case ast.Assign([ast.Name("SAMPLE" | "PROMPT")]):
                prose |= {*ast.walk(node)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in prose
    ]


def own_marks(dialect: Dialect) -> set[str]:
    """Return the marks of a dialect: in its tables and around results; words are not marks."""
    tables = (dialect.strict, dialect.lenient)
    marks = {text for t in tables for marker in t.markers.values() for text in spelt_texts(marker)}
    around = "".join(dialect.turn_frame)
    if isinstance(dialect.render_results, ResultsWriter):
        around += "".join((*dialect.render_results.each, *dialect.render_results.around))
    marks |= {*dialect.stop, *re.findall(r"<[^<>\s]+>|\[[A-Z_/]+\]", around)}
    return {mark for mark in marks if not mark.isalpha()}


@every_dialect
def test_a_mark_is_written_once_in_its_file(name: str) -> None:
    literals = literals_of(tree_of(name))
    counts = {
        mark: sum(text.count(mark) for text in literals) for mark in own_marks(get_dialect(name))
    }
    assert not {mark: count for mark, count in counts.items() if count > 1}


@every_dialect
def test_a_file_begins_with_a_sample(name: str) -> None:
    tree = tree_of(name)
    shown = ast.get_docstring(tree, clean=False) or ""
    is_below = any(
        isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SAMPLE"
        for node in tree.body
    )
    sample = get_dialect(name).sample
    is_shown = indent(sample, "    ") in shown
    assert is_shown or (is_below and name == "harmony")  # it writes another order than the model


FORMAT: Final = CallFormat(
    name="memo",
    summary="JSON between marks",
    payload=JsonPayload(),
    call=("<|act|>\n", "\n<|/act|>"),
    between="\n",
    thought=("<plan>\n", "\n</plan>\n\n"),
    ends=("<|end|>",),
    turn_frame=("<|end|>\n<|tool|>", "<|end|>\n<|assistant|>"),
    also={"call": ("<act>",)},
)


def test_tables_have_marks_without_the_white_space_that_writers_write() -> None:
    dialect = FORMAT.dialect()
    for table in (dialect.strict, dialect.lenient):
        assert table.markers["call"].canonical == "<|act|>"
        assert table.markers["end of thought"].canonical == "</plan>"
    assert dialect.stop == ("<|end|>",)
    assert dialect.sample == (
        "<plan>\nI have to look it up.\n</plan>\n\nLet me see."
        '<|act|>\n{"name": "search", "arguments": {"query": "Lake Thun"}}\n<|/act|>\n'
        '<|act|>\n{"name": "ping", "arguments": {}}\n<|/act|>'
    )


def test_only_the_lenient_table_has_other_spellings() -> None:
    dialect = FORMAT.dialect()
    assert spelt_texts(dialect.strict.markers["call"]) == ("<|act|>",)
    assert spelt_texts(dialect.lenient.markers["call"]) == ("<|act|>", "<act>")


def test_a_sample_leaves_out_what_a_format_cannot_express() -> None:
    plain = replace(FORMAT, thought=None, content=None, is_single=True).dialect()
    assert plain.sample == (
        '<|act|>\n{"name": "search", "arguments": {"query": "Lake Thun"}}\n<|/act|>'
    )
    assert "A turn has one call." in plain.prompt


def test_results_are_in_turns_of_their_own_unless_a_text_is_between_them() -> None:
    results = [Result("a", "1"), Result("b", "2")]
    assert FORMAT.dialect().results_text(results) == "1<|end|>\n<|tool|>2"
    joined = replace(FORMAT, results=ResultsWriter(between=" ")).dialect()
    assert joined.results_text(results) == "1 2"


def test_marks_that_the_format_does_not_write_are_reported() -> None:
    odd = replace(FORMAT, call=("<|act|>", ""), odd_marks=(("<tool>", "</tool>"),), also={})
    parser = get_parser("hermes").model_copy(update={"dialect": odd.dialect()})
    turn = parser.read('<tool>{"name": "ping", "arguments": {}}</tool>')
    assert [repair.message for repair in turn.repairs] == [
        "accepted a mark that this dialect does not use",
        "accepted a mark that this dialect does not use",
    ]


TAGGED: Final = TaggedPayload(
    call='<invoke name="{tool}">\n{parameters}</invoke>',
    parameter="<arg_key>{key}</arg_key><arg_value>{value}</arg_value>\n",
)


def test_the_tags_of_a_call_are_those_of_its_templates() -> None:
    tags = TAGGED.tags(("<calls>", "</calls>"))
    assert {part.value: tag.canonical for part, tag in tags.items()} == {
        "wrap": "<calls>",
        "end of wrap": "</calls>",
        "tool": "<invoke",
        "end of tool": "</invoke>",
        "key": "<arg_key>",
        "end of key": "</arg_key>",
        "value": "<arg_value>",
        "end of value": "</arg_value>",
    }
    written = TAGGED.form(WrittenCall("search", {"{key}": "{value}", "n": 1}))
    assert written == (
        '<invoke name="search">\n<arg_key>{key}</arg_key><arg_value>{value}</arg_value>\n'
        "<arg_key>n</arg_key><arg_value>1</arg_value>\n</invoke>"
    )


def test_the_marks_of_a_block_are_the_tags_of_a_call_that_begins_with_its_name() -> None:
    plain = replace(TAGGED, call="{tool}{parameters}")
    tags = plain.tags(("<call>", "</call>"))
    assert [tag.canonical for tag in tags.values()][:2] == ["<call>", "</call>"]


def test_calls_in_tags_have_no_region() -> None:
    with pytest.raises(ValueError, match="calls in tags do not support these options: region"):
        replace(FORMAT, payload=TAGGED, region=("<calls>", "</calls>")).dialect()


def test_other_spellings_of_tags_belong_to_the_tags() -> None:
    with pytest.raises(ValueError, match="spellings= of the TaggedPayload"):
        replace(FORMAT, payload=TAGGED, also={"end of call": ("</done>",)}).dialect()


@pytest.mark.parametrize(
    ("call", "parameter", "words"),
    [
        (
            '<f n="{tool}" id="{id}">{parameters}</f>',
            "<a={key}>{value}</a>",
            "cannot contain {id}, only {tool}",
        ),
        (
            "<f={tool}>{parameters}</f>",
            '<a k="{key}" t="x">{value}</a>',
            "cannot have other attributes",
        ),
        (
            "<f={tool}>{parameters}</f>",
            '<a t="x" k="{key}">{value}</a>',
            "cannot have other attributes",
        ),
        (
            "<f={tool}>{parameters}</f>",
            '<a k="{key}" t="{type}">{value}</a>',
            "cannot contain {type}, only",
        ),
    ],
)
def test_a_template_that_no_call_could_be_read_by_is_an_error(
    call: str, parameter: str, words: str
) -> None:
    payload = TaggedPayload(call=call, parameter=parameter)
    with pytest.raises(ValueError, match=re.escape(words)):
        replace(FORMAT, payload=payload).dialect()


def test_a_name_stands_once_before_its_input_and_ids_are_made() -> None:
    with pytest.raises(ValueError, match="call= must name the tool once"):
        replace(FORMAT, payload=HeadedPayload(call="{tool}{tool}|{input}")).dialect()
    with pytest.raises(ValueError, match="call_id= is missing"):
        replace(FORMAT, payload=HeadedPayload(call="{tool}#{id}|{input}")).dialect()
    with pytest.raises(ValueError, match=" ids= is missing"):
        replace(
            FORMAT, payload=HeadedPayload(call="{tool}#{id}|{input}"), call_id=numbered_id
        ).dialect()


# -- messages with headers ------------------------------------------------------------------------

EOM: Final = "<|eom|>"
MESSAGES: Final = CallFormat(
    name="messages",
    summary="messages with headers",
    payload=HeadedPayload(call="{tool}|>{input}"),
    call=("<|call to=", EOM),
    thought=("<|think|>", EOM),
    content=("<|say|>", EOM),
    answer=("<|say|>", EOM),
    ends=("<|result|>",),
    results=ResultsWriter(each=("<|result|>", EOM), between=""),
    turn_frame=("", ""),
).dialect()
CALL: Final = '<|call to=ping|>{"a": 1}<|eom|>'


def messages(text: str, *, lenient: bool, start: Start = "") -> tuple[str, str, list[str]]:
    """Return the thought, the content and the tools of a turn in messages."""
    parser = MultiActionDialectParser(dialect=MESSAGES, lenient=lenient, start=start)
    turn = parser.read(text)
    assert turn == read_turn(parser.stream_parser(), text)
    return turn.thought, turn.content, [action.tool for action in turn.actions]


@pytest.mark.parametrize("lenient", [False, True])
def test_messages_with_headers_may_all_end_in_the_same_mark(*, lenient: bool) -> None:
    read = partial(messages, lenient=lenient)
    assert read(MESSAGES.sample) == ("I have to look it up.", "Let me see.", ["search", "ping"])
    assert read(f"{CALL}<|think|>hm<|eom|>{CALL}") == ("hm", "", ["ping", "ping"])
    assert read("<|think|>hm<|eom|><|say|>It is 5.<|eom|>") == ("hm", "It is 5.", [])
    assert read("<|say|>It is 5.") == ("", "It is 5.", [])
    assert read(f"hm<|eom|>{CALL}", start="thought") == ("hm", "", ["ping"])
    with pytest.raises(OutputParserException):
        read("<|think|>It is 5.")


def test_a_call_in_an_open_message_of_thought_is_refused_in_strict_mode() -> None:
    with pytest.raises(OutputParserException, match="found a call before the end of a thought"):
        messages(f"<|think|>hm {CALL}", lenient=False)
    assert messages(f"<|think|>hm {CALL}", lenient=True) == ("hm", "", ["ping"])


@pytest.mark.skipif(not THOROUGH, reason="takes a quarter of a minute")
def test_all_laws_hold_for_messages() -> None:
    assert check_dialect(MESSAGES, examples=3).ok


# -- what the model is given ----------------------------------------------------------------------


def test_marks_that_are_passed_are_added_to_those_of_the_format() -> None:
    own = Given("result:")
    assert FORMAT.dialect(given=[own]).given == (own, *FORMAT.dialect().given)
    longer = Given(FORMAT.dialect().given[0].canonical[:-1])  # which begins like the known one
    assert FORMAT.dialect(given=[longer]).given[0] == longer
    assert len(FORMAT.dialect(given=[longer]).given) == len(FORMAT.dialect().given)
