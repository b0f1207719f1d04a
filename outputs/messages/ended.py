"""How a text ended, which decides what may be missing at its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

__all__ = [
    "Ended", "ended_of", "filtered_by", "is_filtered", "is_held_back", "is_paused", "is_refused",
    "reason_to_call", "reasons_in", "sooner",
]  # fmt: skip

Ended: TypeAlias = Literal["unknown", "stop", "length"]
"""How a text ended: ``"stop"`` if the model stopped by itself or at a stop sequence, ``"length"``
if the text was cut, ``"unknown"`` if the provider does not report it."""

_STOP: Final = frozenset(
    ("stop", "tool_calls", "tool_call", "function_call", "tool_use", "requires_action", "end_turn",
     "stop_sequence", "eos", "eos_token", "complete", "completed")
)  # fmt: skip
_REFUSED: Final = frozenset(("refusal",))
_FILTERED: Final = frozenset(
    ("content_filter", "content_filtered", "guardrail_intervened", "safety", "recitation",
     "blocklist", "prohibited_content", "spii", "image_safety", "error_toxic", "sensitive")
)  # fmt: skip
_LENGTH: Final = frozenset(
    ("length", "max_tokens", "max_output_tokens", "max_length", "model_length", "token_limit",
     "incomplete", "abort", "cancelled", "failed", "error", "error_limit", "timeout", "time_limit",
     "model_context_window_exceeded", "insufficient_system_resource", "pause_turn", "network_error",
     "malformed_function_call", "malformed_tool_use", "malformed_model_output",
     "unexpected_tool_call", "too_many_tool_calls")
)  # fmt: skip
_CALLED: Final = frozenset(
    ("tool_calls", "tool_call", "function_call", "tool_use", "requires_action",
     "malformed_function_call", "malformed_tool_use", "unexpected_tool_call", "too_many_tool_calls")
)  # fmt: skip
"""The reasons that say that the model made a call."""
_CUT: Final = _LENGTH | _FILTERED | _REFUSED
_SEPARATORS: Final = str.maketrans("", "", "-_")
_PLAIN: Final = {word.translate(_SEPARATORS): word for word in _STOP | _CUT}
"""The reasons, by how they are compared: libraries write ``tool-calls`` and ``toolCalls`` too."""
assert len(_PLAIN) == len(_STOP) + len(_CUT), "each reason has one meaning"
_BY_LENGTH: Final = tuple(sorted(_PLAIN, key=len, reverse=True))

_FIELDS: Final = (
    "finish_reason", "stop_reason", "done_reason", "status", "stopReason", "finishReason",
    "completionReason",
)  # fmt: skip
"""The fields in which providers report it: OpenAI Chat Completions, Anthropic, Ollama, OpenAI
Responses, Bedrock, Gemini, Amazon Titan."""
_WITHIN: Final = frozenset(("messageStop", "message_stop", "generation_info", "choices"))
"""The fields that may hold an object, or a list of objects, with such a field: those of streams of
LangChain.js on Bedrock, of generations, and of whole responses of OpenAI."""
_GUARDRAIL: Final = "amazon-bedrock-guardrailAction"
"""The field in which a model of Bedrock says whether a guardrail stepped in."""
_NUMBERED: Final = ("finish_reason", "finishReason")
"""The fields that may have a member of Gemini's enumeration as a number."""
_NUMBERS: Final = {
    1: "stop", 2: "max_tokens", 3: "safety", 4: "recitation", 7: "prohibited_content",
    8: "prohibited_content", 9: "error", 10: "error",
}  # fmt: skip
"""The members. From 6 on, the number of a reason depends on the API, Gemini's or Vertex AI's; those
here stand for a filter, or for a reply that is not whole, in both."""


def ended_of(metadata: Mapping[str, Any]) -> Ended:
    """Return how a message ended, given its ``response_metadata``.

    Knows the stop reasons of OpenAI's Chat Completions and Responses and compatible servers, and of
    Anthropic, Bedrock, Cohere, Gemini, GLM, Mistral and Ollama. Case, hyphens and underscores do
    not matter. A text that a filter stopped counts as cut. Unknown reasons are ignored; of several
    reasons, a cut wins.
    """
    ended: Ended = "unknown"
    for word in _reasons(metadata):
        if word in _CUT:
            return "length"
        ended = "stop"
    return "length" if metadata.get("incomplete_details") or _is_blocked(metadata) else ended


def reasons_in(fields: Mapping[str, Any]) -> dict[str, str]:
    """Return those of *fields* in which providers report why a message ended."""
    return {name: fields[name] for name in _FIELDS if isinstance(fields.get(name), str)}


