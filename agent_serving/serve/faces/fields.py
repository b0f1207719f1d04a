"""Taking the fields of a request out of its body, with errors that name the field."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Final, TypeVar

_KINDS: Final = {
    bool: "true or false", int: "a whole number", float: "a number", str: "a string",
    list: "a list", Mapping: "an object",
}  # fmt: skip
_PASSED_ON: Final[Mapping[str, tuple[type, ...]]] = {
    "temperature": (float,), "top_p": (float,), "top_k": (int,), "min_p": (float,),
    "seed": (int,), "frequency_penalty": (float,), "presence_penalty": (float,),
    "repetition_penalty": (float,), "logit_bias": (Mapping,), "chat_template_kwargs": (Mapping,),
}  # fmt: skip
"""How a model samples, with the kinds of the values. Servers take more than the APIs have."""
_HALF: Final = re.compile(r"[\ud800-\udfff]").search
"""Finds half a surrogate pair, which no text has that can be encoded."""
_ReadT = TypeVar("_ReadT", bound=Callable[..., Any])


class Fields:
    """The fields of a request body; each is taken once, and `rest` returns those that are left.

    Args:
        body: The body, or an object in it.
        where: Where the object stands, such as ``messages[2]``; empty for the body.

    Raises:
        ValueError: *body* is no object.
    """

    def __init__(self, body: Any, where: str = "") -> None:
        if not isinstance(body, Mapping):
            found = f"`{where}`" if where else "the body of a request"
            raise ValueError(f"{found} must be an object, not {body!r:.100}")  # noqa: TRY004
        self._rest = dict(body)
        self.path: Final = where
        """Where the object stands in the body."""

    def path_of(self, name: str) -> str:
        """Return the path of the field with this *name* in the body."""
        return f"{self.path}.{name}" if self.path else name

    def at(self, name: str) -> str:
        """Return the path of the field in backticks, for an error."""
        return f"`{self.path_of(name)}`"

    def refuse(self, refused: Mapping[str, str]) -> None:
        """Check that the body has none of the *refused* fields, which map to the reason.

        Raises:
            ValueError: One is.
        """
        for name, why in refused.items():
            if self._rest.pop(name, None) not in (None, [], {}, False):
                raise ValueError(f"{self.at(name)} {why}")

    def take(self, name: str, *kinds: type) -> Any:
        """Return the value of a field, which must be of one of *kinds*; `None` without a value.

        Raises:
            ValueError: It is of another kind, or a text with half a character.
        """
        value = self._rest.pop(name, None)
        if value is None:
            return None
        is_bool = isinstance(value, bool) and bool not in kinds
        given = (*kinds, int) if float in kinds else kinds
        if is_bool or not isinstance(value, given):
            words = " or ".join(_KINDS[kind] for kind in kinds)
            raise ValueError(f"{self.at(name)} must be {words}, not {value!r:.100}")
        if isinstance(value, str):
            check_whole(value, self.path_of(name))
        return value

    def need(self, name: str, *kinds: type) -> Any:
        """Return the value of a required field; see `take`.

        Raises:
            ValueError: It is missing, empty, or of another kind.
        """
        value = self.take(name, *kinds)
        if value in (None, ""):
            words = " or ".join(_KINDS[kind] for kind in kinds)
            raise ValueError(f"{self.at(name)} is missing or empty: it must be {words}")
        return value

    def take_object(self, name: str) -> Fields:
        """Return the fields of the object in a field; no fields if it is missing or null.

        Raises:
            ValueError: It is of another kind.
        """
        return Fields(self.take(name, Mapping) or {}, self.path_of(name))

    def take_objects(self, name: str) -> list[Fields]:
        """Return the fields of each object in a list; ``[]`` if it is missing or null.

        Raises:
            ValueError: It is no list of objects.
        """
        return self._each(name, self.take(name, list) or [])

    def take_content(self, name: str) -> str | list[Fields]:
        """Return a text, or the fields of each object in a list; ``""`` if it is missing or null.

        Raises:
            ValueError: It is neither.
        """
        value: Any = self.take(name, str, list)
        return self._each(name, value) if isinstance(value, list) else value or ""

    def need_content(self, name: str) -> str | list[Fields]:
        """Do the same as `take_content` for a required field.

        Raises:
            ValueError: It is missing, or neither.
        """
        if self._rest.get(name) is None:
            raise ValueError(f"{self.at(name)} is missing: it must be a string or a list")
        return self.take_content(name)

    def _each(self, name: str, values: Sequence[Any]) -> list[Fields]:
        where = self.path_of(name)
        return [Fields(each, f"{where}[{place}]") for place, each in enumerate(values)]

    def take_stop(self, name: str) -> list[str]:
        """Return the stop sequences in a field that has a text or a list of texts.

        Raises:
            ValueError: It is something else.
        """
        value = self.take(name, str, list) or []
        stop = [value] if isinstance(value, str) else value
        if not all(isinstance(each, str) and each for each in stop):
            raise ValueError(
                f"{self.at(name)} must be a string or a list of strings, none of them empty"
            )
        return list(stop)

    def rest(self, left_out: Sequence[str] = ()) -> dict[str, Any]:
        """Return the fields that are left and not null, except those *left_out*."""
        return {
            name: value
            for name, value in self._rest.items()
            if name not in left_out and value is not None
        }

    def take_settings(self, **own: Any) -> dict[str, Any]:
        """Return the settings to pass on: those in the body and a face's *own*, without nulls."""
        passed = {name: self.take(name, *kinds) for name, kinds in _PASSED_ON.items()}
        return {name: value for name, value in {**own, **passed}.items() if value is not None}

    def unknown(self, ignored: Sequence[str]) -> list[str]:
        """Return a warning for each field that was not taken and is not *ignored*.

        They are not refused: new clients send new fields, most of which say nothing about the
        reply.
        """
        left = self.rest(ignored)
        return [f"{self.at(name)} is dropped: this server does not know it" for name in left]


