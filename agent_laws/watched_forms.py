"""Forms of logs that record which of their rows, paths and groups find something."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final

from agent_runs.tables import part as of_part
from agent_runs.tables.console import Console
from agent_runs.tables.messages import Messages
from agent_runs.tables.part import MessagePart
from agent_runs.tables.piece import ConsolePiece

if TYPE_CHECKING:
    from agent_runs.readers.known import FormOfLog
    from agent_runs.reading.said import Said

_NEVER: Final = "(?!)"
"""The body of pieces that are always a notice."""
_OF_ROWS: Final = ("of", "name", "arguments", "id", "output", "failed")
_OF_TABLES: Final = (
    "system", "answer", "question", "stated", "piece", "caller", "key", "follows", "voids",
    "rewinds", "anew",
)  # fmt: skip


class Watch:
    """Which rows, paths and groups of a table find something in logs."""

    def __init__(self) -> None:
        self.unseen: dict[int, str] = {}
        """Rows that have matched no part or piece so far, described in words."""
        self.needed: dict[str, bool] = {}
        """What it means that a path of a row finds nothing, and whether it found something."""
        self.others: dict[str, bool] = {}
        """The same of paths that logs may lack."""

    def form(self, form: FormOfLog) -> FormOfLog:
        """Return a form that reads like *form*, and is watched if it is a table."""
        match form:
            case Messages():
                return self._messages(form)
            case Console():
                pieces = [self._piece(number, piece) for number, piece in enumerate(form.pieces)]
                return replace(form, pieces=pieces)
            case _:
                return form

    def _piece(self, number: int, piece: ConsolePiece) -> ConsolePiece:
        if piece.body == _NEVER:
            return piece
        what = f"row {number + 1}, {piece.what!r} with title={piece.title!r}"
        self.unseen[number] = f"no piece of the logs matches {what}"
        named = [re.compile(pattern) for pattern in (piece.title, piece.body, piece.each)]
        names = {name for pattern in named for name in pattern.groupindex}
        if piece.what in ("nothing", "start"):
            names.discard("text")  # nobody asks for it
        words = {name: f"the group {name!r} of {what} matches no text" for name in names}

        def see(groups: Mapping[str, str | None]) -> None:
            self.unseen.pop(number, None)
            for name, said in words.items():
                found = bool((groups.get(name) or "").strip())
                self.others[said] = self.others.get(said, False) or found

        watched = _WatchedPiece(**{each.name: getattr(piece, each.name) for each in fields(piece)})
        object.__setattr__(watched, "see", see)
        return watched

    def _messages(self, form: Messages) -> Messages:
        parts = [self._row(number, row) for number, row in enumerate(form.parts)]
        about = {name: self._path(f"about {name!r}", path) for name, path in form.about.items()}
        paths: dict[str, Any] = {name: self._path(name, getattr(form, name)) for name in _OF_TABLES}
        return replace(form, parts=parts, about=about, **paths)

    def _row(self, number: int, row: MessagePart) -> MessagePart:
        said = (f"{name}={getattr(row, name)!r}" for name in ("type", "key", "at"))
        words = f"row {number + 1}, {row.what!r} with {', '.join(said)}"
        self.unseen[number] = f"no part of the logs matches {words}"

        def where(part: Any) -> bool:
            fits = row.where is None or row.where(part)
            if fits and part is not None:
                self.unseen.pop(number, None)
            return fits

        paths: dict[str, Any] = {}
        for name in _OF_ROWS:
            path = getattr(row, name)
            is_own = path != getattr(MessagePart, name)
            if is_own and not (name == "name" and row.type.endswith("*")):
                is_needed = name != "failed" and (name, row.what) != ("output", "call")
                paths[name] = self._path(name, path, words, is_needed=is_needed)
        return replace(row, where=where, **paths)

    def _path(
        self, name: str, path: of_part.Path, row: str = "", *, is_needed: bool = False
    ) -> of_part.Path:
        if not isinstance(path, str) or not path or path.startswith("="):
            return path
        words = f"nothing in the logs is at {name}={path!r}{row and f' of {row}'}"

        def found(value: Any) -> Any:
            here = of_part.at(value, path)
            place = self.needed if is_needed else self.others
            place[words] = place.get(words, False) or here is not None
            return here

        return found


class _WatchedPiece(ConsolePiece):
    """A piece that records what its patterns have matched."""

    see: Callable[[Mapping[str, str | None]], None]

    def said(
        self, groups: Mapping[str, str | None], line: int, shortened: re.Pattern[str] | None
    ) -> Iterator[Said]:
        each = re.finditer(self.each, groups.get("text") or "", re.DOTALL) if self.each else ()
        for found in ({}, *(match.groupdict() for match in each)):
            self.see({**groups, **found})
        yield from super().said(groups, line, shortened)
