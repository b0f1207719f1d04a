"""Writes how each form of a conversation is taken into docs/conversations.md: ``[--check]``.

All dialects are tried, which takes a minute.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from agent_laws.laws.closure import how_it_is_taken, prompts_with, to_apis
from agent_laws.trials.conversations import TOOLS, Called, conversations, native_conversations
from agent_parsers import get_dialect, get_parser, list_dialects

if TYPE_CHECKING:
    from agent_laws.trials.conversations import Returned

PAGE: Final = Path(__file__).parents[2] / "docs" / "conversations.md"
BEGIN, END = "<!-- forms: tools/docs/make_forms.py -->\n", "<!-- end of forms -->\n"
OWN, OTHERS, APIS = "a prompt of the same dialect", "of the others", "native calls and APIs"
_MOST: Final = 6
"""How many dialects a cell names."""
HEAD: Final = f"| form | {OWN} | {OTHERS} | {APIS} |\n|---|---|---|---|\n"


def taken(names: Iterable[str]) -> dict[str, dict[str, dict[str, set[str]]]]:
    """Return by form, and by who takes it, which dialects take it in which way."""
    found: dict[str, dict[str, dict[str, set[str]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(set))
    )
    every = list_dialects()
    for name in names:
        place = every.index(name)
        for each in conversations(get_dialect(name)):
            others = every[(place * 7 + 13) % len(every)], every[(place + 40) % len(every)]
            for taker in (name, *others):
                column = OWN if taker == name else OTHERS
                found[each.form][column][_in_prompt(each, taker)].add(taker)
            for write in to_apis(each):
                how = how_it_is_taken(each, write, get_parser(name))
                found[each.form][APIS][how].add(name)
        for each in native_conversations():
            found[each.form][OTHERS][_in_prompt(each, name)].add(name)
    for each in native_conversations():
        for write in to_apis(each):
            found[each.form][APIS][how_it_is_taken(each, write)].add("")
    return found


def _in_prompt(given: Returned, taker: str) -> str:
    called = (each.tool for each in given.meaning if isinstance(each, Called))
    known = [tool.__name__ for tool in TOOLS]
    tools = [*TOOLS, *(name for name in called if name not in known)]
    parser = get_parser(taker, tools=tools)
    ways = {
        how_it_is_taken(given, write, get_parser(taker)) for write in prompts_with(parser, given)
    }
    return "in words" if "in words" in ways else "same"


def rows() -> Iterator[str]:
    """Yield the rows of the table; forms that are taken alike have one."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for form, columns in taken(list_dialects()).items():
        cells = tuple(_cell(columns.get(column, {})) for column in (OWN, OTHERS, APIS))
        alike.setdefault(cells, []).append(form)
    for cells, forms in alike.items():
        yield f"| {' | '.join([', '.join(forms), *cells])} |\n"


def _cell(ways: dict[str, set[str]]) -> str:
    told = sorted(ways.get("in words", ()))
    named = (
        ", ".join(f"`{name}`" for name in told) if len(told) <= _MOST else f"{len(told)} dialects"
    )
    said = ["same"] if "same" in ways else []
    return "; ".join([*said, *([f"in words in {named}"] if told else [])]) or "—"


def main() -> int:
    """Write the page, or with ``--check`` return 1 if it is out of date."""
    text = PAGE.read_text("utf-8")
    head, _, rest = text.partition(BEGIN)
    made = f"{head}{BEGIN}{HEAD}{''.join(rows())}{END}{rest.partition(END)[2]}"
    if "--check" not in sys.argv:
        PAGE.write_text(made, "utf-8")
    elif made != text:
        print("docs/conversations.md is out of date: run `make forms`")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
