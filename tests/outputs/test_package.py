"""The package as a whole: what it exports, and what importing it loads."""

import json
import subprocess
import sys

import pytest

import outputs

HEAVY = {"asyncio", "defusedxml", "jsonpatch", "langchain_core", "pytest", "regex", "typer", "yaml"}


def test_what_reads_json_is_public_with_all_its_errors() -> None:
    for name in outputs._MODULES:
        assert getattr(outputs, name).__doc__ or name == "Ended", name  # a type alias
    assert set(outputs._MODULES) <= set(dir(outputs))
    for error in (outputs.JsonSyntaxError, outputs.JsonIncompleteError, outputs.JsonLimitError):
        assert issubclass(error, outputs.JsonError)
    assert issubclass(outputs.JsonError, json.JSONDecodeError)
    with pytest.raises(AttributeError, match="has no attribute 'JsonWriter'"):
        _ = outputs.JsonWriter


def modules_after(code: str) -> set[str]:
    """Return the modules that a new interpreter has loaded after *code*."""
    code += "\nimport json, sys; print(json.dumps(list(sys.modules)))"
    return set(json.loads(subprocess.check_output([sys.executable, "-c", code], text=True)))


def test_importing_it_stays_light() -> None:
    loaded = modules_after("import outputs")
    assert not loaded & HEAVY
    assert not {name for name in loaded if name.startswith("outputs.growing_json")}, (
        "read at first use"
    )
    shapes = {name for name in loaded if name.startswith("outputs.clients.")}
    assert not shapes, "imported at first use"


def test_classes_are_built_at_first_use() -> None:
    code = "import outputs, sys; sys.exit(outputs.AIMessage.__pydantic_complete__)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
