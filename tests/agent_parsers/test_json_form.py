"""What is written as JSON reads back the same, and is as docs/agent-parsers.schema.json says."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import BaseModel

from agent_laws import texts
from agent_parsers import (
    AgentAction,
    AgentActionMessageLog,
    AgentFinish,
    AgentStep,
    Dialect,
    Explanation,
    MessageParser,
    OutputParserException,
    StreamParser,
    ToolAgentAction,
    ToolInputError,
    Transcript,
    TranscriptStep,
    UnknownToolError,
    get_dialect,
    get_parser,
    parse_transcripts,
)
from agent_parsers.events import Repair
from agent_parsers.json_form import KINDS, from_json
from agent_parsers.parsers.dialect_parser import dialect_parser
from agent_parsers.transcripts import Conversation
from output_parsers import PydanticOutputParser
from output_parsers.exceptions import ModelRefusalError
from output_parsers.json_form import KINDS as ERROR_KINDS
from output_parsers.strategies.errors import (
    MultipleStructuredOutputsError,
    StructuredOutputValidationError,
)
from outputs import AIMessage, HumanMessage

from ..helpers.json_schema import faults
from ..helpers.messages import FUNCTION_PARSERS, PARSERS, chunks_of, name_of, said
from ..helpers.stories import every_mode, every_turn_mode, some
from .dialects.test_cases import CASES, Case

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from agent_parsers.engine.tables.modes import Mode
    from outputs.json_form.kinds import Kind
    from outputs.json_form.storable import Storable

ROOT = Path(__file__).parents[2]
EVERY_KIND = [*ERROR_KINDS, *KINDS]


# -- what is the same ----------------------------------------------------------------------------


def seen(value: Any) -> Any:
    """Return all that can be seen of *value*, in a form that can be compared: errors cannot."""
    if isinstance(value, BaseException):
        public = {name: getattr(value, name) for name in vars(value) if name[0] != "_"}
        if isinstance(value, OutputParserException):
            public |= {"reason": value.reason, "place": (value.line, value.column)}
            public["pointer"] = value.pointer()
        return type(value), str(value), seen(dict(sorted(public.items())))
    if isinstance(value, BaseModel):
        return type(value), seen(dict(value))
    if dataclasses.is_dataclass(value):
        fields = [each.name for each in dataclasses.fields(value)]
        return type(value), [seen(getattr(value, name)) for name in fields]
    if isinstance(value, dict):
        return type(value), [(seen(key), seen(item)) for key, item in value.items()]
    if isinstance(value, list | tuple):
        return type(value), [seen(item) for item in value]
    return type(value), repr(value)


def assert_kept(value: Storable) -> None:
    """Fail unless *value* reads back the same, from text that fits the schema."""
    written = value.to_json()
    text = json.dumps(written, allow_nan=False)
    assert json.loads(text) == written
    assert not faults(written)
    read = type(value).from_json(json.loads(text))
    assert seen(read) == seen(value)
    assert json.dumps(read.to_json()) == text


# -- of every dialect ----------------------------------------------------------------------------


def events_of(parser: Any, chunks: Iterable[Any]) -> Iterator[Any]:
    """Yield the events of a turn and, if there is one, its error."""
    for chunk in chunks:
        yield from parser.feed(chunk)
    try:
        yield from parser.close()
    except OutputParserException as error:
        yield from parser.last_events
        yield error


def read_of(do: Callable[[], Any]) -> Any:
    """Return what *do* returns or its error."""
    try:
        return do()
    except OutputParserException as error:
        return error


def values_of(dialect: Dialect, case: Case) -> Iterator[Storable]:
    """Yield all that is read in the text of a case."""
    if case.mode == "transcript":
        runs = read_of(lambda: parse_transcripts(case.text, dialect=dialect))
        yield from runs if isinstance(runs, list) else [runs]
    else:
        parser = dialect_parser(dialect, lenient=case.mode == "lenient")
        yield read_of(lambda: parser.read(case.text, ended=case.ended))
        yield parser.explain(case.text, ended=case.ended)


@pytest.mark.parametrize("name", CASES)
def test_every_case_reads_back_the_same(name: str) -> None:
    dialect = get_dialect(name)
    for case in some(CASES[name], dialect):
        for value in values_of(dialect, case):
            assert_kept(value)


@every_mode
@given(data=st.data())
def test_events_of_any_text_in_chunks_read_back_the_same(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    text = data.draw(texts(dialect, mode))
    size = data.draw(st.integers(1, 9))
    chunks = [text[at : at + size] for at in range(0, len(text), size)]
    for event in events_of(StreamParser(dialect, mode=mode), chunks):
        assert_kept(event)


@every_turn_mode
@given(data=st.data())
def test_turns_and_explanations_of_any_text_read_back_the_same(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    text = data.draw(texts(dialect, mode))
    parser = dialect_parser(dialect, lenient=mode == "lenient", tools=["search", "clock"])
    assert_kept(read_of(lambda: parser.read(text)))
    assert_kept(parser.explain(text))


@pytest.mark.parametrize("parser", [*PARSERS, *FUNCTION_PARSERS], ids=name_of)
@given(data=st.data())
def test_messages_read_back_the_same(parser: MessageParser, data: st.DataObject) -> None:
    what = data.draw(said())
    assert_kept(read_of(lambda: parser.read(what.whole())))
    for event in events_of(parser.stream_parser(), data.draw(chunks_of(what))):
        assert_kept(event)


def test_the_form_of_many_calls_grows_as_their_text_does() -> None:
    call = '<tool_call>\n{"name": "a", "arguments": {"x": 1}}\n</tool_call>\n'
    parser = get_parser("hermes")
    sizes = [len(json.dumps(parser.read(call * count).to_json())) for count in (50, 100)]
    assert sizes[1] < 2.1 * sizes[0]


# -- files that are there already ----------------------------------------------------------------

WRITTEN = (Path(__file__).parent / "written_before_0.1.jsonl").read_text("utf-8").splitlines()
"""Values of all classes, as written before the packages were divided; no line may change."""

SINCE = {"AgentRun", "Conversation"}
"""The classes that had no JSON form then."""


@pytest.mark.parametrize("line", WRITTEN)
def test_what_an_old_version_wrote_is_read_and_written_the_same(line: str) -> None:
    written = json.loads(line)
    assert as_before(from_json(written).to_json(), written) == written


def as_before(now: Any, before: Any) -> Any:
    """Return what is written *now* without the keys that did not exist *before*."""
    if isinstance(now, dict) and isinstance(before, dict):
        later = {kind.cls.__name__: kind.later for kind in EVERY_KIND}.get(now.get("type"), {})
        kept = {key: value for key, value in now.items() if key in before or key not in later}
        return {key: as_before(value, before.get(key)) for key, value in kept.items()}
    if isinstance(now, list) and isinstance(before, list) and len(now) == len(before):
        return [as_before(*pair) for pair in zip(now, before, strict=True)]
    return now


def test_a_turn_of_a_message_that_was_written_before_has_its_content_in_the_thought() -> None:
    message = {
        "role": "assistant",
        "reasoning_content": "A.",
        "content": "B.",
        "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
        ],
    }
    turn = get_parser("tools").read(message)
    written = turn.to_json()
    del written["content"]
    assert from_json({**written, "thought": "A.B."}) == turn


def test_an_old_version_wrote_values_of_every_class() -> None:
    written = set(re.findall(r'"type": "(\w+)"', "\n".join(WRITTEN)))
    assert {kind.cls.__name__ for kind in EVERY_KIND} - written == SINCE


# -- errors --------------------------------------------------------------------------------------


def search(query: str, limit: int = 3) -> str:
    """Search the web."""
    return query * limit


def wrong_replies() -> Iterator[OutputParserException]:
    parser = get_parser("react", tools=[search])
    for text in (
        "Action: serch\nAction Input: a",
        'Action: search\nAction Input: {"limit": "many", "x": [1]}',
        "I do not know\r\nwhat to do",
        "",
    ):
        with suppress(OutputParserException):
            parser.parse(text)
            pytest.fail("it can be read")
        yield read_of(lambda text=text: parser.parse(text))


def test_errors_read_back_with_all_that_they_say() -> None:
    unknown, wrong, *_ = errors = [*wrong_replies()]
    assert type(unknown) is UnknownToolError
    assert type(wrong) is ToolInputError
    for error in errors:
        assert_kept(error)
    back = ToolInputError.from_json(wrong.to_json())
    assert back.problems == wrong.problems
    assert back.advice == wrong.advice
    assert back.pointer() == wrong.pointer()


@pytest.mark.parametrize(
    "error",
    [
        OutputParserException("no text"),
        OutputParserException(ValueError("of another kind"), "tell", "a\nb", True, span=(2, 3)),
        OutputParserException("no: x", llm_output="x", span=(0, 1), reason="no number"),
        OutputParserException("two (line 1, column 2)", llm_output="xy", span=(1, 2)),
        ModelRefusalError.saying("I can't."),
        ModelRefusalError.by_filter(),
        MultipleStructuredOutputsError(["a", "b"], AIMessage("x")),
        StructuredOutputValidationError("a", OutputParserException("y", llm_output="z"), None),
        StructuredOutputValidationError("a", ValueError("y"), AIMessage("x"), is_text=True),
    ],
    ids=repr,
)
def test_errors_of_every_class_read_back_the_same(error: OutputParserException) -> None:
    assert_kept(error)
    assert type(OutputParserException.from_json(error.to_json())) is type(error)


def test_the_error_of_a_general_parser_reads_back_the_same() -> None:
    class City(BaseModel):
        name: str

    with pytest.raises(OutputParserException) as caught:
        PydanticOutputParser(pydantic_object=City).parse('{"nam": "Bern"}')
    assert_kept(caught.value)


def test_an_error_of_your_own_class_is_refused() -> None:
    class Mine(OutputParserException):
        pass

    with pytest.raises(TypeError, match="a value of type Mine cannot be written as JSON"):
        Mine("x").to_json()


# -- data ----------------------------------------------------------------------------------------

# JSON has one character where Python may have its two surrogates.
TEXTS = st.text(st.characters(exclude_categories=())).filter(
    lambda text: not re.search("[\ud800-\udbff][\udc00-\udfff]", text)
)
DATA = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**400), 10**400)
    | st.floats()
    | TEXTS  # lone surrogates as well
    | st.binary(),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text() | st.sampled_from(["$float", "$dict", "$"]), inner)
        | st.dictionaries(st.integers() | st.none() | st.tuples(st.text()), inner)
    ),
)


@given(value=DATA)
@example(float("nan"))
@example([float("inf"), {"$float": "NaN"}, {"$dict": 1}, {1: {"": b"\xff"}}, {"$a": 1, "b": 2}])
@example("\udd16 \ud83e")
def test_any_data_reads_back_the_same(value: Any) -> None:
    assert_kept(AgentAction("a", {"x": value}, ""))
    assert_kept(AgentFinish({"output": value}, ""))
    assert_kept(AgentStep(action=AgentAction("a", "b", "c"), observation=value))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"when": [1, date(2026, 1, 1)]}, ".when[1]: a value of type date"),
        ({"a b": {1}}, "['a b']: a value of type set"),
        ({"n": 10**4300}, ".n: an integer of more than 4,300 digits"),
    ],
)
def test_what_has_no_form_is_refused_with_its_place(value: Any, said: str) -> None:
    with pytest.raises(TypeError) as caught:
        AgentAction("a", value, "").to_json()
    assert str(caught.value) == f"tool_input{said} cannot be written as JSON"


def test_what_is_nested_too_deeply_is_refused() -> None:
    value: Any = 1
    for _ in range(100_000):
        value = [value]
    with pytest.raises(TypeError, match="nested too deeply"):
        AgentStep.model_construct(action=AgentAction("a", "", ""), observation=value).to_json()
    written = AgentStep(action=AgentAction("a", "", ""), observation=1).to_json()
    with pytest.raises(ValueError, match="nested too deeply"):
        from_json({**written, "observation": value})


def test_an_integer_that_json_can_read_is_kept() -> None:
    assert_kept(AgentAction("a", {"n": 10**4298}, ""))


def test_actions_keep_their_messages() -> None:
    message = AIMessage("hm", response_metadata={"model": "m"}, id="m1")
    for log in ("hm", "another log"):
        action = ToolAgentAction("a", {}, log, message_log=[message], tool_call_id=None)
        assert_kept(action)
    both = [HumanMessage("b", mood="odd"), message]
    assert_kept(AgentActionMessageLog("a", "x", "hm", message_log=both))


def test_a_message_of_langchain_is_written_as_ours() -> None:
    from langchain_core.messages import AIMessage as Theirs

    found = from_json(MultipleStructuredOutputsError(["a"], Theirs("x", id="m1")).to_json())
    assert found.ai_message == AIMessage("x", id="m1")


def test_another_librarys_message_is_refused() -> None:
    error = MultipleStructuredOutputsError(["a"], {"role": "assistant", "content": "x"})
    with pytest.raises(
        TypeError, match=r"ai_message: expected a message class of the package outputs"
    ):
        error.to_json()


def test_a_class_below_an_action_is_refused() -> None:
    class Mine(AgentAction):
        pass

    with pytest.raises(TypeError, match="Mine cannot be written as JSON"):
        Mine("a", "b", "").to_json()


# -- transcripts ---------------------------------------------------------------------------------


def test_steps_that_failed_are_read_back_between_the_others() -> None:
    text = "Thought: a\nAction: b\nAction Input: c\nObservation: d\nThought: e\nObservation: f\n"
    (run,) = parse_transcripts(f"Question: q\n{text}Thought: g\nFinal Answer: h")
    written = run.to_json()
    assert [step["number"] for step in written["steps"]] == [1, 3]
    assert [step["number"] for step in written["failed"]] == [2]
    assert written["finish"] == written["steps"][1]["action"]
    assert_kept(run)


def test_what_else_is_known_of_a_run_is_kept() -> None:
    step = TranscriptStep(1, "", AgentAction("a", "b", ""), "no", None, None, None)
    failed = dataclasses.replace(step, tool_failed=True)
    told: dict[str, Any] = {
        "metadata": {"reward": 0.5},
        "called_by": "c1",
        "conversation": Conversation("t", 2),
    }
    assert_kept(Transcript("", (failed,), **told))
    plain = Transcript("", (step,)).to_json()
    assert told.keys().isdisjoint(plain)
    assert "tool_failed" not in plain["steps"][0]


def test_steps_out_of_order_are_refused() -> None:
    step = TranscriptStep(2, "", None, None, None, None, None)
    run = Transcript("", (step, dataclasses.replace(step, number=1)))
    with pytest.raises(TypeError, match="steps: expected steps in the order of their numbers"):
        run.to_json()


# -- the table and the schema --------------------------------------------------------------------


@pytest.mark.parametrize("kind", EVERY_KIND, ids=lambda kind: kind.cls.__name__)
def test_the_table_has_every_field(kind: Kind) -> None:
    cls = kind.cls
    if issubclass(cls, BaseModel):
        own = set(cls.model_fields) - {"type"}
    elif dataclasses.is_dataclass(cls):
        own = {each.name for each in dataclasses.fields(cls) if not each.name.startswith("_")}
    else:
        return
    if cls is Transcript:
        own = own - {"all_steps"} | {"steps", "failed"}
    if cls is AgentStep:
        own |= {"tool_failed"}  # its text is a `FailedResult`, which is no field
    assert {*kind.fields, *kind.later} == own


def test_the_table_has_every_event() -> None:
    from typing import get_args

    from agent_parsers.events import Event

    assert {*get_args(Event)} <= {kind.cls for kind in KINDS}


def test_the_table_has_every_error() -> None:
    def below(cls: type) -> Iterator[type]:
        for each in cls.__subclasses__():
            # Not those that `as_langchain` makes of LangChain's and ours, which are no module's.
            if getattr(sys.modules[each.__module__], each.__name__, None) is each:
                if each.__module__.partition(".")[0] in ("agent_parsers", "output_parsers"):
                    yield each
                yield from below(each)

    assert {*below(OutputParserException)} <= {kind.cls for kind in EVERY_KIND}


def test_the_schema_is_up_to_date() -> None:
    command = [sys.executable, "-B", str(ROOT / "tools" / "docs" / "make_schema.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.stdout, done.returncode) == ("", 0), done.stdout + done.stderr


def test_a_transcript_step_of_a_run_is_a_value_too() -> None:
    repair = Repair("label", (0, 1), "read it")
    step = TranscriptStep(1, "t", None, "o", (0, 1), None, (2, 3), (repair,))
    assert_kept(step)
    assert Explanation.from_json(get_parser("react").explain("").to_json()).error is not None


def test_writing_needs_nothing_at_import() -> None:
    code = "import sys, agent_parsers; print('outputs.json_form.kinds' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"
