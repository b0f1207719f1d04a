"""One kind of piece of a console, as a line of a table, and what such a piece says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

from agent_runs.reading.parts import call_of, result_of, text_of
from agent_runs.reading.reprs import value_of_repr
from agent_runs.reading.said import Said, SaidCall, SaidResult
from agent_runs.tables.part import Path, at, check_word
from outputs.growing_json import read_arguments

Shown: TypeAlias = Literal[
    "question", "spoken", "thought", "text", "answer", "call", "calls", "result", "results",
    "system", "start", "nothing",
]  # fmt: skip

_CLASS: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
_BREAK: Final = re.compile(r"\n[?*+]?(?![)$?*+]*(?:\||\Z))")


@dataclass(frozen=True)
class ConsolePiece:
    """One kind of piece in a console log: a title, and the text after it up to the next title."""

    what: Shown
    """What it is. ``"spoken"`` is a question if it is from who spoke first, and text if not; a
    title with a group ``who`` says who speaks. ``"answer"`` is text that is the answer, whatever
    follows. ``"calls"`` and ``"results"`` are lists as Python shows them, or have `each`.
    ``"start"`` is a frame behind which another conversation begins, and ``"nothing"`` a frame,
    whose text is none of any run; what its *body* does not match is a notice."""
    title: str
    """A pattern for the beginning of its first line, and of no other. Like *body* it may have the
    groups ``tool``, ``args``, ``id``, ``text``, and ``agent`` for the one whose run this is."""
    body: str = r"(?P<text>.*)"
    """A pattern for all of the text behind the title. Of several pieces whose titles fit, the
    first counts whose body fits too. What its group ``output`` matches is the result of the call,
    ``after`` text of the assistant that follows, and ``unowned`` a notice."""
    fields: Mapping[str, Path] = field(default_factory=dict)
    """Of lists: where each object has its ``name``, ``arguments``, ``id`` and ``output``."""
    is_sign: bool = False
    """Whether only this console has such a title."""
    ahead: str = ""
    """A pattern for what follows the line of the title, for which eight lines are looked at; they
    are part of the body all the same."""
    more: str = ""
    """A pattern for the mark with which each further line begins. It is taken off, as are spaces
    at the ends of these lines, and a line without it is no part of the piece."""
    until: str = ""
    """A pattern for the end of the piece. Up to there no line is a title, if there is such an end;
    it is no part of the body."""
    then: str = ""
    """A pattern for the line with text that has to follow the piece."""
    each: str = ""
    """Of several calls or results in one body: a pattern for one of them, with the groups. What
    stands before the first call is text."""
    tool: str = ""
    """The name of the tool, where no group has it."""
    arguments: Callable[[str], Any] | None = None
    """Reads arguments that are in no notation of JSON or Python; it returns a text as it is."""
    is_quoted: bool = False
    r"""Whether arguments may be JSON in a string of JSON: ``"{\\"q\\": 1}"``."""

    behind: tuple[Shown, ...] = ()
    """The kinds of pieces behind which it stands, if behind others such a title is another."""
    is_aside: bool = False
    """Of ``"nothing"``: whether it may stand anywhere, so that `behind` looks past it."""
    may_be_text: bool = False
    """Of ``"nothing"``: whether text may have such lines, too. They are a notice between texts."""
    ends_with_fence: bool = False
    """Whether a fence with which its text begins is all of it, if titles in fences are text."""
    is_untyped: bool = False
    """Whether the console shows all arguments as text."""

    def __post_init__(self) -> None:
        check_word(self.what, Shown, "piece of a console")
        plain = _CLASS.sub(lambda found: "\n" if found[0] == r"\n" else "x", self.title)
        if _BREAK.search(plain):
            raise ValueError(
                f"the title {self.title!r} spans several lines, but a title has to match within one"
                " line: put what follows the first line into `ahead` and `body`"
            )

    @cached_property
    def begins(self) -> re.Pattern[str]:
        """The compiled pattern of the title."""
        return re.compile(self.title)

    @cached_property
    def holds(self) -> re.Pattern[str]:
        """The compiled pattern of the text after the title."""
        return re.compile(self.body, re.DOTALL)

    def said(
        self, groups: Mapping[str, str | None], line: int, shortened: re.Pattern[str] | None
    ) -> Iterator[Said]:
        """Yield the messages in a piece of this kind that begins at *line*.

        Args:
            groups: The groups of its title and its body.
            line: The line.
            shortened: Finds the mark that the console shows where it shortens a value.

        Raises:
            ValueError: A list is none, as may be raised by data of another form.
        """
        text = groups.get("text") or ""
        match self.what:
            case "nothing" | "start":
                pass
            case "call":
                yield from self._called(groups, line, shortened)
            case "result":
                yield Said("tool", results=(_result(groups, text, shortened),), line=line)
            case "calls" | "results" if self.each:
                yield from self._each(text, line, shortened)
            case "calls" | "results":
                yield from self._listed(text, line)
            case _:
                yield from self._spoken(groups, text.strip(), line)
        if after := (groups.get("after") or "").strip():
            yield Said("assistant", after, line=line)
        if (unowned := groups.get("unowned") or "").strip():
            yield left_out("text that could not be interpreted", unowned, line)

    def _spoken(self, groups: Mapping[str, str | None], text: str, line: int) -> Iterator[Said]:
        if self.what == "answer" and groups.get("args"):
            value = self._value(groups["args"] or "")
            is_one = isinstance(value, dict) and len(value) == 1
            text = text_of(next(iter(value.values())) if is_one else value)
        if text and self.what == "thought":
            yield Said("assistant", thought=text, line=line)
        elif text:
            role = {"question": "user", "spoken": "user", "system": "system"}.get(self.what)
            yield Said(role or "assistant", text, line=line)  # type: ignore[arg-type]

    def _called(
        self, groups: Mapping[str, str | None], line: int, shortened: re.Pattern[str] | None
    ) -> Iterator[Said]:
        given, tool = groups.get("args"), groups.get("tool") or self.tool
        call_id = groups.get("id") or ""
        if given is not None and shortened is not None and shortened.search(given):
            call = SaidCall(tool, {}, call_id, has_input=False, cut=given)
        else:
            value = self._value(given) if given is not None else {}
            call = SaidCall(
                tool, value, call_id, is_untyped=self.is_untyped, has_input=given is not None
            )
        yield Said("assistant", calls=(call,), line=line)
        if (output := groups.get("output")) is not None:
            result = _result({"id": call_id, "tool": tool}, output, shortened)
            yield Said("tool", results=(result,), line=line)

    def _each(self, text: str, line: int, shortened: re.Pattern[str] | None) -> Iterator[Said]:
        end = 0
        calls: list[Said] = []
        results: list[SaidResult] = []
        between: list[str] = []
        for found in re.finditer(self.each, text, re.DOTALL):
            between.append(text[end : found.start()].strip())
            end = found.end()
            if self.what == "calls":
                calls += self._called(found.groupdict(), line, shortened)
            else:
                results.append(_result(found.groupdict(), found["text"], shortened))
        if not (calls or results):
            raise ValueError("there is none in the text")
        if self.what == "calls":
            message = Said("assistant", between.pop(0), line=line)
            message.calls = [call for said in calls for call in said.calls]
            yield message
        else:
            yield Said("tool", results=results, line=line)
        if others := "\n".join(filter(None, (*between, text[end:].strip()))):
            yield left_out(f"text beside {self.what}", others, line)

    def _listed(self, text: str, line: int) -> Iterator[Said]:
        for each in value_of_repr(text):
            item = {ours: at(each, theirs) for ours, theirs in self.fields.items()}
            if self.what == "calls":
                yield Said("assistant", calls=(call_of(item),), line=line)
            else:
                result = result_of(item["output"], item.get("id"), item.get("name"))
                yield Said("tool", results=(result,), line=line)

    def _value(self, text: str) -> Any:
        """Return arguments as an object, if Python or JSON shows one; else they are a text."""
        text = text.strip()
        if self.arguments is not None and not isinstance(given := self.arguments(text), str):
            return given
        value = _shown_value(text)
        if self.is_quoted and isinstance(value, str):
            value = _shown_value(value)
        return value if isinstance(value, dict) else text


def left_out(what: str, text: str, line: int) -> Said:
    """Return the message that *text* is dropped, with *what* it is, in words."""
    return Said("tool", left_out=(what,), unowned=text.strip("\n"), line=line)


def _result(
    groups: Mapping[str, str | None], text: str, shortened: re.Pattern[str] | None
) -> SaidResult:
    result = result_of(text.strip("\n"), groups.get("id"), groups.get("tool"))
    marks = [found[0] for found in shortened.finditer(text)] if shortened is not None else []
    if not marks or shortened is None:
        return result
    whole = shortened.sub("", result.text).strip("\n")
    return result._replace(text=whole, cut="\n".join(mark.strip() for mark in marks))


def _shown_value(text: str) -> Any:
    """Return the object or the text that *text* shows; *text* itself if it shows none.

    What begins with a name is code, though it may look like the `repr` of an object.
    """
    for read in (read_arguments, value_of_repr) if text.startswith(("{", '"', "'")) else ():
        with suppress(ValueError):
            return read(text)
    return text
