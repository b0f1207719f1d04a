"""Reads whole turns of calls that are spelt as the form of their dialect says."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Final

from agent_parsers.engine.reading.matching.plain_text import WORD, KnownMarks, around, plain_text
from agent_parsers.engine.reading.quoting.quotations import announces, quotes_line
from agent_parsers.engine.reading.turn import PlainTurn
from agent_parsers.forms.templates import BLANK, BREAK, COUNT, TOOL, pattern

if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Match

    from agent_parsers.engine.reading.turn import PlainCall
    from agent_parsers.forms.form import Form
    from agent_parsers.forms.templates import Templates

_ENDS_ODDLY: Final = re.compile(r"""["'“‘«:：][\s\[\](),;}]*+\Z""").search
_AT_LINE: Final = r"(?<![^\n])"
"""Pattern for the beginning of a line."""
_NO_CLOSER: Final = r"(?!\s*+[\[\](),;:}\"'”’»])"
"""Pattern for text behind a call that does not begin like what closes it, or a quotation of it."""
_SLOT_OR_BLANK: Final = re.compile(rf"[\s{TOOL}-{COUNT}]")


def ends_oddly(content: str) -> bool:
    """Return whether *content* ends in punctuation that may quote or forbid the call after it."""
    return content[-1] in "\"'“‘«:：[](),;}" and _ENDS_ODDLY(content) is not None


class MatchedTurns(ABC):
    """Reads turns that are spelt exactly as one form shows.

    Text that may contain a marker, or may quote or forbid a call, is left to a stream.
    """

    def __init__(
        self, form: Form, templates: Templates, known: KnownMarks, *, ahead: str = ""
    ) -> None:
        opens, closes = form.around
        lead = f"{form.calls[0]}{templates.head}"
        lead = lead.rstrip() if templates.parameter else lead
        is_fenced = lead.startswith("```")  # then JSON in a thought may be a call as well
        label = form.answer[0].rstrip() if isinstance(form.answer, tuple) else ""
        thought = plain_text(known, of_thought=not is_fenced, label=label)
        thoughts = around(form.thought, f"(?P<thought>{thought})")
        said = plain_text(known, stop=lead[:WORD] if lead[:1] == " " else lead.lstrip()[:WORD])
        self._has_content = not form.is_content_last and form.content is not None
        content = ""
        if self._has_content:
            content = around(form.content, f"(?P<content>{said})")
        self.has_content_behind = False
        self._ends = rf"{BLANK}\Z"
        if form.is_content_last and form.content is not None:
            self.has_content_behind = True
            self._ends = rf"{pattern(form.content[0])}(?P<behind>{_NO_CLOSER}{plain_text(known)})\Z"
        call = pattern(lead, templates.ids)
        if is_fenced:
            call = f"{_AT_LINE}{call}"  # a fence within a line opens no call
        self._lead = re.compile(f"{thoughts}{pattern(opens)}{content}{call}{ahead}").match
        self.opener: str = _SLOT_OR_BLANK.split(lead.lstrip(), maxsplit=1)[0]
        """What each turn with calls has somewhere; empty if that is not known."""
        self._answer: Callable[[str], Match[str] | None] | None = None
        if isinstance(form.answer, tuple):
            before, after = (f"{opens}{form.answer[0]}", f"{form.answer[1]}{closes}")
            begins_line = ""
            if label[:1].isalpha():  # it has to begin its line
                begins_line = f"{BLANK}{_AT_LINE}"
                before = before.replace(f"\n{label}", f"{BREAK}{label}")
            answer = (
                f"{begins_line}{pattern(before)}(?P<content>{plain_text(known)}){pattern(after)}"
            )
            self._answer = re.compile(rf"{thoughts}{answer}{BLANK}\Z").match
        self.begins = known.begins
        self._words = re.compile(known.words, re.IGNORECASE).search if known.words else None
        self._has_thought = bool(thoughts)

    def read(self, text: str) -> PlainTurn | None:
        """Return the turn with this *text*; `None` if it is spelt differently."""
        found = self._lead(text) if self.opener in text else None
        if found is None:
            return self._read_answer(text)
        content = (found["content"] or "").strip() if self._has_content else ""
        if content and (
            ends_oddly(content) or announces(content) or quotes_line(text, found.end("content"))
        ):
            return None
        thought = (found["thought"] or "").strip() if self._has_thought else ""
        made = self.calls_and_content(text, found)
        if made is None:
            return None
        calls, behind = made
        if behind and ("{" in behind or "=" in behind or not all(given for _, given, _ in calls)):
            return None  # it may be an input
        content = content or behind
        if self._is_odd(thought) or self._is_odd(content):
            return None
        return PlainTurn(calls, thought, content)

    def _read_answer(self, text: str) -> PlainTurn | None:
        found = None if self._answer is None else self._answer(text)
        if found is None:
            return None
        thought = (found["thought"] or "").strip() if self._has_thought else ""
        answer = found["content"].strip()
        if not answer or self._is_odd(thought) or self._is_odd(answer):
            return None
        return PlainTurn([], thought, answer, answer)

    def _is_odd(self, text: str) -> bool:
        """Return whether a *text* may hold a marker of letters, or a fence of Python."""
        if not text:
            return False
        if self._words is not None and self._words(text) is not None:
            return True
        # to look for one character takes a tenth of the time that it takes to look for several
        return ('"' in text and '"""' in text) or ("'" in text and "'''" in text)

    has_texts: ClassVar[bool]
    """Whether values are strings, which the schema of the tool converts."""

    @abstractmethod
    def calls_and_content(self, text: str, found: Match[str]) -> tuple[list[PlainCall], str] | None:
        """Return the calls in *text*, and the content after them.

        *found* is the match of the part before the first input.
        """

    def _behind(self, end: Match[str]) -> str:
        """Return the content behind calls, given the match of what is there."""
        return end["behind"].strip() if self.has_content_behind else ""

    def is_name(self, tool: str) -> bool:
        """Return whether the name of a *tool* contains no marker."""
        return self._words is None or self._words(tool) is None
