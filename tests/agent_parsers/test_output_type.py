"""Answers of a type: read, refused, written, told and constrained, in every dialect."""

from __future__ import annotations

import json
import pickle
import re
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from random import Random
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Never
from uuid import UUID

import pytest
from pydantic import BaseModel, Field, SecretStr, field_validator, model_validator
from typing_extensions import TypedDict

from agent_parsers import (
    AgentFinish,
    OutputParserException,
    ReActJsonSingleInputOutputParser,
    get_dialect,
    get_parser,
    list_dialects,
    run_agent,
)
from agent_parsers.constrain.parts.options import TurnOptions
from agent_parsers.constrain.parts.tree import GrammarError
from agent_parsers.constrain.turns.grammar import turn_grammar
from agent_parsers.json_form import from_json
from agent_parsers.testing import ScriptedModel
from agent_parsers.toolset import AnswerError, ToolInputError, ToolSet
from agent_parsers.toolset.output_type import OutputType
from agent_serving.templates import from_response_template, response_template
from outputs import AIMessage

from ..helpers.effort import THOROUGH
from ..helpers.grammar_engines import Llguidance, needs
from ..helpers.grammar_samples import Sampler

if TYPE_CHECKING:
    from agent_parsers.parsers.dialect_parser import AnyDialectParser


class Trip(BaseModel):
    """A journey."""

    city: str = Field(alias="town", description="Where it ends.")
    days: int
    stops: list[str] = []

    @field_validator("days")
    @classmethod
    def _check(cls, days: int) -> int:
        if days > 30:
            raise ValueError("a trip has at most 30 days")
        return days


@dataclass
class Point:
    x: int
    name: str | None = None


class Row(TypedDict):
    key: str
    count: int


NO_GRAMMAR = {"smolagents_code", "command_5"}
"""The dialects whose calls are code, or say the type of each value, which no grammar knows."""
TRIP: Final = Trip(town="Bern: old town", days=3, stops=["a\nb", "Final Answer: no", "</answer>"])
SAMPLES: Final[list[tuple[Any, Any]]] = [
    (Trip, TRIP),
    (Point, Point(1, "x")),
    (Row, {"key": "a", "count": 2}),
    (list[Trip], [TRIP, Trip(town="Thun", days=1)]),
    (Trip | Point, Point(2)),
    (Trip | None, None),
    (dict[str, int], {"a": 1}),
    (Literal["yes", "no"], "no"),
    (date, date(2026, 11, 26)),
    (tuple[int, str], (1, "a")),
    (int, 7),
    (bool, True),
]
"""Types, each with a value."""


@cache
def parser_for(dialect: str, output_type: Any, *, lenient: bool = True) -> AnyDialectParser[Any]:
    return get_parser(
        get_dialect(dialect), tools=["search"], output_type=output_type, lenient=lenient
    )


@pytest.mark.parametrize("dialect", list_dialects())
def test_what_is_written_is_read_as_the_type(dialect: str) -> None:
    for output_type, value in SAMPLES:
        written = parser_for(dialect, Any).render(AgentFinish({"output": "x"}, ""))
        try:
            written = parser_for(dialect, output_type).render(AgentFinish({"output": value}, ""))
        except ValueError:
            assert output_type in (Trip, list[Trip]), "only labels in texts may be impossible"
            continue
        for lenient in (True, False):
            parser = parser_for(dialect, output_type, lenient=lenient)
            turn = parser.read(written)
            assert turn.finish is not None
            assert (turn.output, type(turn.output)) == (value, type(value))
            assert turn.repairs == ()
            assert parser.parse(written) == turn.finish
            stream = parser.stream_parser()
            for char in written:
                stream.feed(char)
            stream.close()
            assert stream.result == turn.finish


@pytest.mark.parametrize("dialect", list_dialects())
def test_an_answer_of_another_type_is_an_error_that_shows_one(dialect: str) -> None:
    parser = parser_for(dialect, Trip)
    written = parser_for(dialect, dict[str, Any]).render(
        AgentFinish({"output": {"town": "Bern", "days": "many"}}, "")
    )
    with pytest.raises(AnswerError) as caught:
        parser.read(written)
    error = caught.value
    assert [problem.where for problem in error.problems] == ["days"]
    assert error.span is not None
    assert '"many"' in written[slice(*error.span)]
    assert error.observation is not None
    example = parser.render(AgentFinish({"output": Trip(town="Bern", days=1)}, ""))
    assert json.dumps({"town": "Bern", "days": 1}) in str(error.observation)
    assert parser.read(example).output == Trip(town="Bern", days=1)