def sooner(one: Ended, other: Ended) -> Ended:
    """Return how a message ended, given what two of its chunks say: a cut wins."""
    if "length" in (one, other):
        return "length"
    return one if other == "unknown" else other


def is_refused(metadata: Mapping[str, Any]) -> bool:
    """Return whether the model refused, according to the ``response_metadata`` of its message."""
    return not _REFUSED.isdisjoint(_reasons(metadata))


def is_held_back(metadata: Mapping[str, Any]) -> bool:
    """Return whether the model refused, or a filter ended the message (see `is_filtered`)."""
    fields = ("incomplete_details", "prompt_feedback", _GUARDRAIL)
    beside = any(metadata.get(name) for name in fields)
    reasons = _reasons(metadata)
    return (
        not _REFUSED.isdisjoint(reasons)
        or not _FILTERED.isdisjoint(reasons)
        or (beside and is_filtered(metadata))
    )


def is_paused(metadata: Mapping[str, Any]) -> bool:
    """Return whether the provider paused the message, to be sent back for the model to continue."""
    return "pause_turn" in _reasons(metadata)


def reason_to_call(metadata: Mapping[str, Any]) -> str:
    """Return the stop reason in ``response_metadata`` that announces tool calls, or ``""``."""
    return next((word for word in _reasons(metadata) if word in _CALLED), "")


def is_filtered(metadata: Mapping[str, Any]) -> bool:
    """Return whether a provider's filter ended a message, according to ``response_metadata``."""
    details = metadata.get("incomplete_details")
    if isinstance(details, Mapping) and _word(details.get("reason")) in _FILTERED:
        return True
    return _is_blocked(metadata) or not _FILTERED.isdisjoint(_reasons(metadata))


def filtered_by(metadata: Mapping[str, Any]) -> dict[str, str]:
    """Return the reasons why Gemini's filter refused, as LangChain's refusal blocks have them."""
    feedback = metadata.get("prompt_feedback")
    said = {
        "finish_reason": metadata.get("finish_reason"),
        "block_reason": feedback.get("block_reason") if isinstance(feedback, Mapping) else None,
    }
    names = {key: _word(value).rpartition(".")[2].upper() for key, value in said.items()}
    if names["finish_reason"] not in ("SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST"):
        del names["finish_reason"]
    if names["block_reason"] in ("", "BLOCKED_REASON_UNSPECIFIED"):
        del names["block_reason"]
    return names


def _is_blocked(metadata: Mapping[str, Any]) -> bool:
    """Return whether Gemini blocked the prompt, or a guardrail of Bedrock replaced the reply."""
    if metadata.get(_GUARDRAIL) == "INTERVENED":
        return True
    feedback = metadata.get("prompt_feedback")
    reason = feedback.get("block_reason") if isinstance(feedback, Mapping) else None
    return bool(reason) and not _word(reason).endswith("unspecified")


def _reasons(metadata: Mapping[str, Any]) -> list[str]:
    """Return the known stop reasons in *metadata*."""
    found = _reasons_of(metadata)
    if not _WITHIN.isdisjoint(metadata):
        for value in map(metadata.get, _WITHIN):
            for each in value if isinstance(value, list) else (value,):
                if isinstance(each, Mapping):
                    found += _reasons_of(each)
    return found


def _reasons_of(fields: Mapping[str, Any]) -> list[str]:
    found: list[str] = []
    for field in _FIELDS:
        value = fields.get(field)
        if type(value) is int and field in _NUMBERED:
            value = _NUMBERS.get(value)
        if value and (word := _word(value)):
            if word in _STOP or word in _CUT:
                found.append(word)
            else:
                found += _words_in(word)
    return found


def _word(reason: Any) -> str:
    """Return a *reason* in lower case: a text, or a member of an enumeration as Gemini has them.

    A known reason is spelt as in the tables.
    """
    named = reason if isinstance(reason, str) else getattr(reason, "name", None)
    if not isinstance(named, str):
        return ""
    # White space before it is kept: " stop" is rather a piece of a text than a reason.
    word = named.rstrip().lower().rpartition("finishreason.")[2]
    return _PLAIN.get(word.translate(_SEPARATORS), word)


def _words_in(text: str) -> list[str]:
    """Return the stop reasons that *text* concatenates; an empty list if it has anything else.

    If two chunks of a message have a reason, their sum has both: ``"stopstop"``.
    """
    found: list[str] = []
    text, at = text.translate(_SEPARATORS), 0
    while at < len(text):
        plain = next((plain for plain in _BY_LENGTH if text.startswith(plain, at)), None)
        if plain is None:
            return []
        found.append(_PLAIN[plain])
        at += len(plain)
    return found
