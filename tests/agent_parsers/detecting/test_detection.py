"""Which dialect a text is in, and that none is read wrongly in the one that is found."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from agent_parsers import Dialect, OutputParserException, get_dialect, list_dialects
from agent_parsers.detecting import signs
from agent_parsers.detecting.evidence import Evidence
from agent_parsers.detecting.signs import dialects_with_signs
from agent_parsers.registry.dialects_by_name import KNOWN
from agent_runs import detect
from agent_runs.detecting import detect as detect_module
from agent_runs.detecting.detect import try_text

from ...helpers.effort import THOROUGH
from ...helpers.own_dialect import MEMO
from ..dialects.test_cases import CASES, Case

# `detect` finds the dialect of every case of every dialect, or a relative that reads it alike.

FIRST = """\
Question: How late is it?
Thought: I need a clock.
Action: clock
Action Input: Bern
Observation: 12:00
"""

BELONGS_TO_ANOTHER = {
    # A label of ReAct before a fence, or in front of a whole call: others know more of it.
    "the first of two counts, with labels before them": ("structured_chat", ""),
    "an action inside an answer": ("llama3_json",),
    "an answer may begin anew behind a line that looks like an action": ("react",),
    "two blobs that differ are refused, with labels before them": ("structured_chat",),
    # `qwen3_coder` writes the line breaks of the values itself.
    "line breaks at the ends of a value are part of it": ("qwen3_coder",),
    # An answer in `docstore` is a call, and labels with numbers are those of others as well.
    "a step may follow another without an observation": ("",),
    # Questions and answers without a call are those of all formats with these labels.
    "an answer ends before the next question": ("chat",),
    'a question ends an answer with a line "Action:", and begins the next run': ("",),
}
"""Cases in which the dialect finds less than another; or others remain (``""``)."""

LOST_IN_A_LOG = "Final Answer:\n\n  42"
"""A log takes an indented line, before which no run has begun, for a quotation."""


def test_signs_that_are_not_written_down_yet_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("hermes", "react", "mistral")
    known = signs._signs.__wrapped__(frozenset(names), ())
    for name in names[:2]:
        monkeypatch.delitem(signs.SIGNS, name)
    assert signs._signs.__wrapped__(frozenset(names), ()) == known


def cases_of(dialect: Dialect) -> Iterator[Case]:
    """Yield the cases in which *dialect* finds an action or a marked answer."""
    for case in CASES[dialect.name][:: 1 if THOROUGH else 40]:
        if case.mode != "strict" and case.ended == "unknown":
            trial = try_text(None, dialect, case.text)
            if trial.is_found and not trial.errors:
                yield case


WITH_LOGS = [name for name in list_dialects() if get_dialect(name).lenient.transcript_start]


@pytest.mark.parametrize("name", WITH_LOGS)
def test_a_log_is_tried_where_it_may_show_more(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dialect = get_dialect(name)
    texts = [case.text for case in CASES[name][:: 1 if THOROUGH else 10]]
    found = [try_text(None, dialect, text) for text in texts if text != LOST_IN_A_LOG]
    monkeypatch.setattr(detect_module, "has_log_mark", lambda *_: True)
    always = [try_text(None, dialect, text) for text in texts if text != LOST_IN_A_LOG]
    assert [each.reading for each in found] == [each.reading for each in always]


def actions_of(dialect: str, text: str) -> list[tuple[str, ...]]:
    reading = try_text(None, get_dialect(dialect), text).reading
    return [part for part in reading if part[0] != "observations"]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", list_dialects())
def test_the_dialect_of_a_case_or_a_relative_is_named(name: str) -> None:
    confused: dict[str, str] = {}
    dialect = get_dialect(name)
    for case in cases_of(dialect):
        likely, others = dialects_with_signs(case.text)
        assert name in [*likely, *others], case.title
        found = detect(case.text)
        if found.is_ambiguous:  # the message names the first two
            names = [n for each in found.candidates[:2] for n in (each.dialect, *each.relatives)]
            said, is_right = "", name in names
        else:
            said = found.dialect
            is_right = actions_of(said, case.text) == actions_of(name, case.text)
        if not is_right and said not in BELONGS_TO_ANOTHER.get(case.title, ()):
            confused[case.title] = said or str(found)
    assert not confused


VALUE = "<tool_call>\n<function=note>\n<parameter=text>%s</parameter>\n</function>\n</tool_call>"


def test_line_breaks_at_both_ends_of_a_value_are_marks() -> None:
    """Models of the two dialects write such texts, and those of `qwen3_coder` write no others."""
    found = detect(VALUE % "\nlakes\n")
    assert (found.dialect, found.is_ambiguous) == ("qwen3_coder", False)
    assert detect(VALUE % "lakes\n").is_ambiguous
    first = detect(VALUE % "lakes").candidates[0]
    assert {"qwen3_coder", "mimo"} <= {first.dialect, *first.relatives}


def test_a_dialect_that_reads_the_marks_of_another_does_not_outdo_it() -> None:
    text, owner = '<function_calls>\n{"name": "a", "arguments": {}}\n</function_calls>', "olmo3"
    assert not try_text(None, get_dialect(owner), text).is_found
    found = detect(text)
    assert found.is_ambiguous
    assert owner in {name for each in found.candidates for name in (each.dialect, *each.relatives)}


def test_a_mark_is_no_name_of_a_tool() -> None:
    found = detect("<tool_calls><tool_call><tool_sep></tool_call></tool_calls>")
    assert (found.dialect, found.is_ambiguous) == ("hunyuan_v3", False)


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", list_dialects())
def test_the_sample_of_each_dialect_is_found(name: str) -> None:
    found = detect(get_dialect(name).sample)
    first = found.candidates[0]
    assert name in (first.dialect, *first.relatives) or found.dialect == "qwen3_coder"
    assert not found.is_ambiguous


@pytest.mark.parametrize(
    "text",
    [
        "", "  \n", "It is noon.", "Question: how late is it?", "Thought: hm", "Hm.<|im_end|>",
        "<think>Noon?</think>It is noon.", '{"city": "Bern"}', "[1, 2]", "def f(x):\n    return x",
        "2026-01-05 09:00:00 INFO started (pid 12)", "Observation: 12", "Note: [call me](x)",
    ],
)  # fmt: skip
def test_a_text_without_action_or_answer_has_no_dialect(text: str) -> None:
    found = detect(text)
    assert not found.candidates
    with pytest.raises(OutputParserException, match="found no sign of any dialect in this text"):
        _ = found.dialect


def test_a_reason_says_what_was_seen_and_read_and_why_which_relative_is_named() -> None:
    found = detect(FIRST + "Thought: noon\nFinal Answer: It is noon.")
    (candidate, *_) = found.candidates
    assert candidate.form == "transcript"
    assert candidate.markers == (
        "Question:", "Thought:", "Action:", "Action Input:", "Observation:", "Final Answer:",
    )  # fmt: skip
    assert (candidate.actions, candidate.answers, candidate.repairs) == (1, 1, 0)
    assert candidate.errors == ()
    assert {"mrkl", "react_crewai"} <= {*candidate.relatives}
    assert candidate.reason == (
        "read 1 action and 1 answer by 'Question:', 'Thought:', 'Action:', 'Action Input:', with no"
        " repair; 'mrkl', 'react_crewai', 'react_zh' read the same, and 'react' is the most"
        " widely used of those that fit best"
    )
    assert str(found).startswith(f"this is 'react' ({candidate.reason}); less likely '")


def test_what_knows_more_of_a_text_is_named_before_what_reads_the_same() -> None:
    found = detect('<|tool_call|>[{"name": "clock", "arguments": {}}]<|/tool_call|>')
    assert found.dialect == "phi4_mini"
    assert found.candidates[0].relatives == ("granite",)
    assert "'phi4_mini' fits best" in str(found)


def test_equal_candidates_that_read_differently_are_ambiguous() -> None:
    found = detect("Here:\n```\nFinal Answer: 0.38\n```")
    assert found.is_ambiguous
    with pytest.raises(OutputParserException) as caught:
        _ = found.dialect
    assert "this may be 'react' (read 1 answer" in caught.value.reason
    assert "or 'json_toolcall' (read 1 answer" in caught.value.reason
    assert caught.value.reason.endswith("pass one of them as dialect=")


def test_one_reply_is_no_transcript() -> None:
    assert detect("Action: clock\nAction Input: Bern").candidates[0].form == "reply"


def test_a_text_that_is_cut_off_is_found_by_its_beginning() -> None:
    found = detect('<tool_call>\n{"name": "clock", "argum')
    assert found.dialect == "hermes"
    assert [error.reason for error in found.candidates[0].errors]


def test_tools_tell_candidates_apart() -> None:
    text = "Action: search[lakes]\nAction Input: lakes"
    assert detect(text, tools=["search"]).is_ambiguous
    (candidate, *_) = detect(text, tools=["search[lakes]"]).candidates
    assert (candidate.dialect, candidate.errors) == ("react", ())


def test_a_registered_dialect_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KNOWN, "memo", MEMO)
    assert detect(MEMO.sample).dialect == "memo"


def test_a_long_thought_hides_nothing() -> None:
    thought = "Hm. " * 10_000
    assert detect(f"Thought: {thought}\nAction: clock\nAction Input: Bern").dialect == "react"


def test_a_long_log_costs_no_more_than_its_head() -> None:
    step = "Thought: hm\nAction: clock\nAction Input: Bern\nObservation: 12:00\n"
    counts = [detect(step * size).candidates[0].actions for size in (1_000, 2_000)]
    assert counts[0] == counts[1] < 1_000


HERMES = '<tool_call>\n{"name": "clock", "arguments": {"city": "Bern"}}\n</tool_call>'
REACT = "Action: clock\nAction Input: Bern"


def test_evidence_of_several_texts_adds_up() -> None:
    empty = "Action: clock\nAction Input:"  # an error in some relatives of react
    assert detect(empty).is_ambiguous
    assert detect([empty, "It is noon."]).is_ambiguous  # plain text says nothing
    found = detect([HERMES, "It is noon.", HERMES.replace("Bern", "Thun")])
    assert found.dialect == "hermes"
    assert found.candidates[0].actions == 2
    assert "in 2 of 2 texts" in found.candidates[0].reason


def test_another_text_decides_what_one_leaves_open() -> None:
    fence = "Here:\n```\nFinal Answer: 0.38\n```"
    assert detect(fence).is_ambiguous
    assert detect([fence, REACT]).dialect == "react"


def test_texts_that_contradict_each_other_are_ambiguous() -> None:
    found = detect([HERMES, REACT])
    with pytest.raises(OutputParserException, match=r"'hermes' .*in 1 of 2 texts.* or 'react' "):
        _ = found.dialect


def test_texts_without_a_sign_have_no_dialect() -> None:
    assert not detect([]).candidates
    assert not detect(["It is noon.", ""]).candidates
    with pytest.raises(TypeError, match="expected a string, or strings by one model, found bytes"):
        detect([b"Action: clock"])  # type: ignore[list-item]


def test_the_end_of_a_call_alone_does_not_speak_for_a_dialect() -> None:
    found = detect('<|tool_call_start|>[find(city="Ber<|tool_call_end|>')
    assert (found.dialect, found.candidates[0].actions) == ("lfm2", 0)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        # Another dialect has marks that are words in the first.
        ("<function_calls>\n</function_calls>\n<final_answer>1</final_answer>", "anthropic_xml"),
        # It knows as much, and refuses the text.
        ('I look. {"name": "search", "arguments": {}}', "json_toolcall"),
        # It finds its call in a thought that does not end.
        ('<think>\nHm.\n<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>', "hermes"),
        # Each repairs the text in its own way.
        ("Action: weather(city=\"Xi'an\")", "react"),
    ],
)  # fmt: skip
def test_what_speaks_against_the_first_makes_a_text_ambiguous(text: str, names: str) -> None:
    found = detect(text)
    assert found.is_ambiguous
    assert names in {name for each in found.candidates for name in (each.dialect, *each.relatives)}


# No text of a dialect is read wrongly in the one that is found; ``make detection`` tells all.

SCRIPT = Path(__file__).parents[3] / "tools" / "benchmarks" / "detection.py"


@pytest.fixture(scope="module")
def detection() -> ModuleType:
    spec = importlib.util.spec_from_file_location("detection", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def wrong_in(detection: ModuleType, name: str) -> list[str]:
    texts = list(detection.texts_of(name, detection.DRAWN if THOROUGH else 0))
    return [each.text for each in texts[:: 1 if THOROUGH else 25] if is_wrong(detection, each)]


def is_wrong(detection: ModuleType, reply: tuple[str, str, str]) -> bool:
    return detection.judged(reply)[0] == "wrong"  # type: ignore[no-any-return]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", list_dialects())
def test_no_text_of_a_dialect_is_taken_for_another_that_reads_it_otherwise(
    name: str, detection: ModuleType
) -> None:
    assert not wrong_in(detection, name)


def test_the_law_catches_a_rule_that_names_the_best_whatever_speaks_against_it(
    detection: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "<tool_call>\n</tool_call>\nIt is 217 m deep."
    reply = detection.Reply("hunyuan_v3", "case", text)
    assert detection.judged(reply) == ("ambiguous", "")
    monkeypatch.setattr(Evidence, "outdoes", lambda _self, _other: True)
    assert detection.judged(reply)[0] == "wrong"


def test_the_wild_replies_are_not_read_wrongly(detection: ModuleType) -> None:
    if not detection.WILD.is_file():
        pytest.skip("the corpus is not here")
    texts = list(detection.wild_texts(detection.WILD, with_tools=True))
    assert len(texts) > 200
    assert not [each for each in texts[:: 1 if THOROUGH else 30] if is_wrong(detection, each)]


@pytest.mark.parametrize("given", [{"role": "assistant", "content": "Hi."}, None, 3, b"Hi."])
def test_what_is_no_text_is_not_looked_at_piece_by_piece(given: Any) -> None:
    with pytest.raises(TypeError, match="expected a string, or strings by one model, found"):
        detect(given)
