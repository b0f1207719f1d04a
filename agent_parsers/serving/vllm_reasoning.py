"""The reasoning parser for vLLM, which `agent_parsers.serving.vllm` registers.

Source: ``vllm/reasoning/abs_reasoning_parsers.py`` of vLLM 0.33.0.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, ClassVar, Final

from typing_extensions import override
from vllm.reasoning.abs_reasoning_parsers import ReasoningParser

from agent_parsers.serving.thoughts import LeadingThought, ends_in_mark
from agent_parsers.serving.turns import ServedPart, read_turn, tools_of
from agent_parsers.serving.vllm_deltas import delta_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agent_parsers.toolset import ToolSet

__all__ = ["DialectReasoningParser"]

_log: Final = logging.getLogger(__name__)
_LONGEST_MARK: Final = 32
"""Tokens at the end of a prompt or an output that hold any mark of a thought."""


class DialectReasoningParser(ReasoningParser):
    """Separates the thought at the beginning of an output from the rest.

    It reads the end of the prompt, which may have opened the thought. If the output ends in a call
    before the thought is closed, the call is not part of the thought.
    """

    dialect: ClassVar[str]
    engine_based_streaming = True

    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(tokenizer, *args, **kwargs)
        self._prompt = ""
        self._thought: LeadingThought | None = None
        self._request: Any = None  # with the tools

    @override
    def adjust_request(self, request: Any) -> Any:
        """Keep the marks of thoughts in the text, which may be special tokens."""
        request.skip_special_tokens = False
        self._request = request
        return request

    @override
    def set_prompt_token_ids(self, prompt_token_ids: Sequence[int]) -> None:
        """Take the prompt that the output continues."""
        self._prompt = self._text(prompt_token_ids[-_LONGEST_MARK:])

    @override
    def is_reasoning_end(self, input_ids: Sequence[int]) -> bool:
        """Return whether the prompt *input_ids* ends in a mark that closes the thought."""
        return ends_in_mark(self.dialect, self._text(input_ids[-_LONGEST_MARK:])) == "closes"

    @override
    def is_reasoning_end_streaming(
        self, input_ids: Sequence[int], delta_ids: Iterable[int]
    ) -> bool:
        """Return whether one of *delta_ids*, the last of the output, closes the thought."""
        count = len(list(delta_ids))
        ends = range(len(input_ids) - count + 1, len(input_ids) + 1)
        return any(self.is_reasoning_end(input_ids[:end][-_LONGEST_MARK:]) for end in ends)

    @override
    def extract_content_ids(self, input_ids: list[int]) -> list[int]:
        """Return *input_ids*: the parser of calls reads the text."""
        return input_ids

    @override
    def extract_reasoning(self, model_output: str, request: Any) -> tuple[str | None, str | None]:
        """Return the thought of a whole output, and the rest."""
        split = self._new_thought(request)
        thought, rest = split.feed(model_output)
        last_thought, last = split.close()
        return thought + last_thought or None, rest + last or None

    @override
    def extract_reasoning_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
    ) -> Any:
        """Return what *delta_text* adds to the thought, and the rest once it has begun."""
        if self._thought is None:
            self._thought = self._new_thought(self._request)
        thought, rest = self._thought.feed(delta_text)
        return delta_of(ServedPart(rest), thought=thought)

    @override
    def has_engine_confirmed_reasoning_end(self) -> bool:
        """Return whether the rest has begun."""
        return self._thought is not None and self._thought.is_over

    def finish_streaming(self) -> Any:
        """Return what the end of the output adds, with the calls in a thought that is open.

        vLLM has them only from here: its parser of calls reads nothing before the thought ends.
        """
        if self._thought is None:
            return None
        is_over = self._thought.is_over
        thought, rest = self._thought.close()
        if is_over or not self._thought.holds_call:
            return delta_of(ServedPart(rest), thought=thought)
        if not rest:
            _log.warning("ap_%s: a call is reasoning, since that does not end", self.dialect)
        part = read_turn(self.dialect, rest, _tools_in(self._request), behind_thought=True)
        return delta_of(part, thought=thought)

    def _new_thought(self, request: Any) -> LeadingThought:
        """Return a reader of a thought that a call may end, if the *request* is known."""
        may_call = request is not None and request.tool_choice != "none"
        tools = _tools_in(request)
        return LeadingThought(self.dialect, self._prompt, tools, may_call=may_call)

    def _text(self, ids: Sequence[int]) -> str:
        return str(self.model_tokenizer.decode(list(ids), skip_special_tokens=False))


def _tools_in(request: Any) -> ToolSet | None:
    return None if request is None else tools_of(request.tools)
