"""How many tokens of an output are reasoning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Final

from agent_parsers import StreamParser, get_dialect
from agent_parsers.core import machine
from agent_parsers.events import Event, MarkerSeen, Span, ThoughtDelta
from output_parsers import OutputParserException


def count_thought_tokens(dialect: str, tokens: Sequence[str], prompt: str = "") -> int:
    """Return how many *tokens* are part of a thought, not counting the marks around it.

    Args:
        dialect: Name of the dialect.
        tokens: The texts of the tokens, in order.
        prompt: The end of the prompt, which may have opened the thought.
    """
    ends = [0, *accumulate(map(len, tokens))]
    spans = list(_thoughts(dialect, "".join(tokens), prompt))
    count = at = 0
    for start, stop in pairwise(ends):
        while at < len(spans) and spans[at][1] <= start:
            at += 1
        count += at < len(spans) and spans[at][0] < stop and start < stop
    return count


def _thoughts(dialect: str, text: str, prompt: str) -> Iterator[Span]:
    """Yield where thoughts are: between marks, or up to the end of the text."""
    compiled: Final = machine(get_dialect(dialect), "lenient")
    is_open = compiled.thought_mark(prompt) == "opens"
    parser = StreamParser(
        compiled.dialect, max_chars=None, start="thought" if is_open else "",
        prompt="" if is_open else prompt,
    )  # fmt: skip
    events: list[Event] = []
    try:
        events += parser.feed(text)
        parser.close()
    except OutputParserException:  # it was cut, or cannot be read
        pass
    begun = last = 0
    for event in (*events, *parser.last_events):
        if isinstance(event, ThoughtDelta):
            last = event.span[1]
            if not is_open:
                yield event.span
        elif isinstance(event, MarkerSeen) and (
            mark := compiled.thought_mark(text[slice(*event.span)])
        ):
            if is_open and mark == "closes":
                yield begun, event.span[0]
            begun, is_open = event.span[1], mark == "opens"
    if is_open:  # up to a call that ends it
        yield begun, last if isinstance(parser.result, list) else len(text)
