"""What parsers make of a document: one dictionary of the whole, or one of each leaf."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from output_parsers.growing_xml.errors import XmlError


class AddableDict(dict[str, Any]):
    """A dictionary that can be added to another; the sum has the keys of both.

    ::

        AddableDict(a=[1], b=None) + AddableDict(a=[2], b="x")  # {'a': [1, 2], 'b': 'x'}

    The values of a key that both have are added in turn, and None is nothing. Neither dictionary
    changes.
    """

    def __add__(self, other: dict[str, Any]) -> AddableDict:
        """Return the sum.

        Raises:
            TypeError: The values of a key do not add up.
        """
        total = AddableDict(self)
        for key, value in other.items():
            mine = total.get(key)
            if mine is None:
                total[key] = value
            elif value is not None:
                try:
                    total[key] = mine + value
                except TypeError as error:
                    types = f"{type(mine).__name__!r} and {type(value).__name__!r}"
                    raise TypeError(
                        f"Cannot add incompatible types for key {key!r}: {types}."
                    ) from error
        return total

    def __radd__(self, other: dict[str, Any]) -> AddableDict:
        """Return the sum, with *other* first."""
        return AddableDict(other) + self


class _Elements:
    """The elements that are open, the innermost last.

    Args:
        max_depth: How many there may be.
    """

    refusal: Callable[[str], XmlError]

    def __init__(self, max_depth: int) -> None:
        self._max_depth = max_depth
        self._tags: list[str] = []
        self._texts: list[list[str]] = []
        self._children: list[list[Any] | None] = []

    def start(self, tag: str, _attributes: object, /) -> None:
        """Take the beginning of an element."""
        if len(self._tags) >= self._max_depth:
            raise self.refusal(f"more than {self._max_depth} elements in each other (max_depth)")
        self._tags.append("{" + tag if "}" in tag else tag)
        self._texts.append([])
        self._children.append(None)

    def text(self, text: str, /) -> None:
        """Take text; what follows the first child of an element is left out."""
        if self._children[-1] is None:
            self._texts[-1].append(text)


class Tree(_Elements):
    """Builds the dictionary of a whole document, which `result` has in the end.

    An element is ``{tag: children}``. If it begins with text that is not blank it is ``{tag:
    text}`` and its children are left out. If it has no children it is ``{tag: text or None}``; only
    the outermost is ``{tag: []}`` then.
    """

    def __init__(self, max_depth: int) -> None:
        super().__init__(max_depth)
        self.result: dict[str, Any] = {}

    def end(self, _tag: str, /) -> None:
        """Take the end of the innermost element that is open."""
        tag, children = self._tags.pop(), self._children.pop()
        text = "".join(self._texts.pop()) or None
        is_blank = text is None or text.isspace()
        value: Any = children if is_blank and children is not None else text
        if not self._tags:
            self.result = {tag: [] if is_blank and children is None else value}
        elif (siblings := self._children[-1]) is None:
            self._children[-1] = [{tag: value}]
        else:
            siblings.append({tag: value})


class Leaves(_Elements):
    """Gives each element without children as the path to it, once it has ended: `take` has it.

    The path of ``<b>1</b>`` in ``<a>`` is ``{"a": [{"b": "1"}]}``. All levels are `AddableDict`.
    """

    def __init__(self, max_depth: int) -> None:
        super().__init__(max_depth)
        self.done = False
        """Whether the outermost element has ended."""
        self._leaves: list[AddableDict] = []

    def end(self, _tag: str, /) -> None:
        """Take the end of the innermost element that is open."""
        tag, children = self._tags.pop(), self._children.pop()
        text = "".join(self._texts.pop()) or None
        if children is None:
            path = AddableDict({tag: text})
            for parent in reversed(self._tags):
                path = AddableDict({parent: [path]})
            self._leaves.append(path)
        if self._tags:
            self._children[-1] = []
        else:
            self.done = True

    def take(self) -> list[AddableDict]:
        """Return the leaves that have ended since this was last called."""
        leaves, self._leaves = self._leaves, []
        return leaves
