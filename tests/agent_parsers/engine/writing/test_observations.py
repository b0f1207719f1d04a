"""The observations after an error, and prompts that end where a token may begin."""

import base64
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_laws import laws
from agent_parsers import (
    AgentAction,
    AgentFinish,
    Dialect,
    OutputParserException,
    get_parser,
    parse_transcript,
)
from agent_parsers.authoring import (
    CallFormat,
    JsonPayload,
    ResultsWriter,
    escape,
    role_frame,
    unescape,
)
from agent_parsers.engine.writing.render import render
from agent_parsers.toolset import ToolSet, ToolSpec

from ....helpers.stories import every_dialect

# The observations that a model gets after an error.


def advice(dialect: Dialect, text: str, tools: list[str] | None = None) -> str | None:
    try:
        get_parser(dialect.name, tools=tools).parse(text)
    except OutputParserException as error:
        return str(error.observation)
    return None


@every_dialect
def test_the_example_is_an_action_of_the_dialect(dialect: Dialect) -> None:
    laws.the_example_is_an_action(dialect)


def test_without_tools_the_example_is_an_answer() -> None:
    with pytest.raises(OutputParserException) as caught:
        get_parser("react", output_type=list[int]).parse("Action: search\nAction Input: x")
    assert str(caught.value.observation).endswith("\nFor example: Final Answer: [1]")


RUN = ToolSet([ToolSpec("run", "", {"properties": {"command": {"type": "string"}}})])


@every_dialect
@pytest.mark.parametrize(
    "path", [r"C:\Users\ann", r"D:\Data\app", r"C:\bin\x", r"E:\usb\a.txt", r"\\srv\D\bin"]
)
def test_a_path_is_read_as_written_or_the_observation_names_its_backslashes(
    dialect: Dialect, path: str
) -> None:
    if dialect.name in {"glm4", "smolagents_code"}:  # any text may be an answer; no tool is named
        return
    text = render(dialect, AgentAction("run", {"command": "PATH"}, ""), tools=RUN)
    for lenient in (True, False):
        parser = get_parser(dialect.name, tools=RUN, lenient=lenient)
        assert what_became_of(path, text.replace("PATH", path), parser) in ("read", "bad_escape")


def what_became_of(path: str, text: str, parser: Any) -> str:
    """Return the problem of a *text* with a *path*, or whether the path is read as written."""
    try:
        (action,) = parser.read(text).actions
    except OutputParserException as error:
        return error.problem if "two backslashes" in str(error.observation) else "untold"
    return "read" if action.tool_input == {"command": path} else "changed"


@pytest.mark.parametrize("name", ["hermes", "kimi_k2", "react_json", "react_crewai"])
def test_a_string_without_a_clear_end_is_what_the_observation_names(name: str) -> None:
    dialect = get_parser(name).dialect
    text = render(dialect, AgentAction("run", {"command": "SAID"}, ""), tools=RUN)
    with pytest.raises(OutputParserException) as caught:
        get_parser(name, tools=RUN).parse(text.replace("SAID", 'echo "one, "two", three'))
    assert caught.value.problem == "bad_string"
    assert "unclear where a string ends" in str(caught.value.observation)


@pytest.mark.parametrize("wrong", ['{"command" "ls"}', '{"command": ls -l}', '{"command": }'])
def test_json_that_is_broken_outside_of_its_strings_is_no_matter_of_escapes(wrong: str) -> None:
    text = f'<tool_call>{{"name": "run", "arguments": {wrong}}}</tool_call>'
    with pytest.raises(OutputParserException) as caught:
        get_parser("hermes", tools=RUN).parse(text)
    assert caught.value.problem == "bad_call"


def problem_of(name: str, text: str, *, lenient: bool = True) -> tuple[str, str]:
    """Return the problem of a *text*, and the observation about it."""
    with pytest.raises(OutputParserException) as caught:
        get_parser(name, tools=RUN, lenient=lenient).read(text)
    return caught.value.problem, str(caught.value.observation).partition("\n")[0]


LISTED = '[{"name": "run", "arguments": {"command": "df"}}]'


@pytest.mark.parametrize("name", ["mistral", "mistral_v3", "mistral_v11"])
@pytest.mark.parametrize("mark", ["[/TOOL_CALLS]", " [END]", "</tool_calls>", "<|done"])
def test_a_mark_next_to_a_call_is_no_sentence(name: str, mark: str) -> None:
    problem, told = problem_of(name, LISTED + mark)
    assert problem == "after_call"
    assert "Write nothing after the call" in told


@pytest.mark.parametrize("text", [f"{LISTED} would be it", f"{LISTED}[0]"])
def test_words_next_to_a_call_are_a_sentence(text: str) -> None:
    assert problem_of("mistral_v3", text)[0] == "call_in_sentence"


