"""Response templates of all dialects: ``python -m tools.benchmarks.response_templates``.

It prints a table in Markdown: whether a dialect has a template or why not, whether vLLM and SGLang
take it, and of the turns that are hard to read how many our reader of templates, and transformers,
read as the dialect does (``same``), refuse (``refused``), or read in another way (``other``).
Turns whose inputs quote a whole call of the dialect are among them.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from agent_parsers import (
    get_dialect,
    get_parser,
    list_dialects,
)
from agent_serving.templates import TemplateError, from_response_template, response_template
from tests.helpers.response_templates import reading, theirs, turn_texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.helpers.response_templates import Reading


def compared(read: Callable[[str], Reading | str], name: str) -> str:
    """Return how *read* does on turns of the dialect *name*: same / refused / other."""
    parser: Any = get_parser(name, lenient=False)
    counts: Counter[str] = Counter()
    for text in turn_texts(get_dialect(name)):
        found = read(text)
        kind = "refused" if isinstance(found, str) else "other"
        counts["same" if found == reading(parser, text) else kind] += 1
    return f"{counts['same']} / {counts['refused']} / {counts['other']}"


def is_served(template: dict[str, Any]) -> bool:
    """Return whether vLLM and SGLang take the template: their content is text as it is."""
    return bool(template["fields"]["content"]["content"] == "text")


def main() -> None:
    has_transformers = find_spec("transformers") is not None
    print("| dialect | template | servers | ours: same / refused / other | transformers |")
    print("|---|---|---|---|---|")
    exported = 0
    for name in list_dialects():
        try:
            template = response_template(name)
        except TemplateError as error:
            print(f"| {name} | no: {str(error).partition(': ')[2]} | | | |")
            continue
        exported += 1
        parser = from_response_template(template, name=name)
        ours = compared(partial(reading, parser), name)
        other = compared(partial(theirs, template), name) if has_transformers else "–"
        print(f"| {name} | yes | {'yes' if is_served(template) else 'no'} | {ours} | {other} |")
    print(f"\n{exported} of {len(list_dialects())} dialects have a template.")


if __name__ == "__main__":
    main()
