# ruff: noqa: E501 - a case is a line
"""The dialects whose calls are Python, or Gemma's braces."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_laws import cuts, laws, texts
from agent_parsers import (
    AgentAction,
    AgentFinish,
    AnswerDelta,
    Dialect,
    Event,
    InputDelta,
    OutputParserException,
    StreamParser,
    ThoughtDelta,
    ToolNamed,
    UnknownToolError,
    get_dialect,
    get_parser,
    merge_events,
)
from agent_parsers.authoring import Written
from agent_parsers.engine.repairs.python_values import write_python
from agent_parsers.engine.tables.modes import Mode
from agent_parsers.events import Repair
from agent_parsers.toolset import ToolSpec

from ...helpers.stories import some

NAMES = ("pythonic", "llama4_pythonic", "lfm2", "olmo3", "gemma4", "functiongemma")
Q, OPEN, CLOSE = '<|"|>', "<|tool_call>", "<tool_call|>"

every_dialect = pytest.mark.parametrize("name", NAMES)
every_mode = pytest.mark.parametrize("mode", ["strict", "lenient"])


def read(name: str, text: str, mode: Mode = "lenient", size: int = 0) -> tuple[list[Event], Any]:
    """Return the events and the result; of an error its first line."""
    parser = StreamParser(get_dialect(name), mode=mode)
    events: list[Event] = []
    result: Any
    try:
        for at in range(0, len(text), size or max(len(text), 1)):
            events += parser.feed(text[at : at + (size or len(text))])
        events += parser.close()
        result = parser.result
    except OutputParserException as error:
        events += parser.last_events
        result = str(error)
    return merge_events(events), result


def calls(name: str, text: str, mode: Mode = "lenient") -> Any:
    result = read(name, text, mode)[1]
    if isinstance(result, list):
        return [(action.tool, action.tool_input) for action in result]
    return result.return_values["output"] if isinstance(result, AgentFinish) else result


def repairs(name: str, text: str) -> list[str]:
    return [event.kind for event in read(name, text)[0] if isinstance(event, Repair)]


# -- what is read ----------------------------------------------------------------------------------


@every_mode
@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("pythonic", "[f(a=1, b='x'), ping()]", [("f", {"a": 1, "b": "x"}), ("ping", {})]),
        ("pythonic", "[\n  f(a=1),\n  g(),\n]", [("f", {"a": 1}), ("g", {})]),
        ("pythonic", "[a.b.c(x=-1.5e3, y=[(1, 2), {}])]", [("a.b.c", {"x": -1500.0, "y": [[1, 2], {}]})]),
        ("pythonic", "[f(from='Bern', class=None)]", [("f", {"from": "Bern", "class": None})]),
        ("pythonic", '[f(a="""x "y"\n""", b=r"\\d", c="\\d\\x41")]', [("f", {"a": 'x "y"\n', "b": "\\d", "c": "\\dA"})]),
        ("pythonic", "[f(a='])}', b=\"[(,=#\")]", [("f", {"a": "])}", "b": "[(,=#"})]),
        ("pythonic", "<think>\nf?\n</think>\n\n[f()]", [("f", {})]),
        ("pythonic", "[f()]\nThis is what I call.", [("f", {})]),
        ("llama4_pythonic", "[f()]", [("f", {})]),
        ("llama4_pythonic", "Hm. <|python_start|>[f(a='<|python_end|>')]<|python_end|>", [("f", {"a": "<|python_end|>"})]),
        ("lfm2", "<|tool_call_start|>[f()]<|tool_call_end|>Let me see.<|im_end|>", [("f", {})]),
        ("lfm2", "<|tool_call_start|>[f()]", [("f", {})]),
        ("olmo3", "<function_calls>\nf(a=1)\ng()\n</function_calls>", [("f", {"a": 1}), ("g", {})]),
        ("gemma4", f"{OPEN}call:f{{a:{Q}Hi {{n}}, [a]{Q},b:[1,true,{{c:null}}]}}{CLOSE}", [("f", {"a": "Hi {n}, [a]", "b": [1, True, {"c": None}]})]),
        ("gemma4", f"<|channel>thought\nhm\n<channel|>{OPEN}call:f{{}}{CLOSE} So.{OPEN}call:g{{}}", [("f", {}), ("g", {})]),
        ("gemma4", f"{OPEN}call:f{{a:{Q}{CLOSE}{OPEN}\n{Q}}}{CLOSE}<turn|>", [("f", {"a": f"{CLOSE}{OPEN}\n"})]),
        ("functiongemma", "<start_function_call>call:f{a:<escape>x<escape>}<end_function_call>", [("f", {"a": "x"})]),
    ],
)  # fmt: skip
def test_calls_by_the_book(name: str, text: str, expected: Any, mode: Mode) -> None:
    assert calls(name, text, mode) == expected
    assert repairs(name, text) == []


@every_mode
@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("pythonic", "[f(a={})]"),
        ("gemma4", f"{OPEN}call:f{{{{a:{{}}}}}}{CLOSE}"),
        ("functiongemma", "<start_function_call>call:f{{a:{}}}<end_function_call>"),
    ],
)
def test_an_integer_may_be_larger_than_any_float(
    name: str, call: str, sign: str, mode: Mode
) -> None:
    number = f"{sign}1{'0' * 309}"
    assert calls(name, call.format(number), mode) == [("f", {"a": int(number)})]


@every_mode
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pythonic", "[1, 2, 3] are the first three."),
        ("pythonic", "[text](https://example.org)"),
        ("pythonic", "[see (1)]"),
        ("pythonic", '[{"name": "f"}]'),
        ("pythonic", "Like this: [f(a=1)]"),
        ("pythonic", "f(a=1)"),
        ("pythonic", "[f"),
        ("pythonic", "[" + "f" * 300 + "()]"),
        ("lfm2", "[f(a=1)]"),
        ("gemma4", "call:f{}"),
    ],
)
def test_text_that_is_not_a_call_is_the_answer(name: str, text: str, mode: Mode) -> None:
    assert calls(name, text, mode) == text


@pytest.mark.parametrize(
    ("name", "text", "expected", "kinds"),
    [
        ("pythonic", "<|python_start|>[f()]<|python_end|>", [("f", {})], ["marks"]),
        ("pythonic", "[f(a=007, b=true, c=null)]", [("f", {"a": 7, "b": True, "c": None})], ["zeros", "json", "json"]),
        ("pythonic", "[f(a='x\ny')]", [("f", {"a": "x\ny"})], ["line_break"]),
        ("pythonic", "[f(a='x\0y')]", [("f", {"a": "x\0y"})], ["nul"]),
        ("pythonic", "[f(cmd='echo 'a'')]", [("f", {"cmd": "echo 'a'"})], ["quotes"]),
        ("pythonic", "[f(a='it's late', b=2)]", [("f", {"a": "it's late", "b": 2})], ["quotes"]),
        ("pythonic", "[f(a='x'\n 'y')]", [("f", {"a": "xy"})], ["joined"]),
        ("pythonic", "[f(a=1)\ng()]", [("f", {"a": 1}), ("g", {})], ["comma"]),
        ("pythonic", "[f(a=1)", [("f", {"a": 1})], ["unclosed"]),
        ("lfm2", "<|tool_call_start|>f(a=1)<|tool_call_end|>", [("f", {"a": 1})], ["brackets"]),
        ("lfm2", '<|tool_call_start|>{"name": "f", "arguments": {"a": 1}}<|tool_call_end|>', [("f", {"a": 1})], ["json"]),
        ("olmo3", "<function_calls>[f(), g()]</function_calls>", [("f", {}), ("g", {})], ["brackets"]),
        ("olmo3", "<function_calls>f(), g()</function_calls>", [("f", {}), ("g", {})], ["comma"]),
        ("gemma4", f"{OPEN}:f{{}}{CLOSE}", [("f", {})], ["prefix"]),
        ("gemma4", f"{OPEN}f{{}}{CLOSE}", [("f", {})], ["prefix"]),
        ("gemma4", f"{OPEN}call:f(a:1){CLOSE}", [("f", {"a": 1})], ["brackets"]),
        ("gemma4", f'{OPEN}call:f{{a:"x \\"y\\""}}', [("f", {"a": 'x "y"'})], ["plain_quotes"]),
        ("gemma4", f"{OPEN}call:f{{{Q}a{Q}:Bern,b:012,}}", [("f", {"a": "Bern", "b": "012"})], ["quoted_key", "bare_text", "bare_text", "comma"]),
        ("gemma4", f"{OPEN}call:f{{a:{Q}x}}{CLOSE}", [("f", {"a": "x"})], ["unclosed"]),
        ("gemma4", f"{OPEN}call:f{{a:{Q}x}}{CLOSE}{OPEN}call:g{{}}", [("f", {"a": "x"}), ("g", {})], ["unclosed"]),
        ("gemma4", f"Hi.{OPEN}{CLOSE}", "Hi.", ["empty_call"]),
        ("gemma4", "thought\nhm<channel|>Hi.", "Hi.", ["marks"]),
    ],
)  # fmt: skip
def test_what_models_also_write(name: str, text: str, expected: Any, kinds: list[str]) -> None:
    assert calls(name, text) == expected
    assert repairs(name, text) == kinds
    assert calls(name, text, "strict") != expected


@every_mode
@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("pythonic", "[f(1)]", "each argument with its name"),
        ("pythonic", "[f(1), g()]", "each argument with its name"),
        ("pythonic", "[f(a=[1), g()]", "matching brackets"),
        ("pythonic", "[f(), g(a='x", "the end of the call"),
        ("pythonic", "[f(**{'a': 1})]", "each argument with its name"),
        ("pythonic", "[f(a=1", "the end of the call"),
        ("pythonic", "[f(a='x)]", "the end of the call"),
        ("pythonic", "[f(a=b)]", "plain values"),
        ("pythonic", "[f(a=1, a=2)]", "found the same key twice"),
        ("pythonic", "[f(a=1 # b=2\n)]", "nothing but arguments"),
        ("pythonic", "[f(a=__import__('os').system('ls'))]", "plain values"),
        ("pythonic", "[f(a='x' + 'y')]", "plain values"),
        ("pythonic", "[f(a='x''y')]", "expected"),
        ("pythonic", "[f(a='say 'x', y', b=1)]", "expected"),
        ("pythonic", "[f(a=f'x')]", "plain values"),
        ("pythonic", "[f(a=b'x', b={1, 2}, c=...)]", "plain values"),
        ("pythonic", "[f(a=1e999)]", "that can be read"),
        ("pythonic", f"[f(a={'7' * 5_000})]", "that can be read"),
        ("pythonic", f"[f(a=0x{'7' * 50_000})]", "that can be read"),
        ("pythonic", f"[f(a={'[' * 50_000}{']' * 50_000})]", "fewer nested brackets"),
        ("pythonic", f"[f(a=[{'1,' * 300_000}])]", "at most 500,000 characters"),
        *(
            ("pythonic", f"[f(a={run * 20_000}1)]", "plain values")
            for run in ("1+", "a.", "-", "[0]", "()", "not ", "lambda:", "1 if 1 else ")
        ),
        ("lfm2", "<|tool_call_start|><|tool_call_end|>", "expected a call"),
        ("lfm2", "<|tool_call_start|>foo<|tool_call_end|>", "expected a call"),
        ("gemma4", f"{OPEN}call:{{a:1}}{CLOSE}", "the name of a tool"),
        ("gemma4", f"{OPEN}call:f{{a:{Q}x", "the end of the call"),
        ("gemma4", f"{OPEN}call:f{{a:[1}}{CLOSE}", "matching brackets"),
        ("gemma4", f"{OPEN}call:f{{a:1,a:2}}{CLOSE}", "found the same key twice"),
        ("gemma4", f"{OPEN}call:f{{a:1e999}}{CLOSE}", "that can be read"),
        ("gemma4", f"{OPEN}call:f{{a:{'7' * 5_000}}}{CLOSE}", "that can be read"),
        ("gemma4", f"{OPEN}call:f{{a:{'[' * 50_000}{']' * 50_000}}}", "fewer nested brackets"),
    ],
)
def test_what_is_refused(name: str, text: str, said: str, mode: Mode) -> None:
    result = read(name, text, mode)[1]
    assert isinstance(result, str)
    assert said in result


@every_mode
@pytest.mark.parametrize(
    ("name", "before", "after"),
    [("pythonic", "[f(a=", ")]"), ("gemma4", f"{OPEN}call:f{{a:", f"}}{CLOSE}")],
)
def test_a_value_may_be_nested_a_hundred_deep(
    name: str, before: str, after: str, mode: Mode
) -> None:
    deep, deeper = (f"{before}{'[' * size}{']' * size}{after}" for size in (100, 101))
    assert [tool for tool, _ in calls(name, deep, mode)] == ["f"]
    assert "the limit is 100" in calls(name, deeper, mode)


@every_mode
@pytest.mark.parametrize("label", ["<|channel>", "<|channel>thought\n", "<|channel><|channel>"])
def test_the_label_of_a_thought_may_be_missing(label: str, mode: Mode) -> None:
    events, _ = read("gemma4", f"{label}hm<channel|>Hi.", mode)
    assert [event.text for event in events if isinstance(event, ThoughtDelta)] == ["hm"]
    assert calls("gemma4", f"{label}hm<channel|>Hi.", mode) == "Hi."


@pytest.mark.parametrize("rest", [f"x,b:2}}{CLOSE}", f"x{CLOSE}{OPEN}call:g{{}}{CLOSE}"])
def test_a_string_that_swallows_what_may_be_none_of_it_is_refused(rest: str) -> None:
    said = "found several places" if "b:2" in rest else "expected the end of the call"
    assert said in calls("gemma4", f"{OPEN}call:f{{a:{Q}{rest}")


@every_dialect
def test_a_call_that_lacks_arguments_is_wrong_where_it_names_the_tool(name: str) -> None:
    parser = get_parser(name, tools=[ToolSpec("look_up", "", {"required": ["query"]})])
    text = get_parser(name).render(AgentAction("look_up", {}, ""))
    with pytest.raises(OutputParserException, match="query") as raised:
        parser.parse(text)
    assert raised.value.span == (text.index("look_up"), text.index("look_up") + len("look_up"))


# -- what tools take -------------------------------------------------------------------------------

TYPES = {"s": "string", "n": "integer", "o": "object"}
TOOL = {
    "name": "f",
    "description": "",
    "parameters": {
        "type": "object",
        "properties": {key: {"type": kind} for key, kind in TYPES.items()},
    },
}


@every_mode
@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("pythonic", "[f('x', 3)]", {"s": "x", "n": 3}),
        ("pythonic", "[f('x', n=3)]", {"s": "x", "n": 3}),
        ("gemma4", f"{OPEN}call:f{{s:12,o:{{s:12}}}}{CLOSE}", {"s": "12", "o": {"s": 12}}),
    ],
)
def test_a_value_is_what_its_tool_takes(name: str, text: str, expected: Any, mode: Mode) -> None:
    turn = get_parser(name, lenient=mode == "lenient", tools=[TOOL]).read(text)
    assert isinstance(turn.result, list)
    assert [action.tool_input for action in turn.result] == [expected]
    assert turn.repairs == ()


@every_mode
@pytest.mark.parametrize("text", ["[f('x', s='y')]", "[f(n=1, 'x')]", "[f(1, 2, 3, 4)]", "[f(g)]"])
def test_a_value_without_a_name_is_refused_unless_the_tool_has_one(text: str, mode: Mode) -> None:
    with pytest.raises(OutputParserException, match="expected each argument with its name"):
        get_parser("pythonic", lenient=mode == "lenient", tools=[TOOL]).read(text)


@every_mode
def test_an_unknown_tool_is_reported_first(mode: Mode) -> None:
    with pytest.raises(UnknownToolError, match="'g' is not one of the tools"):
        get_parser("pythonic", lenient=mode == "lenient", tools=[TOOL]).read("[g('x')]")


# -- while it comes in -----------------------------------------------------------------------------


def test_a_call_is_named_at_its_parenthesis_and_emitted_as_it_arrives() -> None:
    parser = StreamParser(get_dialect("pythonic"))
    assert parser.feed("[fin") == []
    events = parser.feed('d(city="Be')
    assert ToolNamed("find", (1, 5)) in events
    assert InputDelta('city="Be', (6, 14)) in events
    assert parser.feed("rn") == [InputDelta("rn", (14, 16))]


def test_text_that_turns_out_not_to_be_a_call_is_emitted_at_once() -> None:
    parser = StreamParser(get_dialect("pythonic"))
    assert parser.feed("[an") == []
    assert parser.feed(" old") == [AnswerDelta("[an old", (0, 7))]
    assert parser.feed(" bridge") == [AnswerDelta(" bridge", (7, 14))]


def test_only_a_mark_that_may_end_a_string_is_held_back() -> None:
    parser = StreamParser(get_dialect("gemma4"))
    parser.feed(f"{OPEN}call:f{{a:{Q}")
    assert parser.feed('say "<|"') == [InputDelta('say "', (26, 31))]
    assert parser.feed("!") == [InputDelta('<|"!', (31, 35))]


# -- laws ------------------------------------------------------------------------------------------

PIECES = (
    *("[", "]", "(", ")", "{", "}", ",", ":", "=", "'", '"', '"""', "\\", "\n", " ", "#", "\0"),
    *("a", "f(", "x=", "1", "007", "True", "null", "r", "g()", 's="x"', "t='it's'", "[f(a=1), "),
    *("\ud800", "é", "<think>", "</think>", Q, '<|"', "call:f{", "<escape>", f"b:{Q}", "[f(x='"),
)


