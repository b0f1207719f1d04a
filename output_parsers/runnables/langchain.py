"""Support for LangChain's pipelines without importing LangChain.

In ``model | parser`` the model decides how to call the parser. LangChain streams through instances
of its own `Runnable`, and calls any other callable as a function once the stream has ended. A class
that is registered with LangChain's `Runnable` (`abc.ABCMeta.register`) counts as an instance, so
chunks reach our parsers as they arrive. Registration requires that LangChain has been imported, so
it is tried whenever one of our runnables is created. A runnable created before LangChain was
imported still works as a function: its result arrives in one piece.
"""

from __future__ import annotations

import sys
from typing import Any

_MODULE = "langchain_core.runnables.base"


def runnable_class() -> Any:
    """Return LangChain's `Runnable`, or `None` if LangChain has not been (fully) imported."""
    return getattr(sys.modules.get(_MODULE), "Runnable", None)


def _required() -> Any:
    found = runnable_class()
    if found is None:
        raise RuntimeError("only LangChain can answer this, and it has not been imported")
    return found


class LangChainStep:
    """The methods by which LangChain describes and draws a pipeline.

    They call LangChain itself and raise a `RuntimeError` if it has not been imported.
    """

    _is_registered = False

    @property
    def config_specs(self) -> list[Any]:
        """The configurable options: an empty list."""
        return []

    @property
    def InputType(self) -> Any:  # noqa: N802 - the name is LangChain's
        """The input type of `invoke`."""
        return Any

    @property
    def OutputType(self) -> Any:  # noqa: N802 - the name is LangChain's
        """The return type of `invoke`."""
        return Any

    def get_input_schema(self, config: Any = None) -> Any:
        """Return a pydantic model of the input of `invoke`."""
        return _required().get_input_schema(self, config)

    def get_input_jsonschema(self, config: Any = None) -> Any:
        """Return the JSON Schema of the input of `invoke`."""
        return _required().get_input_jsonschema(self, config)

    def get_output_schema(self, config: Any = None) -> Any:
        """Return a pydantic model of the result of `invoke`."""
        return _required().get_output_schema(self, config)

    def get_output_jsonschema(self, config: Any = None) -> Any:
        """Return the JSON Schema of the result of `invoke`."""
        return _required().get_output_jsonschema(self, config)

    def get_graph(self, config: Any = None) -> Any:
        """Return the graph of this step."""
        return _required().get_graph(self, config)
