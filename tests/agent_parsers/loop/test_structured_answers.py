"""Structured answers in the loop: how they are asked for, given, refused and shown."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Never

import pytest
from langchain_core.language_models import GenericFakeChatModel
from pydantic import BaseModel, field_validator
from typing_extensions import TypedDict

from agent_parsers import (
    AgentAction,
    AgentFinish,
    Finish,
    OutputParserException,
    ToolSet,
    get_parser,
    list_dialects,
    run_agent,
)
from agent_parsers.loop import Asking
from agent_parsers.testing import ScriptedModel
from agent_parsers.toolset import AnswerError, ToolInputError
from output_parsers import (
    AutoStrategy,
    ModelRefusalError,
    MultipleStructuredOutputsError,
    ProviderStrategy,
    StructuredOutputValidationError,
    ToolStrategy,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


class Contact(BaseModel):
    """How to reach somebody."""

    name: str
    mail: str

    @field_validator("mail")
    @classmethod
    def _check(cls, mail: str) -> str:
        if "@" not in mail:
            raise ValueError("a mail has an @")
        return mail


class Meeting(BaseModel):
    """When people meet."""

    day: str


@dataclass
class Lake:
    """A lake."""

    name: str
    km2: float


class Row(TypedDict):
    """A row."""

    key: str


SCHEMA: Final = {
    "title": "count",
    "description": "A number.",
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
}
ADA: Final = {"name": "Ada", "mail": "ada@example.org"}


def area(lake: str) -> str:
    """Tells how large a lake is."""
    return f"{lake}: 48 km2"


class Client:
    """A chat client with scripted replies, which keeps what it was asked."""

    def __init__(self, *replies: Any) -> None:
        self._replies = iter(replies)
        self.asked: list[dict[str, Any]] = []

    def create(
        self,
        *,
        messages: list[Any],
        tools: Any = None,
        tool_choice: Any = None,
        response_format: Any = None,
        stream: bool = False,
    ) -> Any:
        names = [tool["function"]["name"] for tool in tools or ()]
        self.asked.append(
            {"messages": messages, "tools": names, "choice": tool_choice, "form": response_format}
        )
        reply = next(self._replies)
        return chunks(reply) if stream else reply


def call(name: str, arguments: Any, number: int = 1) -> dict[str, Any]:
    written = arguments if isinstance(arguments, str) else json.dumps(arguments)
    function = {"name": name, "arguments": written}
    return {"id": f"call_{number}", "type": "function", "function": function}


def reply(*calls: Any, content: str | None = None, ended: str = "") -> dict[str, Any]:
    message = {"role": "assistant", "content": content, "tool_calls": list(calls) or None}
    ended = ended or ("tool_calls" if calls else "stop")
    return {"choices": [{"index": 0, "message": message, "finish_reason": ended}]}


def chunks(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a reply in pieces of three characters."""
    choice = whole["choices"][0]
    text = choice["message"]["content"] or ""
    deltas: list[dict[str, Any]] = [{"content": text[at : at + 3]} for at in range(0, len(text), 3)]
    for index, each in enumerate(choice["message"]["tool_calls"] or ()):
        name, written = each["function"]["name"], each["function"]["arguments"]
        begun = {**each, "index": index, "function": {"name": name, "arguments": ""}}
        deltas.append({"tool_calls": [begun]})
        for at in range(0, len(written), 3):
            piece = {"index": index, "function": {"arguments": written[at : at + 3]}}
            deltas.append({"tool_calls": [piece]})
    for delta in deltas:
        yield {"choices": [{"index": 0, "delta": delta}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}


# -- what is asked -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output_type", "name", "arguments", "output"),
    [
        (Contact, "Contact", ADA, Contact(**ADA)),
        (Lake, "Lake", {"name": "Thun", "km2": 48}, Lake("Thun", 48.0)),
        (Row, "Row", {"key": "a"}, {"key": "a"}),
        (SCHEMA, "count", {"n": "3"}, {"n": 3}),
        (Contact | Meeting, "Meeting", {"day": "Monday"}, Meeting(day="Monday")),
        (list[Lake], "answer", {"answer": [{"name": "Thun", "km2": 48}]}, [Lake("Thun", 48.0)]),
        (int, "answer", {"answer": 7}, 7),
        (Contact | None, "answer", {"answer": None}, None),
        (Literal["yes", "no"], "answer", {"answer": "Yes"}, "yes"),
        ({"type": "array", "items": {"type": "integer"}}, "answer", {"answer": [1]}, [1]),
    ],
)
@pytest.mark.parametrize("way", ["parser", "plain", "auto", "stream"])
def test_a_client_that_takes_tools_gets_the_answer_as_one(
    output_type: Any, name: str, arguments: Any, output: Any, way: str
) -> None:
    client = Client(reply(call(name, arguments)))
    parser: Any = "tools"
    asked = {"output_type": output_type}
    if way == "parser":
        parser, asked = get_parser("tools", output_type=output_type), {}
    elif way == "auto":
        asked = {"output_type": AutoStrategy(output_type)}
    events: list[Any] = []
    on_event = events.append if way == "stream" else None
    run: Any = run_agent(client.create, "Who?", parser, [area], on_event=on_event, **asked)
    assert run.output == output
    assert type(run.output) is type(output)
    assert run.steps == []
    (request,) = client.asked
    assert name in request["tools"]
    assert request["tools"][0] == "area"
    assert (request["choice"], request["form"]) == ("required", None)
    if way == "stream":
        assert [each.finish for each in events if isinstance(each, Finish)] == [run.finish]


