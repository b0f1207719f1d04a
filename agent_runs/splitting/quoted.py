"""What quotes the text in it: a run inside it is spoken of, and was not logged here.

Quoted are a fence, an element, a block with a begin and an end, a text in quotation marks, lines
behind ``>``, and lines that are indented below others::

    Result:
        Thought: I delete it.          <pre>                         ~~~
        Action: delete                 Thought: I delete it.         Thought: I delete it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from agent_runs.splitting.separators import is_header

_FENCE: Final = re.compile(r"[ \t]*+(?:(?:[-*+]|\d+[.)])[ \t]*+)?(`{3,}+|~{3,}+)[^`\n]*\n?\Z").match
_MARK: Final = re.compile(r"[ \t]*(`{3,}|~{3,})").match
"""A mark that may end a block, which `_FENCE` begins."""
_CITED: Final = re.compile(r"[ \t]*>").match
_ELEMENT: Final = re.compile(
    r"(?:^[ \t]*<([A-Za-z][\w:.-]*)(?:\s[^<>\n]*)?>|<([A-Za-z][\w:.-]*)(?:\s[^<>\n]*)?>[ \t]*$)"
).search
_EMPTY: Final = frozenset(("br", "hr", "img", "input", "link", "meta"))
"""Elements without an end."""
_BLOCKS: Final = (
    (re.compile(r"<!--"), "-->"),
    (re.compile(r"<!\[CDATA\["), "]]>"),
    (re.compile(r"^[ \t]*/\*"), "*/"),
    (re.compile(r"^\s*\\begin\{(\w+\*?)\}"), "\\end{%s}"),
    (re.compile(r"^\s*\[(code|quote|pre|log|output|spoiler)\b[^\]\n]*\]", re.IGNORECASE), "[/%s]"),
    (re.compile(r"^\s*\{(code|quote|noformat|panel)\b[^}\n]*\}", re.IGNORECASE), "{%s}"),
    (re.compile(r"<<-?[ \t]*['\"]?([A-Za-z_]\w*)['\"]?[ \t]*$"), "%s"),
)
"""What opens a block, and what closes it."""
_BEGIN: Final = re.compile(
    r"\W{2,}(?:BEGIN|START)(?![a-z])(?!.*\b(?:END|STOP)\b)", re.IGNORECASE
).match
_END: Final = re.compile(r"\W{2,}(?:END|STOP)(?![a-z])", re.IGNORECASE).match
_MARKS: Final = ('"""', "'''", '"', "`", "'")
_FAR: Final = 5_000
"""How many lines a block may have."""
_ESCAPED: Final = re.compile(r"\\.|(?<=\w)'(?=\w)|\"\"(?!\")(?<!\"\"\")|``+")
"""What is no mark at the edge of a quotation."""
_STRUCTURE: Final = re.compile(
    r"\s*+(?:[#>$%|\[{(<*+=~_/\\-]|\d+[.)]|\d{1,4}[-/:.]\d\d"
    r"|\w[\w .'/\[\]-]{0,40}(?:\([^)\n]*\))?[ \t]*[:：](?:\s|\Z)"
    r"|.*\b(?:thought|action|observation|answer)[ \t\d]{0,9}[:：])",
    re.IGNORECASE,
).match


def opened_fence(line: str) -> str:
    """Return the backticks or tildes with which *line* may open or close a fence; empty if none."""
    found = _MARK(line)
    return found[1] if found else ""


def closes_fence(line: str, mark: str) -> bool:
    """Return whether *line* closes the fence that *mark* opened."""
    return line.lstrip(" \t").startswith(mark) and not line.strip().strip(mark[0])


def has_structure(text: str) -> bool:
    """Return whether a line of *text* begins unlike prose: with a label, a mark or a bracket."""
    return any(_STRUCTURE(line) for line in text.splitlines())


