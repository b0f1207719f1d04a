"""Real clients before a face of `agent-parsers serve`, without a server or a model between them."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from importlib import import_module
from itertools import groupby
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from pydantic import BaseModel

from agent_parsers.loop import Asking
from agent_serving.serve.exchange.events import ReplyCall, ReplyEnd, ReplyFailure, ReplyText

if TYPE_CHECKING:
    from agent_serving.serve.exchange.events import Asked, Face, ReplyWriter, ServerEvent

USAGE: Any = {
    "input_tokens": 21, "output_tokens": 8, "total_tokens": 29,
    "input_token_details": {"cache_read": 5}, "output_token_details": {"reasoning": 3},
}  # fmt: skip
DIALECTS = ("hermes", "react", "qwen3_coder", "mistral", "tools")


class Faced:
    """A transport whose server is a face, and whose model says what it is told.

    Args:
        library: The client library; its HTTP library is used.
        face: The face.
    """

    def __init__(self, library: Any, face: Face) -> None:
        kind = next(
            base for base in library.DefaultHttpxClient.__mro__ if base.__name__ == "Client"
        )
        self._http = import_module(kind.__module__.partition(".")[0])
        self._face = face
        self.said: list[Any] = []
        """What the model says next, and how it ends."""
        self.asked: Asked
        """What was asked last."""
        self.body: Any = None
        """The request, as the client wrote it."""
        self.writer: ReplyWriter
        """What wrote the last reply."""

    def client(self, make: Any) -> Any:
        """Return a client that uses this transport."""
        http = self._http.Client(transport=self._http.MockTransport(self._answer))
        return make(api_key="none", base_url="http://test.invalid", http_client=http, max_retries=0)

    def _answer(self, request: Any) -> Any:
        self.body = json.loads(request.content)
        try:
            self.asked = self._face.read(self.body)
        except ValueError as error:
            return self._whole(request, 400, self._face.error(ReplyFailure(400, str(error))))
        if isinstance(failed := self.said[0], ReplyFailure):
            return self._whole(request, failed.status, self._face.error(failed))
        self.writer = self._face.writer(self.asked)
        events = written(self.writer, self.said)
        if not self.asked.stream:
            return self._whole(request, 200, self.writer.whole)
        return self._http.Response(
            200,
            headers={"content-type": "text/event-stream"},
            content="".join(f"event: {name}\ndata: {data}\n\n" for name, data in events),
            request=request,
        )

    def _whole(self, request: Any, status: int, body: Any) -> Any:
        return self._http.Response(status, json=body, request=request)


def written(writer: ReplyWriter, said: Iterable[Any]) -> list[ServerEvent]:
    """Return the events of a reply."""
    events = writer.begin()
    for each in said:
        match each:
            case ReplyText():
                events += writer.say(each)
            case ReplyCall():
                events += writer.call(each)
            case ReplyEnd():
                events += writer.end(each)
            case ReplyFailure():
                events += writer.fail(each)
    return events


def asked_again(asked: Asked, dialect: str) -> Any:
    """Return the prompt that a model of *dialect* gets, as the server makes it."""
    asking = Asking(
        dialect,
        None,
        tools=asked.tools,
        history=asked.history,
        system=asked.system,
        tool_choice=asked.tool_choice,
        parallel=asked.parallel,
        plain=dialect != "tools",
    )
    return asking.request().prompt


def read_or_refused(face: Face, body: Any) -> Asked | None:
    """Return what is asked, if it is, and check that a model can be asked, or an error says why."""
    told = ""
    try:
        asked = face.read(body)
    except ValueError as error:
        told = str(error)
        asked = None
    else:
        json.dumps(asked.history)
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", ".* cannot write a past call")
                asked_again(asked, "hermes")
        except (TypeError, ValueError) as error:
            told = str(error)
    assert asked is not None or told
    return asked


def blocks_of(said: Iterable[Any]) -> list[tuple[str, Any]]:
    """Return what is *said* as blocks: texts of one kind are joined, and white space is none."""
    blocks: list[tuple[str, Any]] = []
    spoken = [it for it in said if getattr(it, "text", True)]
    for kind, each in groupby(spoken, key=lambda it: getattr(it, "kind", type(it).__name__)):
        run = [*each]
        if isinstance(run[0], ReplyCall):
            blocks += [("call", (it.id, it.name, json.loads(it.arguments))) for it in run]
        elif isinstance(run[0], ReplyText):
            text = "".join(it.text for it in run)
            if blocks and blocks[-1][0] == kind:
                blocks.append((kind, blocks.pop()[1] + text))
            elif text.strip():
                blocks.append((kind, text))
    return blocks


def unknown_in(value: Any) -> set[str]:
    """Return the fields in a *value* of a client's type that the client does not know."""
    if isinstance(value, BaseModel):
        inner = [*dict(value).values()]
        return {*(value.model_extra or ())}.union(*map(unknown_in, inner))
    return set().union(*map(unknown_in, value)) if isinstance(value, list) else set()


