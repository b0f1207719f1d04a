"""Finds the calls that a model wrote in another form than it was told.

The other dialects are tried first: the one that `detect` would name reads the text. If none knows
it, a few general shapes are tried (`agent_parsers.foreign.shapes`). A call counts if exactly one
reading stands, and the tool takes its input. Prose that mentions a tool, and a call that is quoted,
is an answer; all else that looks like a call is refused, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Final

from agent_parsers.actions.agent import AgentAction, AgentFinish
from agent_parsers.detecting.detection import ranked
from agent_parsers.detecting.signs import SHARED, has_telling_marker
from agent_parsers.detecting.trial import DialectTrial, try_reply
from agent_parsers.engine.reading.quoting.spans import is_torn, without
from agent_parsers.engine.reading.rules.foreign import begins_call
from agent_parsers.engine.reading.rules.foreign_calls import Foreign, ForeignCall
from agent_parsers.foreign.places import (
    are_fenced,
    framed,
    is_in_clause,
    is_indented,
    is_over,
    is_structural,
    mentions_of,
    other_lead,
    other_mark,
)
from agent_parsers.foreign.shapes import find_nameless, find_shapes

if TYPE_CHECKING:
    from agent_parsers.detecting.evidence import Evidence
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.events import Span
    from agent_parsers.toolset import ToolSet


def find_foreign(text: str, tools: ToolSet | None, over: int, is_own: bool) -> Foreign | None:
    """Find what looks like calls in *text*, the text of an answer.

    If the tools are not known, nothing can be called. But text that its marks show to be a call of
    exactly one dialect is not an answer either.

    Args:
        text: The turn, with spaces in place of hidden text.
        tools: The available tools; `None` if they are not known.
        over: Offset of the mark that ends the turn. Text after it is another turn, unless a
            dialect has that mark within its turns.
        is_own: Whether the text is refused because the dialect's own marks do not enclose one of
            its calls. Then only a dialect that can read the whole text unchanged counts.
    """
    said = text[:over]
    if is_own:
        return _as_written(said, tools)
    found = _find(said, tools)
    if found is None and '\\"' in said:
        # Results in JSON show the model its calls with escaped quotes, which it writes back.
        plain = _find(said.replace('\\"', '"'), tools)
        if plain is not None and plain.calls:
            return Foreign(plain.form, (0, len(said.rstrip())), why="its quotes are escaped")
    if (found is None or found.calls) and text[over:].strip():
        return _across(text, tools, over) or found
    return found or _headless(said)


_ARGUMENTS: Final = r'"(?:arguments|parameters|args|(?:action_|tool_)?input)"\s*+'
_REMAINS: Final = re.compile(
    rf'(?P<name>(?<![\w.:/-])[\w.:/-]*+"\s*+,\s*+{_ARGUMENTS}:\s*+[{{"\[]'
    r"|(?:\[ARGS\]|[<‹][|｜]tool[_▁](?:sep|call[_▁]argument[_▁]begin)[|｜][>›])\s*+\{)"
    rf'|\{{\s*+"name"(?:\s*+:\s*+[\w.-]++"|\s*+"[\w.-]++")\s*+,\s*+{_ARGUMENTS}'
    r"|[<‹〈]/?[^\w<>\n]{0,6}DSML(?![^\W_])[^<>\n]{0,40}>?"
    r"|<\|(?:open|close)\|>(?!(?:think|response|message)\b)\w[^<>\n]{0,60}<\|sep\|>"
    r"|</parameter>\s*+</(?P<call>function|invoke)>|\bto=functions\.[\w.-]++[^\n{}]{0,40}\{|^functools\[",
    re.MULTILINE,
).finditer
"""Finds what remains of a call: what stands between the name of a tool and its arguments, a broken
name, and marks of families that stand in no answer."""


def _headless(text: str) -> Foreign | None:
    """Find a call in *text* whose beginning, perhaps with a part of the name, is missing."""
    for found in islice(_REMAINS(text), 4):
        opened, closed, quotes = (text.count(sign, 0, found.start()) for sign in '{}"')
        is_named = found[0].endswith(">") and is_in_clause(text, *found.span())
        if found["call"] is not None:
            is_named = is_named or f"<{found['call']}" in text[: found.start()]
        is_begun = opened <= closed and quotes % 2 == 0 and not is_named
        if is_begun and not other_mark(text, [found.span()]):
            span = (found.start(), len(text.rstrip()))
            if found["name"] is None:
                return Foreign("that cannot be read", span, why="its marks or its name are broken")
            return Foreign("written without its beginning", span, why="its name may be incomplete")
    return None


def _as_written(text: str, tools: ToolSet | None) -> Foreign | None:
    """Return the calls of a dialect that reads all of *text* as it writes it itself."""
    alike, against, _ = ranked([text], partial(_attempt, tools))
    if not (alike and alike[0].trials[0].is_clean):
        return None
    found = _in_dialects(text, alike, against, tools, is_named=True)
    return found if found and all(_IS_NAME(call.tool) for call in found.calls) else None


_IS_NAME: Final = re.compile(r"[\w.:/-]+").fullmatch


def _find(text: str, tools: ToolSet | None, *, is_rest: bool = False) -> Foreign | None:
    """Return what looks like calls in *text*, which may be the rest beside others."""
    mentions = [*mentions_of(() if tools is None else tools.names, text)]
    may_be_shaped = any(is_structural(text, mention) for mention in mentions)
    is_told = has_telling_marker(text)
    if not mentions and tools is not None and is_told:
        is_told = begins_call(text) is not None  # only what is nothing but a call counts
    if is_told or ((tools is None or may_be_shaped) and len(text) <= _LONG):
        # A call of a tool that is not named in the text is read as if there were no tools.
        alike, against, _ = ranked([text], partial(_attempt, tools if mentions else None))
        if alike and (found := _in_dialects(text, alike, against, tools, is_named=bool(mentions))):
            return found if is_rest or tools is None else _and_beside(text, found, tools)
    if tools is None:
        return find_nameless(text)
    return find_shapes(text, mentions, tools) if may_be_shaped else None


def _and_beside(text: str, found: Foreign, tools: ToolSet) -> Foreign:
    """Return what was *found*, unless the rest of *text* holds another call."""
    if not found.calls:
        return found
    rest = list(text)
    for start, stop in found.calls[0].frame:
        rest[start:stop] = _NOT_SPACE.sub(" ", text[start:stop])
    other = _find("".join(rest), tools, is_rest=True)
    known = [call[:2] for call in found.calls]
    if other is None or (other.calls and all(call[:2] in known for call in other.calls)):
        return found
    return Foreign(other.form, other.span, why=other.why or "it is next to a call in another form")


_NOT_SPACE: Final = re.compile(r"\S")


def _across(text: str, tools: ToolSet | None, over: int) -> Foreign | None:
    """Return a call in *text* of a dialect that has the mark at offset *over* within its turns."""
    alike, _, _ = ranked([text], partial(_attempt, tools))
    best = alike[0].trials[0] if alike else None
    if best is None or not best.call_spans or best.call_spans[-1][0] < over:
        return None
    if not best.has_mark_at(len(text) - len(text[over:].lstrip())):
        return None
    form = f"in the form of {best.dialect.name}"
    return Foreign(form, best.call_spans[0], why="it comes after a marker that ends the turn")


_QUOTED: Final = "call_in_quotation"
_LONG: Final = 8_000
"""How long a text may be for dialects without a mark in it to read it, in characters.

