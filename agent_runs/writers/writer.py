"""What a writer of runs is, and the turns that it writes: what the model said, called and got."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import AgentAction, AgentFinish, ToolAgentAction
from agent_parsers.core import ARGUMENT
from agent_parsers.transcripts import transcript_of
from agent_runs.reading.parts import is_signed

if TYPE_CHECKING:
    from agent_parsers import OutputParserException
    from agent_parsers.loop import AgentRun
    from agent_parsers.toolset import ToolSet
    from agent_parsers.transcripts import Transcript, TranscriptStep


@dataclass(frozen=True, slots=True)
class RunCall:
    """A call, and what it returned."""

    step: int
    """Number of its step."""
    tool: str
    tool_input: str | dict[Any, Any]
    call_id: str
    """The id that the model gave, or one made from the number of the step."""
    observation: str | None
    failed: bool = False

    @property
    def arguments(self) -> dict[Any, Any]:
        """The input as arguments; a text becomes the value of `ARGUMENT`, as in LangChain."""
        given = self.tool_input
        return given if isinstance(given, dict) else {ARGUMENT: given}


@dataclass(frozen=True, slots=True)
class RunTurn:
    """A turn of the model: calls, the answer, or an error."""

    thought: str
    content: str
    """What the model said to the user beside the calls, or before the answer."""
    calls: tuple[RunCall, ...] = ()
    finish: AgentFinish | None = None
    error: OutputParserException | None = None
    """Why the turn could not be read."""
    observation: str | None = None
    """What followed a turn that could not be read."""
    signed: tuple[dict[str, Any], ...] = ()
    """The reasoning in the blocks that Anthropic's API takes back, if the message has them."""


def runs_up_to(run: Transcript) -> tuple[Transcript, ...]:
    """Return the known earlier runs of the conversation, followed by *run*."""
    return (*run.conversation.earlier, run) if run.conversation is not None else (run,)


def turns_of(run: Transcript) -> Iterator[RunTurn]:
    """Yield the turns of *run*; the calls of one message are one turn."""
    at, steps = 0, run.all_steps
    while at < len(steps):
        step = steps[at]
        if isinstance(step.action, AgentAction):
            calls = _calls_at(run, at)
            at += len(calls)
            signed = _signed_in(step.action)
            yield RunTurn(step.thought, step.content, tuple(calls), signed=signed)
            continue
        at += 1
        yield RunTurn(step.thought, step.content, (), step.action, step.error, step.observation)


def _signed_in(action: AgentAction) -> tuple[dict[str, Any], ...]:
    """Return the blocks of reasoning in the message of *action* that have a signature."""
    messages = action.message_log if isinstance(action, ToolAgentAction) else ()
    content = messages[-1].content if messages else ""
    return tuple(
        block
        for block in (() if isinstance(content, str) else content)
        if isinstance(block, dict) and is_signed(block)
    )


def _calls_at(run: Transcript, at: int) -> list[RunCall]:
    """Return the calls of the turn that begins with the step at index *at*."""
    steps = run.all_steps
    first = steps[at].action
    assert isinstance(first, AgentAction)
    calls = [_call_of(steps[at], first)]
    if not isinstance(first, ToolAgentAction):
        return calls
    for step in steps[at + 1 :]:
        action = step.action
        if not (isinstance(action, ToolAgentAction) and _share_message(first, action)):
            break
        calls.append(_call_of(step, action))
    return calls


def _share_message(first: ToolAgentAction, other: ToolAgentAction) -> bool:
    """Return whether two calls came in one message, which a copy may have doubled."""
    if not (first.message_log and other.message_log):
        return False
    message, same = first.message_log[-1], other.message_log[-1]
    if message is same:
        return True
    calls = getattr(message, "tool_calls", ())
    return message == same and other.tool_call_id in {call["id"] for call in calls}


def _call_of(step: TranscriptStep, action: AgentAction) -> RunCall:
    given = action.tool_call_id if isinstance(action, ToolAgentAction) else None
    call_id = given or f"call_{step.number}"
    return RunCall(
        step.number, action.tool, action.tool_input, call_id, step.observation, step.tool_failed
    )


