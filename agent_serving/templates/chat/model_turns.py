"""Cuts what a chat template renders into the turns of the model, and turns into marks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from agent_serving.templates.chat.probes import (
    ANSWER,
    CONTENT,
    FIND,
    NEXT,
    PING,
    RESULTS,
    THOUGHT,
    TURNS,
    USER,
    VALUES,
    conversations,
    variants,
)
from agent_serving.templates.chat.rendering import Rendering, render_all
from agent_serving.templates.template_error import TemplateError

if TYPE_CHECKING:
    from agent_parsers.authoring import Marks, Written

_BRACKETS: Final = (
    "<>", "[]", "{}", "⟦⟧", "⟨⟩", "⟪⟫", "«»", "‹›",
    "〈〉", "《》", "「」", "『』", "【】", "〔〕", "〖〗",
)  # fmt: skip
_MARK: Final = "|".join(
    rf"{re.escape(opens)}(?:(?![{re.escape(opens + closes)}\n]).)+{re.escape(closes)}"
    for opens, closes in _BRACKETS
)
_find_pieces: Final = re.compile(rf"{_MARK}|\w+|\s|.", re.DOTALL).findall
_match_mark: Final = re.compile(rf"(?:{_MARK})\Z").match
_find_open: Final = re.compile(r"[<\[][^<>\[\]\s]*\Z").search


def pieces(text: str) -> list[str]:
    """Return the marks, words and white space of *text*."""
    return _find_pieces(text)


def pieces_at_end(text: str) -> str:
    """Return the words and signs at the end of *text*, after its last mark or white space."""
    rest = takewhile(lambda piece: piece.strip() and not is_mark(piece), reversed(pieces(text)))
    return "".join(reversed([*rest]))


def same_beginning(*texts: str) -> str:
    """Return the longest beginning that all *texts* share, in whole pieces."""
    return "".join(_shared([pieces(text) for text in texts]))


def same_end(*texts: str) -> str:
    """Return the longest end that all *texts* share, in whole pieces."""
    return "".join(reversed([*_shared([pieces(text)[::-1] for text in texts])]))


def _shared(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the pieces with which all *rows* begin."""
    columns = zip(*rows, strict=False)
    return (column[0] for column in takewhile(lambda column: len({*column}) == 1, columns))


def without_open_mark(*texts: str) -> str:
    """Return the longest beginning that all *texts* share, without an incomplete mark."""
    begun = "".join(_shared(texts))
    found = _find_open(begun)
    return begun[: found.start()] if found else begun


def is_mark(piece: str) -> bool:
    """Return whether a *piece* is in brackets."""
    return _match_mark(piece) is not None


def first_mark(text: str) -> str:
    """Return the first mark in brackets or word of *text*; ``""`` if *text* is blank."""
    return next((piece for piece in pieces(text) if piece.strip()), "")


def last_mark(text: str) -> str:
    """Return the mark in brackets that ends *text*, with the white space after it, or ``""``."""
    *_, mark = pieces(text.rstrip()) or [""]
    return text[text.rindex(mark) :] if mark and is_mark(mark) else ""


# -- turns -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shown:
    """What the renderings of a chat template show about its format."""

    texts: Mapping[str, str]
    """What stands behind the user's text, by the name of the rendering."""
    errors: Mapping[str, str]
    """Why a rendering failed, by its name."""
    header: str
    """What stands between the user's text and the turn of the model."""
    opened: str
    """What the prompt for a turn adds to the header, such as the mark that opens a thought."""
    thought: Marks | None
    """What opens and closes a thought; `None` if thoughts are not written."""
    lead: str
    """White space between a thought and calls that belongs to the calls."""
    tail: str
    """What stands behind the last turn."""
    behind: str
    """What stands between a turn with calls and the first result."""
    turns: dict[str, str] = field(default_factory=dict)
    """The turns, without an empty thought. Those that do not show what they have are missing."""

    @property
    def ends(self) -> tuple[str, ...]:
        """The texts that end a turn."""
        history = self.texts.get("answer, history", "").partition(ANSWER)[2]
        tail = self.tail.strip()
        end = first_mark(tail or history)
        ends = [end if is_mark(end) or not tail else tail]
        if not self.behind.strip().startswith(ends[0]):
            end = first_mark(self.behind)
            ends += [end] if is_mark(end) else []
        return tuple(dict.fromkeys(filter(None, ends)))

    def without_empty_thought(self, text: str) -> str:
        """Return *text*, a turn without a thought, without the marks of an empty thought.

        Many templates write these marks with nothing between them, or only the second.
        """
        rest = _without_pair(text, self.thought)
        return rest if rest == text or rest.startswith((CONTENT, ANSWER)) else self.lead + rest


