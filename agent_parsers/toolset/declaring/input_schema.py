"""The JSON Schemas of Python's types, in which each key is one that pydantic reads."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import GenerateJsonSchema
from typing_extensions import override


class InputSchema(GenerateJsonSchema):
    """Makes JSON Schemas whose keys are those from which pydantic fills the fields.

    Raises:
        TypeError: A field is read only from inside another key, which a schema cannot show.
    """

    @override
    def field_is_present(self, field: Any) -> bool:
        # pydantic takes a value for a field of a dataclass with `init=False`, and loses it.
        return field.get("init") is not False and super().field_is_present(field)

    @override
    def _get_alias_name(self, field: Any, name: str) -> str:
        alias = field.get("validation_alias")
        if not isinstance(alias, list):
            return super()._get_alias_name(field, name)
        paths = alias if isinstance(alias[0], list) else [alias]
        keys = [path[0] for path in paths if len(path) == 1]
        if not keys:
            if getattr(self._config, "validate_by_name", None) or self._config.populate_by_name:
                return name
            path = f"AliasPath({', '.join(map(repr, paths[0]))})"
            raise TypeError(
                f"the field {name!r} is read only from inside another key, by {path}; give it a key"
                f" of its own, as in validation_alias=AliasChoices({name!r}, {path})"
            )
        by_key: Any = {**field, "validation_alias": keys[0]}
        return super()._get_alias_name(by_key, name)
