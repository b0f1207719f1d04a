"""LangChain's first chat agent: `react_json` with a line break after the fence.

There is no other difference; LangChain uses both class names.

Source: LangChain's `ChatAgent`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_parsers.dialects import react_json
from agent_parsers.families.json_steps import opens_after

# LangChain's pattern requires the line break right after the tag.
may_open: Final = opens_after(r"\s*```(?:json)?\n\s*", is_lead_enough=False)

DIALECT: Final = replace(
    react_json.FORM, rules=replace(react_json.FORM.rules, may_open=may_open)
).dialect(
    name="chat",
    aliases=("chat_agent",),
    summary="ReAct text with a JSON blob on lines of its own, or Final Answer (LangChain)",
    sample=react_json.SAMPLE,
    prompt=react_json.PROMPT,
)