@pytest.mark.parametrize("dialect", list_dialects())
def test_the_prompt_says_the_type_and_shows_an_answer_that_is_not_taken(dialect: str) -> None:
    parser = parser_for(dialect, Trip)
    told = parser.get_format_instructions()
    assert "{town: string, days: integer, stops?: array[string]}" in told
    assert "town: Where it ends." in told
    shown = parser.render(AgentFinish({"output": Trip(town="<town>", days=1)}, ""))
    with pytest.raises(AnswerError, match="is a placeholder in the instructions"):
        parser.read(shown)
    assert told in parser.render_prompt("Where to?")


@pytest.mark.parametrize("dialect", [each for each in list_dialects() if each not in NO_GRAMMAR])
@pytest.mark.parametrize("output_type", [Trip, Trip | Literal["none"], list[Point]])
def test_what_the_grammar_allows_is_read_as_the_type(dialect: str, output_type: Any) -> None:
    parser = parser_for(dialect, output_type, lenient=False)
    grammar = turn_grammar(parser.dialect, parser.tools, TurnOptions("answer"))
    sampler = Sampler(parser.dialect, grammar, 1)
    plain = OutputType(output_type)
    for _ in range(200 if THOROUGH else 10):
        sentence = sampler.sentence()
        try:
            output = parser.read(sentence).output
        except AnswerError as error:  # the validator, of which a grammar knows nothing
            assert "at most 30" in str(error)  # noqa: PT017
            continue
        plain.dump(output)


READ: Final = {
    '{"town": "Bern", "days": 3}': [],
    '{"town": "Bern", "days": "3"}': [],
    '```json\n{"town": "Bern", "days": 3}\n```': ["surrounding_text"],
    "{'town': 'Bern', 'days': 3,}": ["quotes", "trailing_comma"],
}
REFUSED: Final = {
    "Bern": "expected an object",
    '{"town": "Bern"}': "days: expected an integer, found nothing",
    '{"town": "Bern", "days": 3': "found only its beginning, since it is cut off",
    '{"town": "Bern", "days": 3, "stops": ["a"': "found only its beginning, since it is cut off",
    '{"town": "Bern", "days"; 3': "cannot be read as JSON",
    '{"town": "Bern", "days": 3, "town": "Thun"}': "town: expected one value",
    'It is {"town": "Bern", "days": 3}': "expected nothing but the JSON",
    '{"town": "Bern", "days": 31}': "a trip has at most 30 days",
    '{"town": "Bern", "days": 3, "more": 1}': "more: expected",
    '[{"town": "Bern", "days": 3}]': "expected an object",
}


@pytest.mark.parametrize("answer", READ)
def test_repairs_are_made_and_reported(answer: str) -> None:
    turn = get_parser("react", output_type=Trip).read(f"Final Answer: {answer}")
    assert turn.output == Trip(town="Bern", days=3)
    assert sorted({repair.kind for repair in turn.repairs}) == sorted({*READ[answer]})
    assert all(repair.span == (14, 14 + len(answer)) for repair in turn.repairs)
    if READ[answer]:
        with pytest.raises(AnswerError):
            get_parser("react", output_type=Trip, lenient=False).read(f"Final Answer: {answer}")


@pytest.mark.parametrize("answer", REFUSED)
def test_what_may_be_another_answer_is_refused(answer: str) -> None:
    for lenient in (True, False):
        parser = get_parser("react", output_type=Trip, lenient=lenient)
        with pytest.raises(AnswerError) as caught:
            parser.read(f"Final Answer: {answer}")
        if lenient:
            assert REFUSED[answer] in str(caught.value)


BEGUN: Final = '{"town": "Bern", "days": 3'
CUT: Final = {
    '{"town": "Be': '{"town": "<town>", "days": 1}',
    f'{BEGUN}, "stops": ["a", "Th': f'{BEGUN}, "stops": ["a", "<stops>"]}}',
    f'{BEGUN}, "stops": ["a", ': f'{BEGUN}, "stops": ["a", "<stops>"]}}',
    BEGUN: '{"town": "<town>", "days": 1}',
    f'{BEGUN}, "st': '{"town": "<town>", "days": 1}',
}


