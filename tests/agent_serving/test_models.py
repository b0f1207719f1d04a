"""The model classes for other frameworks refuse what is wrong when they are built."""

from importlib import import_module
from typing import Any

import pytest

LARGE = "llama-index-core is not installed, not even in CI: it is large"
CLASSES = [
    ("agents", "openai_agents", "AgentsDialectModel"),
    ("llama_index.core", "llama_index", "DialectLLM"),
    ("pydantic_ai", "pydantic_ai", "DialectModel"),
    ("smolagents", "smolagents", "SmolDialectModel"),
]


@pytest.fixture(params=CLASSES, ids=lambda names: names[2])
def kind(request: pytest.FixtureRequest) -> Any:
    framework, module, name = request.param
    pytest.importorskip(framework, reason=LARGE if module == "llama_index" else None)
    return getattr(import_module(f"agent_serving.{module}"), name)


class Client:
    """A client, which is no function."""


@pytest.mark.parametrize("model", [Client(), "openai:gpt-5"])
def test_a_model_that_cannot_be_called_is_refused(kind: Any, model: object) -> None:
    with pytest.raises(TypeError, match="expected a function that calls the model, not"):
        kind(model=model, dialect="hermes")


def test_a_wrong_dialect_is_refused(kind: Any) -> None:
    with pytest.raises(ValueError, match="there is no dialect 'hermse'"):
        kind(model=print, dialect="hermse")