def show(template: str, special_tokens: Mapping[str, str], *, timeout_s: float) -> list[Shown]:
    """Render the probes with *template*, and cut out the turns.

    Messages are passed in several ways. The ways that lead to different turns are returned, the one
    that shows the most first.

    Raises:
        TemplateError: It writes no call with its name and its arguments, or as `render_all` does.
    """
    ways = [list(conversations(variant, special_tokens)) for variant in variants()]
    renderings = render_all(
        template, [variables for way in ways for _, variables in way], timeout_s=timeout_s
    )
    names = [[name for name, _ in way] for way in ways]
    found: list[Shown] = []
    problem: TemplateError | None = None
    for way, row in enumerate(names):
        rendered = renderings[way * len(row) : (way + 1) * len(row)]
        try:
            shown = _cut(dict(zip(row, rendered, strict=True)))
        except TemplateError as error:
            problem = problem or error
            continue
        if all(shown.turns != other.turns for other in found):
            found.append(shown)
    if not found:
        assert problem is not None, "there is at least one way"
        raise problem
    return sorted(found, key=lambda shown: -len(shown.turns))


def _cut(renderings: Mapping[str, Rendering]) -> Shown:
    errors = {name: each.error for name, each in renderings.items() if each.error}
    texts = {
        name: each.text.rpartition(USER)[2]
        for name, each in renderings.items()
        if not each.error and USER in each.text
    }
    texts = _with_one_header(texts)
    one = texts.get("one", "")
    if FIND not in one or VALUES[0] not in one:
        raise TemplateError(_no_calls(texts, errors))
    if RESULTS[0] not in one:
        raise TemplateError("the template does not write the results of tools")
    prompt = texts.get("prompt", "")
    header = without_open_mark(*texts.values())
    of_turns = without_open_mark(*(text for name, text in texts.items() if name != "prompt"))
    more = of_turns.removeprefix(header)
    if more and (not more.strip() or prompt.endswith(more)):  # the prompt has other text before it
        header = of_turns
    is_opened = False
    said = next((texts[name] for name in _THOUGHTS if THOUGHT in texts.get(name, "")), "")
    thought = None
    if said:
        before, _, after = said[len(header) :].partition(THOUGHT)
        closer = first_mark(after)
        if not before.strip() and closer in one:  # every turn has the mark
            opener = last_mark(header)
            header, before = header.removesuffix(opener), opener + before
        is_opened = not before.strip()  # only the prompt has the mark, if any
        thought = (before, closer)
    lead = ""
    if thought is not None:
        thought, lead = _around_thoughts(texts, header, thought)
    opened = "" if header.startswith(prompt) else prompt.removeprefix(header)
    if thought is not None and is_opened:
        thought = (opened.lstrip(), thought[1]) if opened.strip() else None
    if thought is None:
        thought = _thought_of_prompt(opened, [text[len(header) :] for text in texts.values()])
    body = _without_pair(one[len(header) :], thought)
    tail = texts.get("answer, last", "").partition(ANSWER)[2]
    # What closes an answer is no end of the turn, which calls have as well.
    history = texts.get("answer, history", "").partition(ANSWER)[2]
    both = same_end(tail, texts.get("one, last", "").rpartition(VALUES[0])[2])
    end = first_mark(history.partition(NEXT)[2])  # what ends a turn of the user ends others, too
    if both and end and tail.removesuffix(both).rstrip().endswith(end):
        both = tail[tail.removesuffix(both).rindex(end) :]
    tail = both or tail
    shown = Shown(
        texts=texts,
        errors=errors,
        header=header,
        opened=opened,
        thought=thought,
        tail=tail,
        lead=lead,
        behind=_behind_calls(body, texts.get("one, last", ""), tail, history, _gap(texts)),
    )
    for name, turn in TURNS.items():
        text = None if turn.thought and is_opened else _turn_text(shown, name, turn)
        if text is not None and _shows(text, turn):
            shown.turns[name] = text
    return shown


def _with_one_header(texts: dict[str, str]) -> dict[str, str]:
    """Return *texts* without white space before the header that only some of them have."""
    size = len(without_open_mark(*texts.values()))
    bare = {name: text[:size] + text[size:].lstrip() for name, text in texts.items()}
    return bare if without_open_mark(*bare.values())[size:].strip() else texts


def _thought_of_prompt(opened: str, bodies: list[str]) -> Marks | None:
    """Return what opens and closes a thought if the prompt opens one and each turn closes it."""
    opener, closer = first_mark(opened), last_mark(opened).strip()
    if closer == opener:
        closer = first_mark(bodies[-1])
    is_closed = is_mark(opener) and is_mark(closer) and opener != closer
    ends = all(each.startswith((opened, closer)) for each in bodies)
    return (opener, closer) if is_closed and ends else None


