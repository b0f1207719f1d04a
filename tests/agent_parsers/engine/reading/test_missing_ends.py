"""What may be missing at the end of a text, or of a value."""

import re
from pathlib import Path
from typing import Any, get_args

import pytest

from agent_parsers import (
    AgentAction,
    AgentFinish,
    Dialect,
    MultiActionDialectParser,
    OutputParserException,
    get_parser,
    list_dialects,
)
from outputs.growing_json.lenient.strings import RepairKind
from outputs.messages.ended import Ended

from ....helpers.stories import DIALECTS, named

# What may be missing at the end of a text, by how it ended; docs/lenient.md has the same table.

ROOT = Path(__file__).parents[4]


def f(a: str, b: int = 0) -> str:
    """Take a text and a number."""
    return a * b


def g(b: int = 0) -> int:
    """Take a number, or nothing."""
    return b


HEAD = '<tool_call>\n{"name": "f", "arguments": '
LABELS = "Action: f\nAction Input: "
TAGS = "<tool_call>f<arg_key>a</arg_key><arg_value>"
CALL = [("f", {"a": "x"})]

TWO = [*CALL, ("f", {})]
REFUSED = "refused"
NONE: tuple[Any, Any, Any] = (REFUSED, REFUSED, REFUSED)
TABLE: list[tuple[str, str, Any, Any]] = [
    ("hermes", HEAD + '{"a": "x"}}', None, (CALL, CALL, CALL)),
    ("hermes", HEAD + '{"a": "x"}', None, (CALL, CALL, REFUSED)),
    ("hermes", HEAD + '{"a": "x"', None, (REFUSED, CALL, REFUSED)),
    ("hermes", HEAD + '{"a": "x"', [f], (REFUSED, CALL, REFUSED)),
    ("hermes", HEAD + '{"b": 1, "a": "x"', [f], (*[[("f", {"b": 1, "a": "x"})]] * 2, REFUSED)),
    ("hermes", HEAD + '{"a": "x", "b": 1', [f], (REFUSED, REFUSED, REFUSED)),
    ("hermes", HEAD + '{"a": "x', None, (REFUSED, REFUSED, REFUSED)),
    ("hermes", HEAD + '{"a": ["x"', None, (REFUSED, [("f", {"a": ["x"]})], REFUSED)),
    ("hermes", HEAD + '{"a": "x"\n</tool_call>', None, (CALL, CALL, CALL)),
    ("mistral", '[TOOL_CALLS]f[ARGS]{"a": "x"', None, (REFUSED, CALL, REFUSED)),
    ("mistral", '[TOOL_CALLS]f[ARGS]{"a": "x"[TOOL_CALLS]f[ARGS]{}', None, (TWO, TWO, TWO)),
    ("glm45", TAGS + "x</arg_value>", None, (REFUSED, CALL, REFUSED)),
    ("glm45", TAGS + "x</arg_value>", [f], (REFUSED, CALL, REFUSED)),
    ("glm45", "<tool_call>f\n</tool_c", None, (REFUSED, [("f", {})], REFUSED)),
    ("glm45", TAGS + "x", None, (REFUSED, REFUSED, REFUSED)),
    ("xml", "<tool>f</tool><tool_input>x", None, (*[[("f", "x")]] * 2, REFUSED)),
    ("smolagents_code", "<code>\nf(1)", None, (*[[("python_interpreter", "f(1)")]] * 2, REFUSED)),
    ("smolagents_code", "<code>\nf(1", None, (REFUSED, REFUSED, REFUSED)),
    ("react", LABELS + "x", None, (*[[("f", "x")]] * 2, REFUSED)),
    ("react", LABELS + '{"a": "x"', None, (REFUSED, [("f", '{"a": "x"}')], REFUSED)),
    ("react", LABELS + '{"a": "x"', [f], (REFUSED, CALL, REFUSED)),
    ("react", LABELS + '{"a": "x"\nObservation:', [f], (CALL, CALL, CALL)),
    ("react", "Action: f\nAction Input:", [f], (REFUSED, REFUSED, REFUSED)),
    ("react", "Action: g()", [g], (*[[("g", {})]] * 2, REFUSED)),
    ("react", "Action: g()\nObservation:", [g], [[("g", {})]] * 3),
    ("react", "Action: g()\nAction Input: {}\nObservation:", [g], [[("g", {})]] * 3),
    ("react", 'Action: g()\nAction Input: {"b": 1}', [g], NONE),
    ("react", "Action: g()\nAction Input: 1", None, NONE),
    ("xml", '<tool>g()</tool><tool_input>{"b": 1}</tool_input>', [g], NONE),
    ("glm47", "<tool_call>g {}", [g], (REFUSED, [("g", {})], REFUSED)),
    ("glm47", '<tool_call>g {"b": 1}', [g], (*[[("g", {"b": 1})]] * 2, REFUSED)),
    ("glm47", "<tool_call>g {}</tool_call>", [g], [[("g", {})]] * 3),
    ("glm47", f"<tool_call>g {{}}{TAGS[12:]}x</arg_value></tool_call>", None, NONE),
    ("json", '{"action": "f", "action_input": {"a": "x"}', None, (CALL, CALL, REFUSED)),
    ("json", '{"action": "f", "action_input": {"a": "x"', None, (REFUSED, CALL, REFUSED)),
    ("json", '{"action": "f", "action_input": {', None, (REFUSED, REFUSED, REFUSED)),
]  # fmt: skip


def outcome(name: str, text: str, tools: Any, ended: Ended, *, lenient: bool) -> Any:
    parser = get_parser(name, tools=tools, lenient=lenient)
    try:
        result = parser.parse(text, ended=ended)
    except OutputParserException:
        return REFUSED
    actions = [result] if isinstance(result, AgentAction) else result
    return [(action.tool, action.tool_input) for action in actions]