@pytest.mark.parametrize("lenient", [True, False])
@pytest.mark.parametrize("answer", CUT)
def test_the_example_for_a_cut_answer_keeps_what_is_whole(answer: str, lenient: bool) -> None:
    parser = get_parser("react", output_type=Trip, lenient=lenient)
    with pytest.raises(AnswerError) as caught:
        parser.read(f"Final Answer: {answer}")
    said, _, example = str(caught.value.observation).partition("\nFor example: ")
    assert said.startswith("Your answer is cut off. Write the whole answer again.\nYou wrote: ")
    assert example == f"Final Answer: {CUT[answer]}"
    with pytest.raises(AnswerError):  # it is not taken for the answer, if it is copied
        get_parser("react", output_type=Trip).read(example)


def test_texts_are_texts_where_the_type_takes_them() -> None:
    either = get_parser("react", output_type=Trip | str)
    assert either.read("Final Answer: I do not know").output == "I do not know"
    found = either.read('Final Answer: {"town": "Bern", "days": 3}').output
    assert found == Trip(town="Bern", days=3)
    text = get_parser("react", output_type=str)
    assert text.read('Final Answer: {"town": "Bern"}').output == '{"town": "Bern"}'


def test_messages_are_read_as_the_type() -> None:
    for name in ("tools", "openai_functions", "auto"):
        parser = get_parser(name, output_type=Trip, tools=["search"])
        message = AIMessage('{"town": "Bern", "days": 3}')
        assert parser.read(message).output == Trip(town="Bern", days=3)
        assert parser.invoke(message).return_values == {"output": Trip(town="Bern", days=3)}
        with pytest.raises(AnswerError) as caught:
            parser.read(AIMessage("to Bern"))
        assert '{"town": "<town>", "days": 1}' in str(caught.value.observation)
    prompt = get_parser("tools", output_type=Trip).render_prompt("Where to?", system="Be brief.")
    assert prompt[0].text.startswith("Be brief.\n\nThe answer is JSON of this form")


def test_without_tools_no_tool_may_be_called() -> None:
    parser = get_parser("react", output_type=int)
    with pytest.raises(Exception, match="'search' is not one of the tools"):
        parser.read("Action: search\nAction Input: a")


@pytest.mark.parametrize("dialect", list_dialects())
def test_no_answer_is_of_the_type_never(dialect: str) -> None:
    parser = parser_for(dialect, Never)
    written = parser_for(dialect, str).render(AgentFinish({"output": "I will look it up."}, ""))
    with pytest.raises(AnswerError, match="expected a tool call"):
        parser.read(written)
    with pytest.raises(OutputParserException):
        parser.read(written, ended="length")
    assert "do not answer yet" in parser.get_format_instructions() or dialect == "react_zh"


def test_a_grammar_of_the_type_never_has_only_calls() -> None:
    parser = get_parser("hermes", tools=["search"], output_type=Never)
    assert parser.read('<tool_call>{"name": "search", "arguments": {}}</tool_call>').actions
    assert parser.grammar("gbnf") == get_parser("hermes", tools=["search"]).grammar(
        "gbnf", turn="call"
    )
    with pytest.raises(GrammarError, match="this output_type allows none"):
        parser.grammar("gbnf", turn="answer")


def test_an_agent_answers_in_the_type_after_it_was_told() -> None:
    def area(lake: str) -> str:
        """Looks up how large a lake is."""
        return f"{lake}: 48 km²"

    model = ScriptedModel([
        "Action: area\nAction Input: Thun",
        "Final Answer: It has 48 km².",
        'Final Answer: {"x": 48}',
    ])  # fmt: skip
    run = run_agent(model, "How large?", get_parser("react", output_type=Point), [area])
    assert run.output == Point(48)
    assert [type(step) for step in run.steps] == [tuple, AnswerError]
    assert 'Final Answer: {"x": 1}' in str(run.steps[1].observation)


def test_an_answer_is_stored_as_data() -> None:
    turn = get_parser("react", output_type=list[Trip]).read(
        'Final Answer: [{"town": "Bern", "days": 3}]'
    )
    back = from_json(json.loads(json.dumps(turn.to_json())))
    assert back.output == [{"town": "Bern", "days": 3, "stops": []}]
    with pytest.raises(AnswerError) as caught:
        get_parser("react", output_type=Trip).read("Final Answer: Bern")
    again = AnswerError.from_json(json.loads(json.dumps(caught.value.to_json())))
    assert (again.problems, again.answer) == (caught.value.problems, "Bern")


