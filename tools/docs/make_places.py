"""Writes docs/moved.md: where public names are that had another place: ``[--check]``.

``names-before-0.1.json`` has the names of the modules then. A name that is still there has no row.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "moved.md"
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
    """Write the page, or with ``--check`` say whether it is out of date."""
    if (text := moved()) == PAGE.read_text("utf-8"):
        return 0
    if "--check" in sys.argv[1:]:
        print("docs/moved.md is out of date: run `make reference`")
        return 1
    PAGE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
