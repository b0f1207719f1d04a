"""Reprs of Python as data, and what print() shows of results."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import AgentAction, OutputParserException
from agent_runs import read_runs
from agent_runs.reading.reprs import fields_of_text, value_of_repr

from .data_logs import only

HOSTILE = st.text() | st.sampled_from(
    ['it\'s "so"', "<ChatRole.USER: 'user'>", "[HumanMessage(content='x')]", "a\\'b", "\n)]}", "#"]
)
SCALARS = st.none() | st.booleans() | st.integers() | HOSTILE
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(HOSTILE, inner, max_size=3),
    max_leaves=8,
)


@given(value=DATA)
def test_a_repr_gives_its_value(value: Any) -> None:
    assert value_of_repr(repr(value)) == value
    assert value_of_repr(f"X(a={value!r})") == {"a": value}
    assert fields_of_text(f"a={value!r} b={value!r}") == {"a": value, "b": value}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(1, -2.5)", [1, -2.5]),
        ("{'a': <Role.USER: 'user'>, 'b': <Kind.X: 3>}", {"a": "user", "b": 3}),
        ("{'a': <object at 0x7f>, 'b': nan}", {"a": None, "b": None}),
        ("OrderedDict({'a': UUID('x')})", {"a": "x"}),
        ("OrderedDict([('a', AttributedDict([('b', 1)]))])", {"a": {"b": 1}}),
        ("Pair([('a', 1)])", [["a", 1]]),
        ("X(at=datetime.datetime(2026, 1, 5, tzinfo=datetime.timezone.utc), n=a.B)",
         {"at": [2026, 1, 5], "n": None}),
        ("datetime.datetime(2026, 1, 5)", [2026, 1, 5]),
        ("HumanMessage(content='x')", {"type": "human", "content": "x"}),
        ("ChatMessage(_role=<R.USER: 'user'>, _content=[TextContent(text='x')])",
         {"role": "user", "content": [{"text": "x"}]}),
        ("ToolCallResult(result='x', origin=ToolCall(tool_name='a', arguments={}))",
         {"tool_call_result": {"result": "x", "origin": {"tool_name": "a", "arguments": {}}}}),
    ],
)  # fmt: skip
def test_an_object_is_its_fields(text: str, value: Any) -> None:
    assert value_of_repr(text) == value


@pytest.mark.parametrize(
    "text",
    ["open('x').read()", "[x for x in y]", "lambda: 1", "f'{x}'", "a.b", "{**a}", "x", "1 + 1", "",
     "'x", "(" * 500, "{'a': 1", "{[1]: 2}"],
)  # fmt: skip
def test_what_is_no_repr_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"repr|found|key"):
        value_of_repr(text)


MESSAGES = [
    "HumanMessage(content='Which?', id='1')",
    (
        "AIMessage(content='I look.', tool_calls=[{'name': 'search', 'id': 'c',"
        " 'args': {'q': 'a\\nb'}}])"
    ),
    "ToolMessage(content=\"It's [HumanMessage(content='x')]\", tool_call_id='c')",
    "AIMessage(content='Fog.', tool_calls=[])",
]
FIELDS = [
    "content='Which?' additional_kwargs={} response_metadata={}",
    (
        "content='I look.' additional_kwargs={} tool_calls=[{'name': 'search', 'id': 'c',"
        " 'args': {'q': 'a\\nb'}}] invalid_tool_calls=[]"
    ),
    "content=\"It's [HumanMessage(content='x')]\" tool_call_id='c'",
    "content='Fog.' additional_kwargs={} tool_calls=[]",
]


@pytest.mark.parametrize("run", ['\\"', "\\'", "b'\\", "<'"])
def test_strings_without_end_are_refused_in_linear_time(run: str) -> None:
    def seconds(size: int) -> float:
        text = "['\"" + run * (size // len(run))
        start = time.thread_time()
        with pytest.raises(ValueError, match="not the repr"):
            value_of_repr(text)
        return time.thread_time() - start

    # In quadratic time, sixteen times the text would take 256 times as long.
    assert min(seconds(32_000) for _ in range(2)) < 60 * min(seconds(2_000) for _ in range(3))


@pytest.mark.parametrize(
    "log",
    [
        f"{{'messages': [{', '.join(MESSAGES)}]}}\n",
        "{'messages': [" + ",\n              ".join(MESSAGES) + "]}",
        f"[{', '.join(MESSAGES)}]",
        "\n".join(MESSAGES),
        "\n\n".join(FIELDS),
    ],
    ids=["state", "pprint", "list", "loop", "str"],
)
def test_printed_messages_are_read(log: str) -> None:
    run = only(log)
    assert run.source is not None
    assert (run.source.within, run.source.reader) == (("python_repr",), "langchain_messages")
    first = run.steps[0]
    assert isinstance(first.action, AgentAction)
    assert (run.question, first.thought, first.content) == ("Which?", "", "I look.")
    assert (first.action.tool, first.action.tool_input) == ("search", {"q": "a\nb"})
    assert first.observation == "It's [HumanMessage(content='x')]"
    assert run.finish is not None
    assert run.finish.return_values == {"output": "Fog."}


ASKED = "content='Which lake?' additional_kwargs={} response_metadata={} id='c9'"
WRITTEN = [
    "additional_kwargs={} response_metadata={'finish_reason': 'stop'} id='run-7-0'",
    "additional_kwargs={} response_metadata={'model': 'm'}",
    "additional_kwargs={} response_metadata={} usage_metadata={'input_tokens': 9}",
    "additional_kwargs={} usage_metadata={'input_tokens': 9}",
    *(f"additional_kwargs={{}} response_metadata={{}} id='{number}'"
      for number in ("run-7", "run--7", "lc_run--7", "chatcmpl-7")),
]  # fmt: skip


@pytest.mark.parametrize("fields", WRITTEN)
def test_a_message_with_fields_of_a_model_is_no_question(fields: str) -> None:
    answer = f"content='Lake Thun.' {fields}"
    run = only(f"{ASKED}\n{answer}\n")
    assert (run.question, run.preamble, run.output) == ("Which lake?", "", "Lake Thun.")
    assert run.notices == ()
    called = only("\n".join([FIELDS[0], *FIELDS[1:3], answer]))
    assert (called.question, called.output) == ("Which?", "Lake Thun.")
    assert len(called.steps) == 2
    alone = only(f"{answer}\n")
    assert (alone.question, alone.output) == ("", "Lake Thun.")


@pytest.mark.parametrize("name", ["function_call", "tool_calls"])
def test_a_message_whose_call_is_in_its_extra_fields_is_of_the_model(name: str) -> None:
    function = "{'name': 'search', 'arguments': '{\"q\": 1}'}"
    calls = f"[{{'id': 'c', 'type': 'function', 'function': {function}}}]"
    shown = function if name == "function_call" else calls
    run = only(f"{ASKED}\ncontent='' additional_kwargs={{'{name}': {shown}}}\n")
    (step,) = run.steps
    assert isinstance(step.action, AgentAction)
    assert (step.action.tool, step.action.tool_input) == ("search", {"q": 1})


def test_printed_chunks_of_a_message_are_an_error() -> None:
    chunk = "content=' Thun.' additional_kwargs={} response_metadata={} id='run-7'"
    with pytest.raises(OutputParserException, match="chunk of a streamed one") as caught:
        [*read_runs("\n".join([ASKED, chunk.replace("Thun.", "Lake"), chunk]))]
    assert "line 3 of the file" in str(caught.value)
    assert only("\n".join([ASKED, chunk, chunk])).output == " Thun."


def test_text_between_values_is_a_notice() -> None:
    run = only("\n".join(["Running …", *MESSAGES[:2], "ok", *MESSAGES[2:], "Done."]))
    assert [(notice.text, notice.line) for notice in run.notices] == [
        ("Running …", 1), ("ok", 4), ("Done.", 7)
    ]  # fmt: skip
    assert len(run.steps) == 2


def test_a_value_that_cannot_be_read_is_an_error_with_its_line() -> None:
    log = "\n".join([*MESSAGES[:2], "ToolMessage(content=f(x) + 1)", MESSAGES[3]])
    with pytest.raises(OutputParserException, match="line 3 of the file"):
        list(read_runs(log))


def test_steps_of_an_executor_are_read() -> None:
    log = (
        "{'input': 'q', 'output': 'o', 'intermediate_steps': [(AgentAction(tool='a',"
        " tool_input='b', log='Hm.\\nAction: a\\nAction Input: b'), 'seen')]}"
    )
    run = only(log)
    assert [(step.thought, step.observation) for step in run.steps] == [("Hm.", "seen"), ("", None)]


SUMMARY = """\
RunResult:
- Last agent: Agent(name="Planner", ...)
- Final output (str):
    Fog.
    \

    - Final output (str):
- 1 new item(s)
- 1 raw response(s)
(See `RunResult` for more details)
"""


def test_the_summary_of_a_result_has_the_answer() -> None:
    run = only(SUMMARY)
    assert run.finish is not None
    assert run.finish.return_values == {"output": "Fog.\n\n- Final output (str):"}


def test_items_printed_after_a_summary_have_the_run() -> None:
    items = [
        "ResponseFunctionToolCall(arguments='{}', call_id='c', name='a', type='function_call')",
        "{'call_id': 'c', 'output': 'x', 'type': 'function_call_output'}",
    ]
    two = (SUMMARY + "\n".join(items) + "\n") * 2
    runs = [*read_runs(two)]
    assert [len(run.steps) for run in runs] == [1, 1]
