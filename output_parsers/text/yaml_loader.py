"""Safe YAML loading with PyYAML: only plain data, within limits."""

from __future__ import annotations

from typing import Any

import yaml  # type: ignore[import-untyped]
from yaml import AliasEvent, MappingNode, Node, ScalarNode
from yaml.composer import ComposerError  # type: ignore[import-untyped]
from yaml.constructor import ConstructorError  # type: ignore[import-untyped]


class YamlError(ValueError):
    """The text is not YAML, or exceeds a limit.

    Args:
        reason: What is wrong.
        position: The offset in the text, if known.
    """

    def __init__(self, reason: str, position: int | None) -> None:
        super().__init__(reason)
        self.position = position


_MAX_DEPTH = 100
"""How deeply lists and dictionaries may be nested: PyYAML recurses for each level."""

_MAX_NODES = 1_000_000
"""How many values there may be, with all aliases expanded."""

_MAX_DIGITS = 4300
"""How long a number may be, as in Python, since converting it takes quadratic time."""

_NUMBERS = {"tag:yaml.org,2002:int", "tag:yaml.org,2002:float"}


def load(text: str) -> Any:
    """Return the data that *text* describes; `None` if it is empty.

    Raises:
        YamlError: *text* is not exactly one document, has tags for objects other than plain data,
            or exceeds a limit.
    """
    try:
        return yaml.load(text, _Loader)
    except (yaml.YAMLError, ValueError) as error:  # a `ValueError` for "\\U00110000"
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        raise YamlError(str(error), mark.index if mark else None) from error


class _Loader(yaml.SafeLoader):  # type: ignore[misc]  # the base has no types
    """A `SafeLoader` with limits: a few nested aliases can expand to gigabytes."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self._depth = 0
        self._extents: dict[Node, tuple[int, int]] = {}
        """For each node, how many nodes it expands to, itself included, and its depth."""

    def compose_node(self, parent: Node | None, index: object) -> Node:
        is_alias, mark = self.check_event(AliasEvent), self.peek_event().start_mark
        self._depth += 1
        self._check(self._depth, 1, mark)
        node = super().compose_node(parent, index)
        self._depth -= 1
        if not is_alias:
            inner = [self._extents[child] for child in _children(node)]
            nodes = 1 + sum(count for count, _ in inner)
            depth = 1 + max((depth for _, depth in inner), default=0)
            self._check(depth, nodes, mark)
            self._extents[node] = nodes, depth
        elif node not in self._extents:
            raise ComposerError(None, None, "a YAML value contains itself through an alias", mark)
        return node

    def construct_object(self, node: Node, deep: bool = False) -> Any:
        if isinstance(node, ScalarNode) and node.tag in _NUMBERS and len(node.value) > _MAX_DIGITS:
            problem = f"a number has {len(node.value):,} characters; the limit is {_MAX_DIGITS:,}"
            raise ConstructorError(None, None, problem, node.start_mark)
        try:
            return super().construct_object(node, deep)
        except (ArithmeticError, AttributeError, LookupError, ValueError) as error:
            # PyYAML does not check that `!!bool maybe` or `2024-02-30` is valid and raises various
            # errors for them.
            problem = f"this is not a valid {node.tag.rpartition(':')[2]}"
            raise ConstructorError(None, None, problem, node.start_mark) from error

    def _check(self, depth: int, nodes: int, mark: Any) -> None:
        if depth > _MAX_DEPTH:
            problem = f"lists and dictionaries are nested more than {_MAX_DEPTH} levels deep"
        elif nodes > _MAX_NODES:
            problem = f"with all aliases expanded, there are more than {_MAX_NODES:,} values"
        else:
            return
        raise ComposerError(None, None, problem, mark)


def _children(node: Node) -> list[Node]:
    if isinstance(node, ScalarNode):
        return []
    if isinstance(node, MappingNode):
        return [child for pair in node.value for child in pair]
    return list(node.value)
