"""What two faces do alike with the fields of a request that are not about the conversation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from agent_serving.serve.faces.fields import Fields

_PASSED_ON: Final[Mapping[str, tuple[type, ...]]] = {
    "temperature": (float,), "top_p": (float,), "top_k": (int,), "min_p": (float,),
    "seed": (int,), "frequency_penalty": (float,), "presence_penalty": (float,),
    "repetition_penalty": (float,), "logit_bias": (Mapping,), "chat_template_kwargs": (Mapping,),
}  # fmt: skip
"""How a model samples, with the kinds of the values. Servers take more than the APIs have."""

_ReadT = TypeVar("_ReadT", bound=Callable[..., Any])


def taken_settings(fields: Fields, **own: Any) -> dict[str, Any]:
    """Return the settings to pass on: those in *fields* and the face's *own*, without nulls."""
    passed = {name: fields.take(name, *kinds) for name, kinds in _PASSED_ON.items()}
    return {name: value for name, value in {**own, **passed}.items() if value is not None}


def unknown_fields(fields: Fields, ignored: Sequence[str]) -> list[str]:
    """Return a warning for each of *fields* that was not taken and is not *ignored*.

    They are not refused: new clients send new fields, most of which say nothing about the reply.
    """
    left = fields.rest(ignored)
    return [f"{fields.at(name)} is dropped: this server does not know it" for name in left]


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
