"""A tokenizer for parsers that look at tokens: a mark is one token, as is any other character."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tools.conformance.vectors import Vector

__all__ = ["Tokenizer"]

_FIRST: Final = 0x110000
"""The id of the first mark; the ids of characters are their code points."""


class _Vocabulary(dict[str, int]):
    """Takes in each mark that a parser asks for."""

    def __missing__(self, mark: str) -> int:
        return self.setdefault(mark, ord(mark) if len(mark) == 1 else _FIRST + len(self))

    def __contains__(self, mark: object) -> bool:
        return isinstance(mark, str)

    def get(self, mark: str, default: Any = None) -> int:  # type: ignore[override]
        return self[mark]


class Tokenizer:
    """As much of a tokenizer as parsers use."""

    all_special_tokens: tuple[str, ...] = ()
    all_special_ids: tuple[int, ...] = ()
    pad_token = eos_token = "<pad>"
    eos_token_id = bos_token_id = pad_token_id = 0
    is_fast = True

    def __init__(self, marks: Iterable[str] = ()) -> None:
        self.vocab = _Vocabulary()
        for mark in marks:
            self.vocab[mark]

    def get_vocab(self) -> dict[str, int]:
        return self.vocab

    def convert_tokens_to_ids(self, tokens: str | Sequence[str]) -> Any:
        return self.vocab[tokens] if isinstance(tokens, str) else [self.vocab[t] for t in tokens]

    def encode(self, text: str, **options: Any) -> list[int]:
        marks = sorted((mark for mark in self.vocab if len(mark) > 1), key=len, reverse=True)
        pattern = "|".join([*map(re.escape, marks), "(?s:.)"])
        return [self.vocab[token] for token in re.findall(pattern, text)]

    def decode(self, ids: int | Iterable[int], **options: Any) -> str:
        marks = {number: mark for mark, number in self.vocab.items()}
        ids = [ids] if isinstance(ids, int) else ids
        return "".join(marks[number] if number >= _FIRST else chr(number) for number in ids)

    def pieces(self, vector: Vector) -> list[list[int]]:
        """Return the tokens of the text, cut where it is cut or behind the token there."""
        pieces: list[list[int]] = [[]]
        cuts = [*vector.cuts, len(vector.text)]
        at = 0
        for number in self.encode(vector.text):
            pieces[-1].append(number)
            at += len(self.decode(number))
            if at >= cuts[0] and at < len(vector.text):
                pieces.append([])
                cuts = [cut for cut in cuts if cut > at]
        return pieces
