"""Merging the pieces that a model streams: dictionaries, lists, and single values.

A provider sends a long value in many small pieces, in dictionaries of the same shape::

    {"function": {"name": "search", "arguments": ""}}
    {"function": {"arguments": '{"q": '}}
    {"function": {"arguments": '"rain"}'}}

Every function takes any number of pieces and works in time linear in their size: the pieces of one
value are collected first and joined once. The inputs are never changed; values that need no merging
are shared with them, not copied.
"""

from __future__ import annotations

from collections import deque
from typing import Any

_LABELS = {"id", "output_version", "model_provider"}
"""Keys whose text, if repeated, is the same label and not another piece."""

_LATEST = {"index", "created", "timestamp"}
"""Keys whose numbers are not counts: the last one is kept."""


def merge_dicts(left: dict[Any, Any], *others: dict[Any, Any]) -> dict[Any, Any]:
    """Merge *others* into *left*, key by key, and return a new dictionary.

    `None` values are replaced by others under the same key. Text is joined, dictionaries and lists
    are merged, equal values are kept, and different integers are added. Exceptions: equal text
    under ``id``, ``output_version`` and ``model_provider`` is kept once, an ``index`` that starts
    with ``lc_`` keeps its first value, and integers under ``index``, ``created`` and ``timestamp``
    take the last value.

    Raises:
        TypeError: The values of a key differ in type, or differ and are not text, integers,
            dictionaries or lists (different booleans are not added).
    """
    if not any(others):
        return left.copy()
    series = {key: [value] for key, value in left.items()}
    for other in others:
        for key, value in other.items():
            if key not in series:
                series[key] = [value]
            elif value is not None:
                series[key].append(value)
    return {
        key: values[0] if len(values) == 1 else _merge_values(key, values)
        for key, values in series.items()
    }


def merge_lists(left: list[Any] | None, *others: list[Any] | None) -> list[Any] | None:
    """Merge *others* into *left*, item by item, and return a new list; `None` means no list.

    A dictionary whose ``index`` is an integer, or text that starts with ``lc_``, is merged by the
    rules of `merge_dicts` into the first item with the same index, unless both have an ``id`` and
    the ids differ. The item keeps its ``type``. Any other item is appended.

    Returns:
        The merged list, or `None` if there was no list at all.

    Raises:
        TypeError: As for `merge_dicts`.
    """
    if not any(others):
        return next((items.copy() for items in (left, *others) if items is not None), None)
    lists = [items for items in (left, *others) if items is not None]
    merger = ListMerger(lists[0])
    for items in lists[1:]:
        merger.extend(items)
    return merger.result()


def merge_obj(left: Any, *others: Any) -> Any:
    """Merge values of one type: strings, dictionaries, lists or equal values; `None` is ignored.

    Raises:
        TypeError: The values differ in type.
        ValueError: The values differ and their type cannot be merged.
    """
    values = [value for value in (left, *others) if value is not None]
    if not values:
        return None
    first = values[0]
    for value in values:
        if type(value) is not type(first):
            raise TypeError(
                f"left and right are of different types. Left type:  {type(first)}. Right "
                f"type: {type(value)}."
            )
    if isinstance(first, str):
        return "".join(values)
    if isinstance(first, dict):
        return merge_dicts(*values)
    if isinstance(first, list):
        return merge_lists(*values)
    for value in values:
        if first != value:
            raise ValueError(
                f"Unable to merge left={first!r} and right={value!r}. Both must be of type str, "
                "dict, or list, or else be two equal objects."
            )
    return first


