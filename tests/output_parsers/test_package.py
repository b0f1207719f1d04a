"""The package as a whole, and what holds of every public parser."""

from __future__ import annotations

import subprocess
import sys
from enum import Enum
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

import output_parsers
from agent_laws import BrokenLawError
from agent_laws.laws.streams import a_stream_ends_in_the_result_of_the_whole
from output_parsers import (
    BaseCumulativeTransformOutputParser,
    BaseOutputParser,
    JsonOutputParser,
    ListOutputParser,
    OutputParserException,
)
from output_parsers.json_in_prose.markdown import GrowingJson, JsonStream
from outputs import AIMessage, AIMessageChunk

from ..helpers.public_parsers import SUBJECTS, WITHOUT, Subject, is_exempt_xml

if TYPE_CHECKING:
    from collections.abc import Iterable

HEAVY = {
    "asyncio",
    "concurrent.futures",
    "defusedxml",
    "jsonpatch",
    "langchain_core",
    "multiprocessing",
    "pytest",
    "regex",
    "unicodedata",
    "yaml",
}


def test_importing_the_base_layers_stays_light() -> None:
    code = (
        "import sys\nfrom pydantic import BaseModel\n"
        "class Model(BaseModel): x: int\n"  # the first model imports more of pydantic
        "before = set(sys.modules)\n"
        "from output_parsers.string import StrOutputParser\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    new = set(subprocess.check_output([sys.executable, "-c", code], text=True).split())
    assert "output_parsers.string" in new
    assert not new & HEAVY


def test_importing_builds_no_validator() -> None:
    code = (
        "from output_parsers import *\n"
        "for model in BaseTransformOutputParser[str], StrOutputParser, JsonOutputParser:\n"
        "    print(model.__pydantic_complete__)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == ["False"] * 3


# Whole equals streamed for every public parser, and the check detects wrong parsers.

NOISE = ("", " ", "\n", "{", "}", '"', "\\", "```", "<a>", "</", "]", ",", "1", "é", "\ud83d", "x")


@st.composite
def spoilt(draw: st.DrawFn, texts: tuple[str, ...]) -> str:
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(0, 3))):
        start, size = draw(st.integers(0, len(text))), draw(st.sampled_from([0, 0, 1, 3, 30]))
        text = text[:start] + draw(st.sampled_from(NOISE)) + text[start + size :]
    return text


def cut(text: str, sizes: list[int]) -> list[str]:
    chunks, at = [], 0
    for size in sizes:
        chunks.append(text[at : at + size])
        at += size
    return [*chunks, text[at:]]


@st.composite
def chunks_for(draw: st.DrawFn, subject: Subject) -> list[Any]:
    """Draw the chunks of a stream, cut at random."""
    sizes = st.lists(st.sampled_from([0, 1, 2, 3, 7, 20]), max_size=12)
    texts = spoilt(subject.texts)
    if subject.reads == "xml":
        texts = texts.map(str.strip).filter(lambda text: not is_exempt_xml(text))
    if subject.reads in ("text", "xml"):
        chunks = cut(draw(texts), draw(sizes))
        return [AIMessageChunk(chunk) for chunk in chunks] if draw(st.booleans()) else chunks
    chunks = [AIMessageChunk(draw(st.sampled_from(["", "Let me see."])))]
    if subject.reads == "function":
        pieces = cut(draw(texts), draw(sizes))
        calls = [{"name": "City" if at == 0 else "", "arguments": p} for at, p in enumerate(pieces)]
        return chunks + [AIMessageChunk("", additional_kwargs={"function_call": c}) for c in calls]
    numbers = st.sampled_from(["each", "each", "none", "same"])
    number = draw(numbers)
    for at in range(draw(st.integers(0, 3))):
        name, index = draw(st.sampled_from(["City", "City", "ping"])), {"none": None, "same": 0}
        for place, piece in enumerate(cut(draw(texts), draw(sizes))):
            call = {
                "name": name if place == 0 else None,
                "args": piece,
                "id": f"call_{at}" if place == 0 or draw(st.booleans()) else None,
                "index": index.get(number, at),
            }
            chunks.append(AIMessageChunk("", tool_call_chunks=[call]))
    return chunks


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda it: type(it.parser).__name__)
@given(data=st.data())
def test_a_stream_comes_to_what_the_whole_comes_to(subject: Subject, data: st.DataObject) -> None:
    chunks = data.draw(chunks_for(subject))
    a_stream_ends_in_the_result_of_the_whole(subject.parser, chunks)


def test_no_public_parser_is_left_out() -> None:
    public = {
        name
        for name in output_parsers.__all__
        if isinstance(it := getattr(output_parsers, name), type) and hasattr(it, "parse_result")
    }
    tried = {cls.__name__ for it in SUBJECTS for cls in type(it.parser).__mro__}
    assert public - tried - WITHOUT == set()
    assert public >= WITHOUT


# -- wrong parsers -------------------------------------------------------------------------------


class _Late(GrowingJson):
    """Forgets results that are known only at the end of the text."""

    def close(self) -> bool:
        return False


class Forgetful(JsonOutputParser):
    def _reader(self) -> Any:
        stream = JsonStream(self._finder(), None)
        stream._json = _Late(self._finder())
        return stream


