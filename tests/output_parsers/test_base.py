import asyncio
import copy
import inspect
import pickle
import typing
import warnings
from traceback import format_exception
from types import SimpleNamespace
from typing import Any, Generic, TypeVar
from unittest import mock

import langchain_core.messages as theirs
import pytest
from langchain_core.output_parsers import (
    BaseGenerationOutputParser as LangChainBaseGenerationOutputParser,
)
from langchain_core.output_parsers import BaseOutputParser as LangChainBaseOutputParser
from pydantic import BaseModel, Field, SkipValidation, ValidationError
from typing_extensions import override

from output_parsers import (
    BaseGenerationOutputParser,
    BaseLLMOutputParser,
    BaseOutputParser,
    JsonOutputParser,
    OutputParserException,
    Runnable,
    StrOutputParser,
)
from outputs import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatGeneration,
    Generation,
    HumanMessage,
    ToolMessage,
)

T = TypeVar("T")
U = TypeVar("U")
BLOCKS = [{"type": "text", "text": "a"}, "b", {"text": "c"}, {"type": "image", "text": "d"}]


class Times(BaseOutputParser[int]):
    """Multiplies by an option."""

    factor: int = 1
    tags: list[str] = Field(default_factory=list)

    def parse(self, text: str) -> int:
        return self.factor * int(text)


class LangChainTimes(LangChainBaseOutputParser[int]):
    factor: int = 1
    tags: list[str] = Field(default_factory=list)

    def parse(self, text: str) -> int:
        return self.factor * int(text)


class Typed(Times):
    @property
    def _type(self) -> str:
        return "typed"


class LangChainTyped(LangChainTimes):
    @property
    def _type(self) -> str:
        return "typed"


class Show(BaseGenerationOutputParser[str]):
    """Returns a description of the generations it receives."""

    def parse_result(self, result: list[Generation], *, partial: bool = False) -> str:
        (generation,) = result
        if isinstance(generation, ChatGeneration):
            return f"{type(generation.message).__name__}: {generation.text}"
        return f"{type(generation).__name__}: {generation.text}"


class ShowText(BaseOutputParser[str]):
    """The same, based on a class that needs only the text."""

    def parse(self, text: str) -> str:
        return text

    @override
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> str:
        return Show().parse_result(result, partial=partial)


class Several(BaseOutputParser[T]):
    def parse(self, text: str) -> T:
        raise NotImplementedError


class ListOf(BaseOutputParser[list[U]], Generic[U]):
    def parse(self, text: str) -> list[U]:
        return []


class MapOf(ListOf[dict[str, T]], Generic[T]):
    pass


# what it is


def test_a_parser_is_a_pydantic_model_with_keywords_that_stays_mutable() -> None:
    parser = Times(factor=2, unknown=3)  # type: ignore[call-arg]
    assert parser.invoke("4") == 8
    parser.factor = 3
    assert parser.invoke("4") == 12
    assert Times(factor="2").factor == 2  # type: ignore[arg-type]
    assert Times() == Times()
    assert Times().tags is not Times().tags
    with pytest.raises(ValueError, match=r"^Times: factor should be a valid integer, not 'x'$"):
        Times(factor="x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no field"):
        parser.unknown = 1  # type: ignore[attr-defined]
    assert isinstance(parser, (BaseModel, Runnable, BaseLLMOutputParser))


def test_wrong_arguments_are_an_error_of_one_line() -> None:
    make: Any = Times
    wrong: dict[str, Any] = {"factor": "x" * 100, "tags": 3}
    for arguments, said in (
        (wrong, "Times: factor should be a valid integer, not 'x+…; tags should .*, not 3"),
        ({"factor": None, "unknown": 3}, "Times: factor should be a valid integer, not None"),
    ):
        with pytest.raises(ValueError, match=f"^{said}$") as caught:
            make(**arguments)
        assert "errors.pydantic.dev" not in "".join(format_exception(caught.value))
        assert len(str(caught.value)) < 200
    with pytest.raises(TypeError, match=r"^Times has no argument 'facter'. Did you mean 'factor'"):
        make(facter=3)
    with pytest.raises(TypeError, match=r"^Times takes its arguments by name, as in Times\(fact"):
        make(3)


def test_parse_and_parse_result_have_to_be_written() -> None:
    with pytest.raises(TypeError, match=r"abstract method '?parse'?"):
        BaseOutputParser[int]()  # type: ignore[abstract]
    with pytest.raises(TypeError, match=r"abstract method '?parse_result'?"):
        BaseGenerationOutputParser[int]()  # type: ignore[abstract]


