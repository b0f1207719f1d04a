import subprocess
import sys
from pathlib import Path
from types import FunctionType

import pytest

import output_parsers

HEAVY = {
    "asyncio",
    "concurrent.futures",
    "defusedxml",
    "jsonpatch",
    "langchain_core",
    "multiprocessing",
    "pytest",
    "regex",
    "unicodedata",
    "yaml",
}


def test_importing_the_base_layers_stays_light() -> None:
    code = (
        "import sys\nfrom pydantic import BaseModel\n"
        "class Model(BaseModel): x: int\n"  # at its first model pydantic imports the rest of itself
        "before = set(sys.modules)\n"
        "from output_parsers.string import StrOutputParser\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    new = set(subprocess.check_output([sys.executable, "-c", code], text=True).split())
    assert "output_parsers.string" in new
    assert not new & HEAVY


def test_importing_builds_no_validator() -> None:
    code = (
        "from output_parsers import BaseTransformOutputParser, StrOutputParser\n"
        "for model in BaseTransformOutputParser[str], StrOutputParser:\n"
        "    print(model.__pydantic_complete__)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == ["False"] * 2


def test_everything_public_is_listed_once_and_documented() -> None:
    assert sorted(output_parsers.__all__) == sorted(set(output_parsers.__all__))
    for name in output_parsers.__all__:
        value = getattr(output_parsers, name)
        assert value.__doc__ or not isinstance(value, type | FunctionType), name


def test_what_is_imported_late_is_what_its_module_has() -> None:
    assert set(output_parsers._MODULES) <= set(output_parsers.__all__) <= set(dir(output_parsers))
    with pytest.raises(AttributeError, match="has no attribute 'JsonParser'"):
        _ = output_parsers.JsonParser


def test_the_package_has_types() -> None:
    assert (Path(output_parsers.__file__).parent / "py.typed").exists()
