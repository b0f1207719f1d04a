"""Lenient readers of tool names: they remove quotes, brackets and namespaces, and match spellings.

Each rule removes what cannot be part of the name, or leaves the name unchanged; what it removes is
reported as a repair.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple
from warnings import catch_warnings, simplefilter

from agent_parsers.engine.repairs.inputs import repair_input
from agent_parsers.engine.repairs.payloads import BadPayload, ToolHead
from agent_parsers.engine.repairs.python_values import json_value
from agent_parsers.events import Repair
from agent_parsers.toolset.problems.names import folded

_BARE_NAME: Final = re.compile(r"[^\W\d][\w-]*").fullmatch
_PLAIN_NAME: Final = re.compile(r"\w[\w .-]*+").fullmatch
_DRESSING: Final = {"`": "`", '"': '"', "'": "'", "[": "]", "<": ">", "*": "*", "“": "”", "‘": "’"}
_BULLET: Final = re.compile(r"""[-*•][ \t]+(?=[\w`*"'])""").match
_NAMESPACE: Final = re.compile(r"(?:functions?|tools?|default_api)[.:](?=\w)").match
says_nothing: Final = re.compile(
    r"(?:[./:_-]|(?:functions?|tools?|calls?|actions?|use|set|box|code|default|apis?|mcp|namespace"
    r"|agent|assistant|self)(?![a-z]))+",
    re.IGNORECASE,
).fullmatch
"""Matches a namespace that does not tell one tool from another, unlike ``email`` or ``sandbox``."""
_CALL: Final = re.compile(r"([\w.-]+)[ \t]*\((.*)\)", re.DOTALL).fullmatch
_TEXT_CALL: Final = re.compile(r"(\w[\w.-]*)\[((?:[^\n[\]]|\[[^\n[\]]*\])+)\]").fullmatch
_MARKS: Final = re.compile(r"[\W_]+")
_NO_ACTION: Final = {
    "none", "n/a", "na", "no action", "no action needed", "no tool", "null", "nothing",
}  # fmt: skip
_ANSWERS: Final = {"final answer", "finalanswer"}
_NO_NAMES: Final = _NO_ACTION | _ANSWERS
_LEADS: Final = frozenset((
    "i", "d", "ll", "we", "will", "shall", "should", "would", "can", "must", "need", "want", "have",
    "going", "let", "s", "me", "us", "now", "first", "then", "to", "try", "use", "using", "ask",
    "call", "calling", "run", "invoke", "apply", "consult", "query", "perform", "execute", "do",
    "with", "a", "an", "the", "my", "this", "tool", "tools", "function", "action",
))  # fmt: skip
"""Words that may lead to the name of a tool to use; ``avoid`` is not one of them."""
_FOLLOWS: Final = frozenset(
    ("to", "for", "with", "on", "about", "in", "and", "now", "instead", "first", "tool", "function")
)
"""Words that may come right after the name."""
_MOST_CHARS: Final = 200
DENYING_SIGNS: Final = "✗✘✕✖❌❎⛔🚫🛑👎"
_SIGN_OF_DENIAL: Final = re.compile(rf"[{DENYING_SIGNS}]|\A\W*[!~¬]").search
_DENIAL: Final = re.compile(
    r"\b(?:no|not|none|never|without|cannot|unnecessary|impossible)\b|n['’]t\b", re.IGNORECASE
).search


def is_bare_name(name: str) -> bool:
    """Return whether `repair_tool_name` leaves *name* unchanged for any set of tools."""
    return _BARE_NAME(name) is not None and name.lower() not in _NO_NAMES


def repair_tool_name(
    written: str, tools: Collection[str] | None, repairs: list[Repair]
) -> ToolHead:
    """Read the name of a tool, and repair what models often add to it.

    The name is read as by `tool_named`. In addition, a call (``search("old bridge")``,
    ``search(query="old bridge")``, ``search[old bridge]``) is read as a name and an input. If the
    *tools* are known, a phrase that names exactly one of them after nothing but leading words
    (``Use search``) is read as that tool, unless it denies something (``Do not use search``).

    Raises:
        BadPayload: The text says that there is no action (``None``), or does not name a tool: it is
            a question, struck out, or a phrase that denies something; or an input repeats a key.
    """
    known = None if tools is None else _names(tuple(tools))
    if known is not None and written in known.all:
        return ToolHead(written)
    name = _undressed(written.rstrip(" ,;"))
    tool_input: str | dict[Any, Any] | None = None
    call = read_python_call(name)
    if call is None and (bracketed := _TEXT_CALL(name)) is not None:  # as in the paper on ReAct
        call = bracketed[1], bracketed[2]
    if call is not None:
        name, tool_input = call[0], call[1] or None
        if isinstance(tool_input, str):
            tool_input = _repaired(tool_input, written, repairs)
    name = _without_namespace(name, known)
    key = name.lower().rstrip(".")
    is_phrase = False
    if known is None or name not in known.all:
        if key in _ANSWERS:
            _report(repairs, "answer_as_action", written, "read the action as the answer")
            return ToolHead(name, tool_input, is_answer=True, needs_input=True)
        if key in _NO_ACTION:
            raise BadPayload("action_without_tool", (0, len(written)))
        if _is_doubted(name):
            raise BadPayload("no_tool_name", (0, len(written)))
        if known is not None:
            name, is_phrase = _known(name, known)
    if name != written:
        _report(repairs, "tool_name", written, f"read the name of the tool as {name!r}")
    return ToolHead(name, tool_input, needs_input=is_phrase, is_called=call is not None)


def _repaired(tool_input: str, written: str, repairs: list[Repair]) -> str:
    """Return the *tool_input* of the call *written* in place of a name, as `repair_input` does."""
    made: list[Repair] = []
    try:
        value = repair_input(tool_input, made)
    except BadPayload as bad:
        raise BadPayload(bad.problem, (0, len(written))) from None
    for repair in made:
        _report(repairs, repair.kind, written, repair.message)
    return value


def tool_named(written: str, tools: Collection[str] | None) -> str:
    """Return the name of the tool that a model means by the name *written*.

    The name of a known tool is never changed. Otherwise quotes, backticks, brackets and emphasis
    around the whole name are removed, and so is a namespace that tells no tool from another:
    ``functions.``, ``tools.`` and ``default_api.``, and words such as ``mcp:`` if the name of a
    known tool follows. Any other namespace is part of the name. A name that differs from that of
    exactly one tool only in case and word separators is read as that one. If no tool matches, the
    name is returned without its dressing.
    """
    if _BARE_NAME(written) if tools is None else written in tools:
        return written
    known = None if tools is None else _names(tuple(tools))
    name = _without_namespace(_undressed(written.strip()), known)
    same = () if known is None or _is_doubted(name) else _same(name, known)
    return same[0] if len(same) == 1 else name


def repair_called_name(
    written: str, tools: Collection[str] | None, repairs: list[Repair]
) -> ToolHead:
    """Read the name of a tool in a call, and replace it only by the name of a known tool.

    `tool_named` finds that name; any other name is kept as written.
    """
    name = written if tools is None else tool_named(written, tools)
    if tools is None or name == written or name not in tools:
        return ToolHead(written)
    _report(repairs, "tool_name", written, f"read the name of the tool as {name!r}")
    return ToolHead(name)


def _report(repairs: list[Repair], kind: str, written: str, message: str) -> None:
    repairs.append(Repair(kind, (0, len(written)), message))


def _undressed(name: str) -> str:
    """Remove a bullet, and marks around the whole *name*, unless it is too long for a name."""
    if len(name) > _MOST_CHARS:
        return name
    if (bullet := _BULLET(name)) is not None:
        name = name[bullet.end() :]
    while _PLAIN_NAME(name) is None and len(name) > 2:
        closer = _DRESSING.get(name[0])
        inner = name[1:-1]
        if closer is None or name[-1] != closer or closer in inner.strip("*") or not inner.strip():
            break
        name = inner.strip()
    return name


class _Names(NamedTuple):
    """The names of some tools."""

    all: frozenset[str]
    by_folded: Mapping[str, Sequence[str]]
    """Those that differ only in case and word separators, by what they have in common."""
    by_words: Mapping[str, Sequence[str]]
    """Those that have the same words, by these."""
    most_words: int
    """How many words one of them has."""


@lru_cache(16)
def _names(tools: tuple[str, ...]) -> _Names:
    by_folded: dict[str, list[str]] = {}
    by_words: dict[str, list[str]] = {}
    for tool in tools:
        by_folded.setdefault(folded(tool), []).append(tool)
        by_words.setdefault(_words(tool), []).append(tool)
    most_words = max((words.count(" ") - 1 for words in by_words), default=0)
    return _Names(frozenset(tools), by_folded, by_words, most_words)


def _without_namespace(name: str, known: _Names | None) -> str:
    """Remove the namespace before the name of a tool."""
    if known is not None:
        if name in known.all:
            return name
        for separator in "./:":
            before, _, last = name.rpartition(separator)
            if last in known.all and before not in known.all and says_nothing(before):
                return last
    namespace = _NAMESPACE(name)
    return name if namespace is None else name[namespace.end() :]


def _same(name: str, known: _Names) -> Sequence[str]:
    """Return the *known* tools that differ from *name* only in case and word separators."""
    key = folded(name)
    return known.by_folded.get(key, ()) if key else ()


def _is_doubted(name: str) -> bool:
    """Return whether *name* is a question, is struck out, or denies something in words or signs."""
    is_struck_out = name.startswith("~~") and name.endswith("~~")
    is_denied = any(map(str.isspace, name)) and len(name) <= _MOST_CHARS and _DENIAL(name)
    is_asked = name.endswith(("?", "？"))
    return is_asked or is_struck_out or bool(is_denied) or _SIGN_OF_DENIAL(name) is not None


def _known(name: str, known: _Names) -> tuple[str, bool]:
    """Return the only *known* tool that *name* can mean, and whether *name* is a phrase.

    If no tool matches, or more than one does, return *name* itself.
    """
    same = _same(name, known)
    if len(same) == 1:
        return same[0], False
    words = _words(name)
    within = [] if same or "\n" in name else _within(words, known)
    if len(within) == 1 and _means(name, words, within[0]):
        return within[0], True
    return name, False


def _within(words: str, known: _Names) -> list[str]:
    """Return the *known* tools whose words are among those of a phrase."""
    parts = words[1:-1].split(" ")
    runs: Iterable[str] = (run for run in known.by_words if run in words)
    if len(parts) * known.most_words < len(known.by_words):  # it takes less time to look each up
        sizes = range(1, known.most_words + 1)
        found = (parts[at : at + size] for at in range(len(parts)) for size in sizes)
        runs = dict.fromkeys(f" {' '.join(run)} " for run in found)
    return [tool for run in runs for tool in known.by_words.get(run, ())]


def _means(phrase: str, words: str, tool: str) -> bool:
    """Return whether *phrase*, whose words are *words*, says to use the *tool* that it names."""
    before, _, after = words.partition(_words(tool))
    goes_on = after.split(maxsplit=1)[:1]
    if not _LEADS.issuperset(before.split()) or not _FOLLOWS.issuperset(goes_on):
        return False
    return not (_DENIAL(phrase) or _words(tool) in after)


@lru_cache(4096)
def _words(text: str) -> str:
    return f" {_MARKS.sub(' ', text).casefold().strip()} "


def read_python_call(text: str) -> tuple[str, str | dict[Any, Any]] | None:
    """Read ``name("text")``, ``name(a=1, b=[2])`` or ``name({"a": 1})``.

    Returns:
        The name and the arguments: text, or a dict of literals; any other single literal is
        returned as JSON text. `None` if *text* is not such a call; `BadPayload` is raised for one
        that repeats a key, or has a number that JSON does not have.
    """
    if text[-1:] != ")" or (call := _CALL(text)) is None:
        return None
    arguments = _read_arguments(call[2])
    return None if arguments is None else (call[1], arguments)


_MOST_ARGUMENTS: Final = 10_000
"""Longest arguments of a call written in place of a name, in characters."""


def _read_arguments(text: str) -> str | dict[Any, Any] | None:
    """Read the arguments of a call; return `None` if they are not literals.

    Nothing is evaluated.
    """
    if not (text := text.strip()):
        return ""
    if len(text) > _MOST_ARGUMENTS:
        return None
    try:
        with catch_warnings():
            simplefilter("ignore")  # about escapes in strings
            call = ast.parse(f"f({text})", mode="eval").body
        if not isinstance(call, ast.Call):
            return None
        args = [json_value(arg, {}) for arg in call.args]
        named = {key.arg: json_value(key.value, {}) for key in call.keywords if key.arg}
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
    if len(named) < len(call.keywords) or (args and named) or len(args) > 1:
        return None
    value = args[0] if args else named
    return value if isinstance(value, str | dict) else json.dumps(value, ensure_ascii=False)
