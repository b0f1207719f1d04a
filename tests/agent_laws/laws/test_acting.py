"""No call is made from half a call, a duplicate key, a quotation, or a call of another dialect."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from itertools import product
from typing import TYPE_CHECKING
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_laws import cuts, laws, texts
from agent_laws.laws.broken import BrokenLawError
from agent_laws.smallest import failure
from agent_laws.trials.double_keys import KINDS, double_keys, spoilt_keys
from agent_laws.trials.foreign_turns import foreign_turns
from agent_laws.trials.marked_turns import (
    broken_calls,
    call_marks,
    given_results,
    nested_thoughts,
    open_thoughts,
    stray_ends,
)
from agent_laws.trials.quotations import quotations
from agent_laws.trials.sample_calls import calls_in, reading, sample_turns, seams
from agent_laws.trials.tool_shapes import SHAPES, tool_sets
from agent_parsers import (
    ActionComplete,
    AgentAction,
    AgentFinish,
    OutputParserException,
    get_dialect,
    get_parser,
)
from agent_parsers.authoring import Written
from agent_parsers.engine.reading.collecting import collector, early_calls
from agent_parsers.engine.reading.quoting.quotations import Surroundings
from agent_parsers.foreign import finding

from ...helpers.effort import DEEP
from ...helpers.stories import (
    DIALECTS,
    TURNS,
    every_dialect,
    every_turn_mode,
    is_tried,
    named,
    share,
    some,
)

if TYPE_CHECKING:
    from typing import Any

    from agent_parsers import Dialect
    from agent_parsers.engine.tables.modes import Mode


# No call is made from half a call, a duplicate key, or a quotation.

CUTS = 60
"""Number of prefixes of turns that are read for a dialect and mode, unless thorough."""


def places(dialect: Dialect, text: str, count: float) -> range:
    """Return so many places in *text*, or all of them when there is time."""
    if settings.get_current_profile_name() == "deep":
        return range(len(text) + 1)
    step = max(round(len(text) / count), 1)
    return range(crc32(f"{dialect.name}{text}".encode()) % step, len(text) + 1, step)


@every_turn_mode
@pytest.mark.parametrize("shape", SHAPES)
def test_no_prefix_of_a_turn_acts_otherwise(dialect: Dialect, mode: Mode, shape: str) -> None:
    cases = [
        (turn, known[shape])
        for turn in sample_turns(dialect)
        if shape in (known := tool_sets(turn.calls))
    ]
    assert cases
    for turn, tools in (few := some(cases, dialect, 1 / 6)):
        cuts = places(dialect, turn.text, CUTS / 4 * share(dialect) / len(few))
        at = sorted({*cuts, *seams(turn)})
        laws.no_prefix_of_a_turn_acts_otherwise(dialect, mode, turn.text, tools=tools, at=at)


@every_turn_mode
def test_no_key_counts_twice(dialect: Dialect, mode: Mode) -> None:
    for case in double_keys(dialect, mode, some(KINDS, dialect, 1 / 2)):
        laws.no_key_counts_twice(dialect, mode, case.text, tools=case.tools)


@every_turn_mode
def test_no_value_holds_the_next(dialect: Dialect, mode: Mode) -> None:
    for case in spoilt_keys(dialect, mode):
        laws.no_value_holds_the_next(dialect, mode, **case._asdict())


@every_turn_mode
def test_reasoning_and_quotation_never_act(dialect: Dialect, mode: Mode) -> None:
    for case in some(quotations(dialect, mode), dialect, 1 / 2):
        laws.reasoning_and_quotation_never_act(
            dialect, mode, case.text, meant=case.meant, may_repair=case.may_repair
        )


@every_turn_mode
def test_no_mark_of_a_call_is_text(dialect: Dialect, mode: Mode) -> None:
    for case in some(broken_calls(dialect, mode), dialect, 1 / 8):
        laws.no_mark_of_a_call_is_text(dialect, mode, case.text, mark=case.mark)


@every_turn_mode
def test_what_is_given_is_never_said(dialect: Dialect, mode: Mode) -> None:
    for case in given_results(dialect, mode):
        laws.what_is_given_is_never_said(dialect, mode, **case._asdict())


WORDS = {"command_r", "firefunction", "json_toolcall"}
MESSAGES = {"beam", "functionary_v32", "glm4", "harmony", "inkling", "muse_glimmer", "muse_spark"}
"""Dialects whose marks may open an answer, too."""
SHARED = {"openpangu_v2"}
"""Dialects whose mark is also another's, so that what follows it decides."""


@every_dialect
def test_nearly_every_dialect_marks_its_calls_and_results(dialect: Dialect) -> None:
    if dialect.several:
        unmarked = WORDS | MESSAGES | SHARED
        assert bool(call_marks(dialect, "lenient")) == (dialect.name not in unmarked)
        assert given_results(dialect, "lenient")


