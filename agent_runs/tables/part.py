"""One kind of part of a message, as a line of a table, and paths into data of JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, Union, get_args

from agent_runs.reading.parts import call_of, result_of

if TYPE_CHECKING:
    from agent_runs.reading.said import SaidCall, SaidResult

Path: TypeAlias = Union[str, Callable[[Any], Any]]  # noqa: UP007 - evaluated at import
"""Where a value stands.

``"a.b"`` is the key ``b`` of the key ``a``, ``"a.0"`` the first item of the list ``a``, ``"a.-1"``
its last, ``"a[].b"`` the key ``b`` of each of its items, ``"a[].b[]"`` the items of all lists ``b``
in one list, ``"a{}"`` the values of the object ``a``, ``""`` the value itself. ``"a!.b"`` is the
key ``b`` of the object that stands under ``a`` as JSON text. ``"a|b"`` is the first of the two that
is there and not null, ``"=word"`` always ``word``. ``"a=word"`` is true if ``a`` is ``word``, or a
list that has it, and else nothing. What no path says, a function does."""


def at(value: Any, path: Path) -> Any:
    """Return the value at *path* in *value*; `None` if there is none."""
    if callable(path):
        return path(value)
    for alternative, keys in _alternatives(path):
        found = _below(value, keys) if keys else _at(value, alternative)
        if found is not None:
            return found
    return None


@cache
def _alternatives(path: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the alternatives in a *path*, each with its keys if it has nothing but keys."""
    each = path.split("|")
    return tuple((way, tuple(way.split(".")) if _are_keys(way) else ()) for way in each)


_are_keys: Final = re.compile(r"[A-Za-z_$][\w$-]*+(?>(?:\.[A-Za-z_$][\w$-]*+)*)\Z").match


def _below(value: Any, keys: tuple[str, ...]) -> Any:
    """Return what stands below *keys* of *value*; most paths are nothing else."""
    for key in keys:
        if not isinstance(value, (dict, Mapping)):  # the first is quicker
            return None
        value = value.get(key)
    return value


def _at(value: Any, path: str) -> Any:
    path, is_compared, word = path.partition("=")
    if is_compared and not path:
        return word
    if is_compared:
        found = _at(value, path)
        return True if found == word or (isinstance(found, list) and word in found) else None
    key, _, rest = path.partition(".")
    name = key.rstrip("[]{}!")
    if name and isinstance(value, list):
        value = _item(value, name)
    elif name:
        value = value.get(name) if isinstance(value, Mapping) else None
    if key.endswith("!"):
        value = loaded(value)
    elif key.endswith("{}"):
        value = [*value.values()] if isinstance(value, Mapping) else None
    elif key.endswith("[]"):
        if not isinstance(value, list):
            return None
        found = [_at(each, rest) for each in value]
        return [item for each in found for item in each or ()] if "[]" in rest else found
    return _at(value, rest) if rest and value is not None else value


def _item(items: list[Any], number: str) -> Any:
    """Return the item with this *number*, which counts from the end if it is negative."""
    if not number.removeprefix("-").isdecimal():
        return None
    at = int(number)
    return items[at] if -len(items) <= at < len(items) else None


def loaded(value: Any) -> Any:
    """Return *value*, or the list or object in it if it is JSON text."""
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


What: TypeAlias = Literal[
    "text", "thought", "call", "result", "answer", "system", "error", "refusal", "nothing"
]


def check_word(word: str, words: Any, of: str) -> None:
    """Check that a *word* in a table is one of *words*, a literal type with the kinds *of* a thing.

    Raises:
        ValueError: It is not one of them; the message lists them all.
    """
    known = get_args(words)
    if word not in known:
        raise ValueError(f"{word!r} is not a kind of {of}: the kinds are {', '.join(known)}")


@dataclass(frozen=True)
class MessagePart:
    """One kind of part of a message: its text, a thought, a call, or what a tool returned."""

    what: What
    """What it is. ``"answer"`` is a call whose arguments are the answer of the run, ``"system"``
    what the program says, which is no question and no answer, ``"error"`` what the program reports
    that went wrong, ``"refusal"`` the words in which the model refused, which fail a step,
    ``"nothing"`` what holds no text."""
    type: str = ""
    """The types that such a part has, as in ``"tool-call|dynamic-tool"``; a ``*`` at the end stands
    for any name, which is then that of the tool."""
    key: Path = ""
    """Without a type: where only such a part has a value."""
    at: Path | None = None
    """Where in the message such parts stand, one or a list; by default in its content. ``""`` is
    the message itself."""
    of: Path | None = None
    """Where in the part its text stands, or the object with the call or the result; by default at
    its key. ``""`` is the part itself."""
    name: Path = "name"
    arguments: Path | tuple[str, ...] | None = "arguments"
    """Where a call has its arguments; `None` if the log does not show them. Several keys are those
    of the call that are its arguments, of which it may lack some."""
    id: Path = "id"
    output: Path = ""
    """What the tool returned. A call may have it too."""
    failed: Path = ""
    """Where there is something true if the tool failed, such as ``"is_error"``."""
    is_text: bool = False
    """Whether arguments that are text are no JSON."""
    unwrap: tuple[str, ...] = ()
    """Keys that may stand around what a tool returned, each alone in its object."""
    where: Callable[[Any], bool] | None = None
    """Returns whether a part is of this kind, if type and key do not tell."""
    is_sign: bool = True
    """Whether only this form of messages has it."""

    def __post_init__(self) -> None:
        check_word(self.what, What, "part of a message")

    def fits(self, part: Any, type_key: Path) -> bool:
        """Return whether *part* is of this kind."""
        if self.type:
            kind = at(part, type_key)
            names = self.type.split("|")
            if not isinstance(kind, str) or not any(_is_type(kind, name) for name in names):
                return False
        elif self.key and at(part, self.key) is None:
            return False
        return self.where is None or self.where(part)

    def value_of(self, part: Any) -> Any:
        """Return the text of *part*, or the object with the call or the result."""
        return at(part, self.key if self.of is None else self.of)

    def called(self, part: Any, type_key: Path) -> SaidCall:
        """Return *part* as a call."""
        value = self.value_of(part)
        name = at(value, self.name)
        if name is None and self.type.endswith("*"):
            name = at(part, type_key).removeprefix(self.type.rpartition("|")[2][:-1])
        given: Any
        if isinstance(self.arguments, tuple):
            given = {key: value[key] for key in self.arguments if key in value}
            if not given:
                raise KeyError(self.arguments[0])
        else:
            given = at(value, self.arguments) if self.arguments is not None else None
        call = {"name": name, "arguments": given, "id": at(value, self.id)}
        return call_of(call, is_text=self.is_text)._replace(has_input=self.arguments is not None)

    def returned(self, part: Any) -> SaidResult | None:
        """Return the result of a tool in *part*; `None` if there is none."""
        value = self.value_of(part)
        output = at(value, self.output)
        if output is None and self.what == "call":
            return None
        if isinstance(output, list) and len(output) == 1:
            [inner] = output
            output = inner if isinstance(inner, Mapping) and {*inner} <= {*self.unwrap} else output
        if isinstance(output, Mapping) and len(output) == 1 and {*output} <= {*self.unwrap}:
            [output] = output.values()
        failed = at(value, self.failed) if self.failed else False
        return result_of(output, at(value, self.id), at(value, self.name), failed)


def _is_type(kind: str, name: str) -> bool:
    return kind.startswith(name[:-1]) if name.endswith("*") else kind == name