def test_a_type_that_takes_text_needs_no_tool() -> None:
    for output_type in (str, str | Contact, None):
        client = Client(reply(content="Ada"))
        run: Any = run_agent(client.create, "Who?", "tools", [area], output_type=output_type)
        assert run.output == "Ada"
        assert client.asked[0]["tools"] == ["area"]
        assert client.asked[0]["choice"] is None


def test_a_provider_gets_the_schema() -> None:
    client = Client(reply(call("area", {"lake": "Thun"})), reply(content=json.dumps(ADA)))
    run: Any = run_agent(
        client.create, "Who?", "tools", [area], output_type=ProviderStrategy(Contact, strict=True)
    )
    assert run.output == Contact(**ADA)
    form = client.asked[0]["form"]
    assert form == ProviderStrategy(Contact, strict=True).to_model_kwargs()["response_format"]
    assert client.asked[1]["tools"] == ["area"]


def test_other_clients_get_it_in_their_own_words() -> None:
    asked: list[dict[str, Any]] = []
    text = json.dumps(ADA)

    def responses(
        *,
        input: Any,  # noqa: A002
        instructions: str = "",
        tools: Any = None,
        **more: Any,
    ) -> Any:
        asked.append({"tools": tools, **more})
        part = {"type": "output_text", "text": text}
        said = {"type": "message", "role": "assistant", "content": [part]}
        return {"object": "response", "output": [said], "status": "completed"}

    def anthropic(
        *, messages: Any, stop_sequences: Any = (), system: str = "", tools: Any = None, **more: Any
    ) -> Any:
        asked.append({"tools": tools, **more})
        content = [{"type": "text", "text": text}]
        return {"role": "assistant", "content": content, "stop_reason": "end_turn"}

    def ollama(*, messages: Any, tools: Any = None, format: Any = None) -> Any:  # noqa: A002
        asked.append({"tools": tools, "format": format})
        return {"message": {"role": "assistant", "content": text}, "done_reason": "stop"}

    for model in (responses, anthropic, ollama):
        run: Any = run_agent(model, "Who?", "tools", [area], output_type=ProviderStrategy(Contact))
        assert run.output == Contact(**ADA)
        run = run_agent(model, "Who?", "tools", [area], output_type=Contact)  # as text nevertheless
        assert run.output == Contact(**ADA)
    schema = Contact.model_json_schema()
    form = {"type": "json_schema", "schema": schema}
    assert asked[0]["text"] == {"format": {"name": "Contact", **form}}
    assert asked[1]["tool_choice"] == "required"
    assert asked[2]["output_config"] == {"format": form}
    assert asked[3]["tool_choice"] == {"type": "any"}
    assert asked[4]["format"] == schema
    assert asked[5]["format"] is None


