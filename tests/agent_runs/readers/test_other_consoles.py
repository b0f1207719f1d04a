"""The consoles of AutoGen, DSPy and LlamaIndex, and notebooks."""

import json
from typing import Any, ClassVar

import pytest

from agent_parsers import OutputParserException
from agent_runs import detect_log

from .consoles import (
    BLUE,
    ESC,
    GREEN,
    RESULT,
    answer_of,
    chain,
    coloured,
    notices_of,
    runs_of,
    said_in,
    steps_of,
    without_colours,
)

STEP = ("I look.", "search", {"q": "fog"}, RESULT)


class TestAutoGen:
    CALL = """[FunctionCall(id='c1', arguments='{"q": "fog"}', name='search')]"""
    SEEN = f"[FunctionExecutionResult(content={RESULT!r}, name='search', call_id='c1')]"
    PARTS = (
        ("TextMessage", "user", "Which month?\nOf fog?"),
        ("ThoughtEvent", "planner", "I look."),
        ("ToolCallRequestEvent", "planner", CALL),
        ("ToolCallExecutionEvent", "planner", SEEN),
        ("TextMessage", "planner", "November.\n\nIt is."),
    )
    STATS = "[Prompt tokens: 1, Completion tokens: 2]\n"
    SUMMARY = f"{'-' * 10} Summary {'-' * 10}\nNumber of messages: 5\nDuration: 0.10 seconds\n"

    def log(self, *, typed: bool = True, stats: str = "") -> str:
        dashes = "-" * 10
        titles = (f"{kind} ({source})" if typed else source for kind, source, _ in self.PARTS)
        texts = (text for _, _, text in self.PARTS)
        return "".join(
            f"{dashes} {title} {dashes}\n{text}\n{stats}"
            for title, text in zip(titles, texts, strict=True)
        )

    @pytest.mark.parametrize("typed", [True, False])
    @pytest.mark.parametrize("stats", ["", STATS])
    def test_messages_have_titles(self, typed, stats):
        summary = self.SUMMARY if stats else ""
        for run in runs_of((self.log(typed=typed, stats=stats) + summary) * 2):
            assert run.question == "Which month?\nOf fog?"
            said = "" if typed else STEP[0]
            assert steps_of(run) == [("" if said else STEP[0], *STEP[1:])]
            assert said_in(run)[0][1] == said
            assert answer_of(run) == "November.\n\nIt is."
            assert notices_of(run) == []

    def test_repeated_results_are_no_answer(self):
        log = self.log().replace("TextMessage (planner)", "ToolCallSummaryMessage (planner)")
        (run,) = runs_of(log)
        assert notices_of(run) == ["no_answer"]

    def test_text_behind_the_summary_belongs_to_no_answer(self):
        (run,) = runs_of(self.log(stats=self.STATS) + self.SUMMARY + "bye\n")
        assert answer_of(run) == "November.\n\nIt is."
        assert [notice.text for notice in run.notices] == ["bye"]

    def test_malformed_calls_are_refused(self):
        with pytest.raises(OutputParserException, match=r"FunctionCall.*line 6"):
            runs_of(self.log().replace("name='search')]", "name=search)]", 1))


