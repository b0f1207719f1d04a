"""The object of a pydantic model for a JSON value that grows.

Only what is new is validated. Each list or model that grows has a node here, which keeps the
objects of its complete items or fields.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

from pydantic import BaseModel

from output_parsers.types.object_plans import ListPlan, ModelPlan, Plan, plan_of

__all__ = ["GrowingObject"]


class GrowingObject:
    """The object of *model* for the value of a stream.

    It equals the object that validating the whole value gives, and shares the objects of what is
    complete with those before it.
    """

    def __init__(self, model: type[Any]) -> None:
        self._plan = plan_of(model)
        self._node: _Node = _node_for(self._plan)
        self._is_new = True  # whether the node did not make the last object
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
        is_same = (found == self.last) if self._is_new else self._node.are_same(found, self.last)
        self.last, self._is_new = found, False
        return not is_same


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
