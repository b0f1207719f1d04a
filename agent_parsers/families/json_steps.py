"""Dialects that write an action as a JSON object, behind labels or alone.

Lenient mode reads the first JSON object in a turn that is a call, wherever it is:

* It may be fenced, with two or three backticks, and follow a label ``Action:``. Objects that are
  not calls (a draft such as ``{"city": "Oulu"}``) are part of the thought, and so is an object in
  single backticks in the middle of a line.
* JSON is repaired as in `repair_json`, and each repair is reported. JSON that is cut inside a value
  is an error: half an input must not be executed.
* The keys may also be ``Action`` and ``Action Input``, or those of another dialect (``name``,
  ``args``) if both are in one object. A call may be under a key such as ``function``, or in a list,
  of which only the first counts: the others were written without its result.
* ``null`` means no input, and an input that is a number or a list is read as text.
* A line ``Final Answer:`` begins the answer. A call before it is an error: a turn has one of them.
* An observation ends the turn, and text after the call is left out; both are reported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.engine.calls.json.call import JsonCall
from agent_parsers.engine.calls.json.members import CallKeys
from agent_parsers.engine.calls.marks import Before, one_of
from agent_parsers.engine.markers.kinds import Label, Literal, Marker
from agent_parsers.engine.repairs.inputs import repair_answer
from agent_parsers.engine.repairs.names import repair_tool_name
from agent_parsers.engine.tables.dialect import Dialect, PromptWords
from agent_parsers.engine.tables.problems import SHARED_PROBLEMS, Problem
from agent_parsers.engine.tables.table import EndTurn, Go, Note, Part, Table
from agent_parsers.families.steps import Steps, StepWriter, action_in_answer
from agent_parsers.forms.form import CallForm, Form
from agent_parsers.toolset.problems.names import folded

if TYPE_CHECKING:
    from agent_parsers.engine.calls.json.rules import JsonCallRules

_OTHER_TOOLS: Final = frozenset({"name", "tool", "toolname", "function", "functionname", "action"})
_OTHER_INPUTS: Final = frozenset(
    {"arguments", "args", "parameters", "params", "input", "toolinput"}
)
WRAPPERS: Final = frozenset({"tool_call", "tool_calls", "function", "function_call", "command"})
KEYS: Final = CallKeys(
    tool="action", input="action_input", other_tools=_OTHER_TOOLS, other_inputs=_OTHER_INPUTS
)
# In OpenAI's form the arguments are JSON in a string.
_ENCODED: Final = frozenset({"arguments", "parameters", "args"})


def lenient_keys(keys: CallKeys, *, encoded: str = "") -> CallKeys:
    """Return *keys* for lenient mode, which also reads those of other dialects.

    The input of *encoded*, one more key, may be JSON in a string.
    """
    return replace(keys, folds=True, wrappers=WRAPPERS, encoded=_ENCODED | ({encoded} - {""}))


def opens_after(pattern: str, *, is_lead_enough: bool) -> Callable[[str, bool], bool]:
    """Return a function that decides whether a call may follow a fence that *pattern* matches.

    The pattern includes the tag and the white space around it. A call at the beginning of the text
    needs no fence if *is_lead_enough*.
    """
    fits = re.compile(pattern).fullmatch
    no_fence = re.compile(r"[\s`]*\[?\s*").fullmatch  # LangChain strips all backticks

    def may_open(fence: str, is_lead: bool) -> bool:
        if is_lead and is_lead_enough and no_fence(fence):
            return True
        return fits(fence) is not None

    return may_open


def begins_anywhere(fence: str, is_lead: bool) -> bool:
    """Return whether a call may follow *fence*: anywhere except in code in the middle of a line."""
    return is_lead or fence.strip() != "`" or "\n" in fence


_NOT_PARSED: Final = "Could not parse LLM output: {text}"


def _write_input(tool_input: Any) -> str:
    """Return an input as JSON, as it stands in an object that is indented."""
    return json.dumps(tool_input, ensure_ascii=False, indent=2).replace("\n", "\n  ")


def _problem(reason: str, observation: str) -> Problem:
    return Problem(reason, observation, exact=_NOT_PARSED, send_to_llm=False)


PROBLEMS: Final[Mapping[str, Problem]] = {
    "no_action_or_answer": _problem(
        "expected an action as a JSON object, or an answer",
        "Invalid Format: Write one JSON object with the keys the format asks for.",
    ),
    "no_call": _problem(
        "expected a JSON object after the label Action",
        "Invalid Format: Write a JSON object after 'Action:', with the keys the format asks for.",
    ),
    "open_call": _problem(
        "expected the rest of the JSON, which is cut off",
        "The JSON is cut off, so nothing was done. Write the whole JSON again.",
    ),
    "bad_call": _problem(
        "expected an action as a JSON object that can be read",
        "Invalid Format: The JSON of the action cannot be read. Write one object, and escape quotes"
        " and line breaks in its strings.",
    ),
    "bad_escape": replace(SHARED_PROBLEMS["bad_escape"], exact=_NOT_PARSED, send_to_llm=False),
    "bad_string": replace(SHARED_PROBLEMS["bad_string"], exact=_NOT_PARSED, send_to_llm=False),
    "no_tool_name": _problem(
        "expected the name of a tool as the action",
        "Invalid Format: Name a tool as the action.",
    ),
    "no_input": _problem(
        "expected an input next to the action",
        "Invalid Format: Write the input next to the action, in the same JSON object.",
    ),
    "bad_input": _problem(
        "expected a string or an object as the input",
        "Invalid Format: The input of the action must be a string or a JSON object.",
    ),
    "invented_first": Problem(
        "found text that the model must not write, before any action",
        "Invalid Format: Do not write a question or what a tool returned. Write an action, or the"
        " final answer.",
    ),
    "action_and_answer": Problem(
        "found both an action and a final answer; a turn may have only one of them",
        "Write either an action or a final answer, not both.",
        exact="Parsing LLM output produced a final answer and a parse-able action: {text}",
        send_to_llm=False,
    ),
}
"""What can be wrong. Strict mode has LangChain's message, which is the same for most problems."""

