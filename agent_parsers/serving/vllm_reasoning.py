"""The reasoning parser for vLLM, which `agent_parsers.serving.vllm` registers.

Source: ``vllm/reasoning/abs_reasoning_parsers.py`` of vLLM 0.33.0.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, ClassVar, Final

from typing_extensions import override
from vllm.entrypoints.generate.base.protocol import DeltaMessage
from vllm.reasoning.abs_reasoning_parsers import ReasoningParser

from agent_parsers.serving.thoughts import LeadingThought, ends_in_mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["DialectReasoningParser"]

_log: Final = logging.getLogger(__name__)
_LONGEST_MARK: Final = 32
"""Tokens at the end of a prompt or an output that hold any mark of a thought."""


class DialectReasoningParser(ReasoningParser):
    """Separates the thought at the beginning of an output from the rest.

    It reads the end of the prompt, which may have opened the thought.
    """

    dialect: ClassVar[str]
    engine_based_streaming = True

    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(tokenizer, *args, **kwargs)
        self._prompt = ""
        self._thought: LeadingThought | None = None

    @override
    def adjust_request(self, request: Any) -> Any:
        """Keep the marks of thoughts in the text, which may be special tokens."""
        request.skip_special_tokens = False
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
        split = LeadingThought(self.dialect, self._prompt)
        thought, rest = split.feed(model_output)
        if split.holds_call and ends_in_mark(self.dialect, self._prompt) != "opens":
            return None, model_output  # the parser of calls tells whether it is one
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
            self._thought = LeadingThought(self.dialect, self._prompt)
        return _thought_delta(*self._thought.feed(delta_text))

    @override
    def has_engine_confirmed_reasoning_end(self) -> bool:
        """Return whether the rest has begun."""
        return self._thought is not None and self._thought.is_over

    def finish_streaming(self) -> Any:
        """Return what the end of the output adds."""
        if self._thought is None:
            return None
        if self._thought.holds_call:
            _log.warning("ap_%s: a call is reasoning, since that does not end", self.dialect)
        return _thought_delta(*self._thought.close())

    def _text(self, ids: Sequence[int]) -> str:
        return str(self.model_tokenizer.decode(list(ids), skip_special_tokens=False))


def _thought_delta(thought: str, rest: str) -> Any:
    if not (thought or rest):
        return None
    return DeltaMessage(reasoning=thought or None, content=rest or None)
