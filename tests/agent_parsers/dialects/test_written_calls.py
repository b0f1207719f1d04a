"""Turns of several calls are written as the chat templates do, and read back the same."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from agent_parsers import (
    AgentAction,
    AgentFinish,
    OutputParserException,
    ToolAgentAction,
    get_dialect,
    get_parser,
    list_dialects,
)
from agent_parsers.authoring import Result
from agent_parsers.engine.writing.prompt import instructions, replies
from agent_parsers.parsers.dialect_parser import AnyDialectParser, dialect_parser

if TYPE_CHECKING:
    from agent_parsers.engine.tables.modes import Mode

NAMES: Final = [name for name in list_dialects() if get_dialect(name).several]
NO_THOUGHTS: Final = {
    "apriel", "command_r", "firefunction", "functionary_v31", "functionary_v32",
    "functiongemma", "gigachat3", "gigachat31", "glm4", "granite", "granite_fc",
    "internlm2", "jamba", "llama3_function_tag", "llama3_json",
    "llama4_pythonic", "mistral_v3", "phi4_mini", "pythonic", "xlam",
}  # fmt: skip
NO_CONTENT: Final = {
    "command_5", "command_a", "command_a_plus", "llama3_json", "pythonic", "xlam",
}  # fmt: skip
"""Dialects that write nothing beside calls."""
ONE_CALL: Final = {"gigachat3", "gigachat31", "llama3_function_tag", "llama3_json"}
WITH_IDS: Final = {
    "command_5": ("7", "8"),
    "command_a": ("7", "8"),
    "command_a_plus": ("7", "8"),
    "kimi_k2": ("functions.find:7", "functions.ping:8"),
    "mistral_v11": ("abcDEF123", "000000000"),
    "mistral_v3": ("abcDEF123", "000000000"),
    "solar_open": ("abcdefghi7", "abcdefghi8"),
}
UNTYPED: Final = {
    "anthropic_xml", "beam", "dots", "glm45", "glm47", "hunyuan_v3", "hunyuan_v4", "iquest_q1",
    "k2_horizon", "laguna", "ling3", "longcat_lite", "mimo", "minicpm5", "minimax_m2", "minimax_m3",
    "muse_glimmer", "muse_spark", "qwen3_coder", "seed_oss", "solar_open2", "step3", "xing4",
}  # fmt: skip
"""Dialects whose values are texts unless the tool schema has types."""
ONLY_PARAMETERS: Final = UNTYPED | {
    "command_5",
    "deepseek_dsml", "deepseek_v32", "deepseek_v41", "functionary_v31", "functiongemma",
    "gemma4", "gigachat35", "kimi_k3", "lfm2", "llama3_function_tag", "llama4_pythonic",
    "minicpm3", "olmo3", "pythonic",
}  # fmt: skip
MODES: Final[tuple[Mode, ...]] = ("strict", "lenient")
THOUGHT, CONTENT = "Two a day.", "One moment."

every_dialect = pytest.mark.parametrize("name", NAMES)


def parser_of(name: str, mode: Mode = "strict", **options: Any) -> AnyDialectParser:
    return dialect_parser(get_dialect(name), lenient=mode == "lenient", **options)


def call(tool: str, call_id: str | None = None, /, **tool_input: Any) -> AgentAction:
    if call_id is None:
        return AgentAction(tool, tool_input, "")
    return ToolAgentAction(
        tool=tool, tool_input=tool_input, log="", message_log=[], tool_call_id=call_id
    )


def calls_of(name: str) -> list[AgentAction]:
    """Return one or two calls, as many as a turn of this dialect may have."""
    ids = WITH_IDS.get(name, (None, None))
    both = [call("find", ids[0], city="Bern"), call("ping", ids[1])]
    return both[:1] if name in ONE_CALL else both


def said_in(name: str) -> dict[str, Any]:
    """Return the other parts that a turn of this dialect may have."""
    said: dict[str, Any] = {} if name in NO_THOUGHTS else {"thought": THOUGHT}
    return said if name in NO_CONTENT else {**said, "content": CONTENT}


def parts(action: AgentAction) -> tuple[str, Any, str | None]:
    return action.tool, action.tool_input, getattr(action, "tool_call_id", None)


# -- exactly as the templates do ------------------------------------------------------------------


def templates() -> dict[str, str]:
    text = (Path(__file__).parents[2] / "helpers" / "written_calls.txt").read_text(encoding="utf-8")
    blocks = [block.strip("\n") for block in text.split("\n.\n")[1:]]
    written = (
        block.replace("\n", "").replace("⏎", "\n").replace("␣", " ") for block in blocks[1::2]
    )
    return dict(zip(blocks[::2], written, strict=True))


TEMPLATES: Final = templates()


def test_every_dialect_has_a_text_of_its_template() -> None:
    assert sorted(TEMPLATES) == NAMES


@every_dialect
def test_a_turn_and_its_results_are_what_the_template_makes_of_them(name: str) -> None:
    taken = [(call("find", city="Bern"), "08:02"), (call("ping"), "ok")][: len(calls_of(name))]
    assert parser_of(name).render(taken, **said_in(name)) == TEMPLATES[name]


@pytest.mark.parametrize(
    ("name", "between"),
    [
        ("hermes", "\n</think>\n\n<tool_call>"),
        ("qwen3_coder", "\n</think>\n\n<tool_call>"),
        ("seed_oss", "</seed:think>\n<seed:tool_call>"),
        ("glm45", "</think>\n<tool_call>"),
        ("minimax_m2", "\n</think>\n\n\n<minimax:tool_call>"),
        ("deepseek_dsml", "</think>\n\n<｜DSML｜tool_calls>"),
        ("kimi_k2", "</think><|tool_calls_section_begin|>"),
        ("harmony", "<|end|><|start|>assistant to=functions.ping"),
    ],
)
def test_calls_follow_a_thought_as_the_template_has_it(name: str, between: str) -> None:
    assert f"{THOUGHT}{between}" in parser_of(name).render(call("ping"), thought=THOUGHT)


# -- there and back -------------------------------------------------------------------------------


@every_dialect
@pytest.mark.parametrize("leaves_out", ["", "thought", "content"])
@pytest.mark.parametrize("count", [1, 2])
def test_a_turn_is_read_back_without_repairs(name: str, leaves_out: str, count: int) -> None:
    actions = calls_of(name)[:count]
    said = {part: text for part, text in said_in(name).items() if part != leaves_out}
    text = parser_of(name).render(actions, **said)
    for mode in MODES:
        turn = parser_of(name, mode).read(text)
        assert isinstance(turn.result, list)
        assert list(map(parts, turn.result)) == list(map(parts, actions))
        assert (turn.thought, turn.content) == (said.get("thought", ""), said.get("content", ""))
        assert not turn.repairs


@every_dialect
def test_an_answer_is_read_back_without_repairs(name: str) -> None:
    said: dict[str, Any] = {} if name in NO_THOUGHTS else {"thought": THOUGHT}
    text = parser_of(name).render(AgentFinish({"output": "It is 217 m."}, ""), **said)
    for mode in MODES:
        turn = parser_of(name, mode).read(text)
        assert isinstance(turn.result, AgentFinish)
        assert turn.result.return_values == {"output": "It is 217 m."}
        assert (turn.thought, turn.repairs) == (said.get("thought", ""), ())


@every_dialect
def test_values_keep_their_types(name: str) -> None:
    def find(city: str, seats: int, via: list[str], direct: bool = False) -> None: ...

    given = {"city": "42", "seats": 2, "via": ["Olten", "Thun"], "direct": True}
    actions = [call("find", **given), call("find", **given)][: len(calls_of(name))]
    parser = parser_of(name, tools=[find] if name in UNTYPED else None)
    result = parser.parse(parser.render(actions))
    assert isinstance(result, list)
    assert [action.tool_input for action in result] == [given] * len(actions)


@every_dialect
@pytest.mark.parametrize("text", ["a\u2028b\x0cc\x85d\r\ne", "  a\n\n b\n", '\\"', "<b>&amp;</b>"])
def test_texts_stay_as_they_are(name: str, text: str) -> None:
    written = parser_of(name).render(call("find", city=text, via=text))
    result = parser_of(name).parse(written)
    assert isinstance(result, list)
    assert result[0].tool_input == {"city": text, "via": text}


@every_dialect
@pytest.mark.parametrize("mode", MODES)
def test_the_sample_is_what_the_dialect_says(name: str, mode: Mode) -> None:
    turn = parser_of(name, mode).read(get_dialect(name).sample)
    assert isinstance(turn.result, list)
    wanted = ["search", "ping"][: len(calls_of(name))]
    assert [action.tool for action in turn.result] == wanted
    assert not turn.repairs


# -- what cannot be expressed ---------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(NO_THOUGHTS))
def test_what_has_no_thoughts_loses_none(name: str) -> None:
    for step in (call("ping"), AgentFinish({"output": "217 m"}, "")):
        with pytest.raises(ValueError, match=f"{name} cannot write this step: its thought"):
            parser_of(name).render(step, thought=THOUGHT)


@pytest.mark.parametrize("name", sorted(NO_CONTENT))
def test_what_has_nothing_beside_calls_loses_none(name: str) -> None:
    with pytest.raises(
        ValueError,
        match=f"{name} cannot write this step: a turn with calls cannot have content as well",
    ):
        parser_of(name).render(call("ping"), content=CONTENT)


@pytest.mark.parametrize("name", sorted(ONE_CALL))
def test_what_has_one_call_in_a_turn_writes_no_more(name: str) -> None:
    with pytest.raises(
        ValueError, match=f"{name} cannot write this step: a turn can have only one call"
    ):
        parser_of(name).render([call("ping"), call("ping")])
    assert "A turn has one call." in instructions(get_dialect(name))


@pytest.mark.parametrize("name", sorted(ONLY_PARAMETERS))
def test_an_input_without_names_is_not_written(name: str) -> None:
    with pytest.raises(
        ValueError, match=f"{name} cannot write this step: the input must be an object"
    ):
        parser_of(name).render([AgentAction("find", "Bern", "")])


@pytest.mark.parametrize("name", ["mistral_v11", "mistral_v3"])
@pytest.mark.parametrize("call_id", ["call_1", "abcDEF1234", "abc-EF123", "äbcDEF123"])
def test_an_id_of_another_form_is_not_written(name: str, call_id: str) -> None:
    with pytest.raises(ValueError, match=f"{name} cannot write .* nine letters or digits"):
        parser_of(name).render(call("ping", call_id))
    with pytest.raises(ValueError, match="nine letters or digits"):
        get_dialect(name).results_text([Result("ping", "ok", call_id)])


@every_dialect
def test_content_that_is_a_call_is_not_written(name: str) -> None:
    lead = ">>>" if name == "functionary_v32" else ""  # which the prompt has before the first call
    written = parser_of(name).render(call("ping"))
    if name not in NO_CONTENT:
        with pytest.raises(ValueError, match=f"{name} cannot write this step"):
            parser_of(name).render(call("ping"), content=f"{lead}{written}")


# -- ids, and the text around results -------------------------------------------------------------


@pytest.mark.parametrize("name", WITH_IDS)
def test_results_name_the_calls_by_the_ids_that_are_written(name: str) -> None:
    given = calls_of(name)
    taken = [(given[0], "08:02"), (call("ping"), "ok")]  # the second has no id: its number makes it
    text = parser_of(name).render(taken, number=9)
    made = {
        "command_5": ' id="9"',
        "kimi_k2": "functions.ping:9",
        **dict.fromkeys(("mistral_v11", "mistral_v3"), "000000010"),
        "solar_open": "0000000010",
    }
    assert text.count(WITH_IDS[name][0]) == text.count(made.get(name, '"tool_call_id": "9"')) == 2


@pytest.mark.parametrize("call_id", ["call_7f", "functions.pong:3", "ping:3", "functions.ping"])
def test_an_id_without_the_name_of_its_tool_gives_way_to_the_number(call_id: str) -> None:
    taken = [(call("ping", call_id), "ok")]
    text = parser_of("kimi_k2").render(taken, number=4)
    assert text.count("functions.ping:3") == 2
    assert call_id not in text.replace("functions.ping:3", "")


def test_a_result_that_is_json_stands_as_such_in_a_list_of_mistral() -> None:
    dialect = get_dialect("mistral_v3")
    assert '{"content": {"a": 1}, ' in dialect.results_text([Result("f", '{"a":1}')])
    for text in ("NaN", "1e999", '"\\ud800"', "[" * 9000, '{"a": 1', "a", ""):
        assert '{"content": "' in dialect.results_text([Result("f", text)])


@every_dialect
def test_what_ends_a_turn_is_not_written_twice(name: str) -> None:
    """Some servers leave the token that ends the turn in its text, others remove it."""
    text = parser_of(name).render(calls_of(name)[:1])
    before = get_dialect(name).turn_frame[0]
    for log in (text, text + before[: before.find(">") + 1]):
        step = call("find", city="Bern").model_copy(update={"log": log})
        assert parser_of(name).format_scratchpad([(step, "08:02")]).startswith(text + before)


def test_a_call_whose_end_a_stop_sequence_took_gets_it_back() -> None:
    parser = parser_of("harmony")
    text = parser.render(call("ping"))
    step = call("ping").model_copy(update={"log": text.removesuffix("<|call|>")})
    assert parser.format_scratchpad([(step, "ok")]).startswith(f"{text}<|start|>functions.ping")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", [name for name in NAMES if name not in (*ONE_CALL, "glm4")])
def test_a_call_that_is_cut_is_not_passed_over(name: str, mode: Mode) -> None:
    parser = parser_of(name, mode)
    ids = WITH_IDS.get(name, (None, None))
    both = [call("ping", ids[1]), call("find", ids[0], city="Bern", day="2 May")]
    text = parser.render(both)
    for end in range(text.index("find", text.index("ping") + 4) + 1, len(text)):
        with suppress(OutputParserException):
            found = parser.parse(text[:end])
            assert isinstance(found, list), text[:end]
            assert [action.tool for action in found] == ["ping", "find"], text[:end]


@every_dialect
def test_the_instructions_show_a_call_and_an_answer(name: str) -> None:
    def find(city: str) -> None:
        """Looks up trains."""

    text = instructions(get_dialect(name), [find])
    action, answer = replies(get_dialect(name), [find])
    assert f"\n\n{action}\n\n" in text
    assert text.endswith(f"\n\n{answer}")
    for part in ("Looks up trains.", "the tools return is given to you", "no tool"):
        assert part in text
    for mode in MODES:
        turn = parser_of(name, mode).read(action)
        assert isinstance(turn.result, list)
        assert [each.tool_input for each in turn.result] == [{"city": "<city>"}]
        assert parser_of(name, mode).parse(answer).return_values["output"]  # type: ignore[union-attr]


def test_json_takes_no_escape_off_what_a_tool_returned() -> None:
    parser = get_parser("mistral_v3")
    action = AgentAction("search", {"query": "x"}, "")
    for mark in ("[/THINK]", "</s>"):
        observation = json.dumps({"text": mark})
        text = parser.format_scratchpad([(action, observation)])
        before = parser.format_scratchpad([(action, json.dumps({"text": ""}))])
        assert text.count(mark) == before.count(mark)
