"""A call ends an open thought, a thought keeps its words, and its end is in no answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import AgentAction, AgentFinish, get_parser
from agent_parsers.testing import cuts, laws
from agent_parsers.testing.trials.marked_turns import nested_thoughts, open_thoughts, stray_ends

from ....helpers.stories import DIALECTS, TURNS, every_turn_mode, some

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.engine.grammar.modes import Mode

THINKING = [dialect for dialect in DIALECTS if any(nested_thoughts(dialect, "lenient"))]
"""Dialects that write marks around a thought."""
WORDS = ["Hm", " ", "\n", "`", "```", "<tool_call>", '{"name": "ping", "arguments": {}}', "Lit."]
"""Texts between the marks of a thought."""


@every_turn_mode
def test_a_call_ends_an_open_thought(dialect: Dialect, mode: Mode) -> None:
    for case in some([*open_thoughts(dialect, mode)], dialect, 1 / 2):
        laws.a_call_ends_an_open_thought(dialect, mode, **case._asdict())


@every_turn_mode
def test_a_thought_keeps_its_words(dialect: Dialect, mode: Mode) -> None:
    for case in some([*nested_thoughts(dialect, mode)], dialect, 1 / 2):
        laws.a_thought_keeps_its_words(dialect, mode, **case._asdict())


@every_turn_mode
def test_no_answer_has_the_end_of_a_thought(dialect: Dialect, mode: Mode) -> None:
    for case in some([*stray_ends(dialect, mode)], dialect, 1 / 2):
        laws.no_answer_has_the_end_of_a_thought(dialect, mode, **case._asdict())


def test_the_laws_are_tried_on_most_dialects() -> None:
    acting = {dialect.name for dialect, mode in TURNS if any(open_thoughts(dialect, mode))}
    assert {"hermes", "mistral", "gemma4", "glm45", "granite", "command_r"} <= acting
    assert len(acting) > 40
    assert len(THINKING) > 35


@given(data=st.data())
def test_however_thoughts_are_nested_any_cut_gives_the_same(data: st.DataObject) -> None:
    dialect = data.draw(st.sampled_from(THINKING), "dialect")
    mode = data.draw(st.sampled_from(("strict", "lenient")), "mode")
    usual = next(iter(nested_thoughts(dialect, mode)))
    opens = usual.text.lstrip().partition("It wrote")[0].strip()
    closes = usual.thought.partition("quick")[2].removesuffix(" first.")
    pieces = st.lists(st.sampled_from([opens, closes, *WORDS]), max_size=9)
    text = "".join([data.draw(st.sampled_from(["", opens])), *data.draw(pieces)])
    laws.any_cut_gives_the_same_events(dialect, mode, text, sizes=data.draw(cuts(), "sizes"))
    laws.no_character_is_lost_or_repeated(dialect, mode, text)
    laws.parse_gives_the_result_of_the_stream(dialect, mode, text)
    if mode == "lenient":
        laws.without_a_repair_both_readings_are_the_same(dialect, text)


@pytest.mark.parametrize("name", ["command_a", "command_a_plus", "hunyuan_a13b"])
def test_the_end_of_an_answer_does_not_end_the_thought_around_it(name: str) -> None:
    parser = get_parser(name)
    quoted = parser.render(AgentAction("search", {"query": "quoted"}, ""))
    thought = ("<|START_THINKING|>", "<|END_THINKING|>")
    opens, closes = thought if name.startswith("command_a") else ("<think>", "</think>")
    for lead in ("", "Let me see. "):
        turn = parser.read(f"{opens}\n{lead}{quoted}\n{closes}\nDone.")
        assert isinstance(turn.result, AgentFinish), quoted
        assert turn.content == "Done."
