"""How a response ended: with an error of the service, cut short, or with several choices."""

import json
from typing import Any

import pytest

from agent_runs import read_runs

from .data_logs import only

ASKED = {"messages": [{"role": "user", "content": "Which?"}]}
CONTENTS = {"contents": [{"role": "user", "parts": [{"text": "Which?"}]}]}


def choice(text: str = "May.", **more: Any) -> dict[str, Any]:
    return {"message": {"role": "assistant", "content": text}, **more}


def candidate(text: str = "May.", **more: Any) -> dict[str, Any]:
    return {"content": {"role": "model", "parts": [{"text": text}]}, **more}


def claude(**more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": "May."}]
    return {"type": "message", "role": "assistant", "content": content, **more}


def notices(run: Any) -> list[tuple[str, str]]:
    return [(each.kind, each.text or each.message) for each in run.notices]


LENGTH = ("cut_value", "the reply is cut short: length")
TOKENS = ("cut_value", "the reply is cut short: max_tokens")
ANOTHER = ("unowned_text", "dropped another choice in the response")
NO_END = ("cut_value", "the reply is cut short: the stream is incomplete")
UNANSWERED = ("no_answer", "the run ends without an answer")


@pytest.mark.parametrize(
    ("request_", "response", "told"),
    [
        (ASKED, {"choices": [choice(finish_reason="stop")]}, []),
        (ASKED, {"choices": [choice(finish_reason="length")]}, [LENGTH]),
        (ASKED, {"body": {"choices": [choice(finish_reason="length")]}}, [LENGTH]),
        (ASKED, {"choices": [choice(), choice("June.")]}, [ANOTHER]),
        (ASKED, {"choices": [choice()] * 3},
         [("unowned_text", "dropped 2 other choices in the response")]),
        (ASKED, claude(stop_reason="max_tokens"), [TOKENS]),
        (CONTENTS, {"candidates": [candidate(finishReason="MAX_TOKENS")]},
         [("cut_value", "the reply is cut short: MAX_TOKENS")]),
        (ASKED, {"choices": [choice(finish_reason="model_length")]},
         [("cut_value", "the reply is cut short: model_length")]),
        (ASKED, {"choices": [choice(finish_reason="our_own_word")]}, []),
        (ASKED, claude(stop_reason="end_turn"), []),
        (ASKED, claude(stop_reason="refusal"),
         [("cut_value", "the reply is cut short: refusal")]),
        (CONTENTS, {"candidates": [candidate(finishReason="PROHIBITED_CONTENT")]},
         [("cut_value", "the reply is cut short: PROHIBITED_CONTENT")]),
        (CONTENTS, {"candidates": [candidate(finishReason="STOP")]}, []),
        (CONTENTS, {"candidates": [candidate(), candidate("June.")]}, [ANOTHER]),
        (ASKED, {"error": {"message": "slow down"}},
         [("unowned_text", "slow down"), UNANSWERED]),
        (CONTENTS, {"error": "overloaded"}, [("unowned_text", "overloaded"), UNANSWERED]),
    ],
)  # fmt: skip
def test_the_end_of_a_response_is_told(request_: Any, response: Any, told: Any) -> None:
    run = only({"request": request_, "response": response})
    assert (run.question, notices(run)) == ("Which?", told)
    assert run.output == (None if UNANSWERED in told else "May.")
    if "choices" in response or "candidates" in response:
        assert notices(only({**request_, **response})) == told


def test_a_try_that_failed_is_told_in_the_run_of_the_next() -> None:
    failed = {"request": ASKED, "response": {"error": {"message": "slow down"}}}
    run = only([failed, {"request": ASKED, "response": {"choices": [choice()]}}])
    assert (run.output, notices(run)) == ("May.", [("unowned_text", "slow down")])
    cut = {"request": ASKED, "response": {"choices": [choice(finish_reason="length")]}}
    asked = [*ASKED["messages"], choice()["message"], {"role": "user", "content": "And?"}]
    later = {"request": {"messages": asked}, "response": {"choices": [choice("June.")]}}
    first, second = read_runs([cut, later])
    assert (first.output, notices(first)) == ("May.", [LENGTH])
    assert first.notices[0].step == 1
    assert (second.question, second.output, notices(second)) == ("And?", "June.", [])


# -- cassettes -------------------------------------------------------------------------------------


def cassette(body: str, status: int = 200) -> dict[str, Any]:
    asked = {"uri": "/v1", "body": json.dumps(ASKED)}
    told = {"status": {"code": status, "message": ""}, "body": {"string": body}}
    return {"interactions": [{"request": asked, "response": told}], "version": 1}


def stream(*events: dict[str, Any], end: str = "") -> str:
    return "".join(f"data: {json.dumps(each)}\n\n" for each in events) + end


def piece(text: str, index: int = 0, reason: str | None = None) -> dict[str, Any]:
    delta = {"role": "assistant", "content": text}
    return {"choices": [{"index": index, "delta": delta, "finish_reason": reason}]}


DONE = "data: [DONE]\n\n"
CLAUDE: list[dict[str, Any]] = [
    {"type": "message_start", "message": {
        "id": "m", "type": "message", "role": "assistant", "model": "c", "content": [],
        "usage": {}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "May."}},
    {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}, "usage": {}},
    {"type": "message_stop"},
]  # fmt: skip
OVERLOADED = {"type": "error", "error": {"type": "x", "message": "overloaded"}}


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (stream(piece("Ma"), piece("y.", reason="stop"), end=DONE), []),
        (stream(piece("Ma"), piece("y."), end=DONE), []),
        (stream(piece("Ma"), piece("y.", reason="length"), end=DONE), [LENGTH]),
        (stream(piece("Ma"), piece("y.")), [NO_END]),
        (stream(piece("Ma"), piece("Ju", 1), piece("y."), piece("ne.", 1), end=DONE), [ANOTHER]),
        (stream(*CLAUDE), [TOKENS]),
        (stream(*CLAUDE[:3]), [NO_END]),
        (stream(*CLAUDE[:3], OVERLOADED), [NO_END, ("unowned_text", "overloaded")]),
    ],
)
def test_the_end_of_a_stream_is_told(body: str, told: Any) -> None:
    run = only(cassette(body))
    assert (run.output, notices(run)) == ("May.", told)


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ('{"error": {"message": "slow down"}}', 429, "slow down"),
        ("<html>Bad Gateway</html>", 502, "502 <html>Bad Gateway</html>"),
        ('{"detail": "no"}', 500, '500 {"detail": "no"}'),
        ("", 503, "503"),
        (stream(OVERLOADED), 200, "overloaded"),
    ],
)
def test_an_error_of_a_service_is_told(body: str, status: int, error: str) -> None:
    run = only(cassette(body, status))
    assert (run.question, run.finish) == ("Which?", None)
    assert notices(run) == [("unowned_text", error), UNANSWERED]
