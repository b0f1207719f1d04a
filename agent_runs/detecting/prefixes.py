"""The prefix that the lines of a log have in common, found by the shape that repeats."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from agent_runs.detecting.prefix_fields import COLOURS, ESCAPE, FIELDS, Field, fields_of
from agent_runs.splitting.separators import is_logged

_FEWEST_LINES: Final = 3
"""How many lines need the prefix, unless the log has fewer."""
_MOST_LINES: Final = 300
"""How many lines are looked at."""
_FIRST: Final = 5
"""The prefix has to begin in one of this many lines."""
_SHARE: Final = 0.9
"""The share of the prefixed lines in which a further field has to be the same."""
_may_be_prefix: Final = re.compile(
    rf"{COLOURS}(?:[\[(]?(?:{FIELDS['time']}|{FIELDS['level']}[:\s])|{FIELDS['cell']}|"
    rf"(?:\d+\|)?{FIELDS['name']}[ ]*{COLOURS}\||\[{FIELDS['name']}\])"
).match


class Prefixed(NamedTuple):
    """A line without its prefix, and the owner and level that the prefix names."""

    owner: str
    """Whose line it is: the names in its prefix."""
    text: str
    level: str = ""
    """Its level, in lower case; empty if the prefix has none."""


@dataclass(frozen=True, slots=True)
class Prefix:
    """The prefix that the lines of a log have in common."""

    kinds: tuple[str, ...]
    """The kinds of its fields."""
    pattern: re.Pattern[str]
    """Matches it at the beginning of a line. The groups are the names in it, and its level."""
    example: str
    """The first one."""

    def split(self, line: str) -> Prefixed | None:
        """Return *line* without its prefix, with its owner; `None` if it has no prefix."""
        found = self.pattern.match(line)
        if found is None:
            return None
        names = [*found.groups()]
        at = self.pattern.groupindex.get("level")
        level = names.pop(at - 1).strip("[]()<> ").lower() if at is not None else ""
        owner = " ".join(name.partition(".")[0] for name in names)
        return Prefixed(owner, line[found.end() :], level)


def find_prefix(head: str) -> Prefix | None:
    """Return the prefix that lines of *head*, the beginning of a log, have in common.

    It has a time, or the name of a service and a bar, or a level and a name, or the path of a pod.
    The fields behind are those that nearly all of the prefixed lines have, with the same marks
    between them. Lines of known loggers count for nothing: they stand in any console.
    """
    lines = [
        line for line in head.split("\n")[:_MOST_LINES] if line.strip() and not is_logged(line)
    ]
    if not any(map(_may_be_prefix, lines[:_FIRST])):
        return None
    rows = [[*fields_of(line)] for line in lines]
    if (common := _common(rows)) is None:
        return None
    template, prefixed = common
    is_coloured = sum(line.startswith("\x1b") for line in lines) * 2 > len(lines)
    pattern = _pattern(template, prefixed, is_coloured=is_coloured)
    texts = [line[found.end() :] for line in lines if (found := pattern.match(line)) is not None]
    fewest = 1 if len(texts) >= _SHARE * len(lines) else len(texts) // 2 + 1
    if sum(map(bool, map(str.strip, texts))) < fewest:
        return None  # such as a line with only the time between two parts of a log
    first = next(found for line in lines if (found := pattern.match(line)) is not None)
    return Prefix(tuple(field.kind for field in template), pattern, first[0])


def _common(rows: Sequence[list[Field]]) -> tuple[list[Field], list[list[Field]]] | None:
    """Return the fields of the prefix that *rows* have in common, and the rows that have it.

    Lines without it may begin with fields too, and there may be more of them.
    """
    firsts = Counter((row[0].kind, row[0].mark) for row in rows if row)
    for (kind, mark), _ in firsts.most_common():
        begun = [row for row in rows if row and _fits(row[0], kind, mark)]
        template, prefixed = _template(begun, Field(kind, "", mark=mark))
        is_early = any(row in prefixed for row in rows[:_FIRST])
        if is_early and _is_prefix(template, prefixed, len(rows)):
            return template, prefixed
    return None


def _template(rows: list[list[Field]], first: Field) -> tuple[list[Field], list[list[Field]]]:
    """Return the fields that *rows* share, of which all have the *first*, and these rows."""
    template = [first]
    while True:
        at = len(template)
        longer = [row for row in rows if len(row) > at]
        counts = Counter((row[at].kind, row[at].mark) for row in longer)
        if not counts:
            break
        kind, mark = counts.most_common(1)[0][0]
        fitting = [row for row in longer if _fits(row[at], kind, mark)]
        if len(fitting) < _SHARE * len(rows):
            break
        if kind == "name" and not mark and not _are_names([row[at] for row in fitting]):
            break
        rows = fitting
        template.append(Field(kind, "", mark=mark))
    return template, rows


def _fits(field: Field, kind: str, mark: str) -> bool:
    """Return whether *field* is of this *kind*; behind blanks, any mark may begin the text."""
    return field.kind == kind and (field.mark == mark or (not mark and field.lead > 0))


def _are_names(fields: Sequence[Field]) -> bool:
    """Return whether *fields* are names that come again, not words of a text.

    Most have text behind them; a name that all lines have may have less, since lines may be empty.
    """
    values = {field.value for field in fields}
    with_text = sum(field.has_text for field in fields)
    share = 4 if len(values) == 1 else 2
    return len(values) <= max(1, len(fields) // 4) and with_text * share > len(fields)


def _is_prefix(template: Sequence[Field], rows: Sequence[Sequence[Field]], total: int) -> bool:
    """Return whether a *template* that some *rows* of *total* lines have is more than chance."""
    if len(rows) < min(_FEWEST_LINES, total):
        return False
    kinds = [field.kind for field in template]
    has_bar = any(field.kind == "name" and field.mark == "|" for field in template[:2])
    if "time" in kinds or has_bar:
        return True
    is_everywhere = len(rows) >= _SHARE * total
    if kinds[:1] == ["level"]:
        return "name" in kinds or is_everywhere
    is_bracketed = kinds == ["name"] and rows[0][0].value.startswith("[")
    return is_bracketed and len(rows) == total >= _FEWEST_LINES


def _pattern(
    template: Sequence[Field], rows: Sequence[Sequence[Field]], *, is_coloured: bool
) -> re.Pattern[str]:
    """Return a pattern for the prefix; behind it are as many blanks as all lines have."""
    parts: list[str] = []
    is_inner = False  # a name behind another and a colon: a function, not whose line it is
    last = len(template) - 1
    with_text = [row[last] for row in rows if row[last].has_text]
    for at, (kind, _, _, mark, *_) in enumerate(template):
        is_owner = kind in ("name", "cell") and not is_inner
        is_level = kind == "level" and not any("(?P<level>" in part for part in parts)
        group = "(" if is_owner else "(?P<level>" if is_level else "(?:"
        parts.append(f"{COLOURS}{group}{FIELDS[kind]})")
        is_inner = kind == "name" and mark in (":", "::")
        gap = rf"(?:[ ]|{ESCAPE})*"
        if at < last:
            parts.append(f"{gap}{re.escape(mark)}{gap}" if mark else f"{COLOURS}[ ]{gap}")
        elif mark:
            blanks = min((field.blanks for field in with_text), default=0)
            reset = r"(?:\x1b\[0?m)?" if is_coloured else ""
            parts.append(f"{gap}{re.escape(mark)}{reset}[ ]{{0,{blanks}}}{reset}")
        else:
            blanks = min((field.lead for field in with_text), default=1)
            parts.append(f"{COLOURS}(?:[ ]{{1,{max(blanks, 1)}}}|$)")
    return re.compile("".join(parts))
