"""Every public parser, with sample texts for it, which tests modify."""

from __future__ import annotations

import re
from enum import Enum
from typing import Any, Final, NamedTuple

from pydantic import BaseModel

import output_parsers as op
from agent_parsers import (
    OpenAIFunctionsAgentOutputParser,
    OpenAIToolsAgentOutputParser,
    ToolsAgentOutputParser,
)


class Colour(Enum):
    RED = "red"
    SEA_GREEN = "sea green"


class City(BaseModel):
    name: str
    people: int = 0
    twins: list[str] = []


class PromptWords(op.ListOutputParser):
    """A list parser as a user may define it."""

    def parse(self, text: str) -> list[str]:
        return text.split()


class Sizes(op.BaseCumulativeTransformOutputParser[int]):
    """A parser as a user may define it, which yields a value after each chunk."""

    def parse(self, text: str) -> int:
        return len(text)


_TEXT_FIRST = re.compile(r">[^<]*[^<\s][^<]*<[^/!]|]]>[^<]*<[^/!]")


def is_exempt_xml(text: str) -> bool:
    """Return whether a stream of *text* may have another result than the whole.

    A stream begins at the first tag, but in the whole text a later fence may be read instead. If an
    element begins with text, the whole result is that text, and a stream yields the elements.
    """
    if text[:1] != "<" or text[-1:] != ">" or "<" in text[1:].partition("?>")[0] * (text[1] == "?"):
        return True
    return _TEXT_FIRST.search(text) is not None


class Subject(NamedTuple):
    """A parser, and texts that it reads."""

    parser: Any
    texts: tuple[str, ...]
    """Texts, or the arguments of a call if the parser reads messages."""
    reads: str = "text"
    """``text``; ``tools`` or ``function`` for messages with calls; or ``xml``."""


_JSON: Final = (
    '{"name": "Bonn", "people": 340000, "twins": ["Oxford", "Minsk"]}',
    'Sure:\n```json\n{"name": "Bonn", "people": 1.0, "twins": []}\n```\nDone.',
    '{"name": "Looe\\u00e9\\ud83d\\ude00", "people": -0.0}',
    '[{"name": "a"}, null, true, 1e3, "x"]',
    "{'name': 'Bonn', people: 7,}",
    '{\\"name\\": \\"Bonn\\"}',
    "-0.0",
    '"a \\n b"',
)
_XML: Final = (
    "<city><name>Bonn</name><twins><twin>Oxford</twin><twin/></twins></city>",
    "<a>\n<b>1 &amp; 2</b> <c/></a>",
    '<?xml version="1.0"?><!DOCTYPE a><a><![CDATA[x<y]]><!-- no --></a>',
)
_YAML: Final = ("```yaml\nname: Bonn\npeople: 7\ntwins:\n  - Oxford\n```", "name: [a, b]\n", "a: 1")
_LISTS: Final = (
    'red, "green, or so", blue\nblack',
    "Two:\n1. red\n2. green\n\n10. blue",
    "Two:\n- red\n  * green\n- [x] blue\n",
)
_CALLS: Final = ('{"name": "Bonn", "people": 7}', '{"name": "Bonn", "twins": ["a"]}', "", "{}")

