"""Writes steps behind labels, and words problems, with the labels that the tables read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agent_parsers.engine.grammar.problems import Problem
from agent_parsers.forms.form import CallForm, Form

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agent_parsers.engine.markers.kinds import Marker
    from agent_parsers.forms.form import Written

__all__ = ["StepWriter", "reworded"]


class StepWriter:
    """The functions that a `Dialect` writes steps with, and its stop sequence.

    Args:
        labels: The labels ``"thought"`` and ``"observation"``; `write` also needs those of
            ``"action"``, ``"input"`` and ``"answer"``.
        write_input: Returns an input as text.
    """

    def __init__(
        self,
        labels: Mapping[str, Marker],
        write_input: Callable[[str | dict[Any, Any]], str] = str,
    ) -> None:
        self._labels = labels
        self._write_input = write_input

    @property
    def form(self) -> Form:
        """How turns are spelt."""
        action, tool_input = self.label("action"), self.label("input")
        return Form(
            call=CallForm(
                text=f"{action} {{tool}}\n{tool_input} {{input}}", write_input=self._write_input
            ),
            is_single=True,
            thought=(f"{self.label('thought')} ", "\n"),
            content=None,
            answer=(f"{self.label('answer')} ", ""),
        )

    def thought(self, step: Written) -> str:
        """Return the line of the thought; ``""`` if there is no thought."""
        return f"{self.label('thought')} {step.thought}\n" if step.thought else ""

    def generation_prompt(self, _number: int) -> str:
        """Return the label of the next thought."""
        return self.label("thought")

    def render_observation(self, observation: str, number: int) -> str:
        """Return an observation as text, with the label of the next thought."""
        label = self.label("observation")
        return f"\n{label} {observation}\n{self.generation_prompt(number + 1)}"

    @property
    def stop(self) -> tuple[str, ...]:
        """What a model must not write: the label of an observation."""
        return (f"\n{self.label('observation')}",)

    def label(self, name: str) -> str:
        """Return a label as it is written, with its colon."""
        return self._labels[name].canonical


def reworded(problems: Mapping[str, Problem], words: Mapping[str, str]) -> dict[str, Problem]:
    """Return *problems* in other words.

    Those that change are without the message of the reference parser, which has the old words.

    Args:
        problems: The problems by name.
        words: The new words by the old ones, such as ``{"an Action": "a Tool"}``.
    """

    def put(text: str) -> str:
        for old, new in words.items():
            text = text.replace(old, new)
        return text

    def said(problem: Problem) -> Problem:
        texts = problem.reason, problem.observation
        new = put(problem.reason), put(problem.observation)
        return problem if new == texts else Problem(*new)

    return {name: said(problem) for name, problem in problems.items()}
