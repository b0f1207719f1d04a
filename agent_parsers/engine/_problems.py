"""What can be wrong with a turn, and what to tell a model that wrote it: what, where, and how to.

The problems here are those of any dialect, which may have better words for them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from agent_parsers._names import did_you_mean, nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from agent_parsers.engine._dialect import Dialect
    from agent_parsers.engine._events import Span

__all__ = ["SHARED_PROBLEMS", "Problem", "advice", "shared_problem"]

_MOST_SHOWN: Final = 80
"""How much is shown of what was written, in characters."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a text, and what to tell the model.

    Args:
        reason: One clause about the expectation that failed.
        observation: What can be sent back to the model as it stands.
        exact: The message in strict mode, where users know the one of the reference; ``{text}``
            stands for the model's text. Or what makes the message, given that text.
        exact_observation: The observation in strict mode, if that is not the same.
        send_to_llm: In strict mode, whether an executor that follows LangChain's flag sends it.
    """

    reason: str
    observation: str
    exact: str | Callable[[str], str] = ""
    exact_observation: str = ""
    send_to_llm: bool = True

    def strict_reason(self, text: str) -> str:
        """Return the message in strict mode for the model's *text*."""
        if not isinstance(self.exact, str):
            return self.exact(text)
        return self.exact.replace("{text}", text) or self.reason


SHARED_PROBLEMS: Final = {
    "cut_input": Problem(
        "expected the rest of the tool's input, which ends in the middle of a value",
        "The input of the tool is cut off, so nothing was done. Write it again, whole.",
    ),
    "bad_input": Problem(
        "expected a JSON object as the tool's input",
        "Invalid Format: The input of the tool is no JSON object. Write one such as"
        ' {"key": "value"}.',
    ),
    "open_fence": Problem(
        "expected the end of the fenced block",
        "The fenced block is not closed, so nothing was done. Write it again, whole.",
    ),
    "bad_call": Problem(
        "expected a call with the name of a tool and its input",
        "Invalid Format: The action cannot be read. Write it again, with the name of the tool and"
        " its input.",
    ),
    "two_inputs": Problem(
        "found two inputs, one in the name of the tool and one after it",
        "Invalid Format: Write only the name of the tool as the action, and its input once.",
    ),
    "no_action": Problem(
        "found an action that says it is none, and no final answer",
        "Invalid Format: Name one of the tools as the action. If no tool is needed, give the final"
        " answer.",
    ),
    "open_reasoning": Problem(
        "expected the end of the reasoning, and after it an action or a final answer",
        "The reasoning was not closed. Close it, then write an action or the final answer.",
    ),
}
"""By name."""


def shared_problem(name: str, text: str, tools: Collection[str]) -> Problem:
    """Return the problem *name* with *text*, where *tools* are the known ones."""
    if name != "unknown_tool":
        return SHARED_PROBLEMS[name]
    hint = did_you_mean(text, tools)
    return Problem(
        f"{text!r} is none of the tools",
        f"There is no tool {text!r}.{hint} The tools are: {', '.join(tools)}.",
    )


def advice(
    dialect: Dialect, problem: Problem, text: str, span: Span, tools: Collection[str] | None
) -> str:
    """Return what can be sent back to a model, with an example of an action.

    Args:
        dialect: How the model should write.
        problem: What is wrong.
        text: What it wrote.
        span: Where that is wrong.
        tools: Names of the tools there are. The example has the one most like what was written,
            or the first.
    """
    lines = [problem.observation]
    found = _shown(text[slice(*span)])
    if found and found not in problem.observation:
        lines.append(f"You wrote: {found}")
    example = dialect.example
    if tools:
        example = replace(example, tool=nearest(found, tools) or next(iter(tools)))
    # In a scratchpad the example stands within an observation, where a label must begin no line.
    lines += ("For example:", *(f"| {line}" for line in dialect.write(example).split("\n")))
    return "\n".join(lines)


def _shown(text: str) -> str:
    """Return *text* on one line, cut if it is long."""
    line = " ".join(text[: 4 * _MOST_SHOWN].split())
    return line if len(line) <= _MOST_SHOWN else line[: _MOST_SHOWN - 1] + "…"