class ListMerger:
    """Collects lists and text one after the other; `result` joins the pieces once.

    Args:
        first: The initial items; they are not merged with each other.
    """

    __slots__ = ("_places", "_slots")

    def __init__(self, first: list[Any]) -> None:
        self._slots: list[list[Any]] = [[item] for item in first]
        # The slots of each index. Most lists never need it, so it is built on first use.
        self._places: dict[Any, _Places] | None = None

    def extend(self, items: list[Any]) -> None:
        """Merge or append *items*, by the rules of `merge_lists`."""
        for item in items:
            if _is_mergeable(item):
                place = self._place_of(item)
                if place is not None:
                    slot = self._slots[place]
                    slot.append(_addition(slot[0], item))
                    continue
            if self._places is not None:
                _note(self._places, len(self._slots), item)
            self._slots.append([item])

    def extend_text(self, text: str) -> None:
        """Append *text* to the last item if that is text; otherwise add it, unless it is empty."""
        if self._slots and isinstance(self._slots[-1][0], str):
            self._slots[-1].append(text)
        elif text:
            self._slots.append([text])

    def result(self) -> list[Any]:
        """Return the list so far."""
        return [parts[0] if len(parts) == 1 else _sum_of(parts) for parts in self._slots]

    def _place_of(self, item: dict[Any, Any]) -> int | None:
        """Return the slot that *item* belongs to, and remember its id."""
        if self._places is None:
            self._places = {}
            for place, parts in enumerate(self._slots):
                _note(self._places, place, parts[0])
        places, item_id = self._places.get(item["index"]), item.get("id")
        return places.take(item_id) if places is not None and _is_id(item_id) else None


class _Places:
    """The slots of one index: the first, those without an id yet, and the first of each id."""

    __slots__ = ("blank", "by_id", "first")

    def __init__(self, first: int) -> None:
        self.first = first
        self.blank: deque[int] = deque()
        self.by_id: dict[Any, int] = {}

    def add(self, place: int, item_id: Any) -> None:
        if item_id in {None, ""}:
            self.blank.append(place)
        else:
            self.by_id.setdefault(item_id, place)

    def take(self, item_id: Any) -> int | None:
        """Return the first slot that fits an item with *item_id*, and give the slot that id."""
        if item_id in {None, ""}:
            return self.first
        known = self.by_id.get(item_id)
        if self.blank and (known is None or self.blank[0] < known):
            known = self.by_id[item_id] = self.blank.popleft()
        return known


def _note(places: dict[Any, _Places], place: int, item: Any) -> None:
    if isinstance(item, dict) and isinstance(index := item.get("index"), (int, float, str)):
        item_id = item.get("id")
        if _is_id(item_id):
            places.setdefault(index, _Places(place)).add(place, item_id)


def _is_id(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float))


def _is_mergeable(item: Any) -> bool:
    if not isinstance(item, dict):
        return False
    index = item.get("index")
    return isinstance(index, int) or (isinstance(index, str) and index.startswith("lc_"))


def _sum_of(parts: list[Any]) -> Any:
    return "".join(parts) if isinstance(parts[0], str) else merge_dicts(*parts)


def _addition(kept: dict[Any, Any], item: dict[Any, Any]) -> dict[Any, Any]:
    """Return the fields that *item* adds to *kept*, which keeps its type."""
    if kept.get("type") and item.get("type") == "non_standard" and "value" in item:
        value = {key: part for key, part in item["value"].items() if key != "type"}
        if kept["type"] == "non_standard":
            return {"value": value, "index": item["index"]}
        return {"extras": value}
    if "type" in item:
        return {key: part for key, part in item.items() if key != "type"}
    return item


def _merge_values(key: Any, values: list[Any]) -> Any:
    """Merge the *values* of one *key*, of which at most the first is `None`."""
    if values[0] is None:
        del values[0]
    first = values[0]
    for value in values:
        if type(value) is not type(first):
            raise TypeError(
                f'additional_kwargs["{key}"] already exists in this message,'
                " but with a different type."
            )
    if isinstance(first, str):
        return _join(key, values)
    if isinstance(first, dict):
        return merge_dicts(*values)
    if isinstance(first, list):
        return merge_lists(*values)
    return _add_numbers(key, values)


def _join(key: Any, pieces: list[str]) -> str:
    if key != "index" and key not in _LABELS:
        return "".join(pieces)
    text = pieces[0]
    for piece in pieces[1:]:
        if (key == "index" and text.startswith("lc_")) or (key in _LABELS and text == piece):
            continue
        text += piece
    return text


def _add_numbers(key: Any, values: list[Any]) -> Any:
    total = values[0]
    for value in values[1:]:
        if total == value:
            continue
        # A bool is an int, and True + False must not silently become 1.
        if isinstance(total, bool) or not isinstance(total, int):
            raise TypeError(
                f"Additional kwargs key {key} already exists in left dict and "
                f"value has unsupported type {type(total)}."
            )
        total = value if key in _LATEST else total + value
    return total