_THOUGHTS = ("thought", "thought, content", "thought, answer, last")


def _no_calls(texts: Mapping[str, str], errors: Mapping[str, str]) -> str:
    if "one" in errors and FIND in texts.get("one, last", FIND):
        error = errors["one"]
        if error.startswith("SecurityError"):
            error = (
                "the template does something that the sandbox for chat templates forbids, here "
                f"and in Hugging Face's libraries ({error.removeprefix('SecurityError: ')})"
            )
        return f"the template cannot write a turn with a call: {error}"
    if not texts:
        return "the template does not write the user's message"
    one = texts.get("one", "")
    missing = "the name of a called tool" if FIND not in one else "the arguments of a call"
    return f"the template does not write tool calls: {missing} did not appear in its output"


def _without_pair(text: str, thought: Marks | None) -> str:
    if thought is None:
        return text
    opener, closer = (re.escape(mark.strip()) for mark in thought)
    found = re.match(rf"\s*(?:{opener}\s*)?{closer}\s*", text) if closer else None
    return text[found.end() :] if found else text


def _around_thoughts(texts: Mapping[str, str], header: str, thought: Marks) -> tuple[Marks, str]:
    """Return what stands around thoughts, and the white space that belongs to calls behind them.

    Args:
        texts: The renderings.
        header: What stands before a turn.
        thought: What stands before a thought, and the first mark behind it.
    """
    gaps = []
    for name, word in (("thought, content", CONTENT), ("thought, answer, last", ANSWER)):
        gap, found, _ = texts.get(name, "").partition(THOUGHT)[2].partition(word)
        gaps += [gap] if found and FIND not in gap else []
    behind = texts.get("thought", "").partition(THOUGHT)[2]
    before_call = behind.partition(RESULTS[0])[0]
    if gaps:
        closer = same_beginning(*gaps, *filter(None, [before_call]))
    else:
        bare = _without_pair(texts["one"][len(header) :], thought).partition(RESULTS[0])[0]
        closer = before_call.removesuffix(bare)
        closer = thought[1] if closer == before_call else closer
    rest = before_call.removeprefix(closer)
    return (thought[0], closer), rest[: len(rest) - len(rest.lstrip())]


def _gap(texts: Mapping[str, str]) -> str:
    """Return what stands between the names of two calls."""
    before, found, _ = texts.get("two calls", "").partition(PING)
    return before.partition(FIND)[2] if found else ""


def _behind_calls(body: str, last: str, tail: str, history: str, gap: str) -> str:
    """Return what stands between a turn with calls and the first result.

    Args:
        body: A turn and its result.
        last: The same turn, if nothing follows.
        tail: What stands behind a turn if nothing follows.
        history: What stands behind an answer that the user replies to.
        gap: What stands between the names of two calls, if a turn may have two.
    """
    after = body.partition(VALUES[0])[2].partition(RESULTS[0])[0]
    closers = last.rpartition(VALUES[0])[2]
    if tail.strip() and closers.endswith(tail):
        closers = closers.removesuffix(tail)
    if not closers or not after.startswith(closers):
        end = first_mark(history)
        if is_mark(end) and end in after:
            return after[len(after[: after.index(end)].rstrip()) :]
        closers = without_open_mark(after, closers)
        if tail.strip() and not closers:  # the turn could not be rendered as the last
            closers = after.partition(first_mark(tail))[0]
    behind = after.removeprefix(closers)
    end = last_mark(closers)
    is_own = tail.strip() and not behind.lstrip().startswith(first_mark(tail))
    # A mark that does not stand between two calls ends the turn; an answer ends in another.
    is_end = end.strip() not in gap if gap else not is_mark(first_mark(behind))
    return end + behind if end and is_own and is_end else behind


def _turn_text(shown: Shown, name: str, turn: Written) -> str | None:
    """Return the text of a turn; `None` if it cannot be found."""
    if not turn.calls:
        text = shown.texts.get(f"{name}, last")
        if text is None or not text.startswith(shown.header) or not text.endswith(shown.tail):
            return None
        text = text[len(shown.header) : len(text) - len(shown.tail)]
    else:
        text, found, _ = shown.texts.get(name, "").partition(RESULTS[0])
        if not found or not text.startswith(shown.header):
            return None
        text = text[len(shown.header) :]
        behind = shown.behind
        if not text.endswith(behind):
            return None
        text = text.removesuffix(behind)
    return text if turn.thought else shown.without_empty_thought(text)


def _shows(text: str, turn: Written) -> bool:
    """Return whether all of a *turn* is in its *text*."""
    parts = (turn.thought, turn.said, *(call.tool for call in turn.calls))
    return all(part in text for part in parts)
