"""The loop runs offline, with a scripted model."""

import pytest

from agent_parsers.testing import ScriptedModel, assert_same_events
from harbour.agent import parser, run

TURN = "Note: the tide, then.\nOrder: tides\nDetails: Hull"


def test_it_asks_a_tool_and_answers():
    model = ScriptedModel([TURN, "Radio: At 20:21."])
    assert run(model, "When is high water at Hull?") == "At 20:21."
    model.assert_done()
    assert "Echo: high water at 07:55 and 20:21" in model.calls[1].prompt


def test_an_invented_observation_is_cut_off():
    model = ScriptedModel([f"{TURN}\nEcho: it is high now\nRadio: Now.", "Radio: At 20:21."])
    assert run(model, "When is high water at Hull?") == "At 20:21."
    assert "it is high now" not in model.calls[1].prompt


def test_a_wrong_name_is_reported_and_tried_again():
    model = ScriptedModel(["Order: tide\nDetails: Hull", TURN, "Radio: At 20:21."])
    assert run(model, "When is high water at Hull?") == "At 20:21."
    assert "There is no tool 'tide'. Did you mean 'tides'?" in model.calls[1].prompt


def test_a_server_that_does_not_answer_is_the_callers_business():
    with pytest.raises(ConnectionError):
        run(ScriptedModel([TURN, ConnectionError("no carrier")]), "When is high water at Hull?")


def test_a_model_that_never_answers_is_stopped():
    with pytest.raises(TimeoutError, match="no answer after 8 turns"):
        run(ScriptedModel([TURN] * 8), "When is high water at Hull?")


@pytest.mark.parametrize("cut", ["tokens", 1, [3, 5], "whole"])
def test_a_stream_gives_the_same_events_however_it_is_cut(cut):
    model = ScriptedModel([TURN])
    assert_same_events(parser.events(model.stream("", cut=cut)), parser.events([TURN]))