def test_a_model_of_langchain_gets_it() -> None:
    bound: list[dict[str, Any]] = []

    class Model(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **more: Any) -> Any:
            bound.append({"tools": [each["function"]["name"] for each in tools], **more})
            return self.bind(tools=tools)

    from langchain_core.messages import AIMessage

    for strategy in (ToolStrategy(Contact), Contact):
        said = AIMessage("", tool_calls=[{"name": "Contact", "args": ADA, "id": "1"}])
        run: Any = run_agent(
            Model(messages=iter([said])), "Who?", "tools", [area], output_type=strategy
        )
        assert run.output == Contact(**ADA)
        assert bound.pop() == {"tools": ["area", "Contact"], "tool_choice": "any"}
    model = Model(messages=iter([AIMessage(json.dumps(ADA))]), profile={"structured_output": True})
    run = run_agent(model, "Who?", "tools", [area], output_type=Contact)
    assert run.output == Contact(**ADA)
    asked = bound.pop()
    assert asked["tools"] == ["area"]
    assert asked["response_format"]["json_schema"]["name"] == "Contact"


def test_what_cannot_be_asked_for() -> None:
    def model(prompt: Any, tools: Any = None) -> str:
        return "x"

    with pytest.raises(TypeError, match="needs a response format, but model takes none"):
        run_agent(model, "Who?", "tools", [area], output_type=ProviderStrategy(Contact))
    with pytest.raises(TypeError, match="a ProviderStrategy only works with native calls"):
        run_agent(model, "Who?", "react", [area], output_type=ProviderStrategy(Contact))
    with pytest.raises(
        ValueError, match="answers by calling 'Contact', but a tool of the agent has this"
    ):
        run_agent(model, "Who?", "tools", [Contact], output_type=Contact)
    with pytest.raises(TypeError, match="says how to ask for an answer: pass it to"):
        get_parser("tools", output_type=ToolStrategy(Contact))
    with pytest.raises(ValueError, match="or the name of a tool, not 'aera'; the tools are area"):
        run_agent(model, "Who?", "tools", [area], tool_choice="aera")


# -- what is answered ----------------------------------------------------------------------------

GOOD: Final = call("Contact", ADA)
BAD: Final = call("Contact", {"name": "Ada"})
WRONG: Final = call("Contact", {"name": "Ada", "mail": "none"})
OTHER: Final = call("Meeting", {"day": "Monday"}, 2)
EITHER: Final = Contact | Meeting


@pytest.mark.parametrize("calls", [(BAD,), (WRONG,), (GOOD, OTHER)])
@pytest.mark.parametrize("content", [None, "Here it is."])
def test_a_bad_answer_is_handled_as_the_strategy_says(calls: Any, content: str | None) -> None:
    kind = StructuredOutputValidationError if len(calls) == 1 else MultipleStructuredOutputsError
    first = reply(*calls, content=content)

    def run(handle_errors: Any) -> Any:
        client = Client(first, reply(GOOD))
        strategy = ToolStrategy(EITHER, handle_errors=handle_errors)
        run: Any = run_agent(client.create, "Who?", "tools", [area], output_type=strategy)
        assert run.output == Contact(**ADA)
        (told, *others) = [each for each in client.asked[1]["messages"] if each["role"] == "tool"]
        assert len(others) == len(calls) - 1
        return told["content"]

    assert "Contact" in run(True)
    assert run("Try again.") == "Try again."
    assert run(kind) == run((KeyError, kind)) == run(True)
    assert run(lambda error: type(error).__name__) == kind.__name__
    for refusing in (False, KeyError, (KeyError, TypeError)):
        with pytest.raises(kind) as raised:
            run(refusing)
        assert raised.value.ai_message.tool_calls
        assert raised.value.run.steps == []