SUBJECTS: Final[tuple[Subject, ...]] = (
    Subject(op.StrOutputParser(), _JSON),
    Subject(op.JsonOutputParser(), _JSON),
    Subject(op.JsonOutputParser(diff=True), _JSON),
    Subject(op.JsonOutputParser(lenient=True), _JSON),
    Subject(op.PydanticOutputParser(pydantic_object=City), _JSON),
    Subject(op.PydanticOutputParser(pydantic_object=City, lenient=True), _JSON),
    Subject(
        op.StructuredOutputParser.from_response_schemas(
            [op.ResponseSchema(name="name", description="The name.")]
        ),
        _JSON,
    ),
    Subject(op.XMLOutputParser(), _XML, "xml"),
    Subject(op.YamlOutputParser(pydantic_object=City), _YAML),
    Subject(
        op.YamlOutputParser(
            pydantic_object=City, pattern=re.compile("~~~(?P<yaml>.*)~~~", re.DOTALL)
        ),
        _YAML,
    ),
    Subject(op.CommaSeparatedListOutputParser(), _LISTS),
    Subject(op.NumberedListOutputParser(), _LISTS),
    Subject(op.MarkdownListOutputParser(), _LISTS),
    Subject(op.NumberedListOutputParser(pattern=r"(?<!\d)\d+\)\s([^\n]+)"), ("1) red\n2) green",)),
    Subject(PromptWords(), _LISTS),
    Subject(op.BooleanOutputParser(), ("YES", "no.", "YES and NO", "Yes, now")),
    Subject(op.EnumOutputParser(enum=Colour), ("red", " sea green\n", "blue")),
    Subject(op.DatetimeOutputParser(), ("2023-07-04T14:30:00.000000Z", "2023-07-04")),
    Subject(
        op.RegexParser(regex=r"Score: (\d+), (.*)", output_keys=["score", "reason"]),
        ("Score: 7, because it rhymes", "7"),
    ),
    Subject(
        op.RegexDictParser(output_key_to_format={"score": "Score", "why": "Reason"}),
        ("Score: 7\nReason: it rhymes.", "Score: 1\nScore: 2\nReason: x"),
    ),
    Subject(
        op.CombiningOutputParser(
            parsers=[
                op.RegexParser(regex=r"Score: (\d+)", output_keys=["score"]),
                op.PydanticOutputParser(pydantic_object=City),
            ]
        ),
        ('Score: 7\n\n{"name": "Bonn"}', "Score: 7"),
    ),
    Subject(op.JsonOutputToolsParser(), _CALLS, "tools"),
    Subject(op.JsonOutputToolsParser(return_id=True, first_tool_only=True), _CALLS, "tools"),
    Subject(op.JsonOutputKeyToolsParser(key_name="City"), _CALLS, "tools"),
    Subject(op.PydanticToolsParser(tools=[City]), _CALLS, "tools"),
    Subject(op.PydanticToolsParser(tools=[City], first_tool_only=True), _CALLS, "tools"),
    Subject(op.OutputFunctionsParser(), _CALLS, "function"),
    Subject(op.OutputFunctionsParser(args_only=False), _CALLS, "function"),
    Subject(op.JsonOutputFunctionsParser(), _CALLS, "function"),
    Subject(op.JsonOutputFunctionsParser(args_only=False), _CALLS, "function"),
    Subject(op.JsonOutputFunctionsParser(diff=True), _CALLS, "function"),
    Subject(op.JsonKeyOutputFunctionsParser(key_name="name"), _CALLS, "function"),
    Subject(op.PydanticOutputFunctionsParser(pydantic_schema=City), _CALLS, "function"),
    Subject(
        op.PydanticAttrOutputFunctionsParser(pydantic_schema=City, attr_name="name"),
        _CALLS,
        "function",
    ),
    Subject(ToolsAgentOutputParser(), _CALLS, "tools"),
    Subject(ToolsAgentOutputParser(lenient=True), _CALLS, "tools"),
    Subject(OpenAIToolsAgentOutputParser(), _CALLS, "tools"),
    Subject(OpenAIFunctionsAgentOutputParser(), _CALLS, "function"),
    Subject(OpenAIFunctionsAgentOutputParser(lenient=True), _CALLS, "function"),
)

WITHOUT: Final = {
    "BaseCumulativeTransformOutputParser",
    "BaseGenerationOutputParser",
    "BaseLLMOutputParser",
    "BaseOutputParser",
    "BaseTransformOutputParser",
    "OutputFixingParser",
    "RetryOutputParser",
    "RetryWithErrorOutputParser",
    "SimpleJsonOutputParser",
}
"""Base classes, parsers that ask a model, and an alias."""
