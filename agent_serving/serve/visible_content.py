"""What of the content a client is shown: up to its stop sequences, without what it began with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from agent_serving.serve.upstreams.chunks import THOUGHTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agent_parsers.loop import Asking
    from agent_serving.serve.upstreams.chunks import Chunk

_MOST_HELD: Final = 100
"""How many characters a reader may hold back until it knows what they are: any mark is shorter."""


class StopSearch:
    """Searches the content for the client's stop sequences; the content ends at the first one.

    Thoughts and calls are not searched, although a server would find stop sequences there too.
    """

    def __init__(self, stops: Sequence[str]) -> None:
        self.stops: Final = tuple(stops)
        self._longest: Final = max(map(len, self.stops), default=0)
        self._finder: Final = re.compile("|".join(map(re.escape, sorted(self.stops, key=len))))
        self.begin("")

    def begin(self, begun: str) -> None:
        """Start a turn; the text that it had *begun* with is not searched."""
        self._seen = self._after = len(begun)
        self._tail = ""  # of the text so far: what a stop sequence may begin with
        self._slow = 0  # how many characters are still to be pieces of their own

    def pieces(self, chunk: Chunk) -> Iterator[Chunk]:
        """Yield *chunk* in pieces, so that nothing is read together with a stop sequence before it.

        The sequence may be in a thought or in a call, which only the reader knows. So that it tells
        before it reads on to a call, the characters behind the sequence are pieces of their own.
        """
        if not self.stops:
            yield chunk
        elif isinstance(chunk, str):
            yield from self._pieces_of(chunk)
        else:
            yield from self._pieces_of_delta(chunk)

    def _pieces_of_delta(self, chunk: dict[str, Any]) -> Iterator[Chunk]:
        """Yield the thought in a *chunk* of Chat Completions, then its content, then the rest."""
        for choice in chunk["choices"]:
            rest = {**choice["delta"]}
            content = rest.pop("content", None)
            thought = {name: rest.pop(name) for name in THOUGHTS if name in rest}
            if content and thought:
                yield {**chunk, "choices": [{**choice, "delta": thought, "finish_reason": None}]}
            if content:
                yield from self._pieces_of(content)
                yield {**chunk, "choices": [{**choice, "delta": rest}]}
                return
        yield chunk

    def _pieces_of(self, text: str) -> Iterator[str]:
        known = len(self._tail)
        self._tail += text
        start = 0
        for found in self._finder.finditer(self._tail):
            end = found.end() - known
            if end > start:
                yield from self._given(text[start:end])
                start, self._slow = end, _MOST_HELD
        yield from self._given(text[start:])
        self._tail = self._tail[max(0, len(self._tail) - self._longest + 1) :]

    def _given(self, text: str) -> Iterator[str]:
        count = min(self._slow, len(text))
        self._slow -= count
        yield from text[:count]
        if count < len(text):
            yield text[count:]

    def finds(self, asking: Asking[Any]) -> bool:
        """Return whether the content so far has a stop sequence."""
        if not self.stops:
            return False
        start = max(self._after, self._seen - self._longest)
        content = asking.content_since(start)
        self._seen = start + len(content)
        return any(stop in content for stop in self.stops)

    def cut(self, text: str) -> tuple[int, str] | None:
        """Return the offset of the first stop sequence in *text*, and the sequence."""
        found = [(at, stop) for stop in self.stops if (at := text.find(stop)) >= 0]
        return min(found, default=None)

    def held(self, text: str) -> int:
        """Return how many characters at the end of *text* may begin a stop sequence."""
        most = min(len(text), self._longest - 1)
        return next(
            (n for n in range(most, 0, -1) if any(s.startswith(text[-n:]) for s in self.stops)), 0
        )


class ShownContent:
    """The content that a client sees: without its given beginning, and up to a stop sequence."""

    def __init__(self, search: StopSearch, begun: str) -> None:
        self._search = search
        self._begun = begun.strip()  # still to be left out
        self._held = ""
        self._all: list[str] = []
        self.found: str | None = None
        """The stop sequence at which it ended."""

    def add(self, text: str) -> str:
        """Take more of the content and return what can be shown now."""
        self._all.append(text)
        if self.found is not None:
            return ""
        text = self._held + text
        self._held = ""
        if self._begun:
            if len(text) < len(self._begun) and self._begun.startswith(text):
                self._held = text
                return ""
            text = text.removeprefix(self._begun)
            self._begun = ""
        if (cut := self._search.cut(text)) is not None:
            at, self.found = cut
            return text[:at]
        if count := self._search.held(text):
            text, self._held = text[:-count], text[-count:]
        return text

    def rest(self) -> str:
        """Return what was held back, since nothing follows."""
        text, self._held = self._held, ""
        return "" if self._begun and self._begun.startswith(text) else text

    def is_of(self, content: str) -> bool:
        """Return whether *content* is all content that was added."""
        return self.found is not None or "".join(self._all) == content


def begun_in(history: list[Any]) -> str:
    """Return the assistant's text at the end of *history*, which the model is to continue."""
    last = history[-1] if history else None
    if not isinstance(last, Mapping) or last.get("role") != "assistant":
        return ""
    if last.get("tool_calls") or last.get("function_call"):
        return ""
    content = last.get("content")
    if isinstance(content, list):
        if not all(isinstance(p, Mapping) and isinstance(p.get("text"), str) for p in content):
            return ""
        content = "".join(part["text"] for part in content)
    return content if isinstance(content, str) else ""
