r"""The messages in the spans of models, in the forms of APIs and tracers.

::

    [{"role": "user", "content": "Say hi"}]                                    most APIs
    [{"role": "user", "parts": [{"type": "text", "content": "Say hi"}]}]      OpenTelemetry
    {"contents": [{"role": "user", "parts": [{"text": "Say hi"}]}]}            a request
    {"candidates": [{"content": {"role": "model", "parts": […]}}]}             its response
    [{"toolCallId": "c1", "toolName": "search", "input": "{}"}]                the AI SDK's calls
    system: Be brief.\nuser: Say hi                                            OpenLIT's text
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agent_parsers.transcripts import Notice
from agent_runs.readers.data import langchain_messages, openai
from agent_runs.readers.data.tables import ANTHROPIC, GEMINI, OTEL, VERCEL
from agent_runs.reading.messages import MessageFormat, is_message
from agent_runs.reading.parts import text_of
from agent_runs.reading.said import Said, SaidResult
from agent_runs.tables.part import at, loaded

_FORMS: Final = (
    openai.FORM, openai.RESPONSES.form, OTEL.form, GEMINI.form, ANTHROPIC.form, VERCEL.form,
    langchain_messages.FORM,
)  # fmt: skip
"""The forms of messages; those that know all their parts come before those that do not."""
_ARE_MESSAGES: Final = frozenset(("role", "type", "kind", "message", "kwargs", "lc"))
"""Keys of messages, which requests and responses do not have."""
_SYSTEM: Final = (
    "system_instruction|systemInstruction|config.system_instruction|instructions|system"
)
_role_at: Final = re.compile(r"^(system|developer|user|assistant|tool):[ \t]", re.MULTILINE)
_ROLES: Final = {"developer": "system"}
_DEPTH: Final = 3
"""How many objects may stand around messages."""
_NOTHING: Final = "None"
"""What tracers in Python write where a model said no text."""


@dataclass(frozen=True)
class Words:
    """A message that is text."""

    role: Any
    text: str
    is_inferred: bool = False
    """Whether a line of a longer text says where it begins."""

    def said(self) -> Said:
        """Return what the message says."""
        if self.role == "tool":
            return Said("tool", results=(SaidResult(self.text),))
        return Said(self.role, self.text)


@dataclass(frozen=True)
class Placed:
    """What is said between two messages, by a span or about it."""

    what: Said

    def said(self) -> Said:
        """Return it."""
        return self.what


def messages_in(found: Any, role: str, depth: int = _DEPTH) -> Iterator[Any]:
    """Yield the messages in the input or the output of a span; bare text is said by *role*."""
    found = loaded(found)
    within = _within(found) if depth else None
    if within is not None:
        if system := at(found, _SYSTEM):
            parts = system.get("parts", system) if isinstance(system, Mapping) else system
            yield Words("system", text_of(parts))
        is_listed = isinstance(within, list) and len(within) > 1 and _are_texts(within)
        yield from within if is_listed else messages_in(within, role, depth - 1)
        return
    items = found if isinstance(found, list) else [found]
    if items and all(isinstance(each, Mapping) and "toolName" in each for each in items):
        parts = [{"type": "tool-call", **each} for each in items]
        yield {"role": "assistant", "content": parts}
        return
    for message in items:
        if isinstance(message, str):
            yield from _in_words(message, role)
        elif message is not None:
            yield message.get("message", message) if isinstance(message, Mapping) else message


def _are_texts(found: Sequence[Any]) -> bool:
    return all(isinstance(each, str) for each in found)


def _within(found: Any) -> Any:
    """Return what a request or a response holds; `None` if *found* is neither."""
    if not isinstance(found, Mapping) or not _ARE_MESSAGES.isdisjoint(found):
        return None
    for key in ("output", "content"):
        value = found.get(key)
        if isinstance(value, list if key == "output" else Mapping):
            return value
    return at(found, "messages|contents|prompt|choices.0.message|candidates.0.content")


def _in_words(text: str, role: str) -> Iterator[Words]:
    """Yield what is said in a *text*: what a model was given may have the roles in its lines."""
    titles = [*_role_at.finditer(text)] if role == "user" else []
    if not titles or titles[0].start() > 0:
        if role == "user" or text != _NOTHING:
            yield Words(role, text)
        return
    ends = [title.start() for title in titles[1:]] + [len(text)]
    for title, end in zip(titles, ends, strict=True):
        words = text[title.end() : end].removesuffix("\n")
        if title[1] != "assistant" or words != _NOTHING:
            yield Words(_ROLES.get(title[1], title[1]), words, is_inferred=True)


def form_of(messages: Iterable[Any], first: MessageFormat) -> MessageFormat:
    """Return a form of all *messages*: that of most, *first* of the convention, or of some."""
    written = [each for each in messages if not isinstance(each, Words | Placed)]
    most = max((first, *_FORMS), key=lambda form: sum(is_message(it, form) for it in written))

    def known(message: Any) -> MessageFormat | None:
        return next((form for form in (most, *_FORMS) if is_message(message, form)), None)

    return most._replace(
        said=lambda it: (
            it.said() if isinstance(it, Words | Placed) else (known(it) or most).said(it)
        ),
        is_message=lambda it: isinstance(it, Words | Placed) or known(it) is not None,
    )


def inferred(messages: Iterable[Any]) -> list[Notice]:
    """Return a notice if the lines of a text say where *messages* begin."""
    texts = [each.text for each in messages if isinstance(each, Words) and each.is_inferred]
    reason = "the roles of the messages were read from the lines of one text"
    return [Notice("unclear_end", reason, 0)] if texts else []
