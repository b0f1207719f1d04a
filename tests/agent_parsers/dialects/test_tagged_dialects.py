"""Calls with tagged parameters: what is read, what is rejected, the same in any cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import (
    AgentFinish,
    AnswerDelta,
    Dialect,
    Event,
    InputDelta,
    OutputParserException,
    Repair,
    StreamParser,
    ToolInputError,
    ToolNamed,
    ToolSet,
    get_dialect,
    get_parser,
)
from agent_parsers.authoring import Written
from agent_parsers.engine.calls.tags.form import Attributes, Named, OwnName, TaggedForm, TagPart
from agent_parsers.events import MarkerSeen, merge_events
from agent_parsers.testing import cut
from outputs.messages.ended import Ended

if TYPE_CHECKING:
    from agent_parsers.engine.tables.modes import Mode

NAMES = (
    *("qwen3_coder", "seed_oss", "glm45", "glm47", "hunyuan_v3", "minimax_m2", "minimax_m3"),
    *("deepseek_dsml", "deepseek_v32", "deepseek_v41", "minicpm5", "mimo", "laguna", "ling3"),
    *("k2_horizon", "hunyuan_v4", "dots", "step3", "kimi_k3", "gigachat35", "iquest_q1"),
    *("solar_open2", "command_5", "xing4", "longcat_lite"),
)
MODES: tuple[Mode, ...] = ("strict", "lenient")
D = "｜DSML｜"
M = "]<]minimax[>["


@dataclass
class Read:
    """The outcome of a text."""

    events: list[Event]
    calls: list[tuple[str, Any]]
    answer: str | None = None
    error: str = ""

    @property
    def repairs(self) -> list[str]:
        return [event.kind for event in self.events if isinstance(event, Repair)]


def read(dialect: Dialect, text: str, mode: Mode, sizes: list[int] | None = None) -> Read:
    parser = StreamParser(dialect, mode=mode)
    events: list[Event] = []
    try:
        for chunk in cut(text, sizes) if sizes else [text]:
            events += parser.feed(chunk)
        events += parser.close()
    except OutputParserException as error:
        return Read(merge_events(events + parser.last_events), [], error=str(error))
    result = parser.result
    if isinstance(result, AgentFinish):
        return Read(merge_events(events), [], answer=result.return_values["output"])
    assert isinstance(result, list)
    return Read(merge_events(events), [(each.tool, each.tool_input) for each in result])


def calls(name: str, text: str, mode: Mode = "lenient") -> list[tuple[str, Any]]:
    """Return the calls in *text*, which is read the same in any cut."""
    dialect = get_dialect(name)
    whole = read(dialect, text, mode)
    assert not whole.error
    for size in (1, 2, 3, 5):
        assert read(dialect, text, mode, [size]) == whole
    return whole.calls


def qwen(*functions: str) -> str:
    return "<tool_call>\n" + "\n".join(functions) + "\n</tool_call>"


def function(name: str, **values: str) -> str:
    inner = "".join(f"<parameter={k}>\n{v}\n</parameter>\n" for k, v in values.items())
    return f"<function={name}>\n{inner}</function>"


def dsml(inner: str, wrapper: str = "tool_calls") -> str:
    return f"<{D}{wrapper}>\n{inner}\n</{D}{wrapper}>"


def value(key: str, text: str, attribute: str = ' string="true"') -> str:
    return f'<{D}parameter name="{key}"{attribute}>{text}</{D}parameter>'


# -- the form itself -----------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NAMES)
def test_the_sample_is_read_without_a_repair(name: str, mode: Mode) -> None:
    dialect = get_dialect(name)
    found = read(dialect, dialect.sample, mode)
    wanted: list[tuple[str, Any]] = [("search", {"query": "Lake Thun"}), ("ping", {})]
    assert found.calls == wanted
    assert not found.repairs
    assert (AnswerDelta in map(type, found.events)) is (name != "command_5")  # it has no content


TEXTS = (
    "Bern",
    "",
    " ",
    "\n",
    "\n\n  x\n\n",
    "if a < b:\n    c(d='</p>')",
    "</parameter>, say",
    "é😀",
)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", TEXTS)
def test_what_is_written_is_read_back(name: str, mode: Mode, text: str) -> None:
    dialect = get_dialect(name)
    for inputs in ({}, {"a": text}, {"a": text, "b": "2"}):
        written = dialect.write(Written("I look.", tool="find", tool_input=inputs))
        found = read(dialect, written, mode)
        assert (found.calls, found.repairs) == ([("find", inputs)], [])
        twice = read(dialect, f"{written}\n{dialect.write(Written(tool='b', tool_input={}))}", mode)
        assert twice.calls == [("find", inputs), ("b", {})]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "key", ["-n", "-A", "--max-count", "$ref", "@type", "#", "+1", "a$b", "a/b", "von[ort]", "*"]
)
def test_a_parameter_may_have_nearly_any_name(name: str, mode: Mode, key: str) -> None:
    text = get_dialect(name).write(Written(tool="grep", tool_input={"a": "1", key: "see"}))
    assert calls(name, text, mode) == [("grep", {"a": "1", key: "see"})]
    tool = {"type": "object", "properties": {"a": {"type": "integer"}, key: {"type": "string"}}}
    parser = get_parser(name, tools=[{"name": "grep", "parameters": tool}])
    (action,) = parser.read(text).actions
    assert action.tool_input == {"a": 1, key: "see"}
    assert parser.read(parser.render(action)).actions[0].tool_input == action.tool_input


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("tag", ["/n", "<n", "n m", "", "n='2'", "a=b"])
def test_what_follows_a_mark_is_no_name_of_a_parameter_if_it_is_no_one_word(
    mode: Mode, tag: str
) -> None:
    text = f'{M}<tool_call>{M}<invoke name="grep">{M}<{tag}>see{M}</{tag}>{M}</invoke>'
    found = read(get_dialect("minimax_m3"), f"{text}{M}</tool_call>", mode)
    assert found.error
    assert not found.calls


@pytest.mark.parametrize("name", ["deepseek_dsml", "llama3_function_tag"])
def test_a_form_with_types_keeps_them(name: str) -> None:
    inputs = {"n": 2, "x": 0.5, "ok": True, "no": None, "l": [1, {"k": "v"}], "t": "2"}
    written = get_dialect(name).write(Written(tool="f", tool_input=inputs))
    assert calls(name, written, "strict") == [("f", inputs)]


def test_a_value_without_types_is_text() -> None:
    written = get_dialect("glm45").write(Written(tool="f", tool_input={"n": 2, "l": [1, "a"]}))
    assert calls("glm45", written) == [("f", {"n": "2", "l": '[1, "a"]'})]


@pytest.mark.parametrize("name", NAMES)
def test_only_parameters_can_be_written(name: str) -> None:
    with pytest.raises(ValueError, match="must be an object"):
        get_dialect(name).write(Written(tool="f", tool_input="text"))


def test_elements_in_a_value_are_members_or_items() -> None:
    inputs = {"o": {"k": "1", "l": ["p", "q"]}, "t": "<b>x</b>"}
    written = get_dialect("minimax_m3").write(Written(tool="f", tool_input=inputs))
    assert calls("minimax_m3", written, "strict") == [("f", inputs)]


@pytest.mark.parametrize("inner", ["{0}<a>{0}</b>", "{0}</b>", "x{0}<a>1{0}</a>", "{0}<a>"])
def test_elements_that_do_not_fit_make_no_call(inner: str) -> None:
    written = f"{M}<tool_call>{M}<invoke name='f'>{M}<k>{inner.format(M)}{M}</k>{M}</invoke>"
    assert read(get_dialect("minimax_m3"), written, "lenient").error


def test_an_empty_line_of_a_value_is_its_own() -> None:
    text = qwen("<function=f>\n<parameter=a>\n\n  x\n\n</parameter>\n</function>")
    assert calls("qwen3_coder", text) == [("f", {"a": "\n  x\n"})]
    text = text.replace("tool_call", "seed:tool_call")
    assert calls("seed_oss", text) == [("f", {"a": "\n\n  x\n\n"})]


def test_character_data_is_taken_out_of_its_marks() -> None:
    text = '<function name="f"><param name="a"><![CDATA[x </param>\n<b>]]></param></function>'
    assert calls("minicpm5", text) == [("f", {"a": "x </param>\n<b>"})]


# -- where a value ends --------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "text",
    ['print("</parameter>")', "</parameter> x", "a </tool_call> b", "</function> c", "</param"],
)
def test_what_closes_a_value_is_text_where_no_structure_follows(text: str, mode: Mode) -> None:
    assert calls("qwen3_coder", qwen(function("f", a=text)), mode) == [("f", {"a": text})]


def test_a_value_streams_at_once_but_for_what_may_close_it() -> None:
    parser = StreamParser(get_dialect("qwen3_coder"))
    parser.feed("<tool_call>\n<function=f>\n<parameter=a>\n")
    assert parser.feed("one")[-1] == InputDelta("one", (39, 42))
    assert parser.feed(" two\n</para") == [InputDelta(" two", (42, 46))]
    assert parser.feed("de x") == [InputDelta("\n</parade x", (46, 57))]
    assert parser.feed("\n</parameter>") == []
    assert parser.feed(".") == [InputDelta("\n</parameter>.", (57, 71))]


def test_a_tool_is_named_as_soon_as_its_name_is_complete() -> None:
    parser = StreamParser(get_dialect("deepseek_dsml"))
    assert not any(
        isinstance(event, ToolNamed)
        for chunk in (dsml("")[:20], f'\n<{D}invoke name="fin', 'd"')
        for event in parser.feed(chunk)
    )
    assert ToolNamed in map(type, parser.feed(">"))


BROKEN = {
    "an opener": "a <parameter=x>1</parameter> b",
    "half a call": "<tool_call>\n<function=g>\n<parameter=b>\n1",
    "an end in a call": "<tool_call>\n</parameter><tool_call> x",
    "an end before a call": "</parameter>\n<function=g>",
    "ends of a call": "It ends in </parameter>\n</function>\nas you see.",
    "the end of all": "It ends in </function>\n</tool_call>",
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_half_a_value_that_quotes_tags_is_never_acted_on(text: str, mode: Mode) -> None:
    found = read(get_dialect("qwen3_coder"), qwen(function("write", text=text)), mode)
    assert found.error
    assert found.calls == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", [name for name in NAMES if name != "minimax_m3"])
def test_a_value_may_hold_a_whole_call(name: str, mode: Mode) -> None:
    dialect = get_dialect(name)
    inner = dialect.write(Written(tool="g", tool_input={"b": "1", "c": "x"})).strip()
    for text in (inner, f"so:\n{inner}\nYes.", f"{inner}\n{inner}"):
        for inputs in ({"a": text}, {"a": text, "b": "2"}):
            written = dialect.write(Written(tool="f", tool_input=inputs))
            assert calls(name, written, mode) == [("f", inputs)]


F = {"name": "f", "parameters": {"properties": {"a": {"type": "string"}, "b": {}}}}
SHORT = {
    "qwen3_coder": qwen("<function=f>\n<parameter=a>1\n<parameter=b>2\n</parameter>\n</function>"),
    "glm45": (
        "<tool_call>f<arg_key>a</arg_key><arg_value>1"
        "<arg_key>b</arg_key><arg_value>2</arg_value></tool_call>"
    ),
    "minimax_m2": (
        '<minimax:tool_call><invoke name="f"><parameter name="a">1<parameter name="b">2</parameter>'
        "</invoke></minimax:tool_call>"
    ),
    "deepseek_dsml": dsml(
        f'<{D}invoke name="f"><{D}parameter name="a" string="true">1{value("b", "2")}</{D}invoke>'
    ),
    "minicpm5": '<function name="f"><param name="a">1<param name="b">2</param></function>',
}


@pytest.mark.parametrize(("name", "text"), SHORT.items())
def test_a_tag_ends_a_value_if_the_tool_has_that_parameter(name: str, text: str) -> None:
    turn = get_parser(name, tools=[F]).read(text)
    assert isinstance(turn.result, list)
    assert [action.tool_input for action in turn.result] == [{"a": "1", "b": "2"}]
    assert [repair.kind for repair in turn.repairs] == ["unclosed"]
    other = {"name": "f", "parameters": {"properties": {"a": {"type": "string"}}}}
    for tools in (None, ["f"], [other], ToolSet([other], unknown_keys="drop")):
        for lenient in (True, False):
            with pytest.raises(OutputParserException):
                get_parser(name, tools=tools, lenient=lenient).parse(text)


CUT = {
    "qwen3_coder": "<tool_call>\n<function=f>\n<parameter=a>\n1",
    "glm45": "<tool_call>f<arg_key>a</arg_key><arg_value>1",
    "glm47": "<tool_call>ping",
    "minimax_m2": '<minimax:tool_call><invoke name="f"><parameter name="a">1</parameter><param',
    "deepseek_dsml": f'<{D}tool_calls><{D}invoke name="f"><{D}parameter name="a" string="tr',
    "llama3_function_tag": '<function=f>{"a": 1, "b',
    "hunyuan_v3": "<tool_calls><tool_call>f<tool_sep><arg_key>a",
    "minicpm5": '<function name="f">',
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("name", "text"), CUT.items())
def test_a_call_that_is_cut_is_refused(name: str, text: str, mode: Mode) -> None:
    assert read(get_dialect(name), text, mode).error


UNCLOSED = {
    "qwen3_coder": "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</func",
    "glm45": "<tool_call>f<arg_key>a</arg_key><arg_value>1</arg_value>",
    "minimax_m2": '<minimax:tool_call><invoke name="f"><parameter name="a">1</parameter>',
    "deepseek_dsml": dsml(f'<{D}invoke name="f">{value("a", "1")}').partition(f"</{D}too")[0],
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("name", "text"), UNCLOSED.items())
def test_a_call_without_its_end_is_refused_unless_the_model_stopped(
    name: str, text: str, mode: Mode
) -> None:
    parser = get_parser(name, lenient=mode == "lenient")
    for ended in get_args(Ended):
        if mode == "lenient" and ended == "stop":
            read = parser.read(text, ended=ended)
            assert [(call.tool, call.tool_input) for call in read.result] == [("f", {"a": "1"})]
            assert "unclosed" in {repair.kind for repair in read.repairs}
        else:
            with pytest.raises(OutputParserException, match="the end of the call"):
                parser.parse(text, ended=ended)


# -- what models also write ----------------------------------------------------------------------

ONE = [("f", {"a": "1"})]
REPAIRED = [
    ("qwen3_coder", function("f", a="1"), ONE, "marks"),
    ("qwen3_coder", function("f", a="1") + "\n</tool_call>", ONE, "marks"),
    ("qwen3_coder", qwen("<function=f>\n<parameter=a>\n1\n\n\n"), ONE, "unclosed"),
    ("qwen3_coder", qwen("<function=f>\n<parameter=a>1\n</function>"), ONE, "unclosed"),
    (
        "qwen3_coder",
        qwen("<function=f><parameter=a>1\n</function><function=g></function>"),
        [("f", {"a": "1"}), ("g", {})],
        "unclosed",
    ),
    ("qwen3_coder", qwen("<function = f >\n<parameter= a>1</parameter>"), ONE, "tag"),
    ("qwen3_coder", qwen("<function=f\n<parameter=a>1</parameter>"), ONE, "tag"),
    ("qwen3_coder", qwen('{"name": "f", "arguments": {"a": "1"}}'), ONE, "json"),
    ("qwen3_coder", qwen('<function=f>{"a": "1"}</function>'), ONE, "json"),
    ("seed_oss", "<function=f><parameter=a>1</parameter></function>", ONE, "marks"),
    ("glm45", "<tool_call>f<arg_key>a<arg_value>1</arg_value></tool_call>", ONE, "unclosed"),
    ("glm45", "<tool_call>f<arg_key>a</arg_key><arg_value>1</tool_call>", ONE, "unclosed"),
    ("glm45", '<tool_call>f\n{"a": "1"}\n</tool_call>', ONE, "json"),
    (
        "glm45",
        "<tool_call>f<arg_key><arg_key>a</arg_key></arg_key><arg_value>1</arg_value></tool_call>",
        ONE,
        "doubled",
    ),
    ("minimax_m2", '<invoke name="f"><parameter name="a">1</parameter></invoke>', ONE, "marks"),
    ("minimax_m2", "<invoke name='f'><parameter name=a>1</parameter></invoke>", ONE, "tag"),
    ("minimax_m2", '<invoke name="f"><parameter name="a">1</a></invoke>', ONE, "closer"),
    ("qwen3_coder", qwen("<function=f>\n<parameter=a>\n1\n</a>\n</function>"), ONE, "closer"),
    ("minicpm5", '<function name="f"><param name="a">1</a></function>', ONE, "closer"),
    (
        "minimax_m2",
        '<invoke name="f" id="7"><parameter name="a">1</parameter></invoke>',
        ONE,
        "tag",
    ),
    ("deepseek_dsml", dsml(f'<{D}invoke name="f">{value("a", "1")}', "tool"), ONE, "label"),
    ("deepseek_dsml", f'<{D}invoke name="f">{value("a", "1")}</{D}invoke>', ONE, "marks"),
    ("deepseek_dsml", dsml(f'<{D}invoke name="f">{value("a", "1", "")}'), ONE, "tag"),
    ("llama3_function_tag", '<function=f{"a": "1"}</function>', ONE, "tag"),
    ("llama3_function_tag", "<function=f>{'a': '1'}</function>", ONE, "quotes"),
    (
        "hunyuan_v3",
        '<tool_call:opensource>f<tool_sep:opensource>{"a": "1"}<end_of_tool_call:opensource>',
        ONE,
        "json",
    ),
]


@pytest.mark.parametrize(("name", "text", "wanted", "repair"), REPAIRED)
def test_common_variants_are_read_and_reported(
    name: str, text: str, wanted: list[tuple[str, Any]], repair: str
) -> None:
    assert calls(name, text) == wanted
    assert repair in read(get_dialect(name), text, "lenient").repairs
    assert read(get_dialect(name), text, "strict").calls != wanted or repair == "marks"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("qwen3_coder", qwen("I will call f")),
        ("qwen3_coder", qwen("<function=></function>")),
        ("qwen3_coder", qwen("<function=f>x<parameter=a>1</parameter></function>")),
        ("qwen3_coder", qwen("<function=f>" + "<parameter=a>1</parameter>" * 2 + "</function>")),
        ("qwen3_coder", qwen(f"{function('f', a='1')}<parameter=b>2</parameter>")),
        ("glm45", "<tool_call>f<tool_call>a</arg_key><arg_value>1</arg_value></tool_call>"),
        ("glm45", "<tool_call>f<arg_value>1</arg_value></tool_call>"),
        ("glm45", "<tool_call>f<arg_key>a</arg_key>1<arg_value>2</arg_value></tool_call>"),
        ("minimax_m2", '<invoke name="f" name="g"></invoke>'),
        ("llama3_function_tag", "<function=f>[1]</function>"),
    ],
)
def test_what_has_no_one_reading_is_refused(name: str, text: str) -> None:
    assert read(get_dialect(name), text, "lenient").error


def test_text_in_a_block_that_is_not_a_call_is_an_error_beside_others_too() -> None:
    text = f"{qwen('I will call f')}\n{qwen(function('f', a='1'))}"
    assert read(get_dialect("qwen3_coder"), text, "lenient").error


def test_a_name_on_a_line_begins_a_call_without_its_wrapper() -> None:
    assert read(get_dialect("qwen3_coder"), "I look.\n<function=f>\nNow.", "lenient").error
    said = "I look.\n<function=f> is a tag."
    assert not read(get_dialect("qwen3_coder"), said, "lenient").error


def test_text_behind_a_call_is_content() -> None:
    text = f"{function('f', a='1')}\nI wait.\n{function('g')}"
    assert calls("qwen3_coder", text) == [*ONE, ("g", {})]
    found = read(get_dialect("qwen3_coder"), text, "lenient")
    assert [event.text for event in found.events if isinstance(event, AnswerDelta)] == ["I wait."]


# -- what tools take -----------------------------------------------------------------------------

TYPES = {"s": "string", "n": "integer", "b": "boolean", "a": "array", "o": "object"}
TOOL = {
    "name": "f",
    "description": "",
    "parameters": {
        "type": "object",
        "properties": {key: {"type": kind} for key, kind in TYPES.items()},
    },
}


def seed(key: str, text: str) -> str:
    return f"<seed:tool_call><function=f><parameter={key}>{text}</parameter></function>"


def json_value(key: str, text: str) -> str:
    inner = value(key, text, ' string="false"')
    return dsml(f'<{D}invoke name="f">{inner}</{D}invoke>')


def element(key: str, text: str) -> str:
    return f'{M}<tool_call>{M}<invoke name="f">{M}<{key}>{text}{M}</{key}>{M}</invoke>'


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("name", "text", "wanted", "untyped"),
    [
        ("deepseek_dsml", json_value("s", "null"), {"s": "null"}, {"s": None}),
        ("deepseek_dsml", json_value("s", "42"), {"s": "42"}, {"s": 42}),
        ("deepseek_dsml", json_value("n", "42"), {"n": 42}, {"n": 42}),
        ("deepseek_dsml", json_value("b", "1"), {"b": True}, {"b": 1}),
        ("minimax_m3", element("a", ""), {"a": []}, {"a": ""}),
        ("minimax_m3", element("o", ""), {"o": {}}, {"o": ""}),
        ("minimax_m3", element("s", ""), {"s": ""}, {"s": ""}),
        ("seed_oss", seed("a", "['A', None]"), {"a": ["A", None]}, {"a": "['A', None]"}),
        ("seed_oss", seed("o", "{'k': True}"), {"o": {"k": True}}, {"o": "{'k': True}"}),
        ("seed_oss", seed("s", "['A']"), {"s": "['A']"}, {"s": "['A']"}),
        ("seed_oss", seed("b", "0"), {"b": False}, {"b": "0"}),
        ("qwen3_coder", qwen(function("f", b="1")), {"b": True}, {"b": "1"}),
    ],
)
def test_a_value_is_what_its_tool_takes(
    name: str, text: str, wanted: dict[str, Any], untyped: dict[str, Any], mode: Mode
) -> None:
    assert calls(name, text, mode) == [("f", untyped)]
    turn = get_parser(name, lenient=mode == "lenient", tools=[TOOL]).read(text)
    assert isinstance(turn.result, list)
    assert [action.tool_input for action in turn.result] == [wanted]
    assert turn.repairs == ()


UNION = {
    "name": "f",
    "description": "",
    "parameters": {
        "type": "object",
        "properties": {
            "s": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "n": {"type": ["string", "integer"]},
            "b": {"type": ["boolean", "string"]},
            "a": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "string"}]},
            "e": {"enum": ["null", "auto"]},
            "x": {},
        },
    },
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("key", "text", "wanted"),
    [
        ("s", "null", None),
        ("s", "None", None),
        ("s", "nullify", "nullify"),
        ("n", "5", 5),
        ("n", "007", "007"),
        ("n", "5 apples", "5 apples"),
        ("b", "true", True),
        ("a", "[1, 2]", [1, 2]),
        ("a", "['x']", "['x']"),
        ("e", "null", "null"),
        ("x", "null", None),
        ("x", "none", "none"),
    ],
)
def test_raw_text_is_the_first_type_that_a_parameter_may_have(
    key: str, text: str, wanted: Any, mode: Mode
) -> None:
    parser = get_parser("qwen3_coder", lenient=mode == "lenient", tools=[UNION])
    [action] = parser.parse(qwen(function("f", **{key: text})))  # type: ignore[misc]  # a list
    assert action.tool_input == {key: wanted}


def test_code_is_not_a_value() -> None:
    with pytest.raises(ToolInputError, match="expected a list"):
        get_parser("seed_oss", tools=[TOOL]).read(seed("a", "[open('x')]"))


# -- thoughts and answers ------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_a_call_that_nothing_wraps_is_a_draft_in_a_thought(mode: Mode) -> None:
    text = f"<think>Perhaps {function('delete', a='1')}</think>No."
    assert read(get_dialect("qwen3_coder"), text, mode).answer == "No."


def test_a_block_may_be_read_in_an_open_thought() -> None:
    text = f"<think>hm {qwen(function('f', a='1'))}"
    assert calls("qwen3_coder", text, "lenient") == ONE
    with pytest.raises(OutputParserException, match="reasoning"):
        get_parser("qwen3_coder").parse(text, ended="length")
    with pytest.raises(OutputParserException, match="reasoning"):
        get_parser("qwen3_coder", lenient=False).parse(text)
    text = f'<think>hm <minimax:tool_call><invoke name="f">{"</invoke>"}</minimax:tool_call>'
    assert calls("minimax_m2", text, "lenient") == [("f", {})]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("text", ["It is sunny.", "Is a < b?", "Use `<function=` for that."])
def test_text_without_calls_is_the_answer(name: str, mode: Mode, text: str) -> None:
    assert read(get_dialect(name), text, mode).answer == text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('search\n{"query": "a"}', [("search", {"query": "a"})]),
        ('f\n{}<|assistant|>g\n{"a": 1}<|observation|>', [("f", {}), ("g", {"a": 1})]),
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_a_name_on_a_line_and_json(text: str, wanted: list[tuple[str, Any]], mode: Mode) -> None:
    assert calls("glm4", text, mode) == wanted


@pytest.mark.parametrize("text", ["Hello", "Hello\nthere {x}", "I go.\n{1}", "no"])
@pytest.mark.parametrize("mode", MODES)
def test_a_line_that_is_not_a_name_is_content(text: str, mode: Mode) -> None:
    assert read(get_dialect("glm4"), text, mode).answer == text


# -- any text ------------------------------------------------------------------------------------

PIECES = [
    "\n",
    " ",
    "x",
    "a",
    "{",
    "}",
    '{"a": "',
    '"}',
    "<",
    "</",
    "</b>",
    "</a>",
    ">",
    "1\n",
    "é",
]


def pieces(dialect: Dialect) -> list[str]:
    """Return the pieces of which texts of *dialect* are made."""
    found = [*PIECES]
    for marker in dialect.lenient.markers.values():
        found += [marker.canonical, marker.canonical[: len(marker.canonical) // 2]]
    assert dialect.lenient.new_call is not None
    form = dialect.lenient.new_call()._form  # type: ignore[attr-defined]
    assert isinstance(form, TaggedForm)
    found += form.quote or ()
    for part, tag in form.tags.items():
        text, name = tag.canonical, "f" if part is TagPart.CALL else "a"
        if isinstance(tag, Named):
            found += [f"{text}{name}>", f"{text}{name}>\n", f"{text[:-1]} = {name} >", f"{text}b"]
        elif isinstance(tag, Attributes):
            found += [f'{text} name="{name}" string="false">', f"{text} name='{name}'>", f"{text} "]
            found += [f"{text}>"]
        elif isinstance(tag, OwnName):
            found += [f"{text}{name}>"]
        else:
            found += [text, *tag.others[:1], *tag.borrowed]
    return found


@pytest.mark.parametrize(
    ("via", "expected"),
    [
        ({"type": "array", "items": {"type": "string"}}, {"by": {"via": ["Olten", "Thun"]}}),
        ({"type": "array", "items": {"type": "integer"}}, None),
        ({"type": "string"}, None),
        ({}, None),
    ],
)
def test_an_element_that_is_repeated_is_a_list_if_the_tool_has_one_there(
    via: dict[str, Any], expected: dict[str, Any] | None
) -> None:
    by = {"type": "object", "properties": {"via": via}}
    tool = {"name": "find_trains", "parameters": {"type": "object", "properties": {"by": by}}}
    stops = "".join(f"{M}<via>{stop}{M}</via>" for stop in ("Olten", "Thun"))
    call = f'{M}<invoke name="find_trains">{M}<by>{stops}{M}</by>{M}</invoke>'
    parser = get_parser("minimax_m3", tools=[tool])
    text = f"{M}<tool_call>\n{call}\n{M}</tool_call>"
    if expected is None:
        with pytest.raises(OutputParserException):
            parser.read(text)
        return
    turn = parser.read(text)
    assert isinstance(turn.result, list)
    assert [action.tool_input for action in turn.result] == [expected]
    assert [repair.kind for repair in turn.repairs] == ["value"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("types", "says", "written", "expected"),
    [
        (["string", "null"], "true", "null", "null"),
        (["string", "null"], "false", "null", None),
        (["string"], "false", "null", "null"),
        (["integer", "string"], "true", "42", "42"),
        (["integer", "string"], "false", "42", 42),
        (["integer"], "true", "42", 42),
        (["boolean"], "true", "1", True),
    ],
)
def test_a_text_that_the_tag_calls_one_stays_a_text_if_the_tool_takes_texts(
    mode: Mode, types: list[str], says: str, written: str, expected: Any
) -> None:
    schema = {"type": "object", "properties": {"note": {"type": types}}}
    parser = get_parser(
        "deepseek_v32", tools=[{"name": "write", "parameters": schema}], lenient=mode == "lenient"
    )
    value = f'<{D}parameter name="note" string="{says}">{written}</{D}parameter>'
    call = f'<{D}invoke name="write">\n{value}\n</{D}invoke>'
    (action,) = parser.parse(f"<{D}function_calls>\n{call}\n</{D}function_calls>")
    assert action.tool_input == {"note": expected}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_any_text_in_any_cut_yields_the_same_and_loses_nothing(
    name: str, mode: Mode, data: st.DataObject
) -> None:
    dialect = get_dialect(name)
    text = "".join(data.draw(st.lists(st.sampled_from(pieces(dialect)), max_size=16)))
    whole = read(dialect, text, mode)
    sizes = data.draw(st.lists(st.integers(1, 7), min_size=1, max_size=4))
    assert read(dialect, text, mode, sizes) == whole
    assert read(dialect, text, mode, [1]) == whole
    at = 0
    for event in whole.events:
        if isinstance(event, MarkerSeen | ToolNamed) or hasattr(event, "text"):
            assert event.span[0] == at < event.span[1]
            at = event.span[1]
    assert at == len(text)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NAMES)
@given(text=st.text("<>/=ab \n{}\"'｜", max_size=40))
def test_a_value_that_can_be_written_is_read_back(name: str, mode: Mode, text: str) -> None:
    dialect = get_dialect(name)
    found = read(dialect, dialect.write(Written(tool="f", tool_input={"k": text})), mode)
    assert found.error or found.calls == [("f", {"k": text})]