@pytest.mark.parametrize("opener", ["<|tool_call|>", "<|toolcall>", "<|tool-call>", ""])
@pytest.mark.parametrize("call", ['call:run({"command":"df"})', 'call:run{command:<|"|>df<|"|>}'])
def test_a_call_whose_opener_is_misspelt_is_not_told_that_it_lacks_one(
    opener: str, call: str
) -> None:
    problem, told = problem_of("gemma4", f"{opener}{call}<tool_call|>")
    assert problem == "stray_closer"
    assert "missing or misspelt" in told


@pytest.mark.parametrize(
    ("name", "mark", "call"),
    [
        ("gemma4", '<|"|>', "<|tool_call>call:run{{command:{0}}}<tool_call|>"),
        (
            "functiongemma",
            "<escape>",
            "<start_function_call>call:run{{command:{0}}}<end_function_call>",
        ),
    ],
)
@pytest.mark.parametrize("lenient", [True, False])
def test_the_mark_of_strings_within_one_is_named(
    name: str, mark: str, call: str, *, lenient: bool
) -> None:
    for said in ("a = @@@doc@@@", "@@@doc@@@\ndef f(): ...", "echo @one@", "x @ y"):
        text = call.format(f"{mark}{said.replace('@', mark)}{mark}")
        problem, told = problem_of(name, text, lenient=lenient)
        assert problem == "inner_mark", said
        assert mark in told
        assert "'''" in told
    text = call.format(f"[{mark}a{mark}}}")
    assert problem_of(name, text, lenient=False)[0] != "inner_mark"


@pytest.mark.parametrize("head", ["run", "functions.run", "run:", "functions.run:first", "call_1"])
def test_a_call_without_an_id_is_told_how_ids_are_written(head: str) -> None:
    call = f'<|tool_call_begin|>{head}<|tool_call_argument_begin|>{{"command": "df"}}'
    region = "<|tool_calls_section_begin|>", "<|tool_call_end|><|tool_calls_section_end|>"
    for lenient in (True, False):
        problem, told = problem_of("kimi_k2", call.join(region), lenient=lenient)
        assert problem == "bad_head"
        assert "functions.search:0" in told


TWO = ToolSet(
    [
        ToolSpec("weather", "", {"properties": {"city": {"type": "string"}}}),
        ToolSpec("hotels", "", {"properties": {"city": {}, "max_price": {"type": "integer"}}}),
    ]
)


@every_dialect
def test_the_example_for_a_call_that_is_cut_keeps_its_tool(dialect: Dialect) -> None:
    if dialect.name in {"self_ask", "smolagents_code"}:  # a call names no tool
        return
    given = {"city": "is weather in it?", "max_price": 100}
    text = render(dialect, AgentAction("hotels", given, ""), tools=TWO)
    for lenient in (True, False):
        with pytest.raises(OutputParserException) as caught:
            get_parser(dialect.name, tools=TWO, lenient=lenient).parse(
                text[: text.index("max_price") + len("max_pri")]
            )
        observation = str(caught.value.observation)
        _, found, example = observation.partition(dialect.prompt_words.example)
        assert not found or ("hotels" in example and "weather" not in example)
        if caught.value.problem == "cut_input":
            assert "hotels" in observation.partition("\n")[0]


def test_the_example_is_of_the_call_that_is_wrong() -> None:
    call = '<tool_call>\n{"name": "NAME", "arguments": {"city": "x"}}\n</tool_call>'
    whole = call.replace("NAME", "weather")
    for text in (whole + call.replace("NAME", "hotels")[:45], whole[:45] + "\n"):
        with pytest.raises(OutputParserException) as caught:
            get_parser("hermes", tools=TWO).parse(text)
        tool = "hotels" if "hotels" in text else "weather"
        assert f'{{"name": "{tool}"' in str(caught.value.observation).partition("For example")[2]


def test_the_tool_of_a_step_is_not_that_of_the_step_before() -> None:
    log = "Action: hotels\nAction Input: Bern\nObservation: 7\nThought: hm\nObservation: 8\n"
    (step,) = parse_transcript(log, tools=["weather", "hotels"]).failed
    assert step.error is not None
    assert str(step.error.observation).endswith("Action: weather\nAction Input: what to look for")


@every_dialect
@given(text=st.text(max_size=2_000), tools=st.sampled_from([None, ["search", "look_up"]]))
def test_advice_is_short_and_ends_in_an_example(
    dialect: Dialect, text: str, tools: list[str] | None
) -> None:
    observation = advice(dialect, text, tools)
    if observation is not None:
        own = dialect.form is not None and dialect.form.own_tool and dialect.show is None
        tool = "search" if tools else dialect.example.tool if own else "tool_name"
        shown = dialect.show and dialect.show(tool, None)
        assert observation.endswith(dialect.write(shown or replace(dialect.example, tool=tool)))
        assert len(observation) < 800