class TestDSPy:
    STEPS = (
        ("thought", "I look."), ("tool_name", "search"), ("tool_args", '{"q": "fog"}'),
        ("observation", RESULT),
    )  # fmt: skip

    @staticmethod
    def field(name: str, text: str) -> str:
        return f"[[ ## {name} ## ]]\n{text}\n\n"

    def entry(self, steps: int, response: str, question: str = "Which month?") -> str:
        red, blue, green = (f"{ESC}{code}m" for code in (31, 34, 32))
        end = f"{ESC}0m"
        prompt = self.field("question", question) + "[[ ## trajectory ## ]]\n"
        for at in range(steps):
            prompt += "".join(self.field(f"{name}_{at}", text) for name, text in self.STEPS)
        advice = "Respond with the corresponding output fields, starting with the field `x`.\n"
        return (
            f"\n\n\n\n\n{blue}[2026-01-05T09:00:00.000001]{end}\n\n{red}System message:{end}\n\n"
            f"Fields:\n[[ ## question ## ]]\n{{question}}\n\n\n{red}User message:{end}\n\n{prompt}"
            f"{advice}\n\n{red}Response:{end}\n\n{green}{response.strip()}{end}\n\n\n\n\n\n"
        )

    def response(self, **fields: str) -> str:
        return "".join(self.field(name, text) for name, text in fields.items())

    @property
    def last(self) -> str:
        return self.response(reasoning="I know.", answer="November.\n\nIt is.", completed="")

    @pytest.mark.parametrize("has_colours", [True, False])
    def test_the_last_call_has_the_run(self, has_colours):
        turn = self.response(next_thought="Go on.", next_tool_name="search", next_tool_args="{}")
        log = self.entry(0, turn) + self.entry(1, turn) + self.entry(2, self.last)
        log += self.entry(1, self.last, "Another?")
        first, second = runs_of(log if has_colours else without_colours(log))
        assert (first.question, second.question) == ("Which month?", "Another?")
        assert steps_of(first) == [STEP, STEP]
        assert steps_of(second) == [STEP]
        assert answer_of(first) == answer_of(second) == "November.\n\nIt is."
        assert notices_of(first) == []

    def test_a_call_without_a_later_one_has_no_result(self):
        turn = self.response(next_thought="On.", next_tool_name="s", next_tool_args='{"a": 1}')
        (run,) = runs_of(self.entry(1, turn))
        assert steps_of(run) == [STEP, ("On.", "s", {"a": 1}, None)]
        assert notices_of(run) == ["no_observation", "no_answer"]

    def test_markers_in_a_result_are_text(self):
        result = "x\n[[ ## answer ## ]]\n[[ ## thought_7 ## ]]\ny"
        log = self.entry(1, self.last).replace(RESULT, result)
        (run,) = runs_of(log)
        assert steps_of(run)[0][3] == result

    def test_text_behind_belongs_to_no_answer(self):
        (run,) = runs_of(self.entry(1, self.last) + "bye\n")
        assert answer_of(run) == "November.\n\nIt is."
        assert [notice.text for notice in run.notices] == ["bye"]


