"""Calls that a turn holds in a form that its dialect does not have.

A lenient turn that would end as an answer is looked at once more, since what a dialect does not
understand is no answer. What finds such calls knows all dialects, so it stands above the engine.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.reading.rules.foreign_calls import FINDERS
from agent_parsers.engine.repairs.payloads import BadPayload
from agent_parsers.events import Repair

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from agent_parsers.engine.reading.rules.foreign_calls import ForeignCall
    from agent_parsers.events import Span
    from agent_parsers.toolset import ToolSet


begins_call: Final = re.compile(
    r"\s*+(?:[]<\[{(|]|to=|(?:thought|action|tool|follow[ -]?up|思考|行动|动作)[\s\d]{0,4}[:：])",
    re.IGNORECASE,
).match
"""Matches a text that may begin with a mark of a call, or with a label of a step."""


_BESIDE_NAMES: Final = ("(", "（", "{", "[", "<", "=", ":", "：", "--", "|", "#", ",")
"""What stands beside the name of a tool that is called."""
_SEPARATORS: Final = str.maketrans("", "", "_-.")


_INSIDE: Final = (
    '"name"', '"arguments"', '"parameters"', "<arg", "<param", "DSML", "<|open|>", "<|close|>",
    "functools[",
)  # fmt: skip
"""What a text that holds a call may have anywhere."""


def may_be_foreign(text: str, tools: Collection[str]) -> bool:
    """Return whether an answer may contain a call; quick, since every answer is asked.

    The names of *tools* are empty if they are not known.
    """
    if tools and any(mark in text for mark in _BESIDE_NAMES):
        if any(name in text for name in tools):
            return True
        folded = text.lower().translate(_SEPARATORS)
        if any(name.lower().translate(_SEPARATORS) in folded for name in tools):
            return True
    if begins_call(text) is not None:
        return True
    # Looking for one character takes a tenth of the time of looking for several.
    return any(mark[0] in text and mark in text for mark in _INSIDE)


def foreign_calls(
    repairs: list[Repair],
    text: str,
    hidden: Sequence[Span],
    expected: str,
    tools: ToolSet | None,
    over: int = -1,
    *,
    own: str = "",
    is_own: bool = False,
) -> tuple[ForeignCall, ...]:
    """Return the calls in the text of an answer, and report a repair for each of them.

    Args:
        repairs: Collects the repairs.
        text: The turn.
        hidden: Spans of text outside the answer, in order: thoughts, for example.
        expected: The call that was expected, in words.
        tools: The available tools; `None` if they are not known.
        over: Offset of the mark that ends the turn; -1 if it ends with the text.
        own: The dialect of the text, if the text contains quoted calls in this dialect.
        is_own: Whether the dialect's own marks enclose something that is not one of its calls.

    Raises:
        BadPayload: Something looks like calls that cannot be made.
    """
    names = () if tools is None else tools.names
    edges = [0, *(edge for span in hidden for edge in span), len(text)]
    shown = [text[start:stop] for start, stop in zip(edges[::2], edges[1::2], strict=True)]
    if not any(may_be_foreign(each, names) for each in shown):
        return ()
    blank = [_NOT_BREAK.sub(" ", text[start:stop]) for start, stop in hidden]
    visible = "".join(piece for pair in zip(shown, [*blank, ""], strict=True) for piece in pair)
    found = FINDERS[0](visible, tools, len(text) if over < 0 else over, is_own)
    if found is None or (found.calls and not is_own and found.form == f"in the form of {own}"):
        return ()
    why = found.why or ("it may be a quotation, like another call in the text" if own else "")
    if found.calls:
        start, stop = found.calls[0].span[0], found.calls[-1].span[1]
        if visible[start:stop] != text[start:stop]:
            why = "it contains reasoning or a marker"
    if why:
        # imported lazily: few turns need it
        from agent_parsers.toolset.problems.errors import ForeignCallError

        reason = f"expected {expected}, found a call {found.form}: {why}"
        raise BadPayload("foreign_call", found.span, ForeignCallError(reason, form=found.form))
    message = f"read a call {found.form}"
    repairs += (Repair("foreign", call.span, message) for call in found.calls)
    return found.calls


_NOT_BREAK: Final = re.compile(r"[^\n]")