def test_a_message_beside_the_answer_is_what_the_strategy_says() -> None:
    client = Client(reply(call("area", {"lake": "Thun"}, 2), GOOD))
    strategy = ToolStrategy(Contact, tool_message_content="Noted.")
    run: Any = run_agent(client.create, "Who?", "tools", [area], output_type=strategy)
    assert run.output == Contact(**ADA)
    assert [(action.tool, seen) for action, seen in run.steps] == [
        ("area", "Thun: 48 km2"), ("Contact", "Noted."),
    ]  # fmt: skip
    calls, *results, last = run.messages[1:]
    assert [each["name"] for each in calls.tool_calls] == ["area", "Contact"]
    assert [each.tool_call_id for each in results] == ["call_2", "call_1"]
    assert json.loads(last.text) == ADA
    again = Client(reply(GOOD))
    assert run_agent(again.create, "And?", "tools", [area], history=run, output_type=strategy)


def test_nothing_runs_beside_answers_that_cannot_be_used() -> None:
    ran: list[str] = []

    def note(text: str) -> str:
        """Takes a note."""
        ran.append(text)
        return "done"

    for calls in ((BAD,), (GOOD, OTHER)):
        client = Client(reply(call("note", {"text": "x"}, 3), *calls), reply(GOOD))
        run: Any = run_agent(client.create, "Who?", "tools", [note], output_type=EITHER)
        assert run.output == Contact(**ADA)
        assert ran == []


def test_an_answer_as_text_is_read_or_told_to_be_a_call() -> None:
    client = Client(reply(content="Ada, I think."), reply(content=json.dumps(ADA)))
    run: Any = run_agent(client.create, "Who?", "tools", [area], output_type=Contact)
    assert run.output == Contact(**ADA)
    (error,) = run.steps
    assert isinstance(error, AnswerError)
    assert error.observation == (
        'Your answer is not right:\n- the answer: expected an object, found "Ada, I think."\n'
        "Give your final answer by calling Contact."
    )
    client = Client(reply(content="Ada, I think."))
    strategy = ToolStrategy(Contact, handle_errors=False)
    with pytest.raises(StructuredOutputValidationError, match="for Contact: the answer has"):
        run_agent(client.create, "Who?", "tools", [area], output_type=strategy)


def test_a_refusal_is_no_answer() -> None:
    refused = reply()
    refused["choices"][0]["message"]["refusal"] = "I cannot do that."
    for strategy in (ToolStrategy(Contact), ProviderStrategy(Contact)):
        with pytest.raises(ModelRefusalError):
            run_agent(Client(refused).create, "Who?", "tools", [area], output_type=strategy)


def test_half_an_answer_is_none() -> None:
    written = json.dumps(ADA)
    for at in range(len(written)):
        cut = reply(call("Contact", written[:at]), ended="length")
        client = Client(cut, reply(GOOD))
        run: Any = run_agent(client.create, "Who?", "tools", [area], output_type=Contact)
        assert len(run.steps) == 1
        assert isinstance(run.steps[0], OutputParserException)


@pytest.mark.parametrize("name", list_dialects())
def test_every_dialect_gives_an_answer_by_a_call(name: str) -> None:
    if name in ("smolagents_code", "self_ask"):
        pytest.skip("it has one tool, which is not named")
    parser: Any = get_parser(name, tools=[area, Contact])
    right = parser.render(AgentAction("Contact", ADA, ""))
    wrong = right.replace(ADA["mail"], "none")
    text = parser.render(AgentFinish({"output": "Ada"}, ""))
    for said, kinds in (([right], []), ([wrong, text, right], [ToolInputError, AnswerError])):
        model = ScriptedModel(said)
        strategy = ToolStrategy(Contact)
        run: Any = run_agent(model, "Who?", name, [area], output_type=strategy)
        assert run.output == Contact(**ADA)
        assert [type(step) for step in run.steps] == kinds
        told = "Give your final answer by calling Contact."
        assert told in str(model.calls[0].prompt)
        assert "Ada" not in str(model.calls[0].prompt)


# -- the answer while it arrives -----------------------------------------------------------------


