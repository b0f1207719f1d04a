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
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from output_parsers.runnables.step import RunnableConfig

_MODULE = "langchain_core.runnables.base"

ONLY_LANGCHAINS: Final = frozenset(
    {
        "abatch_as_completed", "as_tool", "assign", "astream_events", "astream_log",
        "batch_as_completed", "bind", "config_schema", "get_config_jsonschema", "get_prompts",
        "input_schema", "map", "output_schema", "pick", "stream_events", "with_alisteners",
        "with_config", "with_fallbacks", "with_listeners", "with_retry", "with_types",
    }
)  # fmt: skip
"""The names that LangChain's runnables have, and ours do not."""

ONLY_LANGCHAINS_PARSERS: Final = frozenset(
    {
        "configurable_alternatives", "configurable_fields", "get_lc_namespace",
        "is_lc_serializable", "lc_attributes", "lc_id", "lc_secrets", "to_json",
        "to_json_not_implemented",
    }
)  # fmt: skip
"""The other names that LangChain's output parsers have, and ours do not."""


def runnable_class() -> Any:
    """Return LangChain's `Runnable`, or `None` if LangChain has not been (fully) imported."""
    return getattr(sys.modules.get(_MODULE), "Runnable", None)


def is_langchains(config: RunnableConfig | None) -> bool:
    """Return whether *config* is from a LangChain pipeline that runs one of our runnables.

    It then has a manager of callbacks, where callers write a list of callbacks.
    """
    if config is None or "callbacks" not in config:
        return False
    module = sys.modules.get("langchain_core.callbacks.base")
    manager = getattr(module, "BaseCallbackManager", ())
    return isinstance(config["callbacks"], manager)


def check_not_langchains(runnable: object, name: str) -> None:
    """Check that *name*, which *runnable* lacks, is not one that a LangChain runnable has.

    Raises:
        AttributeError: LangChain's runnables have it; the message says how to get one.
    """
    is_parser = hasattr(type(runnable), "as_langchain")
    if name not in ONLY_LANGCHAINS and not (is_parser and name in ONLY_LANGCHAINS_PARSERS):
        return
    theirs = (
        "parser.as_langchain()"
        if is_parser
        else "langchain_core.runnables.RunnableLambda(step.invoke, step.ainvoke)"
    )
    raise AttributeError(
        f"{type(runnable).__name__!r} object has no attribute {name!r}, which only LangChain has: "
        f"use {theirs}.{name}"
    )


@contextmanager
def needs_langchain() -> Iterator[None]:
    """Say what to install if the imports in this context fail.

    Raises:
        ImportError: LangChain is not installed.
    """
    try:
        yield
    except ImportError as error:
        raise ImportError(
            'as_langchain() needs langchain-core: pip install "agent-parsers[langchain]"',
            name=error.name,
        ) from error


def _required() -> Any:
    found = runnable_class()
    if found is None:
        raise RuntimeError("this method needs LangChain: import langchain_core first")
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
