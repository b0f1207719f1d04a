"""Checks types from the outside: ``python -m tests.check_types``, or ``make types``.

mypy and pyright check what users write, which is the examples, the samples of the pages and
``tests/typing``, and pyright checks how much of each package has a type that is known. The exit
code is 1 if something is wrong; the lines of a sample are those of its page.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .helpers.samples import PAGES, ROOT, missing_engine, samples

KNOWN = 0.98
"""How much of each package has a known type, at least."""


def run(*command: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run *command* in the root of the project, on the packages that are there."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=ROOT, env=env, text=True, check=False, **options)


def main() -> int:
    """Check everything."""
    with TemporaryDirectory() as folder:
        for page in PAGES:
            for number, code in enumerate(samples(page)):
                if missing_engine(code):
                    continue
                name = f"{page.stem.replace('-', '_')}_{number}.py"
                Path(folder, name).write_text(code, "utf-8")
        paths = (Path(folder), ROOT / "examples", ROOT / "tests" / "typing")
        found = (file for path in paths for file in sorted(path.glob("*.py")))
        files = [str(file) for file in found if not missing_engine(file.read_text("utf-8"))]
        checks = (["mypy", "--strict"], ["pyright"])
        failed = [run(*check, *files).returncode != 0 for check in checks]
    for package in (
        "outputs",
        "output_parsers",
        "agent_parsers",
        "agent_runs",
        "agent_serving",
        "agent_laws",
    ):
        command = ("pyright", "--verifytypes", package, "--ignoreexternal", "--outputjson")
        report = json.loads(run(*command, stdout=subprocess.PIPE).stdout)
        known = report["typeCompleteness"]["completenessScore"]
        print(f"{package}: {known:.1%} of the types are known")
        failed.append(known < KNOWN)
    return any(failed)


if __name__ == "__main__":
    sys.exit(main())