@every_dialect
def test_what_was_written_is_shown_on_one_line(dialect: Dialect) -> None:
    observation = advice(dialect, "a\n" + "long " * 100 + "<unclosed")
    if observation is not None:
        lead = dialect.prompt_words.wrote.partition("{")[0]
        (line,) = (line for line in observation.split("\n") if line.startswith(lead))
        assert len(line) < 100


# Prompts end where a token may begin, with tokenizers of two families if they are installed.
#
# They need ``mistral-common[sentencepiece]`` and, for the tokens of Qwen, ``tiktoken`` and
# ``dashscope``, of which only a file is read.

Encode: TypeAlias = Callable[[str], list[int]]
QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""What Qwen's tokenizer splits a text into first."""


def folder(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"{package} is not installed")
    return Path(spec.origin).parent


@cache
def bytes_in_pairs() -> Encode:
    tiktoken: Any = pytest.importorskip("tiktoken")
    lines = (folder("dashscope") / "resources" / "qwen.tiktoken").read_bytes().splitlines()
    ranks = {
        base64.b64decode(word): int(rank) for word, rank in map(bytes.split, filter(None, lines))
    }
    found = tiktoken.Encoding("qwen", pat_str=QWEN, mergeable_ranks=ranks, special_tokens={})
    return lambda text: list(found.encode(text, disallowed_special=()))


@cache
def sentence_pieces() -> Encode:
    sentencepiece: Any = pytest.importorskip("sentencepiece")
    models = (folder("mistral_common") / "data").glob("mistral_instruct_tokenizer_*.model.v3")
    found = sentencepiece.SentencePieceProcessor(model_file=str(next(models)))
    return lambda text: list(found.encode(text))


every_family = pytest.mark.parametrize("family", [bytes_in_pairs, sentence_pieces])


def replies(dialect: Dialect) -> list[tuple[str, str]]:
    """Return prompts, without and with a step before, and replies that continue them."""
    parser, example = get_parser(dialect.name), dialect.example
    action = AgentAction(example.tool, example.tool_input, "")
    found = []
    for number, steps in enumerate(([], [(action, "It is old.")]), 1):
        begun = dialect.generation_prompt(number)
        for turn in (action, AgentFinish({"output": "42 m"}, "")):
            thought = "I know" if dialect.thinks else ""
            written = parser.render(turn, thought=thought, number=number)
            rest = written.removeprefix(begun)
            found.append((parser.render_prompt("How old?", steps), rest))
    return found


def are_apart(encode: Encode, prompt: str, reply: str) -> bool:
    """Return whether no token holds the end of the prompt and the beginning of the reply."""
    begun = encode(prompt)
    return encode(prompt + reply)[: len(begun)] == begun


@every_family
@every_dialect
def test_no_token_spans_the_end_of_a_prompt(dialect: Dialect, family: Callable[[], Encode]) -> None:
    if dialect.several:
        return  # its prompts end in a token of its model's own
    encode = family()
    for prompt, reply in replies(dialect):
        if prompt.endswith("</observation>"):
            continue  # tags that touch, as LangChain writes them: no word is at stake
        assert are_apart(encode, prompt, reply), (prompt[-20:], reply[:20])


@every_family
def test_a_space_at_the_end_of_a_prompt_is_part_of_the_next_token(
    family: Callable[[], Encode],
) -> None:
    encode = family()
    assert are_apart(encode, "Begin.\nThought:", " I look it up.")
    assert not are_apart(encode, "Begin.\nThought: ", "I look it up.")


def test_marks_in_double_brackets_are_escaped_whole() -> None:
    dialect = CallFormat(
        name="double",
        summary="marks in double brackets",
        payload=JsonPayload(),
        call=("[[call]]", "[[/call]]"),
        between="\n",
        thought=("[[think]]", "[[/think]]"),
        content=("", "\n"),
        ends=("[[eot]]",),
        results=ResultsWriter(each=("[[result]]", ""), between="\n"),
        turn_frame=role_frame(("[[eot]]\n[[role:", "]]\n"), "tool"),
    ).dialect()
    said = "x [[eot]]\n[[role:assistant]]\n[[result]] [eot] [a]"
    escaped = escape(dialect, said)
    assert escaped == "x [\\[eot]]\n[\\[role:assistant]]\n[\\[result]] [eot] [a]"
    assert unescape(dialect, escaped) == said