@pytest.mark.parametrize(
    ("output_type", "answer", "stored"),
    [
        (Decimal, "1.5", "1.5"),
        (UUID, "123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-42d3-a456-426614174000"),
        (timedelta, "P3D", "P3D"),
        (set[int], "[1, 2]", [1, 2]),
    ],
)
def test_whatever_type_an_answer_has_it_is_stored(
    output_type: Any, answer: str, stored: Any
) -> None:
    turn = get_parser("react", output_type=output_type).read(f"Final Answer: {answer}")
    assert from_json(turn.to_json()).output == stored


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


def test_an_object_in_a_string_is_told_apart_by_its_tag() -> None:
    pet: Any = Annotated[Cat | Dog, Field(discriminator="kind")]
    for text in (r'"{\"kind\": \"cow\"}"', r'"{\"a\": 1}"', '"x"'):
        with pytest.raises(AnswerError):
            get_parser("react", output_type=pet).read(f"Final Answer: {text}")

    def feed(pet: Annotated[Cat | Dog, Field(discriminator="kind")]) -> None:
        """Feeds it."""

    tools = ToolSet([feed])
    assert tools.check("feed", {"pet": '{"kind": "cat"}'}) == {"pet": {"kind": "cat"}}
    with pytest.raises(ToolInputError, match=r"pet\.kind: expected"):
        tools.check("feed", {"pet": '{"kind": "cow"}'})


class Seconds(BaseModel):
    seconds: int

    @model_validator(mode="before")
    @classmethod
    def _from_minutes(cls, data: dict[str, Any]) -> dict[str, Any]:
        data["seconds"] = data["seconds"] * 60
        return data


def test_validators_run_once_and_on_a_copy() -> None:
    text = '{"seconds": 2}'
    for name, written in (("react", f"Final Answer: {text}"), ("tools", AIMessage(text))):
        output = get_parser(name, output_type=Seconds).read(written).output
        assert output == Seconds.model_construct(seconds=120)


@pytest.mark.parametrize("name", ["json", "structured_chat", "conversational_chat"])
def test_a_key_twice_in_a_list_is_an_error(name: str) -> None:
    parser = get_parser(name, output_type=list[Point])
    text = parser.render(AgentFinish({"output": [Point(1)]}, ""))
    text = text.replace('"x": 1', '"x": 1, "x": 2')
    stream = parser.stream_parser()
    stream.feed(text)
    with pytest.raises(OutputParserException, match="once"):
        stream.close()
    with pytest.raises(OutputParserException, match="once"):
        parser.parse(text)


@pytest.mark.parametrize(
    ("output_type", "answer"),
    [(int, "4"), (float, "1."), (Literal["no", "none"], "no"), (date, "2026-11-02")],
)
def test_what_may_be_cut_is_no_answer(output_type: Any, answer: str) -> None:
    for lenient in (True, False):
        parser = get_parser("react", output_type=output_type, lenient=lenient)
        assert parser.read(f"Final Answer: {answer}", ended="stop").finish
        with pytest.raises(AnswerError, match="which is cut"):
            parser.read(f"Final Answer: {answer}", ended="length")
    messages = get_parser("tools", output_type=output_type)
    with pytest.raises(AnswerError, match="which is cut"):
        messages.read(AIMessage(answer), ended="length")
    assert get_parser("react", output_type=Point).read(
        'Final Answer: {"x": 1}', ended="length"
    ).output == Point(1)
    assert (
        get_parser("xml", output_type=int)
        .read("<final_answer>4</final_answer>", ended="length")
        .output
        == 4
    )
    cut = get_parser("react", output_type=str).read("Final Answer: so", ended="length")
    assert [repair.kind for repair in cut.repairs] == ["cut"]


