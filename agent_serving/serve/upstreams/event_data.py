"""The data of server-sent events, which arrive in pieces of bytes.

Source: "Server-sent events" in the HTML standard, https://html.spec.whatwg.org.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from agent_serving.serve.upstreams.chunks import loaded

if TYPE_CHECKING:
    from collections.abc import Iterator

_LINE_END: Final = re.compile(rb"\r\n|\n|\r")  # JSON may have other line breaks
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class EventData:
    """Reads the JSON of events, whose data may take several lines.

    A line that is JSON by itself is given at once, without the empty line that ends its event:
    some servers leave that out.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []  # the lines of an event so far
        self._is_first = True  # whether no line has come yet
        self._is_cut = False  # whether a line ended in a carriage return, and then the piece
        self.is_over = False
        """Whether the event came that ends the stream."""

    def feed(self, piece: bytes) -> Iterator[Any]:
        """Yield what the events in a *piece* have.

        Raises:
            ExchangeError: It is no JSON.
        """
        if not piece:
            return
        whole = piece.removeprefix(b"\n") if self._is_cut else piece
        self._is_cut = piece.endswith(b"\r")
        *lines, self._rest = _LINE_END.split(self._rest + whole)
        for line in lines:
            yield from self._take(line)
            if self.is_over:
                return

    def _take(self, line: bytes) -> Iterator[Any]:
        if self._is_first:
            self._is_first = False
            line = line.removeprefix(_BYTE_ORDER_MARK)
        if not line:
            if self._data:
                yield loaded(b"\n".join(self._data))
            self._data = []
            return
        name, _, data = line.partition(b":")
        data = data.strip()
        if name != b"data" or not data:
            return
        if not self._data:
            if data == b"[DONE]":
                self.is_over = True
                return
            try:
                value = json.loads(data)
            except (ValueError, RecursionError):  # its event may go on
                pass
            else:
                yield value
                return
        self._data.append(data)