@pytest.mark.parametrize(("name", "text", "tools", "wanted"), TABLE)
def test_the_end_of_a_text_says_what_may_be_missing(
    name: str, text: str, tools: Any, wanted: tuple[Any, ...]
) -> None:
    found = [outcome(name, text, tools, ended, lenient=True) for ended in get_args(Ended)]
    assert found == [*wanted]


@pytest.mark.parametrize("ended", get_args(Ended))
@pytest.mark.parametrize("name", ["structured_chat", "chat", "json", "conversational_chat"])
def test_strictly_no_arguments_are_closed(name: str, ended: Ended) -> None:
    for rest in ("{", '{"a": "x"', '{"a": {"b": "x"}'):
        text = f'```json\n{{"action": "f", "action_input": {rest}'
        assert outcome(name, text, None, ended, lenient=False) == REFUSED


def test_an_answer_that_was_cut_is_returned_with_a_notice() -> None:
    for name in ("react", "hermes", "tools"):
        parser = get_parser(name)
        text = "Final Answer: It is" if name == "react" else "It is"
        read = parser.read(text, ended="length")
        assert isinstance(read.result, AgentFinish)
        assert "cut" in {repair.kind for repair in read.repairs}


KINDS = re.compile(r'(?:Repair\(|_repair\((?:call, |text, )?)\s*"([a-z_]+)"').findall


def test_the_page_lists_every_kind_of_repair() -> None:
    files = [path for path in ROOT.glob("agent_parsers/**/*.py") if "testing" not in path.parts]
    found = {kind for path in files for kind in KINDS(path.read_text(encoding="utf-8"))}
    assert len(found) > 30
    page = (ROOT / "docs" / "lenient.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"`([a-z_]+)`", page))
    assert (found | set(get_args(RepairKind))) - listed == set()


# Values that lack their own closer; docs/safety.md names the dialects concerned.

PAGE = Path(__file__).parents[4] / "docs" / "safety.md"
ENCLOSED_HEAD = "| closer of a value | dialects without a block around the calls | with one |"

OPEN = (True, True, False)
"""Whether a value is taken after each of the three ends, if one closer encloses it."""
WHOLE = (True, True, True)
"""The same if the closers of the call and of the block around it follow."""


def note(place: str, unit: str) -> str:
    """Write down a place."""
    return place + unit


def table() -> list[set[str]]:
    """Return the dialects in each of the last two columns of the table."""
    rows = PAGE.read_text("utf-8").partition(ENCLOSED_HEAD)[2].partition("\n\n")[0].splitlines()[2:]
    cells = [row.strip("|").split("|")[1:] for row in rows]
    return [set(re.findall(r"`(\w+)`", " ".join(column))) for column in zip(*cells, strict=True)]


def outcomes(dialect: Dialect) -> set[tuple[bool, ...]]:
    """Return what is taken if the text right behind a value is missing, whatever its length."""
    parser = MultiActionDialectParser(dialect=dialect, tools=[note], lenient=True)
    call = AgentAction("note", {"place": "Oslo", "unit": "quux"}, "")
    text = parser.render([call])

    def is_taken(text: str, ended: Ended) -> bool:
        try:
            result = parser.parse(text, ended=ended)
        except OutputParserException:
            return False
        calls = result if isinstance(result, list) else [result]
        made = [(each.tool, each.tool_input) for each in calls if isinstance(each, AgentAction)]
        return made == [(call.tool, call.tool_input)]

    end = text.index("quux") + len("quux")
    cuts = [text[:end] + text[start:] for start in range(end + 1, len(text))]
    found = {tuple(is_taken(cut, ended) for ended in get_args(Ended)) for cut in cuts}
    return found & {OPEN, WHOLE}


@pytest.mark.parametrize("dialect", [d for d in DIALECTS if d.several], ids=named)
def test_the_page_names_a_dialect_that_takes_a_value_without_its_closer(dialect: Dialect) -> None:
    taken = outcomes(dialect)
    bare, blocks = (dialect.name in column for column in table())
    assert bare == (OPEN in taken and WHOLE not in taken)
    assert blocks == (OPEN in taken and WHOLE in taken)


@pytest.mark.parametrize("lenient", [False, True], ids=["strict", "lenient"])
@pytest.mark.parametrize("name", sorted(list_dialects()))
def test_one_character_of_a_marker_is_no_half_of_it(name: str, lenient: bool) -> None:
    text = "The lake is deeper than that: 3 <"
    try:
        turn = get_parser(name, lenient=lenient).read(text)
    except OutputParserException:
        return  # it asks for labels or marks
    assert turn.finish is not None
    assert turn.finish.return_values == {"output": text}


def test_half_a_closer_ends_a_message() -> None:
    for tail, answer in (("<", "Fog <"), ("<|end", "Fog <|end"), ("<|end_mess", "Fog")):
        turn = get_parser("inkling", lenient=False).read(f"<|content_text|>Fog {tail}")
        assert turn.finish is not None
        assert turn.finish.return_values == {"output": answer}


def test_each_kind_of_repair_is_on_the_page() -> None:
    page = (ROOT / "docs" / "lenient.md").read_text(encoding="utf-8")
    code = [path.read_text("utf-8") for path in (ROOT / "agent_parsers").rglob("*.py")]
    kinds = {kind for text in code for kind in re.findall(r'\bRepair\(\s*"(\w+)"', text)}
    assert len(kinds) > 20
    assert {kind for kind in kinds if f"`{kind}`" not in page} == set()
