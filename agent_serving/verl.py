"""Parsers for verl: ``actor_rollout_ref.rollout.multi_turn.format=ap_hermes``.

verl finds them by ``VERL_USE_EXTERNAL_MODULES`` with the name of this module. There is no entry
point ``verl.plugins``, since verl hides the errors of those.

Source: ``verl/experimental/agent_loop/tool_parser.py`` of verl 0.9.1.
"""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from typing_extensions import override
from verl.experimental.agent_loop.tool_parser import FunctionCall, ToolParser

from agent_parsers import get_dialect
from agent_serving.requests import served_names, tools_of
from agent_serving.turns import read_turn


class VerlToolParser(ToolParser):
    """Finds the calls of a dialect in a response; its thoughts stay in the content."""

    dialect: ClassVar[str]

    @property
    @override
    def stop_token_ids(self) -> list[int]:
        """Return the tokens of the dialect's stop sequences, which end a turn.

        A stop sequence that is not a single token, such as that of ``react``, is left out.
        """
        unknown = getattr(self.tokenizer, "unk_token_id", None)
        ids = map(self.tokenizer.convert_tokens_to_ids, get_dialect(self.dialect).stop)
        return [each for each in ids if isinstance(each, int) and each >= 0 and each != unknown]

    @override
    async def extract_tool_calls(
        self, responses_ids: list[int], tools: list[Any] | None = None
    ) -> tuple[str, list[Any]]:
        """Return the content of a response and its calls."""
        return await asyncio.to_thread(self._read, responses_ids, tools)

    def _read(self, responses_ids: list[int], tools: list[Any] | None) -> tuple[str, list[Any]]:
        text = self.tokenizer.decode(responses_ids, skip_special_tokens=False)
        part = read_turn(self.dialect, text, tools_of(tools))
        calls = [
            FunctionCall(name=call.name, arguments=call.arguments, tool_call_id=call.id)
            for call in part.calls
        ]
        return part.content, calls


def register() -> None:
    """Register the parsers of all dialects, as ``ap_NAME``."""
    for name, dialect in served_names().items():
        members = {"dialect": dialect, "__module__": __name__}
        parser: type[Any] = type(f"{name}_parser", (VerlToolParser,), members)
        ToolParser.register(name)(parser)


register()