def test_repr_leaves_out_defaults_as_langchain_does() -> None:
    assert repr(StrOutputParser()) == "StrOutputParser()"
    assert repr(Times(factor=3)) == repr(LangChainTimes(factor=3)).removeprefix("LangChain")


def test_the_output_type_may_be_the_default_of_a_type_variable() -> None:
    class Loud(JsonOutputParser):
        pass

    assert JsonOutputParser().OutputType is Loud().OutputType is Any
    assert JsonOutputParser[int]().OutputType is int


def test_a_parser_can_be_a_field_of_another() -> None:
    class Wrapper(BaseOutputParser[T]):
        parser: SkipValidation[BaseOutputParser[T]]

        def parse(self, text: str) -> T:
            return self.parser.parse(text)

        @property
        @override
        def OutputType(self) -> Any:
            return self.parser.OutputType

    class Holder(BaseModel):
        parser: BaseOutputParser  # type: ignore[type-arg]

    inner = Times()
    assert Wrapper(parser=inner).parser is inner
    assert Wrapper[int](parser=inner).invoke("7") == 7
    assert Wrapper(parser=inner).OutputType is int
    assert Holder(parser=inner).parser is inner
    with pytest.raises(ValidationError):
        Holder(parser="x")


def test_an_abstract_parser_has_a_schema_although_it_is_built_late() -> None:
    class Named(BaseOutputParser[T]):
        label: str

    assert Named.model_json_schema()["required"] == ["label"]
    assert Named[int].model_json_schema()["required"] == ["label"]
    with pytest.raises(TypeError, match="abstract"):
        Named[int].model_validate({"label": "x"})


def test_a_field_may_name_a_class_that_comes_later() -> None:
    class Later(BaseOutputParser[str]):
        inner: "Option | None" = None

        def parse(self, text: str) -> str:
            return text

    class Option(BaseModel):
        size: int = 1

    Later.model_rebuild()
    assert Later(inner={"size": 2}).inner == Option(size=2)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "twin_of", [copy.copy, copy.deepcopy, lambda parser: pickle.loads(pickle.dumps(parser))]
)
def test_parsers_copy_and_pickle(twin_of: Any) -> None:
    twin = twin_of(Times(factor=3, name="n"))
    assert twin == Times(factor=3, name="n")
    assert twin.invoke("2") == 6


# types


@pytest.mark.parametrize(
    ("parser", "expected"),
    [
        (StrOutputParser(), str),
        (Times(), int),
        (Typed(), int),
        (Several[int](), int),
        (Several[list[str]](), list[str]),
        (ListOf[int](), list[int]),
        (MapOf[int](), list[dict[str, int]]),
        (Show(), str),
    ],
    ids=repr,
)
def test_the_output_type_is_the_type_argument(parser: Any, expected: Any) -> None:
    assert parser.OutputType == expected


def test_a_type_argument_makes_no_new_name() -> None:
    assert Several[int]().get_name() == "Several"


def test_without_a_type_argument_the_output_is_anything() -> None:
    class Untyped(BaseOutputParser):  # type: ignore[type-arg]
        def parse(self, text: str) -> str:
            return text

    for parser in (Untyped(), Several()):
        assert parser.OutputType is Any
    assert Untyped().invoke("x") == "x"


def test_the_input_type_is_text_or_a_message() -> None:
    assert str in typing.get_args(Times().InputType)


# input


@pytest.mark.parametrize("parser", [Show(), ShowText()], ids=repr)
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("a", "Generation: a"),
        (Generation(text="a"), "Generation: a"),
        (AIMessage("a"), "AIMessage: a"),
        (AIMessageChunk("a"), "AIMessageChunk: a"),
        (HumanMessage("a"), "HumanMessage: a"),
        (ChatGeneration(message=AIMessage("a")), "AIMessage: a"),
        (AIMessage(BLOCKS), "AIMessage: abc"),
        (theirs.AIMessage("a"), "AIMessage: a"),
        (theirs.AIMessageChunk("a"), "AIMessageChunk: a"),
        (theirs.ToolMessage("a", tool_call_id="1"), "ToolMessage: a"),
        (theirs.AIMessage(BLOCKS), "AIMessage: abc"),
        (SimpleNamespace(content="a"), "AIMessage: a"),
        (SimpleNamespace(content=None, type="assistant"), "AIMessage: "),
        (SimpleNamespace(content=BLOCKS), "AIMessage: abc"),
    ],
)
def test_a_parser_of_generations_gets_one_with_the_message(
    parser: Any, given: Any, expected: str
) -> None:
    assert parser.invoke(given) == expected
    assert asyncio.run(parser.ainvoke(given)) == expected
    assert parser.batch([given]) == asyncio.run(parser.abatch([given])) == [expected]
    assert StrOutputParser().invoke(given) == expected.partition(": ")[2]
    assert asyncio.run(StrOutputParser().ainvoke(given)) == expected.partition(": ")[2]


