import subprocess
import sys

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
        "class Model(BaseModel): x: int\n"  # the first model imports more of pydantic
        "before = set(sys.modules)\n"
        "from output_parsers.string import StrOutputParser\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    new = set(subprocess.check_output([sys.executable, "-c", code], text=True).split())
    assert "output_parsers.string" in new
    assert not new & HEAVY


def test_importing_builds_no_validator() -> None:
    code = (
        "from output_parsers import *\n"
        "for model in BaseTransformOutputParser[str], StrOutputParser, JsonOutputParser:\n"
        "    print(model.__pydantic_complete__)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == ["False"] * 3
