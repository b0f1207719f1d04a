"""The parser of LangChain's MRKL agent."""

from __future__ import annotations

from agent_parsers.dialects.mrkl import MISSING_ACTION_AFTER_THOUGHT_ERROR_MESSAGE
from agent_parsers.parsers.named_parsers import MRKLOutputParser
from agent_parsers.react_single_input import (
    FINAL_ANSWER_ACTION,
    FINAL_ANSWER_AND_PARSABLE_ACTION_ERROR_MESSAGE,
    MISSING_ACTION_INPUT_AFTER_ACTION_ERROR_MESSAGE,
)

__all__ = [
    "FINAL_ANSWER_ACTION",
    "FINAL_ANSWER_AND_PARSABLE_ACTION_ERROR_MESSAGE",
    "MISSING_ACTION_AFTER_THOUGHT_ERROR_MESSAGE",
    "MISSING_ACTION_INPUT_AFTER_ACTION_ERROR_MESSAGE",
    "MRKLOutputParser",
]
