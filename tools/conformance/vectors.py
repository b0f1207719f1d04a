"""A vector: a text that a model may write, and what a parser should make of it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FOLDER", "Got", "Level", "Vector", "dialects", "dump", "load"]

FOLDER: Final = Path(__file__).parent
Level: TypeAlias = Literal["strict", "lenient", "broken"]


@dataclass(frozen=True)
class Got:
    """What a parser made of a text."""

    content: str = ""
    """The text beside the calls, or the answer."""
    reasoning: str = ""
    """The thought."""
    calls: list[dict[str, Any]] = field(default_factory=list)
    """The calls: ``name`` and ``arguments``, an object."""

    def differs_from(self, want: Got) -> list[str]:
        """Return the fields that differ, but for white space around and between words of prose."""
        same = {
            "calls": _key(self.calls) == _key(want.calls),
            "content": self.content.split() == want.content.split(),
            "reasoning": self.reasoning.split() == want.reasoning.split(),
        }
        return [name for name, is_same in same.items() if not is_same]


@dataclass(frozen=True)
class Vector:
    """One line of a file."""

    id: str
    """The dialect and a number, such as ``hermes/7``; it may change when vectors are added."""
    about: str
    """What the text shows."""
    level: Level
    """``"strict"`` if the text follows the format, ``"lenient"`` if it has to be repaired, and
    ``"broken"`` if no call may be made of it."""
    text: str
    """What the model wrote."""
    cuts: list[int]
    """Offsets in characters at which the text is cut into chunks."""
    prompt: str = ""
    """The end of the prompt that the text continues, if it opens a thought."""
    tools: list[dict[str, Any]] = field(default_factory=list)
    """The tools as in OpenAI's API; none if the text has no calls that take arguments."""
    want: Got | None = None
    """What should come out; `None` for a broken text."""
    error: str = ""
    """Why a text is broken."""

    @property
    def dialect(self) -> str:
        """Name of the dialect."""
        return self.id.partition("/")[0]

    def pieces(self) -> list[str]:
        """Return the text cut into chunks."""
        return [self.text[a:b] for a, b in pairwise([0, *self.cuts, len(self.text)])]


def dialects() -> list[str]:
    """Return the names of the dialects that have vectors."""
    return sorted(path.stem for path in FOLDER.glob("*.jsonl"))


def load(dialect: str) -> Iterator[Vector]:
    """Yield the vectors of *dialect*."""
    for line in (FOLDER / f"{dialect}.jsonl").read_text(encoding="utf-8").splitlines():
        fields = {"cuts": [], "text": "", **json.loads(line)}
        want = fields.pop("want", None)
        yield Vector(**fields, want=None if want is None else Got(**want))


def dump(vectors: list[Vector]) -> str:
    """Return *vectors* as the text of a file."""
    lines = []
    for vector in vectors:
        fields = asdict(vector)
        if vector.want is not None:
            fields["want"] = {name: value for name, value in fields["want"].items() if value}
        written = {name: value for name, value in fields.items() if value not in ([], None, "")}
        lines.append(json.dumps(written, ensure_ascii=False) + "\n")
    return "".join(lines)


def _key(value: Any) -> str:
    """Return a text that is the same for equal JSON values; ``true`` is not ``1``."""
    return json.dumps(value, sort_keys=True)