In a longer one, their calls are those that general shapes find.
"""


def _attempt(tools: ToolSet | None, dialect: Dialect, text: str, is_likely: bool) -> DialectTrial:
    is_skipped = not is_likely and len(text) > _LONG
    if is_skipped or not _names_tools(dialect):  # code in a fence may well be the answer
        return DialectTrial(dialect, "reply", len(text), is_likely)
    return try_reply(dialect, text, tools, is_likely=is_likely)


@cache
def _names_tools(dialect: Dialect) -> bool:
    """Return whether the calls of *dialect* name what they call; code, for example, does not."""
    return try_reply(dialect, dialect.sample).names_tools


def _in_dialects(
    text: str,
    alike: Sequence[Evidence],
    against: Sequence[Evidence],
    tools: ToolSet | None,
    *,
    is_named: bool,
) -> Foreign | None:
    """Return what the dialects read that fit *text*, an answer, best.

    Those in *alike* read the same; those in *against* may have written it too, but read it
    differently. The text may name a tool (*is_named*).
    """
    best = alike[0].trials[0]
    form = f"in the form of {best.dialect.name}"
    whole = (len(text) - len(text.lstrip()), len(text.rstrip()))
    others = [each.trials[0] for each in against if each.trials[0].speaks]
    if any(trial.actions for trial in (best, *others)) and others:
        why = f"it could also be a call in the form of {others[0].dialect.name}"
        return Foreign(form, whole, why=why) if best.is_told else None
    if best.errors:
        wrong, span = best.errors[0], best.errors[0].span or whole
        is_shown = wrong.problem == _QUOTED and are_fenced(text, [span], best.first_mark)
        is_call = best.is_told and is_named and (best.dialect.several or best.names_tools)
        return Foreign(form, span, why=wrong.reason) if is_call and not is_shown else None
    if not best.actions or best.result is None or isinstance(best.result, AgentFinish):
        return None
    if not is_named:
        marks = [mark for mark in best.markers.values() if mark not in SHARED]
        # Marks that are no words: one of its own, or several labels.
        is_all = (
            (len(marks) > 1 or any(not mark.endswith((":", "：")) for mark in marks))
            and not is_in_clause(text, max(best.first_mark, 0), best.call_spans[-1][1])
            and not any(text[slice(*span)].strip() for span in best.content)
        )
        return Foreign(form, whole, why="it calls none of the known tools") if is_all else None
    actions = [best.result] if isinstance(best.result, AgentAction) else best.result
    spans = sorted(best.call_spans)
    if are_fenced(text, spans, best.first_mark):
        return None
    if not best.is_told and is_indented(text, spans[0][0]):
        return None
    why = _doubt(text, best, spans)
    frame = framed(text, without([whole], best.said))
    if not best.is_told and is_torn(text, frame):
        why = "it is in brackets with other text"
    if not best.dialect.several:
        why = why or _mixed(tools, actions[0])
    if why:
        return Foreign(form, whole, why=why)
    calls = (
        ForeignCall(each.tool, each.tool_input, span, getattr(each, "tool_call_id", None), frame)
        for each, span in zip(actions, best.call_spans, strict=True)
    )
    return Foreign(form, whole, tuple(calls))


def _mixed(tools: ToolSet | None, action: AgentAction) -> str:
    """Return why the input of an *action* that is one text may be several parameters, if so."""
    given = action.tool_input
    values = [*given.values()] if isinstance(given, dict) else [given]
    key = _KEY(values[0]) if len(values) == 1 and isinstance(values[0], str) else None
    if key is None or tools is None or not tools.checks(action.tool):
        return ""
    return "its input looks like a parameter" if tools.declares(action.tool, (key[1],)) else ""


_KEY: Final = re.compile(r"[\s>*`-]*([\w-]+)[*`]*\s*[:=]").match
_PARAGRAPH: Final = re.compile(r"\n[ \t]*\n[ \t]*\S").search


def _doubt(text: str, trial: DialectTrial, spans: Sequence[Span]) -> str:
    """Return why it is in doubt that the calls of a *trial* are meant; empty if it is not."""
    if not trial.is_told and not is_over(text, spans[-1][1]):
        return "text follows it"
    begin = spans[0][0] if trial.first_mark < 0 else min(trial.first_mark, spans[0][0])
    if trial.is_told and is_in_clause(text, begin, spans[-1][1]):
        return "it is in the middle of a sentence"
    if not trial.is_told and (mark := other_lead(text, spans[0][0])):
        return f"it comes after {mark}"
    is_raw = not trial.dialect.several and any(isinstance(each, str) for each in trial.inputs)
    if is_raw and any(isinstance(each, str) and _PARAGRAPH(each) for each in trial.inputs):
        return "it is unclear whether the text after it belongs to its input"
    return ""
