"""The words of a prompt around the samples that the dialect writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["PromptWords", "before_words"]


@dataclass(frozen=True, slots=True)
class PromptWords:
    """Placeholders of the sample transcript in a prompt, and the other words of the prompt."""

    thought: str = "what you know and what you need to find out"
    """In place of a thought before an action."""
    tool: str = "the tool to use, one of [{tool_names}]"
    """In place of the name of a tool; ``{tool_names}`` stands for the names there are."""
    tool_input: str | dict[Any, Any] = "the input of the tool"
    """In place of the input of the tool."""
    arguments: dict[Any, Any] | None = None
    """In place of the input if the parameters of the tools are known; `None`: as `tool_input`."""
    observation: str = "what the tool returned"
    """In place of an observation."""
    repeats: str = "... (these steps can repeat)"
    """On a line of its own, after the first step."""
    last_thought: str = "I now know the final answer"
    """The thought before an answer."""
    answer: str = "the answer to the question"
    """In place of the answer."""
    output_type: str = "The answer is JSON of this form, with nothing around it:"
    """Introduces the type of the answer, if it is not text."""
    no_answer: str = "Call a tool; do not answer yet."
    """Says that each turn calls a tool."""
    use: str = "I need to use {tool}."
    """The thought before an example of an action; ``{tool}`` stands for its tool."""
    value: str = "<{name}>"
    """A placeholder for the value of the parameter ``{name}`` in such an action."""
    no_tools: str = "Answer as well as you can, in this form:\n\n{answer}"
    """The instructions if there are no tools; ``{answer}`` stands for an example of an answer."""
    begin: str = "Begin."
    """On a line of its own, between the format instructions and the question."""
    any_tool: str = "the tool"
    """In place of the name of a tool in the observation of an error, if it is not known."""
    wrote: str = "You wrote: {text}"
    """Quotes the text at fault in the observation of an error; ``{text}`` stands for that text."""
    example: str = "For example:"
    """Introduces an example in the observation of an error."""

    def in_place(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return *arguments* with each placeholder ``<name>`` replaced by `value`."""
        return {
            name: self.placeholder(name) if value == f"<{name}>" else value
            for name, value in arguments.items()
        }

    def placeholder(self, name: str) -> str:
        """Return what stands for the value of the parameter *name*."""
        return self.value.replace("{name}", name)


def before_words(label: str, words: str) -> str:
    """Return a *label* as it stands before *words*: with one space, which they may begin with."""
    label = label.rstrip(" ")
    is_apart = not label or label.endswith("：") or words[:1].isspace()
    return label if is_apart else f"{label} "
