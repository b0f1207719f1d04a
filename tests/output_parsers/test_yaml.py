"""YAML, and the fields of an object in JSON, compared with LangChain."""

import asyncio
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from textwrap import indent
from typing import Any

import langchain_classic.output_parsers as lc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from output_parsers import OutputParserException
from output_parsers.structured import ResponseSchema, StructuredOutputParser
from output_parsers.yaml import YamlOutputParser
from outputs import AIMessage

from ..helpers.every_cut import one_shot
from ..helpers.growth import assert_linear


class City(BaseModel):
    name: str = Field(description="wie sie heißt")
    people: int
    sights: list[str] = []


class Anything(BaseModel):
    a: Any


PARSER = YamlOutputParser(pydantic_object=City)
ANY = YamlOutputParser(pydantic_object=Anything)

BONN = "name: Bonn\npeople: 340000\nsights:\n  - Rhine\n  - 'Beethoven: his house'\n"
RESULT = City(name="Bonn", people=340000, sights=["Rhine", "Beethoven: his house"])

documents = st.lists(
    st.sampled_from(
        [
            "name: Bonn",
            "people: 3",
            "people: x",
            "sights: [a, b]",
            "sights:",
            "  - a",
            "{",
            "]",
            "a: b: c",
            "name: 'it''s'",
            "- 1",
            "&x",
            "*x",
            "name: &n x",
            "more: *n",
            "# note",
            "---",
            "",
        ]
    ),
    max_size=5,
).map("\n".join)
fenced = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "\n", "So:\n"]),
    st.sampled_from(["", "```", "```yaml\n", "```yml\n", "  ```yaml\n", "```json\n"]),
    documents,
    st.sampled_from(["", "\n```", "```", "\n```\nThat is all."]),
)


@given(fenced)
def test_results_and_messages_are_those_of_langchain(text: str) -> None:
    def described(cls: Any) -> Any:
        try:
            return cls(pydantic_object=City).parse(text)
        except ValueError as error:
            return str(error).partition("\nFor troubleshooting")[0]

    assert described(YamlOutputParser) == described(lc.YamlOutputParser)


@pytest.mark.parametrize(
    "text",
    [
        BONN,
        f"```\n{BONN}```",
        f"```yaml\n{BONN}\n```",
        f"Here it is:\n```yml\n{BONN}\n```\nA nice town.",
        f"  ```yaml\n{BONN}",
        "\n  ```yaml\n" + indent(BONN, "  ") + "  ```\n",
        f"```yaml\n{BONN}  ```\n",
    ],
)
def test_fences_are_passed_over(text: str) -> None:
    assert PARSER.parse(text) == RESULT
    assert PARSER.invoke(AIMessage(content=text)) == RESULT
    assert asyncio.run(PARSER.aparse(text)) == RESULT
    assert list(PARSER.transform(iter(text))) == [RESULT]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("```yaml\na: use `ls` now\n```", "use `ls` now"),
        ("```yaml\na: |\n  ```sh\n  ls\n  ```\n```\nSo `that` is it.", "```sh\nls\n```\n"),
        ("```yaml\na: |\n  ```sh\n  ls\n  ```\n  ```", "```sh\nls\n```\n"),
        ("```a: 1``` and so on", 1),
        ("a: `b`", None),
    ],
)
def test_a_value_may_hold_backticks(text: str, value: Any) -> None:
    if value is None:  # which cannot start a document
        with pytest.raises(OutputParserException):
            ANY.parse(text)
    else:
        assert ANY.parse(text) == Anything(a=value)


def test_a_pattern_of_ones_own_finds_the_document() -> None:
    parser = YamlOutputParser(pydantic_object=Anything, pattern=re.compile("<(?P<yaml>.*)>"))
    assert parser.parse("so: <a: 1>").a == parser.parse("a: 1").a == 1