class Quotations:
    """Tells which lines outside of all runs are quoted.

    *begins_own* tells the lines that begin with a mark of the dialect, which are no quotations.
    """

    def __init__(self, begins_own: Callable[[str], bool]) -> None:
        self._begins_own = begins_own
        self._closer: Callable[[str], bool] | None = None
        self._around: Callable[[str], bool] | None = None  # closes the fence around all there is
        self._indented = -1  # the indentation of what is not quoted
        self._is_first = True
        self._has_prose = False  # outside of what is quoted

    def has(self, line: str, ahead: Callable[[int], str]) -> bool:
        """Return whether *line*, the next one outside of all runs, is quoted.

        *ahead* returns a line that follows it, given how far; ``""`` behind the last.
        """
        if self._closer is not None:
            if self._closer(line):
                self._closer = None
            return True
        if not line.strip():
            return False
        is_first, self._is_first = self._is_first, False
        indentation = len(line) - len(line.lstrip())
        if 0 <= self._indented < indentation:
            return True
        self._indented = indentation
        is_cited = _CITED(line) is not None
        closer = None if is_cited else _closer_of(line)
        if closer is not None and _BEGIN(line) and self._is_around_runs(ahead):
            closer = None
        self._has_prose = self._has_prose or not (closer or _is_known(line, self._begins_own))
        if not (is_cited or closer) or self._begins_own(line):  # few lines have to be looked up
            return False
        if is_cited:
            return True
        self._closer = closer
        # A fence around all there is belongs to nobody.
        return not (is_first and _FENCE(line) and self._is_around_all(ahead))

    def _is_around_runs(self, ahead: Callable[[int], str]) -> bool:
        """Return whether a program wrote the line that begins a block, around its own runs.

        Then nothing ends the block, or there is no prose before and behind it.
        """
        index = 0
        while (line := ahead(index)) and not _END(line) and index < _FAR:
            index += 1
        if not line or index == _FAR:
            return True
        while (line := ahead(index + 1)) and not line.strip():
            index += 1
        return not self._has_prose and (not line or _is_known(line, self._begins_own))

    @property
    def is_wrapped(self) -> bool:
        """Whether an open fence encloses the whole log."""
        return self._around is not None

    def closes(self, line: str) -> bool:
        """Return whether *line* closes the fence around the whole log."""
        return self._around is not None and self._around(line)

    def _is_around_all(self, ahead: Callable[[int], str]) -> bool:
        assert self._closer is not None, "the fence has opened"
        index = 0
        while (line := ahead(index)) and not self._closer(line):
            index += 1
        while (line := ahead(index + 1)) and not line.strip():
            index += 1
        if line:
            return False
        self._around, self._closer = self._closer, None
        return True


def _is_known(line: str, begins_own: Callable[[str], bool]) -> bool:
    """Return whether *line* is a mark of the dialect, or what programs print around runs."""
    return begins_own(line) or is_header(line)


def _closer_of(line: str) -> Callable[[str], bool] | None:
    """Return what tells whether a line ends the quotation that *line* opens; `None` if none."""
    if fence := _FENCE(line):
        mark = fence[1]
        return lambda other: (found := _FENCE(other)) is not None and found[1].startswith(mark)
    for opener, closer in _BLOCKS:
        if found := opener.search(line):
            end = closer % found[1] if "%s" in closer else closer
            if end.lower() not in line[found.end() :].lower():
                return lambda other: end.lower() in other.lower()
    if _BEGIN(line):
        return lambda other: _END(other) is not None
    if (element := _ELEMENT(line)) and element[0][-2:] != "/>":
        name = element[1] or element[2]
        if f"</{name}" not in line and name.lower() not in _EMPTY:
            return lambda other: f"</{name}" in other
    bare = _ESCAPED.sub("", line)
    for mark in _MARKS:
        if bare.count(mark) % 2 and re.search(rf"(?:^|[,:=(\[{{|\s]){mark}", bare):
            return lambda other: _ESCAPED.sub("", other).count(mark) % 2 == 1
    return None