@pytest.mark.parametrize("output_type", [Contact, ProviderStrategy(Contact), list[Contact]])
def test_the_answer_is_seen_while_it_grows(output_type: Any) -> None:
    data: Any = [ADA, ADA] if output_type == list[Contact] else ADA
    if isinstance(output_type, ProviderStrategy):
        said = reply(content=json.dumps(data))
    elif data is ADA:
        said = reply(GOOD)
    else:
        said = reply(call("answer", {"answer": data}))
    seen: list[Any] = []
    run: Any = run_agent(
        Client(reply(call("area", {"lake": "Thun"})), said).create,
        "Who?", "tools", [area], output_type=output_type, on_partial=seen.append,
    )  # fmt: skip
    assert seen[-1] == data
    assert all(each is None or len(each) <= len(data) for each in seen)
    assert {"lake": "Thun"} not in seen
    assert len(seen) > 5
    assert run.output is not None


@pytest.mark.parametrize("name", ["react", "hermes", "json", "xml", "kimi_k2"])
def test_so_is_one_in_a_text(name: str) -> None:
    parser: Any = get_parser(name, tools=[area], output_type=Contact)
    written = parser.render(AgentFinish({"output": Contact(**ADA)}, ""))
    seen: list[Any] = []
    run: Any = run_agent(ScriptedModel([written]).stream, "Who?", parser, on_partial=seen.append)
    assert run.output == Contact(**ADA)
    assert not seen or seen[-1] == ADA
    assert seen or name == "json"  # in which the answer is a member of another object


# -- whether a tool is called --------------------------------------------------------------------


def test_the_model_may_call_no_tool_or_has_to_or_has_to_call_one() -> None:
    asked = call("area", {"lake": "Thun"})
    client = Client(reply(asked), reply(content="48"))
    run: Any = run_agent(client.create, "How large?", "tools", [area], tool_choice="none")
    assert (run.output, len(run.steps)) == ("48", 1)  # the call is an error
    assert [each["choice"] for each in client.asked] == ["none", "none"]
    assert client.asked[0]["tools"] == ["area"]

    client = Client(reply(content="48"), reply(asked), reply(asked))
    with pytest.raises(RuntimeError, match="no answer after 3 turns") as raised:
        run_agent(client.create, "How large?", "tools", [area], tool_choice="required", max_turns=3)
    steps = raised.value.run.steps
    assert [type(step) for step in steps] == [AnswerError, tuple, tuple]
    assert client.asked[0]["choice"] == "required"
    assert client.asked[1]["messages"][-1]["content"].startswith("Your answer is not right")

    client = Client(reply(call("depth", {"lake": "Thun"})), reply(asked))
    tools = ToolSet([area, depth])
    with pytest.raises(RuntimeError, match="no answer after 2 turns") as raised:
        run_agent(client.create, "How large?", "tools", tools, tool_choice="area", max_turns=2)
    assert [type(step) for step in raised.value.run.steps][1:] == [tuple]
    assert client.asked[0]["choice"] == {"type": "function", "function": {"name": "area"}}
    assert client.asked[0]["tools"] == ["area", "depth"]


def depth(lake: str) -> str:
    """Tells how deep a lake is."""
    return f"{lake}: 217 m"


@pytest.mark.parametrize("name", ["react", "hermes", "json_chat"])
def test_so_in_a_text(name: str) -> None:
    parser: Any = get_parser(name, tools=[area, depth])
    calls = [parser.render(AgentAction(tool, {"lake": "Thun"}, "")) for tool in ("depth", "area")]
    answer = parser.render(AgentFinish({"output": "48"}, ""))
    model = ScriptedModel([calls[0], answer])
    run: Any = run_agent(model, "How large?", name, [area, depth], tool_choice="none")
    assert (run.output, len(run.steps)) == ("48", 1)
    assert "area" not in str(model.calls[0].prompt)
    model = ScriptedModel([answer, *calls])
    with pytest.raises(RuntimeError, match="no answer after 3 turns") as raised:
        run_agent(model, "How large?", name, [area, depth], tool_choice="area", max_turns=3)
    steps = raised.value.run.steps
    assert [isinstance(step, tuple) for step in steps] == [False, False, True]
    assert "depth" not in str(model.calls[0].prompt)