def test_a_message_of_langchain_keeps_its_fields() -> None:
    class Message(BaseGenerationOutputParser[BaseMessage]):
        def parse_result(self, result: list[Generation], *, partial: bool = False) -> BaseMessage:
            (generation,) = result
            assert isinstance(generation, ChatGeneration)
            return generation.message

    calls = [{"name": "search", "args": {"q": "rain"}, "id": "1"}]
    message = Message().invoke(
        theirs.AIMessage(
            "a",
            tool_calls=calls,
            id="m",
            additional_kwargs={"x": 1},
            response_metadata={"stop_reason": "end"},
            usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
        )
    )
    assert isinstance(message, AIMessage)
    assert message.tool_calls == [{**calls[0], "type": "tool_call"}]
    assert (message.id, message.additional_kwargs) == ("m", {"x": 1})
    assert message.response_metadata == {"stop_reason": "end"}
    assert message.usage_metadata == {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
    tool = Message().invoke(theirs.ToolMessage("r", tool_call_id="1", artifact=[2]))
    assert isinstance(tool, ToolMessage)
    assert (tool.tool_call_id, tool.artifact) == ("1", [2])


@pytest.mark.parametrize("given", [5, None, {"a": 1}, ["a"]])
@pytest.mark.parametrize("parser", [Show(), ShowText(), StrOutputParser()], ids=repr)
def test_other_input_is_the_callers_mistake(parser: Any, given: Any) -> None:
    with pytest.raises(TypeError, match="expected a str, a message or a generation"):
        parser.invoke(given)
    with pytest.raises(TypeError, match="expected a str, a message or a generation"):
        asyncio.run(parser.ainvoke(given))


def test_text_goes_to_parse_without_a_detour() -> None:
    with mock.patch("output_parsers.base.generation_of", side_effect=AssertionError):
        for given in ("3", AIMessage("3"), theirs.AIMessage("3")):
            assert Times().invoke(given) == 3
            assert Times().batch([given]) == [3]
            assert asyncio.run(Times().ainvoke(given)) == 3


def test_a_batch_of_a_parser_runs_in_the_callers_thread() -> None:
    with mock.patch("concurrent.futures.ThreadPoolExecutor", side_effect=AssertionError):
        assert Times().batch(["1", AIMessage("2")], {"max_concurrency": 8}) == [1, 2]
        assert ShowText().batch(["1", "2"], {"max_concurrency": 8}) == [
            "Generation: 1",
            "Generation: 2",
        ]


# the other methods


def test_the_asynchronous_methods_do_what_the_others_do() -> None:
    result = [Generation(text="3"), Generation(text="x")]
    assert Times().parse_result(result) == 3
    assert Times().parse_result(result, partial=True) == 3
    assert asyncio.run(Times().aparse("3")) == 3
    assert asyncio.run(Times().aparse_result(result, partial=True)) == 3
    assert asyncio.run(Show().aparse_result(result[:1])) == "Generation: 3"
    assert Times().parse_with_prompt("3", prompt="three?") == 3


@pytest.mark.parametrize("name", ["aparse", "aparse_result"])
def test_a_parser_that_waits_does_so_in_every_asynchronous_method(name: str) -> None:
    class Waiting(Times):
        waited: list[object] = Field(default_factory=list)

    async def wait(self: Waiting, given: object, **_: object) -> int:
        await asyncio.sleep(0)
        self.waited.append(given)
        return -1

    class Patient(Waiting):
        locals()[name] = wait

    async def run(parser: Patient) -> None:
        assert await parser.ainvoke("1") == -1
        assert await parser.ainvoke(AIMessage("1")) == -1
        assert await parser.abatch(["1", "2"]) == [-1, -1]
        assert await parser.aparse_result([Generation(text="1")]) == -1
        assert len(parser.waited) == 5

    asyncio.run(run(Patient()))
    assert Patient().invoke("1") == 1


def test_a_parser_that_waits_waits_for_all_of_a_batch_at_once() -> None:
    class Patient(BaseOutputParser[int]):
        now: int = 0
        most: int = 0

        def parse(self, text: str) -> int:
            raise NotImplementedError

        @override
        async def aparse(self, text: str) -> int:
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0.01)
            self.now -= 1
            return int(text)

    parser = Patient()
    assert asyncio.run(parser.abatch(list("123"))) == [1, 2, 3]
    assert parser.most == 3
    parser = Patient()
    assert asyncio.run(parser.abatch(list("123"), {"max_concurrency": 2})) == [1, 2, 3]
    assert parser.most == 2


