"""Grammars of all dialects in all forms: ``python -m tools.benchmarks.grammars [--sentences 500]``.

It prints tables in Markdown: the size of grammars in kilobytes, the time in milliseconds that
engines take to compile them, how many sentences were drawn and how many failed, because an engine
refused one or strict parsing did not read it as calls of the tools or an answer. There is a row for
each form, with the median and the highest of all dialects, and one for each reason why a grammar is
missing; with ``--all``, one for each dialect and form. With ``--oracle`` it prints what the
structural tags that xgrammar ships for some models say about turns that `render` writes. Times are
CPU times on a busy machine, so only their proportions mean something.
"""

from __future__ import annotations

import argparse
import json
import re
from statistics import median
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_parsers import AgentAction, OutputParserException, get_dialect, get_parser, list_dialects
from agent_parsers.constrain import GrammarError
from agent_parsers.constrain.parts.options import TurnOptions
from agent_parsers.constrain.turns.grammar import turn_grammar
from agent_parsers.toolset import ToolSet
from tests.helpers.grammar_engines import Llguidance, Xgrammar, built_in
from tests.helpers.grammar_samples import Sampler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from agent_parsers.parsers.dialect_parser import AnyDialectParser

FORMS = ("lark", "gbnf", "regex", "structural_tag", "json_schema")
ENGINES: dict[str, dict[str, Callable[[str, Any], Any]]] = {
    "lark": {"llguidance": Llguidance, "xgrammar": Xgrammar},
    "gbnf": {"xgrammar": Xgrammar},
    "regex": {"llguidance": Llguidance, "xgrammar": Xgrammar},
    "structural_tag": {"xgrammar": Xgrammar},
    "json_schema": {"llguidance": Llguidance, "xgrammar": Xgrammar},
}
BUILT_IN = {
    "hermes": "qwen_3", "qwen3_coder": "qwen_3_coder", "kimi_k2": "kimi",
    "deepseek_v3": "deepseek_r1", "deepseek_v31": "deepseek_v3_1", "deepseek_v32": "deepseek_v3_2",
    "deepseek_v41": "deepseek_v4_1", "minimax_m2": "minimax", "minimax_m3": "minimax_m3",
    "glm47": "glm_4_7", "llama3_json": "llama", "harmony": "harmony",
}  # fmt: skip
"""The model whose structural tag xgrammar ships, by dialect."""

SEARCH = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}},
    "required": ["query"],
}
PLAN = {
    "type": "object",
    "properties": {"mode": {"enum": ["fast", "slow"]}, "note": {"type": ["string", "null"]}},
    "required": ["mode"],
}


def tools_for(dialect: str) -> ToolSet:
    """Return two tools, or the one that self-ask has."""
    names = {"Intermediate Answer": {**SEARCH, "properties": {"query": {"type": "string"}}}}
    if dialect != "self_ask":
        names = {"search": SEARCH, "plan": PLAN}
    return ToolSet([{"name": name, "parameters": schema} for name, schema in names.items()])


class Row(NamedTuple):
    """A grammar of a dialect, and what the engines made of it, or why there is none."""

    dialect: str
    form: str
    size: float = 0.0
    """In kilobytes."""
    times: Mapping[str, float] = {}
    """The milliseconds that each engine takes to compile it."""
    sentences: int = 0
    failed: int = 0
    why_not: str = ""

    def __str__(self) -> str:
        cells = [self.dialect, self.form, *["–"] * 4, self.why_not]
        if not self.why_not:
            times = ", ".join(f"{name} {taken:.0f}" for name, taken in self.times.items())
            cells[2:6] = f"{self.size:.1f}", times, str(self.sentences), str(self.failed)
        return f"| {' | '.join(cells)} |"


def rows(dialect: str, count: int) -> list[Row]:
    """Return the rows of a dialect, one for each form."""
    parser = get_parser(get_dialect(dialect), tools=tools_for(dialect), lenient=False)
    return [row for form in FORMS if (row := _row(parser, dialect, form, count))]


