"""What is found, and what is derived, of the chat templates in folders.

Give folders with templates (``*.jinja``, ``tokenizer_config.json``), such as those that public
packages ship; without any, those of TRL are read, if it is installed::

    python -m tools.benchmarks.templates [--laws] [FOLDER …]

Each row has the dialect of this library that reads what the template writes, whether a dialect can
be derived from it, and why not. A derived dialect reads and writes all probes as the template does,
or it is not derived; ``--laws`` also checks it against all laws, which takes half a minute each.
A template that writes calls and is neither found nor derived counts as refused. One that is found
as another dialect than `tools.conformance.leave_one_out` names for its file counts as wrong.
"""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent_laws import check_dialect
from agent_serving.templates import TemplateError, dialect_for_template, dialect_from_template
from tools.conformance.leave_one_out import TEMPLATES

if TYPE_CHECKING:
    from collections.abc import Iterator

_NO_CALLS = ("the template writes no calls", "the template cannot write a turn")
_TOKENS = {"eos_token": "</s>"}


def main() -> None:
    arguments = sys.argv[1:]
    with_laws = "--laws" in arguments
    folders = [Path(each) for each in arguments if each != "--laws"] or list(_trl())
    files = [file for folder in folders for file in _templates(folder)]
    if not files:
        sys.exit("give a folder with chat templates, or install trl")
    known = {stem: name for name, stems in TEMPLATES.items() for stem in stems.split()}
    counts = dict.fromkeys(("write calls", "found", "derived", "refused", "wrong"), 0)
    for file in files:
        template = _read(file)
        found, why_not_found = _found(template)
        derived, why_not_derived = _derived(template, f"derived_{file.stem}", with_laws=with_laws)
        writes_calls = not why_not_found.startswith(_NO_CALLS)
        counts["found"] += bool(found)
        counts["derived"] += bool(derived)
        counts["write calls"] += writes_calls
        counts["refused"] += writes_calls and not found and not derived
        counts["wrong"] += bool(found) and known.get(file.stem) not in (None, *found.split("/"))
        why = "" if derived else why_not_derived
        print(f"{file.stem:34} {found or '-':14} {derived or '-':22} {why[:120]}")
    print(f"\n{len(files)} templates: " + ", ".join(f"{n} {what}" for what, n in counts.items()))


def _trl() -> Iterator[Path]:
    spec = find_spec("trl")
    for place in (spec and spec.submodule_search_locations) or ():
        yield Path(place, "chat_templates")


def _templates(folder: Path) -> list[Path]:
    return sorted([*folder.rglob("*.jinja"), *folder.rglob("tokenizer_config.json")])


def _read(file: Path) -> Any:
    text = file.read_text(encoding="utf-8")
    return json.loads(text) if file.suffix == ".json" else text


def _found(template: Any) -> tuple[str, str]:
    try:
        found = dialect_for_template(template, special_tokens=_TOKENS)
        first = found.candidates[0]
        return "/".join((first.dialect, *first.relatives)), ""
    except TemplateError as error:
        return "", str(error)


def _derived(template: Any, name: str, *, with_laws: bool) -> tuple[str, str]:
    try:
        dialect = dialect_from_template(template, name=name, special_tokens=_TOKENS)
    except TemplateError as error:
        return "", str(error)
    if not with_laws:
        return "derived", ""
    return str(check_dialect(dialect, examples=3)).partition("\n")[0].partition(": ")[2], ""


if __name__ == "__main__":
    main()
