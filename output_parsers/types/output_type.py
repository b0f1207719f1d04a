"""The result type of a generic parser, from the type arguments of its class and its parents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from typing_extensions import NoDefault

if TYPE_CHECKING:
    from pydantic import BaseModel


def output_type_of(cls: type[BaseModel], root: type[BaseModel]) -> Any:
    """Return the type argument of *root* in *cls*, a subclass, or the default of its variable.

    Arguments are followed through the generic classes between the two::

        class ListParser(BaseOutputParser[list[T]]): ...

        output_type_of(ListParser[int], BaseOutputParser)  # list[int]

    Raises:
        TypeError: *cls* does not specify the type argument.
    """
    found = _argument(cls, root)
    if isinstance(found, TypeVar):
        default = getattr(found, "__default__", NoDefault)
        if default is not NoDefault:
            return default
        raise TypeError(
            f"Runnable {cls.__name__} doesn't have an inferable OutputType. "
            "Override the OutputType property to specify the output type."
        )
    return found


def _argument(cls: type[BaseModel], root: type[BaseModel]) -> Any:
    if cls is root:
        return root.__pydantic_generic_metadata__["parameters"][0]
    metadata = cls.__pydantic_generic_metadata__
    origin = metadata["origin"]
    if origin is None:
        parent = next(base for base in cls.__bases__ if issubclass(base, root))
        return _argument(parent, root)
    parameters = origin.__pydantic_generic_metadata__["parameters"]
    meaning = dict(zip(parameters, metadata["args"], strict=True))
    found = _argument(origin, root)
    if isinstance(found, TypeVar):
        return meaning.get(found, found)
    inner = getattr(found, "__parameters__", ())
    return found[tuple(meaning.get(name, name) for name in inner)] if inner else found
