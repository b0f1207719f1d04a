"""A place in LangChain's pipelines, without importing LangChain.

``model | parser`` is decided by the model. LangChain takes its own `Runnable` as a step that
streams, and any other callable as a function that is called once the stream has ended. A class
that is registered with LangChain's (`abc.ABCMeta.register`) counts as its own, so that chunks reach
our parsers as they arrive. That can be done only when LangChain has been imported, so it is tried
whenever one of our runnables is made. A runnable that is older than LangChain's import still works
as a step, as a function: its result comes in one piece.
"""

from __future__ import annotations

import sys
from typing import Any

_MODULE = "langchain_core.runnables.base"


def runnable_class() -> Any:
    """Return LangChain's `Runnable`, or None if LangChain is not imported, or not yet wholly."""
    return getattr(sys.modules.get(_MODULE), "Runnable", None)


def _required() -> Any:
    found = runnable_class()
    if found is None:
        raise RuntimeError("only LangChain can answer this, and it has not been imported")
    return found


class LangChainStep:
    """What LangChain asks of a step to describe and draw its pipeline.

    It answers itself: a `RuntimeError` is raised where LangChain has not been imported.
    """

    _is_registered = False

    @property
    def config_specs(self) -> list[Any]:
        """What can be configured: nothing."""
        return []

    @property
    def InputType(self) -> Any:  # noqa: N802 - the name is LangChain's
        """The type of what `invoke` takes."""
        return Any

    @property
    def OutputType(self) -> Any:  # noqa: N802 - the name is LangChain's
        """The type of what `invoke` returns."""
        return Any

    def get_input_schema(self, config: Any = None) -> Any:
        """Return a model of what `invoke` takes."""
        return _required().get_input_schema(self, config)

    def get_input_jsonschema(self, config: Any = None) -> Any:
        """Return the JSON Schema of what `invoke` takes."""
        return _required().get_input_jsonschema(self, config)

    def get_output_schema(self, config: Any = None) -> Any:
        """Return a model of what `invoke` returns."""
        return _required().get_output_schema(self, config)

    def get_output_jsonschema(self, config: Any = None) -> Any:
        """Return the JSON Schema of what `invoke` returns."""
        return _required().get_output_jsonschema(self, config)

    def get_graph(self, config: Any = None) -> Any:
        """Return the drawing of this step."""
        return _required().get_graph(self, config)
