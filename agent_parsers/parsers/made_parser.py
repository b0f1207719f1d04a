"""The base class of parsers that make their dialect from other fields."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Self

from pydantic import model_validator
from typing_extensions import override

from agent_parsers.parsers.dialect_parser import DialectParser

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.dialect import Dialect

__all__ = ["MadeParser"]


class MadeParser(DialectParser[Any]):
    """A parser whose dialect is made from its other fields, also after copying or unpickling."""

    @abstractmethod
    def _make(self) -> Dialect:
        """Return the dialect that the fields describe."""

    @model_validator(mode="after")
    def _set_dialect(self) -> Self:
        self.__dict__["dialect"] = self._make()  # an assignment would be validated again
        return self

    @override
    def __getstate__(self) -> dict[Any, Any]:
        state = super().__getstate__()
        fields = {name: value for name, value in state["__dict__"].items() if name != "dialect"}
        return {**state, "__dict__": fields}

    @override
    def __setstate__(self, state: dict[Any, Any]) -> None:
        super().__setstate__(state)
        self.__dict__["dialect"] = self._make()
