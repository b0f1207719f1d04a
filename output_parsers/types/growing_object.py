"""The object of a pydantic model for a JSON value that grows.

Only what is new is validated. Each list or model that grows has a node here, which keeps the
objects of its complete items or fields.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Protocol

from pydantic import BaseModel

from output_parsers.types.models import dump
from output_parsers.types.object_plans import ListPlan, ModelPlan, Plan, plan_of
from outputs.growing_json.value import Operation, differ, pointer


class GrowingObject:
    """The object of *model* for the value of a stream.

    It equals the object that validating the whole value gives, and shares the objects of what is
    complete with those before it.
    """

    def __init__(self, model: type[Any]) -> None:
        self._plan = plan_of(model)
        self._node: _Node = _node_for(self._plan)
        self._is_new = True  # whether the node did not make the last object
        self._has_own_dump = getattr(model, "model_dump", None) is not BaseModel.model_dump
        self._has_grown = False  # whether the node made the last object and the one before
        self._before: Any = None
        self.last: Any = None
        """The last object; `None` before the first."""

    def update(self, value: Any, *, has_grown: bool) -> bool:
        """Validate *value* and return whether its object differs from the last one.

        Args:
            value: JSON data.
            has_grown: Whether *value* is the one before with something added at its end: at the end
                of the last string or number, or after the last item or member of a container.
        """
        if not has_grown:
            self._node, self._is_new = _node_for(self._plan), True
        try:
            found = self._node.validate(value)
        except ValueError:
            return False
        if (found == self.last) if self._is_new else self._node.are_same(found, self.last):
            return False
        self._before, self.last = self.last, found
        self._has_grown, self._is_new = not self._is_new, False
        return True

    def patch(self) -> list[Operation]:
        """Return the JSON Patch from the data of the object before to those of the last one."""
        if self._has_grown and not self._has_own_dump:
            return [*_patch(self._plan, "", self._before, self.last)]
        return [*_patch_of("", dump(self._before), dump(self.last))]


class _Node(Protocol):
    """Validates the successive values at one place."""

    def validate(self, value: Any, /) -> Any:
        """Return the object for *value*.

        Raises:
            ValueError: It is not valid.
        """

    def are_same(self, one: Any, other: Any, /) -> bool:
        """Return whether two objects that this node made are equal."""


class _Whole:
    """Validates a value whole, unless it is the one before."""

    __slots__ = ("_is_valid", "_object", "_plan", "_value")

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._value: Any = _Node  # what is no value
        self._object: Any = None
        self._is_valid = False

    def validate(self, value: Any, /) -> Any:
        if value is not self._value:
            self._value, self._is_valid = value, False
            self._object = self._plan.check(value)
            self._is_valid = True
        if not self._is_valid:
            raise ValueError(_NOT_VALID)
        return self._object

    def are_same(self, one: Any, other: Any, /) -> bool:
        return one is other or bool(one == other)


class _GrowingList:
    """Validates each item of a list once, but for the last one, which may still grow."""

    __slots__ = ("_done", "_is_valid", "_last", "_object", "_plan", "_value")

    def __init__(self, plan: ListPlan) -> None:
        self._plan = plan
        self._done: list[Any] = []  # the objects of the items before the last
        self._last: _Node = _node_for(plan.item)
        self._is_valid = True  # whether they are valid
        self._value: Any = _Node
        self._object: Any = None

    def validate(self, value: Any, /) -> Any:
        if value is self._value:
            return self._object
        if type(value) is not list:
            return self._plan.check(value)
        if not self._is_valid:
            raise ValueError(_NOT_VALID)
        done, last = self._done, len(value) - 1
        self._is_valid = False
        while len(done) < last:
            done.append(self._last.validate(value[len(done)]))
            self._last = _node_for(self._plan.item)
        self._is_valid = True
        if last >= self._plan.most or last + 1 < self._plan.least:
            raise ValueError(_NOT_VALID)
        made = done.copy()
        if len(done) == last:
            made.append(self._last.validate(value[last]))
        self._value, self._object = value, made
        return made

    def are_same(self, one: Any, other: Any, /) -> bool:
        if one is other:
            return True
        if type(one) is not list or type(other) is not list or len(one) != len(other):
            return bool(one == other)
        return not one or self._last.are_same(one[-1], other[-1])


class _GrowingModel:
    """Validates each container in a model once, but for one that may still grow."""

    __slots__ = ("_nodes", "_object", "_plan", "_value")

    def __init__(self, plan: ModelPlan) -> None:
        self._plan = plan
        self._nodes: dict[str, _Node] = {}
        self._value: Any = _Node
        self._object: Any = None

    def validate(self, value: Any, /) -> Any:
        if value is self._value:
            return self._object
        plan = self._plan
        if value is None:
            return plan.check(value)
        if plan.is_root:
            parts = {"root": self._node("root", plan.fields[""][1]).validate(value)}
        elif type(value) is dict:
            parts = value.copy()
            for key, (name, field) in plan.fields.items():
                if key in value:
                    parts[key] = self._node(name, field).validate(value[key])
        else:
            return plan.check(value)
        attributes, extra, given = plan.shell(parts)
        made = object.__new__(plan.cls)
        BaseModel.__setstate__(
            made,
            {
                "__dict__": attributes,
                "__pydantic_extra__": extra,
                "__pydantic_fields_set__": given,
                "__pydantic_private__": None,
            },
        )
        self._value, self._object = value, made
        return made

    def _node(self, name: str, plan: Plan) -> _Node:
        node = self._nodes.get(name)
        if node is None:
            node = self._nodes[name] = _node_for(plan)
        return node

    def are_same(self, one: Any, other: Any, /) -> bool:
        if one is other:
            return True
        if type(one) is not self._plan.cls or type(other) is not type(one):
            return bool(one == other)
        ours, theirs = one.__dict__, other.__dict__
        if ours.keys() != theirs.keys() or one.model_extra != other.model_extra:
            return False
        return all(
            self._nodes[name].are_same(each, theirs[name])
            if name in self._nodes and name in other.model_fields_set
            else each is theirs[name] or each == theirs[name]
            for name, each in ours.items()
        )


_NOT_VALID: Final = "a part that is complete is not valid"


def _node_for(plan: Plan) -> _Node:
    if isinstance(plan, ListPlan):
        return _GrowingList(plan)
    return _GrowingModel(plan) if isinstance(plan, ModelPlan) else _Whole(plan)


# -- what has changed in the data of an object -----------------------------------------------------


def _patch(plan: Plan, path: str, one: Any, other: Any) -> Iterator[Operation]:
    """Yield the changes at *path* between two successive objects of a node with *plan*."""
    if one is other:
        return
    if isinstance(plan, ListPlan) and plan.is_plain and type(one) is type(other) is list:
        last = len(one) - 1  # the items before it are complete
        for at in range(max(0, last), len(other)):
            if at > last:
                yield {"op": "add", "path": f"{path}/{at}", "value": plan.item.dump(other[at])}
            else:
                yield from _patch(plan.item, f"{path}/{at}", one[at], other[at])
    elif isinstance(plan, ModelPlan) and plan.is_plain and type(one) is type(other) is plan.cls:
        for name, (key, field) in plan.dumped.items():
            place = path if plan.is_root else path + pointer([key])
            yield from _patch(field, place, getattr(one, name), getattr(other, name))
        if not plan.is_root:
            yield from _patch_of(path, plan.rest(one), plan.rest(other))
    else:
        yield from _patch_of(path, plan.dump(one), plan.dump(other))


def _patch_of(path: str, one: Any, other: Any) -> Iterator[Operation]:
    """Yield the changes from *one* to *other*, JSON data at *path*, by comparing them."""
    if not differ(one, other):
        return
    if type(one) is type(other) is dict:
        for key in one | other:
            at = path + pointer([key])
            if key not in other:
                yield {"op": "remove", "path": at}
            elif key not in one:
                yield {"op": "add", "path": at, "value": other[key]}
            else:
                yield from _patch_of(at, one[key], other[key])
    elif type(one) is type(other) is list:
        import jsonpatch  # imported lazily: it takes milliseconds

        for each in jsonpatch.make_patch(one, other).patch:
            yield {key: path + at if key in ("path", "from") else at for key, at in each.items()}
    else:
        yield {"op": "replace", "path": path, "value": other}
