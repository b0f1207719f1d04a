"""What of a pydantic model can be validated piece by piece, from the model's core schema.

A list can, because its items are validated one by one, and so can a model that has such a list in
its fields. Everything else is validated whole: unions, dictionaries, and whatever passes through a
validator of the user's, which may look at the whole value or change it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache, partial
from math import inf
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, RootModel
from pydantic_core import SchemaSerializer, SchemaValidator

from output_parsers.types.models import dump, is_v1_model, validate

_ANY: Final = {"type": "any"}
_OWN_DATA: Final = ("model", "dataclass", "typed-dict", "arguments", "call")
"""The schemas whose validators see no data around them."""
_CONTAINERS: Final = (
    *("list", "set", "frozenset", "tuple", "dict"),
    *("model", "dataclass", "typed-dict"),
)
_LIST_KEYS: Final = {
    *("type", "items_schema", "min_length", "max_length", "strict"),
    *("ref", "metadata", "serialization"),
}
_LEFT_OUT: Final = {"serialization_exclude", "serialization_exclude_if"}
_MODEL_KEYS: Final = {
    *("type", "cls", "generic_origin", "schema", "config", "custom_init", "root_model"),
    *("post_init", "revalidate_instances", "strict", "frozen", "extra_behavior"),
    *("ref", "metadata", "serialization"),
}


class _Scope(NamedTuple):
    """What a schema refers to."""

    definitions: dict[str, Any]
    """Schemas by reference."""
    config: Any
    """The configuration of the model around it."""

    def resolved(self, schema: Any) -> Any:
        """Return *schema*, or the schema that it refers to."""
        while schema["type"] == "definition-ref":
            schema = self.definitions[schema["schema_ref"]]
        return schema

    def complete(self, schema: Any) -> Any:
        """Return *schema* with all that it may refer to."""
        definitions = [*self.definitions.values()]
        if not definitions:
            return schema
        return {"type": "definitions", "schema": schema, "definitions": definitions}


class Plan:
    """Validates a value whole.

    Args:
        schema: The core schema of the value.
        scope: What the schema refers to.
    """

    def __init__(self, schema: Any, scope: _Scope) -> None:
        self._schema, self._scope = schema, scope

    @cached_property
    def is_plain(self) -> bool:
        """Whether no function of the user's makes the data of the whole value."""
        schema = self._schema
        while schema is not None:
            schema = self._scope.resolved(schema)
            if "serialization" in schema:
                return False
            schema = schema.get("schema")
        return True

    @cached_property
    def check(self) -> Callable[[Any], Any]:
        """Returns the object for a value; raises a `ValueError` if the value is not valid."""
        return SchemaValidator(
            self._scope.complete(self._schema), self._scope.config
        ).validate_python

    @cached_property
    def dump(self) -> Callable[[Any], Any]:
        """Returns an object as JSON data."""
        serializer = SchemaSerializer(self._scope.complete(self._schema), self._scope.config)
        return partial(serializer.to_python, mode="json")


class _Root(Plan):
    """Validates a value whole, by the method of a model."""

    def __init__(self, model: type[Any]) -> None:
        self.check = lambda value: validate(model, value)
        self.dump, self.is_plain = dump, False


class ListPlan(Plan):
    """Validates the items of a list one by one; other values whole."""

    def __init__(self, schema: Any, scope: _Scope, inner: Any) -> None:
        super().__init__(schema, scope)
        self._inner = inner
        self.least: int = inner.get("min_length") or 0
        """How many items there have to be."""
        self.most: float = inner.get("max_length", inf)
        """How many items there may be."""

    @cached_property
    def item(self) -> Plan:
        """Validates one item."""
        return _plan(self._inner.get("items_schema", _ANY), self._scope)


class ModelPlan(Plan):
    """Validates some fields of a model one by one, then the model; other values whole.

    Args:
        schema: The core schema of the value.
        scope: What the schema refers to.
        inner: The schema of the model in it.
    """

    def __init__(self, schema: Any, scope: _Scope, inner: Any) -> None:
        super().__init__(schema, scope)
        self.cls: type[Any] = inner["cls"]
        """The model."""
        self.is_root: bool = inner.get("root_model", False)
        """Whether the value itself is the only field."""
        self._inner = inner
        self._within = scope._replace(config=inner.get("config"))
        self._keys = _keys(inner, self._within)

    @cached_property
    def fields(self) -> dict[str, tuple[str, Plan]]:
        """The names and plans of the fields that are validated one by one, by their keys."""
        schemas = _schemas_of(self._inner, self._within)
        return {key: (name, _plan(schemas[name], self._within)) for name, key in self._keys.items()}

    @cached_property
    def shell(self) -> Callable[[Any], tuple[dict[str, Any], dict[str, Any] | None, set[str]]]:
        """Validates all other fields; returns the attributes, the extra ones and which are set."""
        if self.is_root:
            return lambda values: (values, None, {"root"})
        schema = self._within.resolved(self._inner["schema"])
        fields = dict(schema["fields"])
        for name in self._keys:
            whole = fields[name]["schema"]
            bare = {**whole, "schema": _ANY} if whole["type"] == "default" else _ANY
            fields[name] = {**fields[name], "schema": bare}
        shell = self._within.complete({**schema, "fields": fields})
        return SchemaValidator(shell, self._within.config).validate_python

    @cached_property
    def dumped(self) -> dict[str, tuple[str, Plan]]:
        """The keys and plans of the fields whose data does not depend on the rest, by name."""
        if self.is_root:
            return {"root": ("", self.fields[""][1])}
        by_alias = (self._within.config or {}).get("serialize_by_alias")
        fields = self._within.resolved(self._inner["schema"])["fields"]
        return {
            name: (fields[name].get("serialization_alias", name) if by_alias else name, plan)
            for name, plan in self.fields.values()
            if plan.is_plain and not fields[name].keys() & _LEFT_OUT
        }

    def rest(self, thing: Any) -> Any:
        """Return an object as JSON data, without the fields in `dumped`."""
        data: Any = self.cls.__pydantic_serializer__.to_python(
            thing, mode="json", exclude=self.dumped.keys()
        )
        return data


