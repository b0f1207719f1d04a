"""What a model is told around what the dialect writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["PromptWords"]


@dataclass(frozen=True, slots=True)
class PromptWords:
    """What stands in the run that shows the form of a dialect, and other words of its prompt."""

    question: str = "the question to answer"
    """In place of the question."""
    thought: str = "what you know and what you need to find out"
    """In place of a thought before an action."""
    tool: str = "the tool to use, one of [{tool_names}]"
    """In place of the name of a tool; ``{tool_names}`` stands for the names there are."""
    tool_input: str | dict[Any, Any] = "the input of the tool"
    """In place of its input."""
    arguments: dict[Any, Any] | None = None
    """In its place where the parameters of tools are known, if those are written otherwise."""
    observation: str = "what the tool returned"
    """In place of an observation."""
    repeats: str = "... (these steps can repeat)"
    """On a line of its own, after the first step."""
    last_thought: str = "I now know the final answer"
    """The thought before an answer."""
    answer: str = "the answer to the question"
    """In place of the answer."""
    use: str = "I need to use {tool}."
    """The thought before an action that is an example; ``{tool}`` stands for its tool."""
    value: str = "<{name}>"
    """A text that such an action gives to the parameter ``{name}``."""
    no_tools: str = "(none)"
    """In place of the list of tools, if that is empty."""
    begin: str = "Begin."
    """On a line of its own, between what the model is told and the question."""
    wrote: str = "You wrote: {text}"
    """What a model is told that wrote something wrong; ``{text}`` stands for that."""
    example: str = "For example:"
    """What comes before an action that it should write instead."""

    def in_place(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return *arguments* with `value` for each text that is a placeholder: ``<name>``."""
        return {
            name: self.value.replace("{name}", name) if value == f"<{name}>" else value
            for name, value in arguments.items()
        }