@pytest.mark.parametrize(
    ("name", "uses"),
    [
        ("parse", {"invoke", "ainvoke", "batch", "abatch", "aparse", "transform"}),
        ("parse_result", {"invoke", "ainvoke", "batch", "abatch", "transform"}),
        ("aparse", {"ainvoke", "abatch", "aparse"}),
        ("aparse_result", {"ainvoke", "abatch"}),
        ("invoke", {"invoke", "batch", "abatch", "transform"}),
    ],
)
def test_a_method_patched_on_an_instance_is_used(name: str, uses: set[str]) -> None:
    parser = Times()
    original = getattr(parser, name)

    def patched(*args: Any, **kwargs: Any) -> int:
        return -1

    async def apatched(*args: Any, **kwargs: Any) -> int:
        return -1

    is_async = inspect.iscoroutinefunction(original)
    object.__setattr__(parser, name, apatched if is_async else patched)
    found = {
        "invoke": parser.invoke("1"),
        "ainvoke": asyncio.run(parser.ainvoke("1")),
        "batch": parser.batch(["1"])[0],
        "abatch": asyncio.run(parser.abatch(["1"]))[0],
        "aparse": asyncio.run(parser.aparse("1")),
        "transform": next(parser.transform(iter(["1"]))),
    }
    assert {use for use, result in found.items() if result == -1} == uses


def test_a_method_patched_on_a_class_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Times, "parse_result", lambda self, result, *, partial=False: -1)
    assert Times().invoke("1") == -1
    assert Times().batch(["1"]) == [-1]
    monkeypatch.undo()
    assert Times().invoke("1") == 1


def test_exceptions_of_parse_arrive_unchanged() -> None:
    error = OutputParserException("no", llm_output="x")

    class Fails(BaseOutputParser[int]):
        def parse(self, text: str) -> int:
            raise error

    for call in (
        lambda: Fails().invoke("x"),
        lambda: Fails().batch(["x"]),
        lambda: asyncio.run(Fails().ainvoke("x")),
        lambda: asyncio.run(Fails().abatch(["x"])),
    ):
        with pytest.raises(OutputParserException) as caught:
            call()
        assert caught.value is error
    assert Fails().batch(["x"], return_exceptions=True) == [error]
    assert asyncio.run(Fails().abatch(["x"], return_exceptions=True)) == [error]


# descriptions


def test_format_instructions_have_to_be_written() -> None:
    with pytest.raises(NotImplementedError):
        Times().get_format_instructions()


def test_the_type_is_only_where_it_is_implemented() -> None:
    with pytest.raises(
        NotImplementedError, match="_type property is not implemented in class Times"
    ):
        _ = Times()._type
    assert Typed()._type == "typed"


@pytest.mark.parametrize("kwargs", [{}, {"exclude": {"name"}}, {"exclude_none": True}])
def test_asdict_is_the_fields_and_the_type(kwargs: dict[str, Any]) -> None:
    assert Typed(factor=2).asdict(**kwargs) == LangChainTyped(factor=2).asdict(**kwargs)
    assert Times(factor=2).asdict(**kwargs) == LangChainTimes(factor=2).asdict(**kwargs)
    assert Typed(factor=2).asdict() == {"name": None, "factor": 2, "tags": [], "_type": "typed"}
    assert "_type" not in Times().asdict()


def test_dict_is_deprecated_in_favour_of_asdict() -> None:
    with pytest.warns(DeprecationWarning, match="asdict") as caught:
        assert Typed().dict() == Typed().asdict()
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert Typed().dict(exclude_none=True) == Typed().asdict(exclude_none=True)


def test_the_type_hints_of_asdict_resolve_although_the_class_has_a_dict() -> None:
    for cls in (BaseOutputParser, Times):
        assert typing.get_type_hints(cls.asdict)["return"] == dict[str, Any]


def test_fields_may_be_dicts_although_the_class_has_a_dict() -> None:
    class Mapped(Times):
        names: dict[str, int] = Field(default_factory=dict)

    assert Mapped(names={"a": 1}).names == {"a": 1}


def test_text_parsers_are_also_parsers_of_generations() -> None:
    """In LangChain they are parallel branches; see ``docs/differences.md``."""
    assert not issubclass(LangChainBaseOutputParser, LangChainBaseGenerationOutputParser)
    assert issubclass(BaseOutputParser, BaseGenerationOutputParser)