@pytest.mark.parametrize("name", ["react", "json", "hermes"])
def test_what_is_json_of_the_type_is_that_before_it_is_text(name: str) -> None:
    for output_type, answer, meant in (
        (str | None, "null", None),
        (int | str, "7", 7),
        (bool | str, "true", True),
        (int | str, "007", "007"),
        (Point | str, '{"x": 1}', Point(1)),
    ):
        text = parser_for(name, str).render(AgentFinish({"output": "ANSWER"}, ""))
        if name == "json" and answer != "007":
            text = text.replace('"ANSWER"', answer)
        written = text.replace("ANSWER", answer)
        assert get_parser(name, output_type=output_type).read(written).output == meant
    either = get_parser("react", output_type=Point | str)
    for answer in ("{'x': 1,}", '```json\n{"x": 1}\n```'):
        turn = either.read(f"Final Answer: {answer}")
        assert turn.output == Point(1)
        assert turn.repairs
    with pytest.raises(AnswerError):
        either.read('Final Answer: {"x": [1')
    assert either.read("Final Answer: It is {x}.").output == "It is {x}."


def test_words_of_the_type_itself_are_no_placeholders() -> None:
    class Message(BaseModel):
        tag: Literal["<b>", "<i>"]

    parser = get_parser("react", output_type=Message)
    assert parser.read('Final Answer: {"tag": "<b>"}').output == Message(tag="<b>")


def test_what_is_not_read_back_is_not_written() -> None:
    for output_type, value in ((float, float("nan")), (int, 10**5000), (SecretStr, SecretStr("a"))):
        with pytest.raises(ValueError, match="the answer, "):
            get_parser("react", output_type=output_type).render(AgentFinish({"output": value}, ""))
    said = get_parser("react", output_type=int).render(
        AgentFinish({"output": 7}, ""), thought='It says "7" apples.'
    )
    assert said == 'Thought: It says "7" apples.\nFinal Answer: 7'


def test_json_schemas_have_the_type() -> None:
    schema = get_parser("json", tools=["search"], output_type=Trip).grammar(
        "json_schema", turn="answer"
    )
    answer = schema["properties"]["action_input"]
    assert answer["properties"]["days"] == {"title": "Days", "type": "integer"}
    tree = get_parser("json", output_type=Tree).grammar("json_schema", turn="answer")
    assert tree["properties"]["action_input"] == {"$ref": "#/$defs/answer"}
    never = get_parser("json", tools=["search"], output_type=Never)
    assert "Final Answer" not in json.dumps(never.grammar("json_schema"))


@pytest.mark.parametrize("name", ["react", "json"])
def test_grammars_have_the_pattern_of_the_type(name: str) -> None:
    needs("llguidance")
    parser = get_parser(name, output_type=Annotated[str, Field(pattern="^[a-c]+$")])
    engine = Llguidance("lark", parser.grammar("lark", turn="answer", exact=True))
    written = parser.render(AgentFinish({"output": "cab"}, ""))
    assert engine.accepts(written)
    assert not engine.accepts(written.replace("cab", "cad"))
    odd = get_parser(name, output_type=Annotated[str, Field(pattern=r"^a|\bb")])
    (note,) = odd.grammar("lark", turn="answer").notes
    assert str(note).startswith("the answer: 'pattern' of the whole value is dropped: ")


class Tree(BaseModel):
    value: int
    children: list[Tree] = []


def test_the_type_of_the_parser_counts() -> None:
    def area(lake: str) -> str:
        """Looks up how large a lake is."""
        return lake

    model = ScriptedModel(["Final Answer: 7", 'Final Answer: {"x": 7}'])
    tools = ToolSet([area]).answering(int)
    assert run_agent(model, "?", get_parser("react", output_type=Point), tools).output == Point(7)
    with pytest.raises(ValueError, match="leave out output_type"):
        from_response_template(response_template("hermes"), tools=tools)
    with pytest.raises(ValueError, match="leave out pattern"):
        ReActJsonSingleInputOutputParser(tools=tools, pattern=re.compile("X(.*)X"))


def test_tools_know_the_type_of_answers() -> None:
    plain = ToolSet(["search"])
    tools = plain.answering(Trip)
    assert tools != plain
    assert tools == plain.answering(Trip) == pickle.loads(pickle.dumps(tools))
    assert tools.answering(None) == plain
    assert hash(tools) == hash(plain.answering(Trip))
    with pytest.raises(TypeError, match="the output_type 'Random' has no JSON Schema"):
        plain.answering(Random)
    with pytest.raises(ValueError, match="does not fit the output_type"):
        get_parser("react", output_type=Trip).render(AgentFinish({"output": Point(1)}, ""))