class _Half:
    """Treats the second-to-last chunk as the end."""

    def __init__(self, parser: BaseOutputParser[Any]) -> None:
        self._parser = parser
        self._texts: list[str] = []

    def feed(self, chunk: Any, /) -> Iterable[Any]:
        self._texts.append(chunk)
        return ()

    def close(self) -> Iterable[Any]:
        return (self._parser.parse("".join(self._texts[:-1])),)


class Hasty(output_parsers.BaseTransformOutputParser[int]):
    def parse(self, text: str) -> int:
        return len(text)

    def _reader(self) -> Any:
        return _Half(self)


class Rounding(output_parsers.BaseTransformOutputParser[float]):
    """Returns an equal number of another type for each chunk."""

    def parse(self, text: str) -> float:
        return 1.0

    def transform(self, input: Any, config: Any = None, **kwargs: Any) -> Any:  # noqa: A002
        return [1 for _ in input][:1]


class Leaky(output_parsers.BaseOutputParser[str]):
    def parse(self, text: str) -> str:
        return {"a": "b"}[text]


class Silent(output_parsers.BaseOutputParser[str]):
    def parse(self, text: str) -> str:
        raise OutputParserException("it is wrong")


class Deaf(output_parsers.XMLOutputParser):
    """Streams the document without its last element."""

    def transform(self, input: Any, config: Any = None, **kwargs: Any) -> Any:  # noqa: A002
        return [*super().transform(input, config, **kwargs)][:-1]


def test_the_elements_beside_the_text_of_their_parent_are_only_streamed() -> None:
    text = "<a><b>1</b><c>x<d>2</d></c><b>3</b></a>"
    parser = output_parsers.XMLOutputParser()
    assert parser.parse(text) == {"a": [{"b": "1"}, {"c": "x"}, {"b": "3"}]}
    leaves = [*parser.transform(iter(text))]
    assert leaves == [{"a": [{"b": "1"}]}, {"a": [{"c": [{"d": "2"}]}]}, {"a": [{"b": "3"}]}]
    a_stream_ends_in_the_result_of_the_whole(parser, list(text))


@pytest.mark.parametrize(
    ("parser", "chunks", "reason"),
    [
        (Deaf(), ["<a><c>x<d>2</d></c><b>3</b></a>"], "the whole text is read as"),
        (Forgetful(), ["{oops", "}"], "the whole text is read as OutputParserException"),
        (Hasty(), ["ab", "c"], "the whole text is read as 3, the stream as 2"),
        (Rounding(), ["a"], "the whole text is read as 1.0, the stream as 1"),
        (Leaky(), ["c"], "it raised KeyError: 'c'"),
        (Silent(), ["c"], "the error 'it is wrong' has no span"),
    ],
)
def test_the_law_catches_a_parser_that_is_wrong(
    parser: Any, chunks: list[str], reason: str
) -> None:
    with pytest.raises(BrokenLawError) as caught:
        a_stream_ends_in_the_result_of_the_whole(parser, chunks)
    assert reason in caught.value.reason


# Errors for callers that pass arguments of the wrong type.


class Shelf(BaseModel):
    books: int


class Colour(Enum):
    RED = "red"


OPTIONS: dict[str, dict[str, Any]] = {
    "BooleanOutputParser": {},
    "CombiningOutputParser": {"parsers": [JsonOutputParser(), JsonOutputParser()]},
    "CommaSeparatedListOutputParser": {},
    "DatetimeOutputParser": {},
    "EnumOutputParser": {"enum": Colour},
    "JsonOutputParser": {},
    "MarkdownListOutputParser": {},
    "NumberedListOutputParser": {},
    "PydanticOutputParser": {"pydantic_object": Shelf},
    "RegexDictParser": {"output_key_to_format": {"a": "b"}},
    "RegexParser": {"regex": "(a)", "output_keys": ["a"]},
    "StructuredOutputParser": {"response_schemas": []},
    "XMLOutputParser": {},
    "YamlOutputParser": {"pydantic_object": Shelf},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_parse_takes_no_message_and_says_what_does(name: str) -> None:
    parser: BaseOutputParser[Any] = getattr(output_parsers, name)(**OPTIONS[name])
    message: Any = AIMessage("yes")
    with pytest.raises(TypeError, match="takes a string, not AIMessage; invoke also takes"):
        parser.parse(message)


def test_what_a_provider_returns_is_a_message() -> None:
    reply: Any = {"role": "assistant", "content": "{}"}
    assert JsonOutputParser().invoke(reply) == {}
    with pytest.raises(TypeError, match=r"not dict; see outputs\.from_any for what else counts"):
        JsonOutputParser().invoke({"content": "{}"})


class PromptWords(ListOutputParser):
    def parse(self, text: str) -> list[str]:
        return text.split()


def test_what_a_parser_does_not_have_is_told_by_name() -> None:
    with pytest.raises(NotImplementedError, match="Words cannot yield items one by one"):
        PromptWords().parse_iter("a b")
    with pytest.raises(NotImplementedError, match="Words has no format instructions"):
        PromptWords().get_format_instructions()

    class Loud(BaseCumulativeTransformOutputParser[str]):
        def parse(self, text: str) -> str:
            return text.upper()

    with pytest.raises(NotImplementedError, match="Loud cannot report changes"):
        list(Loud(diff=True).transform(iter(["a"])))