def _row(parser: AnyDialectParser, dialect: str, form: Any, count: int) -> Row | None:
    turn: Any = "any"
    try:
        try:
            grammar = parser.grammar(form)
        except GrammarError:
            if form != "json_schema":
                raise
            turn = "call"
            grammar = parser.grammar(form, turn=turn)
    except GrammarError as error:
        reason = str(error).partition(": ")[2]
        return None if form == "json_schema" else Row(dialect, form, why_not=reason)
    text = grammar if isinstance(grammar, str) else json.dumps(grammar, ensure_ascii=False)
    times, compiled = {}, []
    for name, engine in ENGINES[form].items():
        begun = process_time()
        compiled.append(engine(form, grammar))
        times[name] = 1000 * (process_time() - begun)
    options = TurnOptions(turn=turn, thoughts=form != "json_schema")
    tree = turn_grammar(parser.dialect, parser.tools, options, brief=form == "regex")
    sampler = Sampler(parser.dialect, tree, 1)
    failed = 0
    for _ in range(count):
        sentence = sampler.sentence()
        # The JSON alone is a turn of a JSON Schema, but engines differ in white space in it.
        fits = form == "json_schema" or all(each.accepts(sentence) for each in compiled)
        failed += not (fits and _is_read(parser, sentence))
    said = f"{dialect} (calls)" if turn == "call" else dialect
    return Row(said, form, len(text.encode()) / 1000, times, count, failed)


def in_brief(found: Sequence[Row]) -> Iterator[str]:
    """Yield a table with a row for each form, and one of the grammars that are missing."""
    yield "| form | dialects | kB: median, highest | compiled in ms | sentences | failed |"
    yield "|---|--:|---|---|--:|--:|"
    for form in FORMS:
        made = [row for row in found if row.form == form and not row.why_not]
        if not made:
            continue
        largest = max(made, key=lambda row: row.size)
        times = ", ".join(
            f"{name} {median(each):.0f} (to {max(each):.0f})"
            for name in ENGINES[form]
            if (each := [row.times[name] for row in made])
        )
        size = f"{median(row.size for row in made):.1f}, {largest.size:.1f} (`{largest.dialect}`)"
        drawn, failed = (sum(column) for column in zip(*(row[4:6] for row in made), strict=True))
        yield f"| {form} | {len(made)} | {size} | {times} | {drawn:,} | {failed} |"
    missing: dict[tuple[str, str], dict[str, None]] = {}
    for row in found:
        if row.why_not:
            why = re.sub(r"\d{4,}", "too many", row.why_not)
            missing.setdefault((row.dialect, why), {})[row.form] = None
    by_reason: dict[tuple[str, str], list[str]] = {}
    for (dialect, why), forms in missing.items():
        said = ", ".join(forms) if len(forms) < len(FORMS) - 1 else "all"
        by_reason.setdefault((said, why), []).append(f"`{dialect}`")
    if by_reason:
        yield "\n| no grammar for | form | why not |\n|---|---|---|"
    for (forms_said, why), dialects in by_reason.items():
        yield f"| {', '.join(dialects)} | {forms_said} | {why} |"


def _is_read(parser: AnyDialectParser, sentence: str) -> bool:
    try:
        parser.parse(sentence)
    except OutputParserException:
        return False
    return True


def verdict(dialect: str) -> str:
    """Return what xgrammar's own structural tag and our grammar say about turns of *dialect*."""
    tools = tools_for(dialect)
    parser = get_parser(get_dialect(dialect), tools=tools, lenient=False)
    theirs, ours = built_in(BUILT_IN[dialect], tools), Xgrammar("gbnf", parser.grammar("gbnf"))
    thoughts = ("I look it up.",) if parser.dialect.thinks else ("",)
    turns = [
        parser.render(AgentAction(tool=tool, tool_input=given, log=""), thought=thought)
        for tool in tools.names
        for given in inputs_of(tool)
        for thought in thoughts
    ]
    counts = [sum(each.accepts(turn) for turn in turns) for each in (theirs, ours)]
    return f"| {dialect} | {BUILT_IN[dialect]} | {len(turns)} | {counts[0]} | {counts[1]} |"


def inputs_of(tool: str) -> list[dict[str, Any]]:
    """Return inputs that *tool* takes."""
    if tool == "search":
        return [{"query": "Lake Thun"}, {"query": "a", "limit": 3}]
    return [{"mode": "fast"}, {"mode": "slow", "note": "x"}]


def main() -> None:
    """Print the tables."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--sentences", type=int, default=200)
    asked.add_argument("--all", action="store_true", help="a row for each dialect and form")
    asked.add_argument("--oracle", action="store_true")
    asked.add_argument("dialects", nargs="*")
    given = asked.parse_args()
    if given.oracle:
        print("| dialect | xgrammar's tag | turns | its tag accepts | our grammar accepts |")
        print("|---|---|--:|--:|--:|")
        for dialect in given.dialects or BUILT_IN:
            print(verdict(dialect), flush=True)
        return
    names = given.dialects or list_dialects()
    found = (row for name in names for row in rows(name, given.sentences))
    if not given.all:
        print(*in_brief([*found]), sep="\n")
        return
    print("| dialect | form | kB | compiled in ms | sentences | failed | why not |")
    print("|---|---|--:|---|--:|--:|---|")
    for row in found:
        print(row, flush=True)


if __name__ == "__main__":
    main()