def plan_of(model: type[Any]) -> Plan:
    """Return how to validate values for *model*, a pydantic or ``pydantic.v1`` model."""
    if is_v1_model(model) or not issubclass(model, BaseModel) or not model.__pydantic_complete__:
        return _Root(model)
    validate_method = getattr(model.model_validate, "__func__", None)
    if validate_method is not BaseModel.model_validate.__func__:  # type: ignore[attr-defined]
        return _Root(model)  # it has its own way to validate
    return _known_plan(model)


@lru_cache(maxsize=64)
def _known_plan(model: type[BaseModel]) -> Plan:
    schema: Any = model.__pydantic_core_schema__
    definitions = {}
    if schema["type"] == "definitions":
        definitions = {each["ref"]: each for each in schema["definitions"]}
        schema = schema["schema"]
    plan = _plan(schema, _Scope(definitions, None))
    return plan if isinstance(plan, ModelPlan) else _Root(model)


def _plan(schema: Any, scope: _Scope) -> Plan:
    """Return how to validate values of *schema*."""
    inner = _inner(schema, scope)
    if _is_plain_list(inner, scope):
        return ListPlan(schema, scope, inner)
    if _is_growing(inner, scope, frozenset()):
        return ModelPlan(schema, scope, inner)
    return Plan(schema, scope)


def _inner(schema: Any, scope: _Scope) -> Any:
    """Return *schema* without what only concerns a missing value or `None`."""
    schema = scope.resolved(schema)
    if schema["type"] == "default":
        is_checked = schema.get("validate_default")
        if is_checked is None:
            is_checked = (scope.config or {}).get("validate_default")
        if is_checked or schema.get("on_error", "raise") != "raise":
            return schema
        schema = scope.resolved(schema["schema"])
    if schema["type"] == "nullable":
        schema = scope.resolved(schema["schema"])
    return schema


def _is_plain_list(schema: Any, scope: _Scope) -> bool:
    """Return whether *schema* is a list whose items are validated one by one."""
    if schema["type"] != "list" or not schema.keys() <= _LIST_KEYS:
        return False
    return not _needs_data(schema, scope)


def _is_growing(schema: Any, scope: _Scope, around: frozenset[int]) -> bool:
    """Return whether *schema* is a model with fields that are validated one by one.

    Args:
        schema: A core schema.
        scope: What it refers to.
        around: The ``id`` of the schemas of the models around it.
    """
    if schema["type"] != "model" or not schema.keys() <= _MODEL_KEYS or id(schema) in around:
        return False
    config = schema.get("config") or {}
    if schema.get("custom_init") or schema.get("post_init"):
        return False
    if schema.get("strict") or config.get("strict") or schema["cls"].__eq__ not in _EQUALITIES:
        return False
    within = scope._replace(config=schema.get("config"))
    schemas, keys = _schemas_of(schema, within), _keys(schema, within)
    fields = [_inner(schemas[name], within) for name in keys]
    return any(
        _is_plain_list(each, within) or _is_growing(each, within, around | {id(schema)})
        for each in fields
    )


_EQUALITIES: Final = (BaseModel.__eq__, RootModel.__eq__)


def _schemas_of(model: Any, scope: _Scope) -> dict[str, Any]:
    """Return the schemas of the fields of *model*, a core schema, by name."""
    schema = scope.resolved(model["schema"])
    if model.get("root_model"):
        return {"root": schema}
    if schema["type"] != "model-fields":
        return {}  # a validator of the user's
    return {name: field["schema"] for name, field in schema["fields"].items()}


def _keys(model: Any, scope: _Scope) -> dict[str, str]:
    """Return the keys of the fields of *model* that are validated one by one, by their names."""
    if model.get("root_model"):
        keys = {"root": ""}
    else:
        fields = scope.resolved(model["schema"]).get("fields", {})
        keys = {name: field.get("validation_alias", name) for name, field in fields.items()}
        config = scope.config or {}
        if any(each in config for each in _BY_NAME) and [*keys] != [*keys.values()]:
            return {}  # a field may have two keys
        if not all(isinstance(key, str) for key in keys.values()):
            return {}  # a path may lead into another field
        if len({*keys.values()}) < len(keys):
            return {}
    inner = {name: _inner(each, scope) for name, each in _schemas_of(model, scope).items()}
    return {
        name: keys[name]
        for name, schema in inner.items()
        if schema["type"] in _CONTAINERS and not _needs_data(schema, scope)
    }


_BY_NAME: Final = ("validate_by_name", "validate_by_alias", "populate_by_name")


def _needs_data(schema: Any, scope: _Scope) -> bool:
    """Return whether something in *schema* is given the other fields of the model around it."""
    todo: list[Any] = [schema]
    while todo:
        each = todo.pop()
        if isinstance(each, dict):
            kind = each.get("type")
            if kind in _OWN_DATA:
                continue
            if kind == "definition-ref":
                if scope.resolved(each)["type"] not in _OWN_DATA:
                    return True  # it may refer to itself, so it is not searched
            elif kind == "with-info" or each.get("default_factory_takes_data"):
                return True
            todo += (each[key] for key in each.keys() - {"metadata", "serialization"})
        elif isinstance(each, list | tuple):
            todo += each
    return False
