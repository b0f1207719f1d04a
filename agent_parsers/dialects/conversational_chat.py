"""LangChain's conversational chat agent: `json`, with an input required for every action.

Source: LangChain's `ConversationalChatAgent`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_parsers.dialects import json

RULES: Final = replace(json.FORM.rules, needs_input=True, reads_null=False)

DIALECT: Final = replace(json.FORM, rules=RULES).dialect(
    name="conversational_chat",
    aliases=("convo_chat",),
    summary="one JSON blob with action and action_input, both required (LangChain)",
    sample=json.SAMPLE,
    prompt=json.PROMPT,
)
