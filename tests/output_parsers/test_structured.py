import asyncio
import pickle
from typing import Any

import langchain_classic.output_parsers as lc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from output_parsers import OutputParserException
from output_parsers.structured import ResponseSchema, StructuredOutputParser
from outputs import AIMessage

FIELDS: list[dict[str, Any]] = [
    {"name": "answer", "description": "the answer,\nin a word"},
    {"name": 'the "why"', "description": "warum: 是", "type": "list of strings"},
]
PARSER = StructuredOutputParser.from_response_schemas([ResponseSchema(**f) for f in FIELDS])
TWIN = lc.StructuredOutputParser.from_response_schemas([lc.ResponseSchema(**f) for f in FIELDS])

OBJECT = '{"answer": "Paris", "the \\"why\\"": ["a", "b"], "more": 1}'
RESULT = {"answer": "Paris", 'the "why"': ["a", "b"], "more": 1}

texts = st.sampled_from(
    [
        OBJECT,
        f"```json\n{OBJECT}\n```",
        f"So:\n```\n{OBJECT}\n```\nThat is all.",
        '{"answer": "Paris"}',
        '```json\n{"answer": "Paris", "the \\"why\\"": ["a"',
        "[1]",
        "7",
        "null",
    ]
)


@given(texts)
def test_results_and_messages_are_those_of_langchain(text: str) -> None:
    def described(parser: Any) -> Any:
        try:
            return parser.parse(text)
        except ValueError as error:
            return str(error).partition("\nFor troubleshooting")[0]

    assert described(PARSER) == described(TWIN)


def test_an_object_is_read_from_a_fence() -> None:
    text = f"So:\n```json\n{OBJECT}\n```\nThat is all."
    assert PARSER.parse(text) == PARSER.invoke(AIMessage(content=text)) == RESULT
    assert asyncio.run(PARSER.aparse(text)) == RESULT
    assert list(PARSER.transform(iter(text))) == [RESULT]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Paris", "Got invalid JSON object"),
        ("[1]", r"Expected JSON object \(dict\)"),
        ('{"answer": 1}', 'Expected key `the "why"` to be present'),
    ],
)
def test_what_is_no_such_object_is_refused(text: str, message: str) -> None:
    with pytest.raises(OutputParserException, match=message) as caught:
        PARSER.parse(text)
    assert caught.value.llm_output == text
    assert caught.value.observation


def test_the_example_in_the_instructions_is_read() -> None:
    city = StructuredOutputParser(
        response_schemas=[
            ResponseSchema(name="name", description="a city's name"),
            ResponseSchema(name="people", description="how many", type="number"),
        ]
    )
    example = city.get_format_instructions().partition("asked for:\n\n")[2]
    assert city.parse(example.partition("\n\nWhat is")[0]) == {"name": "Bonn", "people": 340000}


def test_the_keys_are_in_the_instructions_one_in_each_line() -> None:
    block = PARSER.get_format_instructions(only_json=True)
    assert block == (
        "```json\n"
        "{\n"
        '\t"answer": <string>,  // the answer, in a word\n'
        '\t"the \\"why\\"": <list of strings>  // warum: 是\n'
        "}\n"
        "```"
    )
    assert PARSER.get_format_instructions().endswith(block)
    assert len(PARSER.get_format_instructions()) > len(block)


def test_it_describes_itself_as_langchains_does() -> None:
    assert PARSER.asdict() == TWIN.asdict()
    assert PARSER.OutputType == TWIN.OutputType == dict[str, Any]
    assert pickle.loads(pickle.dumps(PARSER)) == PARSER
    with pytest.raises(ValueError, match="description"):
        ResponseSchema(name="a")  # type: ignore[call-arg]
