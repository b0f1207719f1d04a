"""Taking the fields of a request out of its body, with errors that name the field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

_KINDS: Final = {
    bool: "true or false", int: "a whole number", str: "a text", list: "a list",
    Mapping: "an object",
}  # fmt: skip


class Fields:
    """The fields of the body of a request; each is taken once, and the rest is what is left.

    Args:
        body: The body.
    """

    def __init__(self, body: Mapping[str, Any]) -> None:
        self._rest = dict(body)

    def refuse(self, refused: Mapping[str, str]) -> None:
        """Check that none of the *refused* fields is there, which say what is wrong.

        Raises:
            ValueError: One is.
        """
        for name, why in refused.items():
            if self._rest.pop(name, None) not in (None, [], {}, False):
                raise ValueError(f"`{name}` {why}")

    def take(self, name: str, *kinds: type) -> Any:
        """Return the field with this *name*, of one of *kinds*; `None` if it is missing or null.

        Raises:
            ValueError: It is of another kind.
        """
        value = self._rest.pop(name, None)
        is_bool = isinstance(value, bool) and bool not in kinds
        if value is not None and (is_bool or not isinstance(value, kinds)):
            words = " or ".join(_KINDS[kind] for kind in kinds)
            raise ValueError(f"`{name}` is {words}, not {value!r:.100}")
        return value

    def take_stop(self, name: str) -> list[str]:
        """Return the field of stop sequences: a text, or a list of texts.

        Raises:
            ValueError: It is something else.
        """
        value = self.take(name, str, list) or []
        stop = [value] if isinstance(value, str) else value
        if not all(isinstance(each, str) and each for each in stop):
            raise ValueError(f"`{name}` is a text or a list of texts, none of them empty")
        return list(stop)

    def rest(self, left_out: Sequence[str]) -> dict[str, Any]:
        """Return what is left and not null, without the names that are *left_out*."""
        return {
            name: value
            for name, value in self._rest.items()
            if name not in left_out and value is not None
        }


def json_schema_in(form: Any, name: str) -> Mapping[str, Any]:
    """Return the JSON Schema in the *form* of an answer, which stands in the field *name*.

    Raises:
        ValueError: There is none.
    """
    schema = form.get("schema") if isinstance(form, Mapping) else None
    if not isinstance(schema, Mapping):
        raise ValueError(f"`{name}` has a `schema`, which is a JSON Schema")  # noqa: TRY004
    return schema


def check_choice(choice: str, tools: Sequence[Any]) -> str:
    """Return a *choice* that is a word.

    Raises:
        ValueError: It is no such word, or a call is required and there are no tools.
    """
    if choice not in ("auto", "none", "required"):
        raise ValueError(
            f"`tool_choice` is auto, none, required or an object that names a tool, not {choice!r}"
        )
    if choice == "required" and not tools:
        raise ValueError("`tool_choice` requires a call, and there is no tool to call")
    return choice


def check_names(chosen: Sequence[str], names: Sequence[str]) -> None:
    """Check that the tools that are *chosen* are among the *names* of those that are sent.

    Raises:
        ValueError: One is not.
    """
    for name in chosen:
        if name not in names:
            known = ", ".join(names) or "there are none"
            raise ValueError(f"`tool_choice` names {name!r}, which is not in `tools`: {known}")