class TestLlamaIndex:
    TURN = 'Thought: I look.\nAction: search\nAction Input: {"q": "fog"}\n'
    CALL = "Call search with {'q': 'fog'}\nReturned: "
    LAST = "Thought: I know.\nAnswer: November.\n\nIt is.\n"

    def test_a_result_ends_at_the_next_turn(self):
        log = f"User: Which?\n{self.TURN}{self.CALL}a\n\nb\n{self.TURN}{self.CALL}c\n{self.LAST}"
        for end in "", "Agent: November.\n\nIt is.\n", "November.\n\nIt is.\n":
            for run in runs_of((log + end) * 2):
                assert run.question == "Which?"
                assert [step[2:] for step in steps_of(run)] == [
                    ({"q": "fog"}, "a\n\nb"), ({"q": "fog"}, "c")
                ]  # fmt: skip
                assert answer_of(run) == "November.\n\nIt is."
                assert notices_of(run) == []

    def test_a_result_with_turns_in_it_is_left_out(self):
        for asked in "", "User: Which?\n":
            (run,) = runs_of(f"{asked}{self.TURN}{self.CALL}a\n{self.LAST}b\n{self.LAST}")
            assert steps_of(run) == [("I look.", "search", {"q": "fog"}, None)]
            assert answer_of(run) == "November.\n\nIt is."
            assert "unclear_end" in notices_of(run)

    def test_a_run_with_a_question_ends_before_the_next_one(self):
        log = f"User: Which?\n{self.TURN}{self.CALL}a\n{self.LAST}{self.TURN}{self.CALL}c\n"
        (run,) = runs_of(log + self.LAST)
        assert [step[3] for step in steps_of(run)] == [None, "c"]

    def test_without_labels_one_line_is_certain(self):
        (run,) = runs_of(f"User: Which?\n{self.CALL}a\n\n{self.CALL}b\nc\nNovember.\n")
        assert [step[3] for step in steps_of(run)] == ["a", None]
        assert notices_of(run)[0] == "unclear_end"

    @pytest.mark.parametrize("asked", ["Which?\nThought: of fog", "Which?\n\n- of fog"])
    def test_a_question_whose_end_is_not_shown_is_left_out(self, asked):
        turns = self.TURN if "Thought" in asked else ""
        (run,) = runs_of(f"User: {asked}\n{turns}{self.CALL}a\n{self.LAST}")
        assert run.question == ""
        assert [notice.text for notice in run.notices if notice.kind == "unclear_end"]

    def test_runs_without_questions_begin_behind_an_answer(self):
        runs = runs_of(f"{self.TURN}{self.CALL}a\n{self.LAST}" * 2)
        assert [answer_of(run) for run in runs] == ["November.\n\nIt is."] * 2

    VERBOSE = (
        "[tick] add: AgentWorkflowStartEvent(user_msg={0}, chat_history=None)\n"
        "[run_agent_step:0] started from AgentSetup\n"
        "[tick] add: ToolCall(tool_name='search', tool_kwargs={1}, tool_id='c1')\n"
        "[tick] add: ToolCallResult(tool_name='search', tool_kwargs={1}, tool_id='c1',"
        " tool_output=ToolOutput(blocks=[TextBlock(block_type='text', text={2}\n"
    )

    def test_verbose_lines_leave_out_what_they_cut(self):
        log = self.VERBOSE.replace("{0}", "'Which month has...'").replace("{1}", "{'q': 'fog'}")
        (run,) = runs_of(log.replace("{2}", "'9 da..."))
        assert run.question == ""
        assert steps_of(run) == [("", "search", {"q": "fog"}, None)]
        assert notices_of(run).count("cut_value") == 2
        (run,) = runs_of(log.replace("{2}", "'9 days')]..."))
        assert steps_of(run)[0][3] == "9 days"


