"""A stand-in for the part of OpenTelemetry that the pages use; it records what it is given."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest


class Recorded:
    """The spans and the counts."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, dict[str, Any]]] = []
        self.counts: list[tuple[str, int, dict[str, Any]]] = []

    @contextmanager
    def start_as_current_span(self, name: str, **options: Any) -> Iterator[Any]:
        known: dict[str, Any] = {}
        self.spans.append((name, known))
        yield SimpleNamespace(
            set_attribute=known.__setitem__,
            set_status=lambda status: known.update(status=status),
        )

    def create_counter(self, name: str, **options: Any) -> Any:
        return SimpleNamespace(add=lambda count, at: self.counts.append((name, count, at)))

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Make ``import opentelemetry`` import this."""
        modules = {
            "trace": {
                "get_tracer": lambda _name: self,
                "SpanKind": SimpleNamespace(INTERNAL="internal"),
                "StatusCode": SimpleNamespace(ERROR="error"),
            },
            "metrics": {"get_meter": lambda _name: self},
        }
        package = ModuleType("opentelemetry")
        monkeypatch.setitem(sys.modules, "opentelemetry", package)
        for name, contents in modules.items():
            module = ModuleType(f"opentelemetry.{name}")
            vars(module).update(contents)
            setattr(package, name, module)
            monkeypatch.setitem(sys.modules, f"opentelemetry.{name}", module)
