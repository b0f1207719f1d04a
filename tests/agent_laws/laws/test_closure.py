"""What the library returns, it takes: in every dialect, for every API, and as it was meant."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from agent_laws import laws
from agent_laws.laws.broken import Broken, BrokenLawError
from agent_laws.laws.closure import how_it_is_taken, prompts_with, to_apis
from agent_laws.trials.conversations import (
    FORMS,
    NATIVE_FORMS,
    TOOLS,
    Called,
    Returned,
    conversations,
    native_conversations,
)
from agent_parsers import get_dialect, get_parser
from agent_parsers.messages.writing import conversation, past
from outputs import AIMessage

from ...helpers.stories import DIALECTS, every_dialect

if TYPE_CHECKING:
    from collections.abc import Callable

    from agent_parsers import Dialect

NATIVE = [*native_conversations()]


@cache
def returned(dialect: Dialect) -> list[Returned]:
    return [*conversations(dialect)]


def neighbours(dialect: Dialect) -> list[Dialect]:
    """Return dialects that take what *dialect* returns: itself, and two others, each in turn."""
    place = DIALECTS.index(dialect)
    return [dialect, *(DIALECTS[(place * 7 + by) % len(DIALECTS)] for by in (13, 40))]


@every_dialect
def test_what_is_returned_is_taken(dialect: Dialect) -> None:
    for each in returned(dialect):
        for taker in neighbours(dialect):
            laws.what_is_returned_is_taken(taker, each)
        laws.what_is_returned_goes_to_any_api(dialect, each)


@every_dialect
def test_native_conversations_are_taken(dialect: Dialect) -> None:
    for each in NATIVE:
        laws.what_is_returned_is_taken(dialect, each)


@pytest.mark.parametrize("form", NATIVE, ids=lambda each: each.form)
def test_native_conversations_go_to_any_api(form: Returned) -> None:
    for write in to_apis(form):
        how_it_is_taken(form, write)


def test_the_forms_are_all_there() -> None:
    assert [each.form for each in returned(get_dialect("hermes"))] == [*FORMS]
    assert [each.form for each in NATIVE] == [*NATIVE_FORMS]


OWN_TOOLS = {"self_ask", "smolagents_code"}
"""The dialects that can call only one tool, of their own; other calls are told in words."""


@every_dialect
def test_few_dialects_tell_calls_in_words(dialect: Dialect) -> None:
    steps = next(each for each in NATIVE if each.form == "steps of calls")
    parser: Any = get_parser(dialect, tools=TOOLS)
    (write, *_) = prompts_with(parser, steps)
    taken = how_it_is_taken(steps, write, get_parser(dialect))
    assert (taken == "in words") is (dialect.name in OWN_TOOLS)


# -- bugs that it finds --------------------------------------------------------------------------


def first_call(turn: Any, _message: Any) -> int:
    return next((at for at, call in enumerate(turn.calls) if call.result is None), -1)


def all_read(_dialect: Any, _text: str, _meant: Any) -> object:
    return object()


def no_turn(_text: str) -> tuple[None, None]:
    return None, None


BUGS: list[tuple[Any, str, Callable[..., Any], str, str]] = [
    (past, "_answered", first_call, "hermes", "two calls"),
    (conversation, "turn_calling", all_read, "react", "steps of another"),
    (conversation, "turn_anywhere", no_turn, "react", "a prompt of another"),
]


@pytest.mark.parametrize(("where", "name", "bug", "taker", "form"), BUGS)
def test_a_bug_is_found(
    monkeypatch: pytest.MonkeyPatch,
    where: Any,
    name: str,
    bug: Callable[..., Any],
    taker: str,
    form: str,
) -> None:
    dialect = get_dialect(taker)
    own = [*returned(get_dialect("react")), *NATIVE]
    others = (
        each._replace(form=f"{each.form} of another") for each in returned(get_dialect("xml"))
    )
    (given,) = (each for each in [*own, *others] if each.form == form)
    laws.what_is_returned_is_taken(dialect, given)
    monkeypatch.setattr(where, name, bug)
    with pytest.raises(BrokenLawError):
        laws.what_is_returned_is_taken(dialect, given)


def test_a_call_that_was_not_made_is_found() -> None:
    call = {"name": "area", "args": {"lake": "Thun"}, "id": "1"}
    said = Returned("an answer", [], ("Yes",))
    with pytest.raises(Broken, match="more calls than were made"):
        how_it_is_taken(said, lambda: [AIMessage("Yes", tool_calls=[call])])


def test_what_is_lost_is_found() -> None:
    made = Returned("a call", [], (Called("area", "Thun", "48"),))
    with pytest.raises(Broken, match="do not contain"):
        how_it_is_taken(made, lambda: [AIMessage("area")])
