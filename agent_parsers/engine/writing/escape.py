r"""Escapes observations, which may contain anything, including markers.

If an observation contains a marker, or a special token that begins or ends a turn in a chat
template, a backslash is put after its first character: ``\Final Answer:`` at the beginning of a
line, ``<\/observation>``, ``<\|im_end|>``. If there are backslashes already, one more is added, so
that removing one from each gives the observation back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import Final

from agent_parsers.engine.markers.kinds import Label, Literal, Marker, spelt_texts
from agent_parsers.engine.tables.dialect import Dialect, Result
from agent_parsers.engine.tables.rewritings import END_TOKENS
from agent_parsers.engine.tables.table import Go, Part
from agent_parsers.forms.form import Written

_BEGIN_TOKENS: Final = (
    "<|im_start|>", "<|start_header_id|>", "<|start_of_role|>", "<start_of_turn>", "<s>", "[INST]",
    "[/INST]",
)  # fmt: skip
"""Special tokens with which chat templates begin turns."""
_MOST_CHARS: Final = 1_000
"""How many characters after a position decide whether a marker begins there."""
_ESCAPED: Final = re.compile(r"[^\\]\\+")
"""Matches a character and the backslashes after it."""
_ROLES: Final = ("user", "system", "developer", "tool", "assistant")
_role: Final = re.compile("assistant|chatbot|user|human|system|developer", re.IGNORECASE).search
_begins_turn: Final = re.compile(r"<[^<>\s]++>[^<>\n]{2,}+").findall
"""Finds a special token and the words after it, such as a role, which may tell who speaks."""
_tokens: Final = re.compile(
    r"<[^<>\s][^<>\n]*+>|\[/?+[A-Z_]{3,}+\]|\[[a-z]++\d++\]|\[\[[^\[\]\n]++\]\]"
    r"|\[[^\[\]\s]{1,8}+\[|\][^\[\]\s]{1,8}+\]|\b[A-Z]{3,}+:"
).findall
"""Finds the special tokens of a chat template: tags, words in brackets, and names of roles."""


def escape(dialect: Dialect, observation: str, *, shows_turn: bool = False) -> str:
    """Return *observation*, escaped so that nothing in it is read as a marker of *dialect*.

    Args:
        dialect: The dialect of the prompt.
        observation: What a tool returned, or an error message in its place.
        shows_turn: Whether it is an error message that shows the model how to write a turn. If a
            turn may have several calls, the markers of such a turn are not escaped.
    """
    turn = dialect.write(replace(dialect.example, thought="so")) if shows_turn else ""
    return _escaped(_pattern(dialect, turn), observation)


def escape_failed(dialect: Dialect, log: str) -> str:
    """Return *log*, a failed turn, escaped so that it contains no turn of another role.

    A model may copy a result, and what it copies may end its turn, begin another one, or look like
    what a tool returned. The markers of the model's own turns are kept, and so is the special
    token that ends this turn.
    """
    body = log.rstrip()
    ends = (dialect.turn_frame[0].strip(), *(token.canonical for token in END_TOKENS))
    end = next((text for text in ends if text and body.endswith(text)), "")
    body = body.removesuffix(end)
    return _escaped(_pattern_of_given(dialect), body) + log[len(body) :]


def _escaped(pattern: re.Pattern[str] | None, text: str) -> str:
    if pattern is None:
        return text
    # A line break on both sides: text after it begins a line, and white space before it is lost.
    return pattern.sub(r"\g<0>" + "\\\\", f"\n{text}\n")[1:-1]


def unescape(dialect: Dialect, text: str) -> str:
    """Undo `escape`: return the observation that it escaped to *text*."""
    pattern = _pattern(dialect, "") if "\\" in text else None
    if pattern is None:
        return text
    # From the end, since a marker may run into another one, which has escapes of its own.
    text = f"\n{text}\n"
    end, after, pieces = len(text), "", []
    for found in reversed([*_ESCAPED.finditer(text)]):
        start, stop = found.span()
        pieces.append(text[stop:end])
        after = (text[stop:end] + after)[:_MOST_CHARS]
        is_mark = pattern.match(text[max(start - 1, 0) : stop] + after, min(start, 1))
        pieces.append(found[0][:-1] if is_mark else found[0])
        end, after = start, pieces[-1] + after
    pieces.append(text[:end])
    return "".join(reversed(pieces))[1:-1]


@cache
def _pattern(dialect: Dialect, spared: str) -> re.Pattern[str] | None:
    """Return a pattern that finds the first character of a marker and the backslashes after it.

    If a turn may have several calls, it does not find the markers that *spared* contains.
    """
    return _pattern_of(
        marker
        for marker in _markers(dialect)
        if not (dialect.several and marker.canonical in spared)
    )


@cache
def _pattern_of_given(dialect: Dialect) -> re.Pattern[str] | None:
    """Return the same pattern for the markers of results and turns that no turn is written with."""
    return _pattern_of(_given_markers(dialect))


def _pattern_of(markers: Iterable[Marker]) -> re.Pattern[str] | None:
    ways = {
        rf"{first}\\*+(?={''.join(rest)})"
        for marker in markers
        for first, *rest in marker.spellings()
    }
    return re.compile("|".join(sorted(ways))) if ways else None


def _markers(dialect: Dialect) -> Iterator[Marker]:
    """Yield the markers that an observation must not contain.

    In a transcript they are those that end an observation. In a chat template they are all markers
    of the dialect and all special tokens, except for markers that are words or keys of JSON.
    """
    table = dialect.lenient
    own: list[Marker] = []
    for (state, name), transition in table.transitions.items():
        if table.parts[state] is Part.OBSERVATION:
            marker = table.markers[name]
            if transition.firm and isinstance(marker, Label):
                marker = replace(marker, firm=True)
            own.append(marker)
    if dialect.several:
        for mark in (*dialect.strict.markers.values(), *table.markers.values()):
            if isinstance(mark, Label):
                own.append(mark)
            elif not mark.canonical[0].isalnum() and mark.canonical[0] != '"':
                own += (mark, Literal(mark.canonical))
        given = [mark.canonical for mark in dialect.given]
        written = "".join((*dialect.turn_frame, *_frame_of_results(dialect), dialect.sample))
        tokens = dict.fromkeys((*_tokens(written), *given))
        own += (Literal(each) for token in tokens for each in (token, *_other_roles(token)))
    yield from own
    known = {text for marker in own for text in spelt_texts(marker)}
    yield from (Literal(token) for token in _tokens_of_turns() if token not in known)


def _given_markers(dialect: Dialect) -> Iterator[Marker]:
    """Yield the markers of what the model is given: of questions, results and turns.

    In a transcript they lead to a question or a result, or end a result.
    """
    table = dialect.lenient
    own = dialect.write(replace(dialect.example, thought="so")) + dialect.write(Written(answer="a"))
    for (state, name), transition in table.transitions.items():
        is_given = table.parts[transition.to] in (Part.QUESTION, Part.OBSERVATION)
        closes = isinstance(transition, Go) and transition.closes
        if is_given or (closes and table.parts[state] is Part.OBSERVATION):
            yield table.markers[name]
    yield from dialect.given
    written = "".join((*dialect.turn_frame, *_frame_of_results(dialect)))
    begins = (begin.partition(dialect.example.tool)[0] for begin in _begins_turn(written))
    tokens = (*_tokens(written), *(mark.canonical for mark in dialect.given))
    roles = chain(*map(_other_roles, (*tokens, *_begins_turn(dialect.turn_frame[1]))))
    given = dict.fromkeys((*tokens, *_tokens_of_turns(), *begins, *roles))
    yield from (Literal(text) for text in given if text not in own)


def _other_roles(token: str) -> Iterator[str]:
    """Yield a *token* of a chat template with the other roles in the place of the one it names."""
    if (found := _role(token)) is None:
        return
    word = found[0]
    for role in _ROLES:
        other = role.upper() if word.isupper() else role.title() if word.istitle() else role
        if other != word:
            yield token[: found.start()] + other + token[found.end() :]


def _tokens_of_turns() -> tuple[str, ...]:
    return (*_BEGIN_TOKENS, *(token.canonical for token in END_TOKENS))


def _frame_of_results(dialect: Dialect) -> list[str]:
    """Return the text that the dialect itself writes around results."""
    result = Result(dialect.example.tool, "\0")
    return dialect.results_text([result, result]).split("\0") if dialect.several else []