def asked_in_all(asked: Asked, said: Iterable[Any]) -> None:
    """Check that what was *said* after the first message is asked of models of all dialects."""
    blocks = blocks_of(said)
    texts = {
        kind: "\n\n".join(it for block, it in blocks if block == kind)
        for kind in ("thought", "content")
    }
    calls = [it for block, it in blocks if block == "call"]
    messages = asked.history[1:-1]
    assert [message["role"] for message in messages] == (
        ["assistant", *("tool" for _ in calls)] if blocks else []
    )
    if blocks:
        message = messages[0]
        assert message["content"] == texts["content"]
        assert message.get("reasoning_content", "") == texts["thought"]
        assert calls == [
            (call["id"], call["function"]["name"], json.loads(call["function"]["arguments"]))
            for call in message.get("tool_calls", ())
        ]
        assert [result["tool_call_id"] for result in messages[1:]] == [call[0] for call in calls]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* cannot write a past call")
        for dialect in DIALECTS:
            assert asked_again(asked, dialect)


def spoil(body: Any, data: st.DataObject) -> None:
    """Put something else in a place of *body*, or leave out what is there."""
    place = body
    while True:
        keys: list[Any] = [*place] if isinstance(place, dict) else [*range(len(place))]
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        if not isinstance(place[key], dict | list) or data.draw(st.booleans()):
            break
        place = place[key]
    if isinstance(place, dict) and data.draw(st.booleans()):
        del place[key]
        return
    place[key] = data.draw(
        st.recursive(
            st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=3)),
            lambda inner: st.one_of(
                st.lists(inner, max_size=2),
                st.dictionaries(st.sampled_from(("type", "name", "role", "x")), inner, max_size=2),
            ),
            max_leaves=4,
        )
    )


_TEXTS = st.one_of(
    st.sampled_from(
        ("", " ", "\n\n", "Thun", "\u2028", "湖 🎈", 'say "hi"\\', "data: x\n\nevent: y")
    ),
    st.text(max_size=9),
)
_SAID = st.builds(ReplyText, st.sampled_from(("thought", "content")), _TEXTS)
_ARGUMENTS = st.dictionaries(
    st.sampled_from(("lake", "unit", "näme", "a b")),
    st.one_of(_TEXTS, st.integers(), st.none(), st.lists(_TEXTS, max_size=2)),
)


@st.composite
def replies(draw: st.DrawFn) -> list[Any]:
    """Return what a model says, in any order, with the end of it."""
    said: list[Any] = draw(
        st.lists(st.one_of(_SAID, _SAID, st.builds(dict, arguments=_ARGUMENTS)), max_size=9)
    )
    for place, each in enumerate(said):
        if isinstance(each, dict):
            name = draw(st.sampled_from(("area", "depth")))
            given = json.dumps(each["arguments"], ensure_ascii=draw(st.booleans()))
            said[place] = ReplyCall(f"call{place:05}", name, given)
    is_called = any(isinstance(each, ReplyCall) for each in said)
    reason: Any = draw(st.sampled_from(("length", "tool_calls" if is_called else "stop")))
    return [*said, ReplyEnd(reason, draw(st.sampled_from((None, USAGE))))]