def test_a_turn_without_an_answer_is_asked_for_by_its_type() -> None:
    client = Client(reply(content="48"), reply(call("area", {"lake": "Thun"})))
    with pytest.raises(RuntimeError, match="no answer after 2 turns"):
        run_agent(client.create, "Go on.", "tools", [area], output_type=Never, max_turns=2)
    assert client.asked[0]["tools"] == ["area"]


# -- what a fresh look found ---------------------------------------------------------------------


def test_a_schema_counts_as_a_whole() -> None:
    number = {"type": "integer"}
    parts = [
        {"title": name, "type": "object", "properties": {key: number}, "required": [key]}
        for name, key in (("A", "a"), ("B", "b"))
    ]
    whole = {
        "type": "object", "properties": {"id": number}, "required": ["id"], "oneOf": parts,
    }  # fmt: skip
    nested = {"type": "array", "items": {"anyOf": [number, {"$ref": "#"}]}}
    either = {"anyOf": [number, {"type": "array", "items": {"$ref": "#"}}]}
    named = {
        "type": "array", "items": {"$ref": "#/definitions/n"}, "definitions": {"n": number},
    }  # fmt: skip
    for schema, right, wrong in (
        (whole, {"a": 1, "id": 3}, {"a": 1}),
        (nested, [1, [2]], [{"answer": 1}]),
        (either, [1, [2]], [{"answer": 1}]),
        (named, [1], ["x"]),
    ):
        client = Client(
            reply(call("answer", {"answer": wrong})), reply(call("answer", {"answer": right}))
        )
        run: Any = run_agent(client.create, "?", "tools", [area], output_type=schema)
        assert (run.output, len(run.steps)) == (right, 1)


def test_a_bad_answer_is_checked_where_bad_calls_are_returned() -> None:
    named: list[tuple[Any, str]] = [(Contact, "Contact"), (SCHEMA, "count"), (list[int], "answer")]
    for output_type, name in named:
        asking = Asking("tools", "?", tools=[area], on_bad_call="return", output_type=output_type)
        asking.request()
        asking.feed(reply(call("nope", {}, 1), call(name, {"n": "-5 or so"}, 2)))
        asking.close()
        assert not asking.is_done
        assert len(asking.steps) == 1
        asking.request()
        asking.feed(reply(call("nope", {}, 1)))
        asking.close()
        assert [each["name"] for each in asking.message.tool_calls] == ["nope"]


@pytest.mark.parametrize(
    ("output_type", "text"), [(int, "48"), (Literal["a", "ab"], "a"), (float, "4.5")]
)
def test_half_a_value_is_no_answer(output_type: Any, text: str) -> None:
    client = Client(reply(content=text, ended="length"), reply(call("answer", {"answer": text})))
    run: Any = run_agent(
        client.create, "?", "tools", [area], output_type=output_type, on_cut="return"
    )
    assert len(run.steps) == 1


def test_the_earlier_answer_is_shown_as_data() -> None:
    written = json.dumps({"name": "Thun", "km2": 48.0})
    first: Any = run_agent(
        ScriptedModel([f"Final Answer: {written}"]), "?", "react", [area], output_type=Lake
    )
    assert first.output == Lake("Thun", 48.0)
    for name in ("react", "hermes", "json"):
        prompt = str(get_parser(name, tools=[area]).render_prompt("And?", history=first))
        assert "Lake(" not in prompt
        assert "Thun" in prompt


def test_a_run_that_a_tool_ends_has_no_answer() -> None:
    def fails(lake: str) -> str:
        """Fails."""
        raise LookupError(lake)

    client = Client(reply(call("fails", {"lake": "x"}, 2), GOOD))
    with pytest.raises(LookupError) as raised:
        run_agent(client.create, "?", "tools", [fails], output_type=Contact)
    run = raised.value.run
    assert (run.finish, run.steps) == (None, [])