@st.composite
def soup(draw: st.DrawFn, dialect: Dialect) -> str:
    """Draw marks and pieces of calls in any order."""
    marks = [marker.canonical for marker in dialect.lenient.markers.values()]
    piece = st.sampled_from(PIECES) | st.sampled_from(marks)
    start = draw(st.sampled_from(["", "[", *marks[:1], f"{marks[0]}[f("]))
    return start + "".join(draw(st.lists(piece, max_size=12)))


@every_dialect
@every_mode
@given(data=st.data())
def test_any_text_is_read_whole_in_any_cut(name: str, mode: Mode, data: st.DataObject) -> None:
    dialect = get_dialect(name)
    text = data.draw(soup(dialect) | texts(dialect, mode), "text")
    sizes = data.draw(cuts(), "sizes")
    laws.any_cut_gives_the_same_events(dialect, mode, text, sizes=sizes, halves=len(text) < 60)
    laws.no_character_is_lost_or_repeated(dialect, mode, text, sizes=sizes)
    laws.a_repair_says_what_and_where(dialect, mode, text)
    laws.strict_reading_repairs_nothing(dialect, text)
    laws.without_a_repair_both_readings_are_the_same(dialect, text)


@every_mode
@pytest.mark.parametrize(
    ("name", "size"),
    [(name, size) for name in NAMES for size in some([1, 4096], get_dialect(name))],
)
def test_twice_the_text_is_twice_the_work(name: str, mode: Mode, size: int) -> None:
    runs = ("a'", "' ", '"', "\\", "[", "(", "1,", "x}", ",a:", CLOSE[:-1], Q[:-1], "''", " ", "[]")
    text = get_dialect(name).write(Written(tool="f", tool_input={"a": "b"}))
    starts = [text[:at] for at in range(text.index("f") + 1, len(text), 3)]
    shapes = [(start, run) for start in starts for run in runs]
    few = some(shapes, get_dialect(name), 1 / 2)
    laws.twice_the_text_is_twice_the_work(get_dialect(name), mode, few, size=size)