def test_a_hostile_pattern_ends_in_time() -> None:
    pattern = re.compile("^(a|aa)+(?P<yaml>x)$", re.MULTILINE)
    parser = YamlOutputParser(pydantic_object=Anything, pattern=pattern, timeout_s=0.1)
    with pytest.raises(OutputParserException, match=r"longer than 0\.1 s"):
        parser.parse("a" * 90 + "b")


def test_bad_yaml_is_an_error_that_says_where() -> None:
    text = f"So:\n```yaml\n{BONN}oops: [1\n```"
    with pytest.raises(OutputParserException, match="Failed to parse City from completion") as e:
        PARSER.parse(text)
    assert e.value.llm_output == text
    assert e.value.line == 9
    assert "expected ',' or ']'" in str(e.value.observation)
    assert "Traceback" not in str(e.value.observation)


def test_bad_values_are_an_error_that_names_them() -> None:
    with pytest.raises(OutputParserException, match="Failed to parse City from completion") as e:
        PARSER.parse("name: Bonn\npeople: many")
    assert e.value.span == (0, len("name: Bonn\npeople: many"))
    assert "people: Input should be a valid integer" in str(e.value.observation)
    with pytest.raises(OutputParserException) as e:
        PARSER.parse("")
    assert "the document: Input should be" in str(e.value.observation)


LEVELS = "".join(f"b{n}: &b{n} [{', '.join([f'*b{n - 1}'] * 9)}]\n" for n in range(1, 12))
MERGES = "".join(f"b{n}: &b{n} {{<<: [*b{n - 1}, *b{n - 1}]}}\n" for n in range(1, 40))

