"""Draws the pictures of a report: ``make pictures``, with Chromium on the PATH.

A page that is opened shows its runs folded; in the pictures the second one is open.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

DOCS = Path(__file__).resolve().parents[2] / "docs"
RUNS = DOCS.parent / "examples" / "mill_runs.jsonl"
SIZE = "860,1160"
"""Width and height, in pixels."""
PICTURES: dict[str, list[str]] = {"report.png": [], "report-dark.png": ["--force-dark-mode"]}
"""The files, with what the browser is told."""


def page() -> str:
    """Return a report in which the second run is open, and its first step as it was written."""
    command = [sys.executable, "-m", "agent_parsers", "report", RUNS.name]
    done = subprocess.run(command, cwd=RUNS.parent, stdout=subprocess.PIPE, text=True, check=False)
    before, mark, after = done.stdout.partition('id="r2"')
    opened = after.replace('class="ap-more"', 'class="ap-more" open')
    return f"{before}{mark} open{opened}"


def main() -> int:
    """Draw all."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        print("Chromium is needed", file=sys.stderr)
        return 1
    with TemporaryDirectory() as folder:
        file = Path(folder, "report.html")
        file.write_text(page(), "utf-8")
        for name, told in PICTURES.items():
            subprocess.run(
                [
                    *(browser, "--headless=new", "--no-sandbox", "--hide-scrollbars", *told),
                    *(f"--window-size={SIZE}", f"--screenshot={DOCS / name}", file.as_uri()),
                ],
                stderr=subprocess.DEVNULL,
                check=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