def answer_text(finish: AgentFinish) -> str:
    """Return an answer as text; if it is not a text, as JSON."""
    values = finish.return_values
    value = values.get("output", values)
    return value if isinstance(value, str) else as_json(value)


def as_json(value: Any) -> str:
    """Return *value* as JSON text; what JSON cannot express is written with `str`."""
    return json.dumps(value, ensure_ascii=False, default=str)


EARLIER: Final = "earlier turns"
"""What a form has a place for that is written with all runs of a conversation before the run."""
IN_MESSAGES: Final = frozenset(
    {"preamble", "content", "text inputs", "object inputs", "parallel calls", EARLIER}
)
"""What messages of a chat have a place for."""
EVERYTHING: Final = IN_MESSAGES | {
    "errors", "repairs", "notices", "reasoning", "typed answers", "failed results", "metadata",
}  # fmt: skip
"""All that a run may have, besides its question, calls, results and answer."""


def _keeps_none(_turn: RunTurn) -> bool:
    return False


@dataclass(frozen=True, kw_only=True)
class Writer:
    """A writer of runs in one form."""

    name: str
    """Its name."""
    summary: str
    """What it writes, in a few words, with versions."""
    write: Callable[[Transcript], Any]
    """Returns a run as JSON data, or as text."""
    is_one_a_file: bool = False
    """Whether a file holds one run, and not one on each line."""
    holds: frozenset[str] = frozenset()
    """What the form has a place for, of `EVERYTHING`."""
    keeps_thought: Callable[[RunTurn], bool] = _keeps_none
    """Returns whether the form has a place for the thought of this turn, if not for any."""
    of_tools: Callable[[ToolSet], dict[str, Any]] | None = None
    """Returns the fields of the tools that stand beside a run, if the form has a place for them."""

    def with_tools(self, tools: ToolSet | None) -> Writer:
        """Return this writer; if the form has a place for *tools*, it writes them with each run."""
        if self.of_tools is None or not tools or any(each.parameters is None for each in tools):
            return self  # names alone are no schemas: a model would learn calls without arguments
        write, beside = self.write, self.of_tools
        return replace(self, write=lambda run: {**write(run), **beside(tools)})

    def losses(self, run: Transcript | AgentRun) -> dict[str, int]:
        """Return the things in *run* that the form has no place for, each with a count."""
        run = transcript_of(run)
        actions = [step.action for step in run.steps]
        inputs = [each.tool_input for each in actions if isinstance(each, AgentAction)]
        finishes = [each for each in actions if isinstance(each, AgentFinish)]
        outputs = [each.return_values.get("output") for each in finishes]
        turns = [turn for turn in turns_of(run) if turn.error is None]
        found = {
            "errors": len(run.failed),
            "repairs": len(run.repairs),
            "notices": len(run.notices),
            "preamble": int(bool(run.preamble)),
            "reasoning": sum(bool(turn.thought) and not self.keeps_thought(turn) for turn in turns),
            "content": sum(bool(turn.content) for turn in turns),
            "text inputs": sum(isinstance(each, str) for each in inputs),
            "object inputs": sum(isinstance(each, dict) for each in inputs),
            "parallel calls": sum(len(turn.calls) > 1 for turn in turns),
            "typed answers": sum(not isinstance(each, str) for each in outputs),
            "failed results": sum(step.tool_failed for step in run.all_steps),
            "metadata": int(bool(run.metadata)),
            EARLIER: _earlier(run, is_written=False),
        }
        if missing := _earlier(run, is_written=True) if EARLIER in self.holds else 0:
            found["earlier turns that are not in the log"] = missing
        return {name: count for name, count in found.items() if count and name not in self.holds}


def _earlier(run: Transcript, *, is_written: bool) -> int:
    """Return how many earlier turns are not written, though those that are known may be."""
    if run.conversation is None:
        return 0
    known = len(run.conversation.earlier) if is_written else 0
    return run.conversation.turn - 1 - known
