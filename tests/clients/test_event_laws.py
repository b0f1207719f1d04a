"""No half call, no dropped argument and no missing call in the events of any client.

A stream is cut behind every event, as texts are cut behind every character.
"""

from collections.abc import Iterable
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest

from agent_parsers import AgentAction, AgentFinish
from tests.helpers.deliveries import STREAMS, WHOLE
from tests.helpers.effort import THOROUGH
from tests.helpers.event_laws import (
    CLIENTS,
    LAWS,
    MODES,
    SETTINGS,
    Mode,
    Setting,
    Trial,
    otherwise,
    parser_of,
    reading,
    settings_of,
    wrong_answer,
    wrong_prefix,
    wrong_whole,
)
from tests.helpers.replies import SHAPES, Call

STEPS = {
    "no_half_call_of_events": 36,
    "a_begun_call_is_no_answer": 48,
    "what_says_nothing_changes_nothing": 48,
    "no_arguments_dropped": 8,
}
"""By default, one in this many of the cases of a law is tried."""


def assert_no_fault(trials: Iterable[Trial]) -> None:
    for trial in trials:
        if fault := trial.fault():
            given = [*trial.given]
            pytest.fail(f"{trial.kind}, {trial.how}: {fault}\n{given}", pytrace=False)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("law", "client", "mode"), [*product(LAWS, CLIENTS, MODES)])
def test_a_law_holds(law: str, client: str, mode: Mode) -> None:
    for setting in settings_of(law):
        if (setting.client, setting.mode) == (client, mode):
            assert_no_fault(LAWS[law](setting, 1 if THOROUGH else STEPS.get(law, 6)))


@pytest.mark.parametrize("client", STREAMS)
def test_what_is_delivered_says_the_reply(client: str) -> None:
    """Where each law begins: a reply with calls is read as these calls, whole and streamed."""
    setting = Setting(client, "lenient", "required")
    for reply in SHAPES["required"].replies()[:2]:
        first = next(iter(STREAMS[client].values()))
        meant = ("calls", [*reply.calls])
        assert reading(parser_of(setting), [WHOLE[client](reply)]) == meant
        assert reading(parser_of(setting), first(reply) or ()) == meant


def test_each_law_has_cases_for_every_client() -> None:
    for setting in SETTINGS[:: len(SHAPES)]:
        for law in LAWS:
            assert setting not in settings_of(law) or next(iter(LAWS[law](setting)), None)


class Careless:
    """A parser that makes the same of all events."""

    def __init__(self, result: Any) -> None:
        self.result = result

    def stream_parser(self) -> Any:
        return SimpleNamespace(feed=list, close=lambda ended: [], result=self.result)


def test_a_careless_parser_breaks_the_laws() -> None:
    meant = [Call("cleanup", {"path": "a", "force": True})]
    half = Careless([AgentAction(tool="cleanup", tool_input={"path": "a"}, log="")])
    other = Careless([AgentAction(tool="clock", tool_input=meant[0].input, log="")])
    same = Careless([AgentAction(tool="cleanup", tool_input={"force": 1, "path": "a"}, log="")])
    answer = Careless(AgentFinish({"output": "It is done."}, log=""))
    for parser in (half, other, same):
        assert wrong_prefix(parser, [], "unknown", meant)
        assert wrong_whole(parser, [], meant)
    for parser, others in ((half, []), (Careless([]), meant), (answer, meant)):
        assert wrong_whole(parser, [], others)
    assert wrong_answer(answer, [])
    assert not wrong_prefix(answer, [], "unknown", meant)
    assert not otherwise(half, [], {})
