"""The table of what parsers drop or guess as LangChain's do, in ``docs/differences.md``."""

from __future__ import annotations

import warnings
from typing import Any

import langchain_core.output_parsers as lc
import pytest
from pydantic import BaseModel

import output_parsers as ours

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import langchain_classic.output_parsers as lc_classic


class Count(BaseModel):
    n: Any


def yaml(module: Any) -> Any:
    return module.YamlOutputParser(pydantic_object=Count)


def structured(module: Any) -> Any:
    key = module.ResponseSchema(name="n", description="A number.")
    return module.StructuredOutputParser.from_response_schemas([key])


def combining(module: Any) -> Any:
    part = module.RegexParser(regex=r"n is (\d)", output_keys=["n"])
    return module.CombiningOutputParser(parsers=[part, part])


SAME = [
    ("JsonOutputParser", '{"n": 1, "n": 2}', {"n": 2}),
    ("JsonOutputParser", "```json\n[1]\n```\n```json\n[2]\n```", [1]),
    ("JsonOutputParser", "<think>\n```json\n[1]\n```\n</think>[2]", [1]),
    ("XMLOutputParser", "<a><b>x</b> and more</a>", {"a": [{"b": "x"}]}),
    ("XMLOutputParser", "<a>x<b>y</b></a>", {"a": "x"}),
    ("NumberedListOutputParser", "1. one\n   and more\n2. two", ["one", "two"]),
    ("NumberedListOutputParser", "<think>\n1. no\n</think>\n1. one", ["no", "one"]),
    ("MarkdownListOutputParser", "- one\n  and more", ["one"]),
    ("CommaSeparatedListOutputParser", "<think>a</think>b, c", ["<think>a</think>b", "c"]),
    ("BooleanOutputParser", "<think>yes?</think>", True),
    ("BooleanOutputParser", "not yes", True),
    (combining, "n is 1\n\nn is 2", {"n": "2"}),
    (combining, "n is 1\n\nn is 2\n\nn is 3", {"n": "2"}),
    (structured, '{"n": 1, "n": 2}', {"n": 2}),
    (structured, '```json\n{"n": 1}\n```\n```json\n{"n": 2}\n```', {"n": 1}),
    (yaml, "n: 1\nn: 2", Count(n=2)),
    (yaml, "```yaml\nn: 1\n```\n```yaml\nn: 2\n```", Count(n=1)),
    (yaml, "n: 012", Count(n=10)),
    (yaml, "n: 1:30", Count(n=90)),
    (yaml, "n: 1_000", Count(n=1000)),
    (yaml, "n: no", Count(n=False)),
]


@pytest.mark.parametrize(("make", "text", "result"), SAME)
def test_the_result_is_that_of_langchain(make: Any, text: str, result: Any) -> None:
    if isinstance(make, str):
        theirs = getattr(lc, make, None) or getattr(lc_classic, make)
        parsers = [getattr(ours, make)(), theirs()]
    else:
        parsers = [make(ours), make(lc_classic)]
    assert [parser.parse(text) for parser in parsers] == [result, result]


@pytest.mark.parametrize("text", ["<think>x</think>\n<a>1</a>", "<a>x<b>y</b>z</a>"])
def test_a_stream_of_xml_yields_what_langchains_does(text: str) -> None:
    mine = list(ours.XMLOutputParser().transform(iter(text)))
    assert mine == list(lc.XMLOutputParser(parser="xml").transform(iter(text)))