def test_words_beside_an_answer_are_kept() -> None:
    run: Any = run_agent(
        Client(reply(GOOD, content="Here it is.")).create, "?", "tools", [], output_type=Contact
    )
    assert run.contents == ["Here it is."]


def test_requests_do_not_contradict_themselves() -> None:
    client = Client(reply(GOOD))
    run_agent(client.create, "?", "tools", [area], output_type=Contact, tool_choice="none")
    assert (client.asked[0]["tools"], client.asked[0]["choice"]) == (["Contact"], "required")
    client = Client(reply(call("area", {"lake": "x"})), reply(GOOD))
    run_agent(client.create, "?", "tools", [area], output_type=Contact, tool_choice="required")
    assert "do not answer" not in str(client.asked[0]["messages"])
    with pytest.raises(ValueError, match="the tools are Contact"):
        run_agent(client.create, "?", "tools", [area], output_type=Contact, tool_choice="area")


def test_names_of_answers_are_those_that_apis_take() -> None:
    long = {**SCHEMA, "title": "My schema! " + "x" * 80}
    for output_type in (long, {**SCHEMA, "title": "é"}):
        client = Client(reply(call("?", {"n": 1})))
        with pytest.raises(OutputParserException):
            run_agent(client.create, "?", "tools", [], output_type=output_type, max_retries=0)
        (name,) = client.asked[0]["tools"]
        assert name.replace("_", "").isalnum()
        assert name.isascii()
        assert len(name) <= 64


def test_two_answers_whose_tools_would_have_one_name_are_refused() -> None:
    """None of them is left out: as an answer of one tool, the model can still give either."""
    either = {"oneOf": [{**SCHEMA, "title": title} for title in ("city info", "city?info")]}
    with pytest.raises(ValueError, match="two schemas make a tool 'city_info'"):
        Asking("tools", "?", tools=[], output_type=ToolStrategy(either))
    asking = Asking("tools", "?", tools=[], output_type=either)
    tools = asking.request().tools
    assert tools is not None
    assert [*tools.names] == ["answer"]


def test_a_strategy_of_langchain_is_taken() -> None:
    from langchain.agents.structured_output import ToolStrategy as Theirs

    run: Any = run_agent(Client(reply(GOOD)).create, "?", "tools", [], output_type=Theirs(Contact))
    assert run.output == Contact(**ADA)


def test_a_union_is_asked_for_with_tools_where_the_provider_takes_one_schema() -> None:
    def model(messages: Any, *, tools: Any = None, response_format: Any = None) -> Any:
        assert sorted(tool["function"]["name"] for tool in tools) == ["Contact", "Meeting"]
        assert response_format is None
        call = {"id": "1", "function": {"name": "Meeting", "arguments": '{"day": "Monday"}'}}
        return {"role": "assistant", "content": None, "tool_calls": [{**call, "type": "function"}]}

    for asked in (Contact | Meeting, AutoStrategy(Contact | Meeting)):
        run = run_agent(model, "When?", "tools", [], output_type=asked)
        assert run.output == Meeting(day="Monday")


def test_of_several_answers_each_gets_the_error_and_no_other_call_does() -> None:
    def area(lake: str) -> str:
        """The area of a lake."""
        return lake

    asked: list[Any] = []

    def model(messages: Any, *, tools: Any = None) -> Any:
        asked.append(messages)
        names = ["area", "Meeting", "Meeting"] if len(asked) == 1 else ["Meeting"]
        given = {"area": '{"lake": "Thun"}', "Meeting": '{"day": "Monday"}'}
        calls = [
            {"id": str(at), "type": "function", "function": {"name": n, "arguments": given[n]}}
            for at, n in enumerate(names)
        ]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    run_agent(model, "When?", "tools", [area], output_type=ToolStrategy(Meeting))
    told = {m["tool_call_id"]: m["content"] for m in asked[1] if m["role"] == "tool"}
    assert told["0"].startswith("Not run")
    assert told["1"] == told["2"]
    assert "multiple structured responses" in told["1"]