SEVERAL = [(dialect, mode) for dialect, mode in TURNS if dialect.several]
every_mode_of_several = pytest.mark.parametrize(("dialect", "mode"), SEVERAL, ids=named)


ENDS = ("</think>\nDone", " `", "\n```", '"', "\n-->", "\nDo not write:\n", "<tool_call>")


@cache
def early_cases(dialect: Dialect, mode: Mode) -> list[dict[str, Any]]:
    """Return turns, their prefixes, and quotations, with the calls that are meant in them."""
    found: list[dict[str, Any]] = [
        {"text": case.text, "meant": None if case.may_repair else case.meant, "start": case.start}
        for case in quotations(dialect, mode)
    ]
    for turn in sample_turns(dialect):
        calls = calls_in(reading(dialect, mode, turn.text, ended="stop"))
        cuts = (*places(dialect, turn.text, 20), len(turn.text))
        found += ({"text": turn.text[:at], "meant": calls, "sizes": (at % 5 + 1,)} for at in cuts)
        for end in ENDS:
            found.append({"text": f"{turn.text}{end}"})
            text = f"It is {end}{turn.text}\n{turn.text}{end}"
            found += ({"text": text, "start": start} for start in ("", "content"))
            for lead in ("", f"Hm.{dialect.turn_frame[1]}"):  # the mark of another message
                text = f"{lead}{turn.text}{lead}{turn.text}{end}It is noon."
                found.append({"text": text, "start": "thought"})  # if there is such a start
    return found


@every_mode_of_several
def test_a_call_emitted_early_is_a_call_of_the_turn(dialect: Dialect, mode: Mode) -> None:
    for case in some(early_cases(dialect, mode), dialect, 1 / 12, thorough=1 / 4):
        laws.a_call_emitted_early_is_a_call_of_the_turn(dialect, mode, **case)