WORDS: Final = PromptWords(tool="the name of the tool", arguments={"parameter": "value"})


@dataclass(frozen=True, kw_only=True)
class JsonActions:
    """The steps of a dialect that writes an action as a JSON object."""

    rules: JsonCallRules
    """How strict mode reads the object."""
    observation: str = "Observation"
    """The label of an observation."""
    has_action: bool = True
    """Whether the dialect writes the label ``Action:`` before a call. If not, a fence with the tag
    ``json`` ends the question of a transcript."""
    has_answer: bool = True
    """Whether the dialect writes the label ``Final Answer:`` before an answer. If not, an answer is
    the action of that name."""

    def dialect(self, *, prompt_words: PromptWords = WORDS, **own: Any) -> Dialect:
        """Return the dialect; *own* are its fields that do not follow from its steps."""
        return Dialect(
            strict=self._strict(),
            lenient=self._lenient(),
            problems=PROBLEMS,
            stop=self._writer.stop,
            form=self.form,
            render_observation=self._writer.render_observation,
            generation_prompt=self._writer.generation_prompt,
            prompt_words=prompt_words,
            **own,
        )

    @property
    def form(self) -> Form:
        """How turns are written."""
        writer = self._writer
        label = f"{writer.label('action')}\n" if self.has_action else ""
        members = f'{{\n  "{KEYS.tool}": {{"tool"}},\n  "{KEYS.input}": {{input}}\n}}'
        return Form(
            call=CallForm(text=f"{label}```json\n{members}\n```", write_input=_write_input),
            is_single=True,
            thought=(f"{writer.label('thought')} ", "\n"),
            content=None,
            answer=(f"{writer.label('answer')} ", "") if self.has_answer else "Final Answer",
        )

    @property
    def _writer(self) -> StepWriter:
        return StepWriter(self._steps.markers)

    @property
    def _steps(self) -> Steps:
        return _steps(self.observation, self.has_action, self.has_answer)

    def _lenient(self) -> Table:
        """Return the table of lenient mode and of transcripts."""
        rules = replace(
            self.rules,
            strict=self.rules,
            keys=lenient_keys(self.rules.keys),
            may_open=begins_anywhere,
            answers=frozenset({"finalanswer"}),
            name_key=folded,
            lenient=True,
            needs_input=False,
            reads_null=True,
        )
        return self._steps.table(
            new_call=partial(JsonCall, rules),
            read_tool=repair_tool_name,
            read_answer=repair_answer,
            one_line_tools=False,
        )

    def _strict(self) -> Table:
        """Return a table that reads one call. Labels before it are not part of the thought."""
        label = self._steps.markers
        markers: dict[str, Marker] = {"thought": label["thought"]}
        transitions: dict[tuple[str, str], Go | Note] = {("turn", "thought"): Go("turn")}
        parts = {"turn": Part.CALL, "call": Part.CALL}
        ends = {}
        if self.has_action:
            markers["action"] = label["action"]
            transitions["turn", "action"] = Go("turn")
        if self.has_answer:
            # LangChain looks for an answer anywhere; here a string of the call may contain it. An
            # answer may mention final answers; a label that begins a line starts a new one.
            answer = label["answer"]
            markers |= {"answer": Literal(answer.canonical), "next answer": answer}
            parts |= {"answer": Part.ANSWER}
            transitions |= {
                ("turn", "answer"): Go("answer"),
                ("call", "answer"): Go("answer", clash="action_and_answer"),
                ("answer", "next answer"): Go("answer"),
            }
        if self.has_answer and self.has_action:
            # An answer may have a line "Action:", but no call after it.
            markers["key"] = label["key"]
            parts |= {"answer, action": Part.ANSWER, "answer and action": Part.ANSWER}
            transitions |= {
                ("answer", "action"): Note("answer, action"),
                ("answer, action", "key"): Note("answer and action"),
                ("answer, action", "next answer"): Go("answer"),
            }
            ends = {"answer and action": "action_and_answer"}
        return Table(
            new_call=partial(JsonCall, self.rules),
            markers=markers,
            parts=parts,
            begun={"turn": "call"},
            transitions=transitions,
            ends=ends,
            one_line_tools=False,
        )


