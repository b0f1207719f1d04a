"""Text in a dialect: where runs begin and end, and what belongs to none."""

import io
from typing import Any

import pytest

from agent_parsers import (
    AgentFinish,
    OutputParserException,
    Transcript,
    get_dialect,
    list_dialects,
    parse_transcripts,
)
from agent_runs import read_runs
from agent_runs.reading.parts import is_open_end

CALL = "Thought: a clock\nAction: clock\nAction Input: Bern\n"
STEP = f"{CALL}Observation: 12:00\n"
ANSWER = "Thought: noon\nFinal Answer: It is noon.\n"
RUN = f"Question: How late is it?\n{STEP}{ANSWER}"
TRANSCRIPTS = [name for name in list_dialects() if get_dialect(name).lenient.transcript_start]


def answers(runs: list[Transcript]) -> list[Any]:
    return [run.finish and run.finish.return_values["output"] for run in runs]


def read(text: str, **options: Any) -> list[Transcript]:
    return list(read_runs(text, format="plain", **options))


def about(run: Transcript) -> list[tuple[str, str, int]]:
    return [
        (notice.kind, notice.text, notice.line) for notice in run.notices if not is_open_end(notice)
    ]


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_a_sample_is_read_as_parse_transcripts_reads_it(name: str) -> None:
    sample = get_dialect(name).sample
    (expected,) = parse_transcripts(sample, dialect=name)
    (run,) = read(sample, dialect=name)
    assert (run.question, run.all_steps) == (expected.question, expected.all_steps)
    assert run.source is not None
    assert (run.source.reader, run.source.dialect, run.source.line) == ("plain", name, 1)


def test_the_dialect_is_found_and_the_source_says_why() -> None:
    (run,) = read_runs(RUN)
    assert run.source is not None
    assert (run.source.reader, run.source.dialect) == ("plain", "react")
    assert run.source.evidence[0].startswith("read 1 action and 1 answer by 'Question:'")
    assert about(run) == []


# -- where runs end ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{RUN}{RUN}", ["It is noon.", "It is noon."]),
        (f"{RUN}\n\n{RUN}", ["It is noon.", "It is noon."]),
        (f"{STEP}{ANSWER}{STEP}{ANSWER}", ["It is noon.", "It is noon."]),
        (f"{STEP}{ANSWER}\n{STEP}", ["It is noon.", None]),
        (f"{STEP}{ANSWER}Action: clock\nAction Input: x\n", ["It is noon.", None]),
        (f"{ANSWER}{ANSWER}", ["It is noon.", "It is noon."]),
        (f"=== 1 ===\n{RUN}\n=== 2 ===\n{RUN}", ["It is noon.", "It is noon."]),
        (f"{RUN}\n> Finished chain.\n\n> Entering new AgentExecutor chain...\n{STEP}{ANSWER}",
         ["It is noon.", "It is noon."]),
        (f"{RUN}\nTotal tokens: 1,204\n", ["It is noon."]),
        (f"{RUN}Tokens Used: 42\n\tPrompt Tokens: 4\nTotal Cost (USD): $0.002\n", ["It is noon."]),
        # What only looks like the next run is part of the answer.
        (f"{RUN}\nAction: Ines to call the mill\nAnd Thought: none.",
         ["It is noon.\n\nAction: Ines to call the mill\nAnd Thought: none."]),
        (f"{RUN}Thought: so\nThought: too", ["It is noon.\nThought: so\nThought: too"]),
        (f"{RUN}```\n{CALL}```\nand so on", [f"It is noon.\n```\n{CALL}```\nand so on"]),
        (f"{RUN}Action: Ines\n- one\n{STEP}{ANSWER}",
         ["It is noon.\nAction: Ines\n- one", "It is noon."]),
        (f"{RUN}Total: 3 > 2", ["It is noon.\nTotal: 3 > 2"]),
        (f"{RUN}\n=== 2 ===", ["It is noon."]),
    ],
)  # fmt: skip
def test_an_answer_ends_where_its_run_ends(text: str, expected: list[str | None]) -> None:
    assert answers(read(text)) == expected


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_an_empty_observation_ends_no_run(name: str) -> None:
    dialect = get_dialect(name)
    (expected,) = parse_transcripts(dialect.sample, dialect=name)
    seen = next(step.observation for step in expected.steps if step.observation)
    (run,) = read(dialect.sample.replace(seen, "", 1), dialect=name)
    assert len(run.steps) == len(expected.steps)
    assert run.finish == expected.finish