def scalars() -> st.SearchStrategy[Any]:
    marked = st.sampled_from(["<|tool_call>", CLOSE, "</function_calls>", "'", '"', "}", "]", "\\"])
    floats = st.floats(allow_nan=False, allow_infinity=False)
    return st.one_of(st.none(), st.booleans(), st.integers(), floats, st.text(), marked)


KEYS = st.sampled_from(["city", "from", "class_", "seats", "Été"])
VALUES = st.recursive(
    scalars(),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(KEYS, values, max_size=3),
    max_leaves=6,
)


@every_dialect
@every_mode
@given(tool_input=st.dictionaries(KEYS, VALUES, max_size=3), thought=st.sampled_from(["", "hm"]))
def test_what_is_written_is_read_back(
    name: str, mode: Mode, tool_input: dict[str, Any], thought: str
) -> None:
    thought = thought if get_dialect(name).thinks else ""
    text = get_dialect(name).write(Written(thought, "a.find_it", tool_input))
    events, result = read(name, text, mode)
    assert [(action.tool, action.tool_input) for action in result] == [("a.find_it", tool_input)]
    assert not any(isinstance(event, Repair) for event in events)
    thoughts = "".join(event.text for event in events if isinstance(event, ThoughtDelta))
    assert thoughts == thought