@cache
def _steps(observation: str, has_action: bool, has_answer: bool) -> Steps:
    """Return the parts of steps in lenient mode; the arguments are fields of `JsonActions`."""
    fence: dict[str, Marker] = {} if has_action else {"fence": Literal("```json")}
    after = {"action": "action", "observation": "observation", "question": "question"}
    steps = Steps(
        parts={
            "turn": Part.CALL,
            "call": Part.CALL,
            "action": Part.CALL,
            "answer": Part.ANSWER,
            "observation": Part.OBSERVATION,
            "question": Part.QUESTION,
        },
        begun={"turn": "call", "action": "call"},
        markers={
            "question": Label("Question"),
            "thought": Label("Thought"),
            "action": Label("Action", borrowed=not has_action),
            "observation": Label(observation),
            "answer": Label("Final Answer", borrowed=not has_answer),
            "key": Literal(f'"{KEYS.tool}"'),
            # A transcript that begins with a brace has no question before its first turn.
            "object": Before("\n", ahead=one_of("{"), place="text"),
            **fence,
        },
        begins={"thought": "turn"},
        rows={
            # A model that repeats the question of its prompt has begun its thought with it.
            ("turn", "question"): Note("turn"),
            ("action", "observation"): Go("observation", clash="no_call"),
            ("action", "question"): Go("question", clash="no_call"),
            # The call reader knows what is in a string, so no label after it has to be firm.
            ("call", "thought"): EndTurn("turn"),
            **{("call", name): EndTurn(to) for name, to in after.items()},
            **{("question", name): Go("turn") for name in ("object", *fence)},
        },
        ends={"action": "no_call"},
    )
    return steps | action_in_answer("key")