ATTACKS = {
    "billion laughs": ("b0: &b0 [x]\n" + LEVELS + "a: *b11", "there are more than"),
    "merges": ("b0: &b0 {k: 1}\n" + MERGES + "a: 1", "there are more than"),
    "itself": ("a: &x [*x]", "contains itself"),
    "itself, merged": ("a: &x {<<: *x}", "contains itself"),
    "a chain": (
        "b0: &b0 []\n" + "".join(f"b{n}: &b{n} [*b{n - 1}]\n" for n in range(1, 500)),
        "lists and dictionaries are nested more than 100 levels deep",
    ),
    "deep lists": ("a: " + "[" * 100_000, "nested more than 100 levels deep"),
    "deep dictionaries": ("a: " + "{x: " * 50_000, "nested more than 100 levels deep"),
    "deep blocks": ("- " * 100_000, "nested more than 100 levels deep"),
    "deep keys": ("? " * 100_000, "nested more than 100 levels deep"),
    "an object": ("a: !!python/object/apply:os.getcwd []", "could not determine a constructor"),
    "a name": ("a: !!python/name:os.system", "could not determine a constructor"),
    "digits": ("a: " + "9" * 100_000, "a number has 100,000 characters; the limit is 4,300"),
    "minutes": ("a: 1" + ":1" * 100_000, "a number has"),
    "fractions": ("a: 1" + ":1" * 100_000 + ".5", "a number has"),
    "no such day": ("a: 2024-02-30", "not a valid timestamp"),
    "no bool": ("a: !!bool maybe", "not a valid bool"),
    "no number": ("a: !!int ''", "not a valid int"),
    "no time": ("a: !!timestamp now", "not a valid timestamp"),
    "no list": ("a: !!int [1]", "expected a scalar node"),
    "no character": ('a: "\\U00110000"', "chr()"),
    "half a pair": ("a: \ud800", "unacceptable character"),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_refused_with_a_reason(name: str) -> None:
    text, reason = ATTACKS[name]
    with pytest.raises(OutputParserException, match="Failed to parse Anything") as caught:
        ANY.parse(text)
    assert reason in str(caught.value)


def test_a_long_text_is_refused_at_once() -> None:
    text = "a: [1, 2]\n" * 100_000
    with pytest.raises(OutputParserException, match="1,000,000 characters; the limit is 250,000"):
        ANY.parse(text)
    ANY.model_copy(update={"max_chars": 20}).parse("a: " + "x" * 17)
    with pytest.raises(OutputParserException, match="21 characters; the limit is 20"):
        ANY.model_copy(update={"max_chars": 20}).parse("a: " + "x" * 18)


def test_aliases_are_read_within_reason() -> None:
    assert ANY.parse("b: &b [1, 2]\na: [*b, *b]").a == [[1, 2], [1, 2]]
    assert ANY.parse("b: &b {x: 1}\na: {<<: *b, y: 2}").a == {"x": 1, "y": 2}


def test_a_text_of_many_values_and_no_aliases_is_read() -> None:
    assert len(ANY.parse("a: [" + "1," * 3000 + "]").a) == 3000


def hostile(chars: int) -> Iterator[str]:
    for shape in "!#%&*'\"-:,`| \n":
        yield shape * chars
    for shape in ("```", "a: ", "- x\n", "a:\n", "` ", "&x ", "a: `\n"):
        yield shape * (chars // len(shape))
    yield "a: |\n" + "\n" * chars
    yield "a: >\n" + " x\n\n" * (chars // 4)
    yield 'a: "' + "\\" * chars + '"'


@pytest.mark.parametrize(
    "number", [pytest.param(n, id=f"{text[:6]!a}") for n, text in enumerate(hostile(100))]
)
def test_hostile_text_gives_a_result_or_a_clear_error_in_linear_time(number: int) -> None:
    def read(text: str) -> None:
        _, failure = one_shot(ANY, text)
        if failure is not None:
            assert failure[0].startswith("Failed to parse Anything from completion ")

    assert_linear(read, lambda chars: [*hostile(chars)][number], 500)


@given(st.text() | st.text(alphabet="ab:- \n\t[]{}&*!'\"|>?#%`,<=~0.1"))
def test_any_text_gives_a_result_or_a_clear_error(text: str) -> None:
    result, failure = one_shot(ANY, text)
    if failure is None:
        assert isinstance(result, Anything)
    else:
        message, llm_output, span = failure
        assert message.startswith("Failed to parse Anything from completion ")
        assert llm_output == text
        assert span is None or 0 <= span[0] <= len(text)


def test_the_example_in_the_instructions_is_read() -> None:
    class Book(BaseModel):
        name: str
        tags: list[str]

    text = PARSER.get_format_instructions()
    example = text[text.index("```yaml") : text.index("This one does not")]
    parser = YamlOutputParser(pydantic_object=Book)
    assert parser.parse(example) == Book(name="Tea: a history", tags=["plants", "trade"])
    wrong = text.partition("is not a list: ")[2].partition("\n")[0]
    with pytest.raises(OutputParserException):
        parser.parse(wrong)


def test_the_schema_in_the_instructions_keeps_its_letters() -> None:
    text = PARSER.get_format_instructions()
    assert '"description": "wie sie heißt"' in text
    assert '"required": ["name", "people"]' in text


def test_it_describes_itself_as_langchains_does() -> None:
    twin = lc.YamlOutputParser(pydantic_object=City)
    assert PARSER._type == twin._type == "yaml"
    assert PARSER.OutputType is twin.OutputType is City
    assert pickle.loads(pickle.dumps(PARSER)) == PARSER
    assert YamlOutputParser[City](pydantic_object=City).parse(BONN) == RESULT


def test_pyyaml_is_imported_when_it_is_needed() -> None:
    code = (
        "import sys\n"
        "from pydantic import BaseModel\n"
        "from output_parsers.yaml import YamlOutputParser\n"
        "class Model(BaseModel): a: int\n"
        "parser = YamlOutputParser(pydantic_object=Model)\n"
        "before = 'yaml' in sys.modules\n"
        "parser.parse('a: 1')\n"
        "print(before, 'yaml' in sys.modules)"
    )
    printed = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert printed.split() == ["False", "True"]


def test_without_pyyaml_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "output_parsers.text.yaml_loader", raising=False)
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ImportError, match=r'pip install "agent-parsers\[yaml\]"'):
        PARSER.parse(BONN)


def test_another_error_of_importing_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "output_parsers.text.yaml_loader", raising=False)
    monkeypatch.setitem(sys.modules, "yaml.composer", None)
    with pytest.raises(ImportError, match=r"yaml\.composer"):
        PARSER.parse(BONN)