class TestNotebooks:
    RUN = chain(
        coloured(" I look.\nAction: search\nAction Input: fog", GREEN)
        + coloured(RESULT, BLUE)
        + coloured(" I know.\nFinal Answer: November.", GREEN)
    )

    @staticmethod
    def stream(text: str, name: str = "stdout") -> dict[str, object]:
        lines = text.splitlines(keepends=True)
        return {"output_type": "stream", "name": name, "text": lines}

    @staticmethod
    def value(text: str) -> dict[str, object]:
        return {"output_type": "execute_result", "data": {"text/plain": [text]}}

    @staticmethod
    def notebook(*cells: list[dict[str, object]]) -> str:
        shown = [{"cell_type": "code", "source": [], "outputs": outputs} for outputs in cells]
        markdown = {"cell_type": "markdown", "source": ["> Entering new X chain..."]}
        return json.dumps({"nbformat": 4, "cells": [markdown, *shown]}, indent=1)

    CHAT: ClassVar[list[dict[str, Any]]] = [
        {"role": "user", "content": "Where?"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function",
             "function": {"name": "look", "arguments": '{"at": "map"}'}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "Bern"},
        {"role": "assistant", "content": "In Bern."},
    ]  # fmt: skip

    @pytest.mark.parametrize("indent", [None, 2])
    def test_json_that_a_cell_printed_is_a_log(self, indent: int | None) -> None:
        printed = json.dumps({"messages": self.CHAT}, indent=indent)
        (run,) = runs_of(self.notebook([self.stream(f"{printed}\n")]))
        assert (run.question, steps_of(run)) == ("Where?", [("", "look", {"at": "map"}, "Bern")])
        assert answer_of(run) == "In Bern."

    def test_lines_of_json_that_a_cell_printed_are_a_log(self) -> None:
        lines = "".join(f"{json.dumps(message)}\n" for message in self.CHAT)
        (run,) = runs_of(self.notebook([self.stream(lines)]))
        assert (run.question, answer_of(run)) == ("Where?", "In Bern.")
        data = json.dumps({"rows": [1, 2]})
        (run,) = runs_of(self.notebook([self.stream(data)], [self.stream(lines)]))
        assert [n for n in run.notices if n.kind == "unowned_text"] == []

    def test_text_in_a_dialect_that_was_not_read_is_a_notice(self) -> None:
        half = "Thought: I look.\nAction: look\n"
        lines = "".join(f"{json.dumps(message)}\n" for message in self.CHAT)
        for cells in ((half, lines), (lines, half)):
            (run,) = runs_of(self.notebook(*([self.stream(text)] for text in cells)))
            assert [n.text for n in run.notices if n.kind == "unowned_text"] == [half]

    def test_cells_are_read_as_the_consoles_that_they_are(self):
        returned = "{'input': 'Which?',\n 'output': 'November.'}"
        half = len(self.RUN) // 2
        log = self.notebook(
            [self.stream("hello\n")],
            [self.stream(self.RUN[:half]), self.stream("warning\n", "stderr"),
             self.stream(self.RUN[half:]), self.value(returned)],
            [self.stream(self.RUN * 2), self.value("'November.'")],
        )  # fmt: skip
        runs = runs_of(log)
        assert [run.question for run in runs] == ["Which?", "", ""]
        assert [run.id for run in runs] == ["cell 3", "cell 4", "cell 4"]
        for run in runs:
            assert run.source.within == ("notebook",)
            assert run.source.reader == "langchain_console"
            assert steps_of(run) == [("I look.", "search", "fog", RESULT)]
            assert answer_of(run) == "November."
            assert notices_of(run) == []

    @pytest.mark.parametrize("printed", [
        "WARNING: slow\n", "INFO:httpx:GET /\nINFO:httpx:GET /\nINFO:httpx:GET /\n",
        "{'type': 'object', 'properties': {}}\n", "{'input': 'x'}\n", "{'role': 'user'}\n",
    ])  # fmt: skip
    def test_what_has_only_the_frame_of_a_log_is_passed_over(self, printed):
        log = self.notebook([self.stream(printed), self.stream(self.RUN, "stderr")])
        (run,) = runs_of(log)
        assert answer_of(run) == "November."

    def test_a_malformed_cell_is_refused(self):
        log = json.loads(self.notebook([self.stream(self.RUN)]))
        log["cells"].insert(0, {"outputs": [{"text": "x"}]})
        with pytest.raises(OutputParserException, match="'output_type'"):
            runs_of(log)
        errors = []
        (run,) = runs_of(log, on_error=errors.append)
        assert answer_of(run) == "November."
        assert len(errors) == 1

    def test_the_evidence_is_the_format(self):
        assert detect_log(self.notebook()).reader == "notebook"

    @pytest.mark.parametrize("value", [
        "{'name': 'search', 'parameters': {'q': 'fog'}}", "[Document(page_content='fog')]",
        "[search('fog'), search('rain')]", "array([1, 2])",
        "PromptTemplate(input_variables=['q'], template='Question: {q}\\nThought:')",
        "ChatPromptTemplate(messages=[HumanMessagePromptTemplate(template='Question: {q}')])",
    ])  # fmt: skip
    @pytest.mark.parametrize("is_first", [True, False])
    def test_values_of_other_cells_are_passed_over(self, value, is_first):
        cells = [[self.value(value)], [self.stream(self.RUN)]]
        (run,) = runs_of(self.notebook(*(cells if is_first else cells[::-1])))
        assert answer_of(run) == "November."
        assert notices_of(run) == []

    def test_a_console_and_a_value_that_says_the_same_are_one_run(self):
        printed = TestAutoGen().log()
        messages = ", ".join(
            f"{kind}(source={source!r}, content={content}, type={kind!r})"
            for kind, source, content in (
                ("TextMessage", "user", "'Which month?'"),
                ("ToolCallRequestEvent", "planner", TestAutoGen.CALL),
                ("ToolCallExecutionEvent", "planner", TestAutoGen.SEEN),
                ("TextMessage", "planner", r"'November.\n\nIt is.'"),
            )
        )
        same = f"TaskResult(messages=[{messages}], stop_reason=None)"
        (run,) = runs_of(self.notebook([self.stream(printed), self.value(same)]))
        assert steps_of(run) == [STEP]
        other = same.replace("It is.", "It was.")
        log = self.notebook([self.stream(printed), self.value(other)], [self.value(same)])
        assert [answer_of(run)[-4:] for run in runs_of(log)] == [" is.", "was.", " is."]

    def test_what_is_displayed_is_a_text_of_its_own_unless_rich_prints_it(self):
        half = len(self.RUN) // 2
        shown = {"output_type": "display_data", "data": {
            "text/plain": ["<Markdown object>"], "text/markdown": ["# fog"]}}  # fmt: skip
        printed = [
            {"output_type": "display_data", "data": {
                "text/plain": [part], "text/html": ["<pre style='x'>fog</pre>"]}}
            for part in TestAutoGen().log().splitlines()
        ]  # fmt: skip
        log = self.notebook([self.stream(self.RUN[:half]), shown, self.stream(self.RUN[half:])])
        (run,) = runs_of(log)
        assert answer_of(run) == "November."
        (run,) = runs_of(self.notebook(printed))
        assert steps_of(run) == [STEP]

    def test_a_log_that_cannot_be_read_is_a_notice_of_the_others(self):
        both = TestAutoGen().log() + self.RUN
        cells = [[self.stream(self.RUN)], [self.stream(both)]]
        (run,) = runs_of(self.notebook(*cells))
        (notice,) = [each for each in run.notices if each.kind == "unowned_text"]
        assert notice.message.startswith("cell 3 looks like a log, but was not read: ")
        (run,) = runs_of(self.notebook(*cells[::-1]))
        assert [each.kind for each in run.notices] == ["unowned_text"]

    def test_a_notebook_without_a_run_says_what_its_cells_have(self):
        cells = [[self.stream("hello\n")], [self.value("9")], []]
        with pytest.raises(OutputParserException, match="none of its 2 cells with output looks"):
            runs_of(self.notebook(*cells))
        cells[1] = [self.stream(TestAutoGen().log() + self.RUN)]
        with pytest.raises(OutputParserException, match="2 cells with output: cell 3 was not read"):
            runs_of(self.notebook(*cells))

    def test_a_notebook_without_a_run_says_which_cell_is_nearest(self):
        text = "Agent: otter\nThought: a look\nAction: gauge\nAction Input: Aare\n"
        text += "Observation: 2 m\nFinal Answer: 2 m\n"
        cells = [[self.stream("hello\n")], [self.stream(text)]]
        with pytest.raises(OutputParserException) as raised:
            runs_of(self.notebook(*cells))
        assert "; cell 3 is closest to 'plain', but line 1, 'Agent: otter', " in str(raised.value)
        assert "pass dialect='react' to read the log nevertheless" in str(raised.value)
        (run,) = runs_of(self.notebook(*cells), dialect="react")
        assert answer_of(run) == "2 m"

    def test_a_dialect_that_is_named_is_that_of_what_was_printed(self):
        cells = [[self.stream("Claim: It rains.\nThought 1: So?\nAction 1: Finish[no]\n")],
                 [self.stream("hello\n"), self.value("'x'")]]  # fmt: skip
        (run,) = runs_of(self.notebook(*cells), dialect="react_docstore")
        assert answer_of(run) == "no"