@every_mode_of_several
@given(data=st.data())
def test_a_call_emitted_early_is_a_call_of_any_text(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    found = data.draw(st.lists(texts(dialect, mode), min_size=1, max_size=3), "text")
    laws.a_call_emitted_early_is_a_call_of_the_turn(
        dialect,
        mode,
        "".join(found),
        sizes=data.draw(cuts(), "sizes"),
        start=data.draw(st.sampled_from(["", "content"]), "start"),
    )


def _without_names(self: Any, error: Any) -> Any:
    error.add_note("")
    return error


@pytest.mark.parametrize(
    "bug",
    [
        (Surroundings, "is_free", lambda _self, _number: True),
        (early_calls.EarlyCalls, "refuted_by", lambda _self, _made: None),
        (early_calls.EarlyCalls, "note", _without_names),
        (early_calls, "_since", lambda _spans, _at: []),
    ],
    ids=lambda bug: bug[1],
)
def test_the_law_catches_a_bug(bug: tuple[Any, str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    law = laws.a_call_emitted_early_is_a_call_of_the_turn
    dialect = get_dialect("anthropic_xml")
    cases = reversed(early_cases(dialect, "lenient"))  # the last ones catch every bug soonest
    monkeypatch.setattr(*bug)
    tried = (failure(law, dialect, "lenient", **case) for case in cases)
    assert any(tried)


AT_THE_END = {
    "command_r", "firefunction", "gigachat3", "gigachat31", "granite",
    "llama3_function_tag", "mistral_v3", "phi4_mini",
}  # fmt: skip
"""Dialects whose only block of calls is closed by the end of the turn, or has one call."""


@pytest.mark.parametrize("name", sorted({d.name for d, _ in SEVERAL} - AT_THE_END))
def test_a_call_is_emitted_when_its_block_closes(name: str) -> None:
    parser = get_parser(name, prompt="How large is it?")
    turns = [turn for turn in sample_turns(parser.dialect) if len(turn.calls) > 1]
    try:
        stream = parser.stream_parser(calls="each")
    except ValueError as error:
        assert "its calls have no markers" in str(error)  # noqa: PT017
        return
    emitted = [e for e in stream.feed(turns[0].text) if isinstance(e, ActionComplete)]
    assert emitted
    at = [turns[0].text.index(each.action.log) for each in emitted]
    assert at == sorted(set(at))
    stream.close()
    assert [(each.action.tool, each.action.tool_input) for each in emitted] == [
        (each.tool, each.tool_input) for each in stream.result[: len(emitted)]
    ]


# -- a call ends an open thought -------------------------------------------------------------------

THINKING = [dialect for dialect in DIALECTS if any(nested_thoughts(dialect, "lenient"))]
"""Dialects that write marks around a thought."""
THOUGHTS = ["Hm", " ", "\n", "`", "```", "<tool_call>", '{"name": "ping", "arguments": {}}', "Lit."]
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
    acting = {dialect.name for dialect in DIALECTS if any(open_thoughts(dialect, "lenient"))}
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
    pieces = st.lists(st.sampled_from([opens, closes, *THOUGHTS]), max_size=9)
    text = "".join([data.draw(st.sampled_from(["", opens])), *data.draw(pieces)])
    laws.any_cut_gives_the_same_events(dialect, mode, text, sizes=data.draw(cuts(), "sizes"))
    laws.no_character_is_lost_or_repeated(dialect, mode, text)
    laws.parse_gives_the_result_of_the_stream(dialect, mode, text)
    if mode == "lenient":
        laws.without_a_repair_both_readings_are_the_same(dialect, text)


@pytest.mark.parametrize("name", ["command_5", "command_a", "command_a_plus", "hunyuan_a13b"])
def test_the_end_of_an_answer_does_not_end_the_thought_around_it(name: str) -> None:
    parser = get_parser(name)
    quoted = parser.render(AgentAction("search", {"query": "quoted"}, ""))
    thought = ("<|START_THINKING|>", "<|END_THINKING|>")
    opens, closes = thought if name.startswith("command_") else ("<think>", "</think>")
    for lead in ("", "Let me see. "):
        turn = parser.read(f"{opens}\n{lead}{quoted}\n{closes}\nDone.")
        assert isinstance(turn.result, AgentFinish), quoted
        assert turn.content == "Done."


# No call of a dialect is an answer in another.

if TYPE_CHECKING:
    from agent_laws.trials.sample_calls import Meant
    from agent_parsers import Dialect, ToolSet

    Turn = tuple[str, ToolSet, list[Meant]]

EACH = 4 if DEEP else 1
"""How many turns of each dialect are tried on another."""


@cache
def turns(dialect: Dialect) -> list[Turn]:
    return [(turn.text, tools, meant) for turn, tools, meant in foreign_turns(dialect)]


def turns_for(dialect: Dialect, owner: Dialect) -> list[Turn]:
    found = turns(owner)
    if not found:
        return []
    first = crc32(f"{dialect.name} {owner.name}".encode())
    step = len(found) // EACH + 1
    return [found[(first + number * step) % len(found)] for number in range(EACH)]


@every_dialect
def test_no_call_of_another_dialect_is_an_answer(dialect: Dialect) -> None:
    for owner in DIALECTS:
        if owner is dialect or not is_tried(owner, dialect.name):
            continue
        for text, tools, meant in turns_for(dialect, owner):
            laws.no_call_is_an_answer(dialect, text, meant=meant, tools=tools)


def test_most_dialects_have_turns_for_others() -> None:
    without = [dialect.name for dialect in DIALECTS if not any(foreign_turns(dialect))]
    assert without == ["self_ask", "smolagents_code"]


# -- bugs that the law catches ---------------------------------------------------------------------


def broken_by(name: str, owner: str) -> None:
    dialect = get_dialect(name)
    for text, tools, meant in turns(get_dialect(owner)):
        laws.no_call_is_an_answer(dialect, text, meant=meant, tools=tools)


def test_it_catches_that_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "foreign_calls", lambda *_, **__: ())
    with pytest.raises(BrokenLawError, match="found the answer"):
        broken_by("hermes", "mistral")


def test_it_catches_that_only_shapes_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "_in_dialects", lambda *_, **__: None)
    with pytest.raises(BrokenLawError, match="found the answer"):
        broken_by("hermes", "react")


def test_it_catches_a_call_that_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    find = finding.find_foreign

    def first(text: str, tools: ToolSet | None, over: int, is_own: bool) -> finding.Foreign | None:
        found = find(text, tools, over, is_own)
        return None if found is None else found._replace(calls=found.calls[:1])

    monkeypatch.setattr(finding, "find_foreign", first)
    with pytest.raises(BrokenLawError, match=r"found \[Meant"):
        broken_by("hermes", "mistral")


ALIKE = (
    ("```json\n", "\n```"), ("<tool_call>\n", "\n</tool_call>"), ("<call>\n", "\n</call>"),
    ("<b>", "</b>"), ("`", "`"), ("(", ")"), ("**", "**"), ("- ", ""),
)  # fmt: skip
"""What may enclose each call of a turn."""


@every_dialect
def test_of_two_calls_that_are_enclosed_alike_both_are_made_or_none(dialect: Dialect) -> None:
    parser = get_parser(dialect.name, tools=["look", "send"])
    for writer in {dialect.name, "hermes"} if dialect.several else ():
        first, second = (
            get_dialect(writer).write(Written(tool=tool, tool_input={"at": "lakes"}))
            for tool in ("look", "send")
        )
        for (opens, closes), between, behind in product(ALIKE, ("\n", "\nThen:\n"), ("", "\nOh.")):
            text = f"{opens}{first}{closes}{between}{opens}{second}{closes}{behind}"
            with suppress(OutputParserException):
                made = parser.read(text, ended="stop").actions
                assert [each.tool for each in made] in ([], ["look", "send"]), text