def test_a_pattern_of_ones_own_needs_the_group() -> None:
    with pytest.raises(ValueError, match="needs a group named yaml"):
        YamlOutputParser(pydantic_object=City, pattern=re.compile("(.*)"))


def test_a_group_that_took_no_part_finds_nothing() -> None:
    pattern = re.compile("```(?P<yaml>.*)```|name")
    assert YamlOutputParser(pydantic_object=City, pattern=pattern).parse(BONN) == PARSER.parse(BONN)


FIELDS: list[dict[str, Any]] = [
    {"name": "answer", "description": "the answer,\nin a word"},
    {"name": 'the "why"', "description": "warum: 是", "type": "list of strings"},
]
STRUCTURED_PARSER = StructuredOutputParser.from_response_schemas(
    [ResponseSchema(**f) for f in FIELDS]
)
TWIN = lc.StructuredOutputParser.from_response_schemas([lc.ResponseSchema(**f) for f in FIELDS])

OBJECT = '{"answer": "Paris", "the \\"why\\"": ["a", "b"], "more": 1}'
FIELDS = {"answer": "Paris", 'the "why"': ["a", "b"], "more": 1}

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
def test_fields_are_read_as_by_langchain(text: str) -> None:
    def described(parser: Any) -> Any:
        try:
            return parser.parse(text)
        except ValueError as error:
            return str(error).partition("\nFor troubleshooting")[0]

    assert described(STRUCTURED_PARSER) == described(TWIN)


def test_an_object_is_read_from_a_fence() -> None:
    text = f"So:\n```json\n{OBJECT}\n```\nThat is all."
    assert (
        STRUCTURED_PARSER.parse(text) == STRUCTURED_PARSER.invoke(AIMessage(content=text)) == FIELDS
    )
    assert asyncio.run(STRUCTURED_PARSER.aparse(text)) == FIELDS
    assert list(STRUCTURED_PARSER.transform(iter(text))) == [FIELDS]


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
        STRUCTURED_PARSER.parse(text)
    assert caught.value.llm_output == text
    assert caught.value.observation


def test_the_example_of_fields_is_read() -> None:
    city = StructuredOutputParser(
        response_schemas=[
            ResponseSchema(name="name", description="a city's name"),
            ResponseSchema(name="people", description="how many", type="number"),
        ]
    )
    example = city.get_format_instructions().partition("asked for:\n\n")[2]
    assert city.parse(example.partition("\n\nWhat is")[0]) == {"name": "Bonn", "people": 340000}


def test_the_keys_are_in_the_instructions_one_in_each_line() -> None:
    block = STRUCTURED_PARSER.get_format_instructions(only_json=True)
    assert block == (
        "```json\n"
        "{\n"
        '\t"answer": <string>,  // the answer, in a word\n'
        '\t"the \\"why\\"": <list of strings>  // warum: 是\n'
        "}\n"
        "```"
    )
    assert STRUCTURED_PARSER.get_format_instructions().endswith(block)
    assert len(STRUCTURED_PARSER.get_format_instructions()) > len(block)


def test_a_parser_of_fields_describes_itself_as_langchains_does() -> None:
    assert STRUCTURED_PARSER.asdict() == TWIN.asdict()
    assert STRUCTURED_PARSER.OutputType == TWIN.OutputType == dict[str, Any]
    assert pickle.loads(pickle.dumps(STRUCTURED_PARSER)) == STRUCTURED_PARSER
    with pytest.raises(ValueError, match="description"):
        ResponseSchema(name="a")  # type: ignore[call-arg]
