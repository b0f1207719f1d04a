"""ReAct text as LangChain's older MRKL agent reads it; turns and prompts are written as in `react`.

There is one difference: if an action follows the final answer, the action is ignored and the answer
counts. The answer ends at the first blank line or, if there is no blank line, before that action
(LangChain drops the last character of the text instead). An action before an answer is an error.

Source: `langchain_classic.agents.mrkl.output_parser`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from agent_parsers.dialects import react
from agent_parsers.engine.markers.patterns import Patterns
from agent_parsers.engine.tables.table import Go, Note, Part

if TYPE_CHECKING:
    from agent_parsers.events import Repair

_action, _input = (
    Patterns({name: react.STRICT.markers[name]}).whole.search for name in ("action", "input")
)


def read_answer(text: str, _repairs: list[Repair]) -> str:
    """Return an answer without a following action, and without text after a blank line."""
    action = _action(text)
    if action is None or _input(text, action.end()) is None:
        return text
    blank = text.find("\n\n")
    return text[: blank if blank >= 0 else action.start()].rstrip()


STRICT: Final = replace(
    react.STRICT,
    read_answer=read_answer,
    parts={
        **{state: part for state, part in react.STRICT.parts.items() if state != "answer"},
        # An answer before any action, and the ignored action after it.
        "first answer": Part.ANSWER,
        "first answer, action": Part.ANSWER,
        "first answer, over": Part.ANSWER,
    },
    transitions={
        **{
            row: transition
            for row, transition in react.STRICT.transitions.items()
            if row[0] != "answer"
        },
        ("thought", "answer"): Go("first answer"),
        ("thought, stray input", "answer"): Go("first answer"),
        ("first answer", "answer"): Go("first answer"),
        ("first answer", "action"): Note("first answer, action"),
        ("first answer, action", "answer"): Go("first answer, action"),
        ("first answer, action", "input"): Note("first answer, over"),
    },
)

# LangChain's message, including its missing quote.
MISSING_ACTION_AFTER_THOUGHT_ERROR_MESSAGE: Final = (
    "Invalid Format: Missing 'Action:' after 'Thought:"
)

DIALECT: Final = replace(
    react.DIALECT,
    name="mrkl",
    aliases=(),
    summary="ReAct text as LangChain's MRKL agent reads it: an answer before an action counts",
    strict=STRICT,
    problems={
        **react.PROBLEMS,
        "no_action_or_answer": replace(
            react.PROBLEMS["no_action_or_answer"],
            exact_observation=MISSING_ACTION_AFTER_THOUGHT_ERROR_MESSAGE,
        ),
    },
)