def test_chains_inside_a_tool_end_no_run() -> None:
    inner = "> Entering new LLMChain chain...\nHm.\n> Finished chain.\n"
    text = f"Question: q\n{STEP}{inner}Thought: noon\nFinal Answer: x\n\n> Finished chain.\n"
    (run,) = read(text)
    assert answers([run]) == ["x"]
    assert run.all_steps[0].observation == f"12:00\n{inner}".rstrip()


def test_a_call_that_is_the_answer_ends_a_run_too() -> None:
    sample = get_dialect("react_docstore").sample.partition("\n")[2]
    runs = read(f"{sample}\n\n{sample}", dialect="react_docstore")
    assert [len(run.all_steps) for run in runs] == [3, 3]


def test_labels_may_stand_on_lines_of_their_own() -> None:
    runs = read(f"{RUN}\nQuestion:\n\nAnd now?\n{STEP}")
    assert [run.question for run in runs] == ["How late is it?", "And now?"]
    assert [run.source and run.source.line for run in runs] == [1, 9]


def test_spans_are_offsets_into_the_run() -> None:
    text = f"{RUN}\n> Finished chain.\n{RUN}"
    first, second = read(text)
    assert first.all_steps == second.all_steps
    assert second.source is not None
    lines = text.splitlines(keepends=True)[second.source.line - 1 :]
    span = second.all_steps[0].thought_span
    assert span is not None
    assert "".join(lines)[slice(*span)] == "a clock"


# -- what belongs to no run ----------------------------------------------------------------------


def test_text_between_runs_is_a_notice() -> None:
    text = f"agent 1.2\n> Entering new X chain...\n{RUN}\n> Finished chain.\nsaved\n\n\n{RUN}\n"
    first, second = read(text + "> Finished chain.\nbye")
    assert about(first) == [("unowned_text", "agent 1.2\n", 1)]
    assert (second.preamble, second.question) == ("saved", "How late is it?")
    assert about(second) == [("unowned_text", "saved", 0), ("unowned_text", "bye", 24)]


def test_a_question_without_a_label_is_one_if_the_first_has_none() -> None:
    bare = f"How late is it?\n{STEP}{ANSWER}> Finished chain.\n"
    assert [run.question for run in read(bare + bare)] == ["How late is it?"] * 2
    _, second = read(f"{RUN}> Finished chain.\nsaved\n{STEP}")
    assert (second.preamble, second.question) == ("saved", "")


def test_what_a_log_lacks_is_a_notice() -> None:
    (run,) = read(RUN.partition("Observation")[0])
    assert about(run) == [("no_answer", "", 0)]
    (failed,) = run.failed
    assert failed.error is not None
    assert failed.error.reason.startswith("the log ends inside the input of a call")


def test_a_step_that_cannot_be_read_stays() -> None:
    (run,) = read(f"Question: q\nThought: hm\nAction: clock\nThought: so\n{STEP}{ANSWER}")
    assert [step.error is None for step in run.all_steps] == [False, True, True]


# -- what is no log ------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["Dear Ada,\nno.", "Answer: 42", "Q: why?\nThought: because."])
def test_prose_is_no_log(text: str) -> None:
    with pytest.raises(OutputParserException, match="found no run, and no known form of log"):
        list(read_runs(text))


def test_a_text_with_an_unclear_dialect_names_the_candidates() -> None:
    text = 'Thought: so\nAction: f\nAction Input: {"a": 1}\nCall f\nFinal Answer: 3\n'
    with pytest.raises(OutputParserException, match=r"may be 'react' .* or 'conversational'"):
        read(text)


def test_a_dialect_without_transcripts_says_so() -> None:
    text = '<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>'
    with pytest.raises(OutputParserException, match="'hermes' has no format for whole runs"):
        list(read_runs(text))


# -- while it comes in ---------------------------------------------------------------------------


def test_a_run_comes_out_as_soon_as_the_next_has_a_step() -> None:
    class Source(io.StringIO):
        taken = 0

        def readline(self, size: int | None = -1, /) -> str:
            self.taken += 1
            return super().readline(size)

    log = RUN * 2000
    source = Source(log)
    next(read_runs(source, dialect="react", format="plain"))
    assert source.taken < len(log.splitlines()) / 2


def test_memory_is_that_of_a_run() -> None:
    import tracemalloc

    def peak(count: int) -> int:
        log = io.StringIO(RUN.replace("12:00", "x" * 4000) * count)
        tracemalloc.start()
        for _run in read_runs(log, dialect="react", format="plain"):
            pass
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    peak(600)  # compiles the dialect, and what finds its markers in long texts
    assert peak(300) < 1.5 * peak(75)


def test_an_answer_ends_the_last_run() -> None:
    (run,) = read(RUN)
    assert isinstance(run.all_steps[-1].action, AgentFinish)
