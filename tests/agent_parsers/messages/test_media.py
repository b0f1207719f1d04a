"""Images and other files that tools return, in the messages of every API."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import dataclass
from typing import Any, Final

import pytest

from agent_parsers import (
    AgentFinish,
    get_parser,
    run_agent,
    to_anthropic,
    to_langchain,
    to_openai,
    to_openai_responses,
)
from agent_parsers.testing import ScriptedModel
from outputs.clients.media import MediaFile, parts_of

DATA: Final = b64encode(b"not really a picture").decode()
URL: Final = f"data:image/png;base64,{DATA}"
PNG: Final = MediaFile("image/png", DATA)
PDF: Final = MediaFile("application/pdf", DATA)
FAR: Final = MediaFile("", url="https://example.org/a.png")


@dataclass
class Content:
    """Content of MCP."""

    type: str
    data: str
    mimeType: str  # noqa: N815


@dataclass
class Result:
    """A result of MCP."""

    content: list[Any]


@dataclass
class Binary:
    """A file of pydantic-ai."""

    data: bytes
    media_type: str
    kind: str = "binary"


class Picture:
    """An image of Pillow."""

    def save(self, to: Any, format: str) -> None:  # noqa: A002
        assert format == "PNG"
        to.write(b"not really a picture")


Picture.__module__ = "PIL.Image"

FORMS: Final[list[tuple[Any, tuple[Any, ...]]]] = [
    ({"type": "image", "base64": DATA, "mime_type": "image/png"}, (PNG,)),
    ({"type": "image", "source_type": "base64", "data": DATA, "mime_type": "image/png"}, (PNG,)),
    ({"type": "image_url", "image_url": {"url": URL}}, (PNG,)),
    ({"type": "input_image", "image_url": URL}, (PNG,)),
    ({"type": "image_url", "image_url": {"url": FAR.url}}, (FAR,)),
    (
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": DATA}},
        (PNG,),
    ),
    ({"type": "image", "source": {"type": "url", "url": FAR.url}}, (FAR,)),
    (Content("image", DATA, "image/png"), (PNG,)),
    (
        Result([{"type": "text", "text": "See:"}, Content("image", DATA, "image/png")]),
        ("See:", PNG),
    ),
    (Binary(b"not really a picture", "image/png"), (PNG,)),
    (Binary(b"not really a picture", "application/pdf"), (PDF,)),
    (Picture(), (PNG,)),
    (["Here it is.", Picture(), {"km2": 48}], ("Here it is.", PNG, {"km2": 48})),
]
DATA_ONLY: Final[list[Any]] = [
    {"type": "image", "url": "https://example.org/a.png"},
    [{"type": "image", "title": "Thun"}],
    {"mime_type": "image/png", "base64": DATA},
    {"type": "file", "path": "a.txt"},
    ["a", "b"],
    "text",
    b"bytes",
    None,
    3,
]


@pytest.mark.parametrize(("returned", "parts"), FORMS)
def test_files_are_known_in_the_forms_of_libraries_and_apis(returned: Any, parts: Any) -> None:
    assert parts_of(returned) == parts
    if len(parts) == 1:
        assert parts_of([parts[0].block], is_content=True) == parts


@pytest.mark.parametrize("returned", DATA_ONLY)
def test_data_are_no_files(returned: Any) -> None:
    assert parts_of(returned) == ()


def run_with(returned: Any) -> tuple[Any, list[dict[str, Any]]]:
    """Return a run in which a tool has *returned* something, and the second request."""

    def look(place: str) -> Any:
        """Takes a picture."""
        return returned

    function = {"name": "look", "arguments": '{"place": "Thun"}'}
    call = {"id": "call_1", "type": "function", "function": function}
    replies = iter(
        [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "assistant", "content": "A lake."},
        ]
    )
    asked: list[list[dict[str, Any]]] = []

    def create(*, messages: Any, tools: Any = None) -> Any:
        asked.append(messages)
        return {"choices": [{"message": next(replies), "finish_reason": "stop"}]}

    return run_agent(create, "What is there?", "tools", [look]), asked[1]


@pytest.mark.parametrize(("returned", "parts"), FORMS)
def test_each_api_gets_them_as_it_takes_them(returned: Any, parts: Any) -> None:
    run, asked = run_with(returned)
    assert asked == to_openai(run)[: len(asked)]
    result, shown = asked[2:]
    assert result["role"] == "tool"
    assert DATA not in result["content"]
    assert shown["role"] == "user"
    files = [part for part in parts if isinstance(part, MediaFile)]
    assert [part["type"] for part in shown["content"]] == [
        "text", *("file" if file is PDF else "image_url" for file in files),
    ]  # fmt: skip
    (anthropic,) = to_anthropic(run)[2]["content"]
    kinds = {PNG: "image", FAR: "image", PDF: "document"}
    assert [block["type"] for block in anthropic["content"]] == [
        kinds.get(part, "text") if isinstance(part, MediaFile) else "text" for part in parts
    ]
    output = to_openai_responses(run)[2]["output"]
    kinds = {PNG: "input_image", FAR: "input_image", PDF: "input_file"}
    assert [block["type"] for block in output] == [
        kinds[part] if isinstance(part, MediaFile) else "input_text" for part in parts
    ]


@pytest.mark.parametrize(("returned", "parts"), FORMS)
def test_they_come_back_from_messages(returned: Any, parts: Any) -> None:
    run, asked = run_with(returned)
    for messages in (run.messages, to_langchain(run)):
        assert to_openai(messages)[: len(asked)] == asked
        assert to_anthropic(messages) == to_anthropic(run)


def test_a_prompt_of_text_says_that_there_is_one() -> None:
    def look(place: str) -> Any:
        """Takes a picture."""
        return ["It is fine.", {"type": "image", "base64": DATA, "mime_type": "image/png"}]

    model = ScriptedModel(["Action: look\nAction Input: Thun", "Final Answer: a lake"])
    run = run_agent(model, "What is there?", get_parser("react"), [look])
    prompt = str(model.calls[1].prompt)
    assert "It is fine.\\n(image/png)" in prompt
    assert DATA not in prompt
    assert "(image/png)" in str(run)


def test_data_stay_text() -> None:
    for returned in DATA_ONLY:
        _, asked = run_with(returned)
        assert len(asked) == 3
        assert isinstance(asked[2]["content"], str)


@pytest.mark.parametrize("shown", [form for form, _ in FORMS if isinstance(form, dict)])
def test_what_a_model_writes_is_data_even_if_it_looks_like_a_file(shown: Any) -> None:
    (answer,) = to_openai([AgentFinish({"output": shown}, "")])
    assert json.loads(answer["content"]) == shown


def test_a_file_that_a_person_puts_in_place_of_the_one_of_the_model_is_written() -> None:
    block = {"type": "image", "base64": DATA, "mime_type": "image/png"}
    function = {"name": "show", "arguments": json.dumps({"picture": block})}
    call = {"id": "call_1", "type": "function", "function": function}
    (action,) = get_parser("tools").parse({"role": "assistant", "tool_calls": [call]})
    other = {"picture": {**block, "base64": "AAAA"}}
    changed = action.model_copy(update={"tool_input": other})
    (asked,) = [each for each in to_openai([(changed, "ok")]) if each["role"] == "assistant"]
    assert json.loads(asked["tool_calls"][0]["function"]["arguments"]) == other