@every_dialect
@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1, 2}])
def test_what_cannot_be_expressed_is_not_written(name: str, value: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        get_dialect(name).write(Written(tool="f", tool_input={"a": value}))


@every_dialect
def test_an_input_without_names_is_not_written(name: str) -> None:
    with pytest.raises(ValueError, match="must be an object"):
        get_dialect(name).write(Written(tool="f", tool_input="Bern"))


def test_a_text_that_ends_its_own_string_is_not_written() -> None:
    with pytest.raises(ValueError, match="cannot contain the quotation mark"):
        get_dialect("gemma4").write(Written(tool="f", tool_input={"a": f"x{Q}"}))


@pytest.mark.parametrize(
    ("name", "call"), [("pythonic", "[f(a={})]"), ("gemma4", f"{OPEN}call:f{{{{a:{{}}}}}}{CLOSE}")]
)
def test_a_hundred_brackets_may_be_open_in_a_value(name: str, call: str) -> None:
    value: Any = 1
    for _ in range(100):
        value = [value]
    written = write_python(value)
    assert calls(name, call.format(written)) == [("f", {"a": value})]
    assert "the limit is 100" in calls(name, call.format(f"[{written}]"))


@every_dialect
@every_mode
def test_the_sample_is_read_without_a_repair(name: str, mode: Mode) -> None:
    found = calls(name, get_dialect(name).sample, mode)
    assert [tool for tool, _ in found] == ["search", "ping"]
    assert repairs(name, get_dialect(name).sample) == []
