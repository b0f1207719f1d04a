"""Grammars of all dialects in all forms: ``python -m tools.benchmarks.grammars [--sentences 500]``.

It prints a table in Markdown: the size of each grammar in kilobytes, the time in milliseconds that
engines take to compile it, how many sentences were drawn and how many failed, because an engine
refused one or strict parsing did not read it as calls of the tools or an answer. With ``--oracle``
it prints what the structural tags that xgrammar ships for some models say about turns that `render`
writes. Times are CPU times on a busy machine, so only their proportions mean something.
"""

from __future__ import annotations

import argparse
import json
from time import process_time
from typing import TYPE_CHECKING, Any

from agent_parsers import AgentAction, OutputParserException, get_dialect, get_parser, list_dialects
from agent_parsers.constrain import GrammarError
from agent_parsers.constrain.parts.options import TurnOptions
from agent_parsers.constrain.turns.grammar import turn_grammar
from agent_parsers.toolset import ToolSet
from tests.helpers.grammar_engines import Llguidance, Xgrammar, built_in
from tests.helpers.grammar_samples import Sampler

if TYPE_CHECKING:
    from collections.abc import Callable

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


def rows(dialect: str, count: int) -> list[str]:
    """Return the rows of a dialect, one for each form."""
    parser = get_parser(get_dialect(dialect), tools=tools_for(dialect), lenient=False)
    return [row for form in FORMS if (row := _row(parser, dialect, form, count))]


def _row(parser: AnyDialectParser, dialect: str, form: Any, count: int) -> str:
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
        return "" if form == "json_schema" else f"| {dialect} | {form} | – | – | – | – | {reason} |"
    text = grammar if isinstance(grammar, str) else json.dumps(grammar, ensure_ascii=False)
    times, compiled = [], []
    for name, engine in ENGINES[form].items():
        begun = process_time()
        compiled.append(engine(form, grammar))
        times.append(f"{name} {1000 * (process_time() - begun):.0f}")
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
    return (
        f"| {said} | {form} | {len(text.encode()) / 1000:.1f} | {', '.join(times)} | {count} |"
        f" {failed} | |"
    )


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
    asked.add_argument("--oracle", action="store_true")
    asked.add_argument("dialects", nargs="*")
    given = asked.parse_args()
    if given.oracle:
        print("| dialect | xgrammar's tag | turns | its tag accepts | our grammar accepts |")
        print("|---|---|--:|--:|--:|")
        for dialect in given.dialects or BUILT_IN:
            print(verdict(dialect), flush=True)
        return
    print("| dialect | form | kB | compiled in ms | sentences | failed | why not |")
    print("|---|---|--:|---|--:|--:|---|")
    for dialect in given.dialects or list_dialects():
        print("\n".join(rows(dialect, given.sentences)), flush=True)


if __name__ == "__main__":
    main()
