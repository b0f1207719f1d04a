"""Writes where public names are, and where those are that had another place: ``[--check]``.

The first is a table in docs/troubleshooting.md, the second docs/moved.md. ``names-before-0.1.json``
has the names of the modules then. A name that is still there has no row.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs"
PAGE = DOCS / "moved.md"
NEW = (
    "agent_parsers", "agent_parsers.transcripts", "agent_parsers.testing", "agent_runs",
    "agent_runs.bulk", "agent_laws", "agent_laws.laws", "agent_serving.templates",
    "agent_serving.openai_reply",
)  # fmt: skip
"""The modules that may have a name now; the first that has it counts."""
HEAD = """\
<!-- Written by tools/docs/make_places.py. -->
# Moved

Before 0.1.0, logs of runs, server plugins, templates and laws were rooms of `agent_parsers`. They
are packages of their own now, in the same distribution. This page is kept until 0.2.

The plugins of vLLM, SGLang and verl, `agent_parsers.serving.vllm` and its siblings, are
`agent_serving.vllm`, `agent_serving.sglang` and `agent_serving.verl`; servers find them by
themselves.

| from | names | now in |
|---|---|---|
"""


PACKAGES = (
    "agent_parsers", "output_parsers", "outputs", "agent_runs", "agent_laws",
    "agent_parsers.testing", "agent_parsers.authoring", "agent_parsers.events",
    "agent_serving.templates",
)  # fmt: skip
"""The modules whose names the table has."""
BEGIN, END = "<!-- names: tools/docs/make_places.py -->\n", "<!-- end of names -->\n"
TROUBLE = DOCS / "troubleshooting.md"


def table() -> str:
    """Return the table of names."""
    rows = (
        f"| `{each}` | {', '.join(f'`{n}`' for n in import_module(each).__all__)} |\n"
        for each in PACKAGES
    )
    return "| module | names |\n|---|---|\n" + "".join(rows)


def with_table(text: str) -> str:
    """Return the *text* of a page with the table between its marks."""
    before, _, rest = text.partition(BEGIN)
    return before + BEGIN + table() + END + rest.partition(END)[2]


def moved() -> str:
    """Return the text of docs/moved.md.

    Raises:
        LookupError: A name is nowhere.
    """
    rows: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    old: dict[str, list[str]] = json.loads((HERE / "names-before-0.1.json").read_text("utf-8"))
    for module, names in old.items():
        for name in names:
            if (now := _home(module, name)) != module:
                rows[module, now].append(name)
    lines = (
        f"| `{old}` | {', '.join(f'`{name}`' for name in names)} | `{now}` |\n"
        for (old, now), names in rows.items()
    )
    return HEAD + "".join(lines)


def _home(module: str, name: str) -> str:
    for each in (module, *NEW):
        try:
            if name in getattr(import_module(each), "__all__", ()):
                return each
        except ImportError:  # the old module
            continue
    raise LookupError(f"{module}.{name} is nowhere")


def main() -> int:
    """Write the pages, or with ``--check`` say which are not as they should be."""
    made = {PAGE: moved(), TROUBLE: with_table(TROUBLE.read_text("utf-8"))}
    stale = [path for path, text in made.items() if path.read_text("utf-8") != text]
    for path in stale:
        if "--check" in sys.argv[1:]:
            print(f"docs/{path.name} is out of date: run `make reference`")
        else:
            path.write_text(made[path], "utf-8")
    return 1 if stale and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