def check_whole(value: Any, path: str = "") -> None:
    """Check that no text in *value*, which is at a *path* in the request, has half a character.

    Raises:
        ValueError: One has half a surrogate pair; the text says where.
    """
    waiting: list[tuple[Any, str]] = [(value, path)]
    while waiting:
        found, at = waiting.pop()
        if isinstance(found, Mapping):
            waiting += [(name, at) for name in found]
            waiting += [(each, f"{at}.{name}".lstrip(".")) for name, each in found.items()]
        elif isinstance(found, list):
            waiting += [(each, f"{at}[{index}]") for index, each in enumerate(found)]
        elif isinstance(found, str) and not found.isascii() and (half := _HALF(found)):
            raise ValueError(
                f"`{at}` is not valid text: character {half.start() + 1} is half a surrogate pair;"
                " send the whole character"
            )


def json_schema_in(form: Any, name: str) -> Mapping[str, Any]:
    """Return the JSON Schema in *form*, the value of the field *name*.

    Raises:
        ValueError: There is none.
    """
    schema = form.get("schema") if isinstance(form, Mapping) else None
    if not isinstance(schema, Mapping):
        raise ValueError(f"`{name}` must have a `schema`, which is a JSON Schema")  # noqa: TRY004
    return schema


def schema_of_answer(
    form: Mapping[str, Any] | None, given: Any, name: str, place: str
) -> Mapping[str, Any] | None:
    """Return the JSON Schema of the answer in a request of OpenAI's APIs; `None` for a text.

    Args:
        form: The form of the answer; `None` if the client names none.
        given: The object that has the schema, if the form is one.
        name: The name of the field that says the form.
        place: Where that object stands.

    Raises:
        ValueError: There is no such form, or the schema is missing.
    """
    kind = (form or {}).get("type", "text")
    if form is None or kind == "text":
        return None
    if kind == "json_object":
        return {"type": "object"}
    if kind == "json_schema":
        return json_schema_in(given, place)
    raise ValueError(f"`{name}` must be text, json_object or json_schema, not {kind!r}")


def check_choice(choice: str, tools: Sequence[Any]) -> str:
    """Return *choice* if it is a valid word.

    Raises:
        ValueError: It is not valid, or a call is required and there are no tools.
    """
    if choice not in ("auto", "none", "required"):
        raise ValueError(
            "`tool_choice` must be auto, none, required or an object that names a tool, not"
            f" {choice!r}"
        )
    if choice == "required" and not tools:
        raise ValueError("`tool_choice` requires a call, but there is no tool to call")
    return choice


def check_names(chosen: Sequence[str], names: Sequence[str]) -> None:
    """Check that the *chosen* tools are among the *names* of the tools in the request.

    Raises:
        ValueError: One is not.
    """
    for name in chosen:
        if name not in names:
            known = ", ".join(names) or "there are none"
            raise ValueError(f"`tool_choice` names {name!r}, which is not in `tools`: {known}")


def not_nested_deeply(read: _ReadT) -> _ReadT:
    """Return *read*, changed to raise a `ValueError` for a request that is nested too deeply."""

    @wraps(read)
    def checked(*args: Any) -> Any:
        try:
            return read(*args)
        except RecursionError:
            raise ValueError(
                "the request is nested too deeply: send it with fewer levels"
            ) from None

    return checked  # type: ignore[return-value]
