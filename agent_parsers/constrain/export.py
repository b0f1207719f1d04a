"""Grammars of a dialect in each form, and the request fields of servers that take them."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypedDict, get_args

from agent_parsers.constrain.forms.json_schema import write_json_schema
from agent_parsers.constrain.forms.regex import write_regex
from agent_parsers.constrain.forms.rules import write_gbnf, write_lark, write_structural_tag
from agent_parsers.constrain.parts.options import GrammarForm, Server, Start, TurnKind, TurnOptions
from agent_parsers.constrain.parts.tree import Grammar, GrammarError, GrammarText, GrammarTree
from agent_parsers.constrain.turns.grammar import turn_grammar
from agent_parsers.constrain.turns.shapes import Shapes
from agent_parsers.engine.reading.rules.known_tools import output_type_of
from agent_parsers.toolset.problems.names import did_you_mean

if TYPE_CHECKING:
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.toolset import ToolSet


class GrammarOptions(TypedDict, total=False):
    """Options that decide which turns a grammar allows."""

    turn: TurnKind
    """Any turn (the default), only those with a ``"call"``, or only an ``"answer"``."""
    start: Start
    """Where a turn begins: in its ``"content"``, or in a ``"thought"`` that the prompt has opened.
    The default, if the prompt of the dialect ends in the label of a thought, has both."""
    thoughts: bool
    """Whether a turn may have a thought; the default is true."""
    max_calls: int | None
    """The most calls of a turn; `None`, the default, for any number."""
    schema_inputs: bool
    """Whether inputs must follow the schemas of the tools (the default), or may be anything."""
    exact: bool
    """Whether to raise a `GrammarError` if the grammar cannot express all of the schemas. By
    default it is looser there, and its ``notes`` say where."""
    max_thought: int | None
    """The most characters of a thought, which is then one line without colons and brackets;
    `None`, the default, for any number."""
    max_content: int | None
    """The most characters of content beside calls, which then comes before them. By default there
    is no content if each turn must have a call, and any number of characters otherwise."""


def _write_llguidance(grammar: Grammar) -> str:
    return f"%llguidance {{}}\n{write_lark(grammar)}"


_WRITERS: Final[dict[str, Callable[[Grammar], Any]]] = {
    "lark": write_lark,
    "llguidance": _write_llguidance,
    "gbnf": write_gbnf,
    "regex": write_regex,
    "structural_tag": write_structural_tag,
}


def write_grammar(
    form: GrammarForm, dialect: Dialect, tools: ToolSet | None, options: TurnOptions
) -> GrammarText | GrammarTree:
    """Return the grammar for turns of *dialect* in this *form*; `None` for *tools* accepts any.

    Raises:
        GrammarError: The form cannot express the grammar.
        ValueError: There is no such form, or an option is wrong.
    """
    if form not in get_args(GrammarForm):
        known = ", ".join(map(repr, get_args(GrammarForm)))
        raise ValueError(f"there is no grammar form {form!r}; the forms are {known}")
    return deepcopy(_written(form, dialect, tools, options))


@lru_cache(maxsize=32)
def _written(
    form: GrammarForm, dialect: Dialect, tools: ToolSet | None, options: TurnOptions
) -> GrammarText | GrammarTree:
    """Return the same; made once, since servers are asked for it with each request."""
    output_type = output_type_of(tools)
    try:
        if output_type is not None and output_type.is_never:
            options = _only_calls(options)
        if form == "json_schema":
            return GrammarTree(write_json_schema(Shapes(dialect), tools, options))
        grammar = turn_grammar(dialect, tools, options, brief=form == "regex")
        written = _WRITERS[form](grammar)
    except (GrammarError, RecursionError) as error:
        deep = "the schemas of the tools are nested too deep"
        why = deep if isinstance(error, RecursionError) else error
        raise GrammarError(f"no {form!r} grammar can be made for {dialect.name}: {why}") from None
    made = GrammarText(written) if isinstance(written, str) else GrammarTree(written)
    made.notes = grammar.notes
    return made


def _only_calls(options: TurnOptions) -> TurnOptions:
    """Return *options* without answers; raise a `GrammarError` if they have only answers."""
    if options.turn == "answer":
        raise GrammarError(
            "turn='answer' allows only answers, but this output_type allows none: use turn='call'"
        )
    return replace(options, turn="call")


def request_fields(
    server: Server, dialect: Dialect, tools: ToolSet | None, options: TurnOptions
) -> dict[str, Any]:
    """Return the request fields that make *server* constrain a turn; see `write_grammar`."""
    if server not in _FIELDS:
        known = ", ".join(map(repr, _FIELDS))
        hint = did_you_mean(server, _FIELDS)
        raise ValueError(f"there is no server {server!r}.{hint} The servers are {known}")
    form, fields = _FIELDS[server]
    return fields(write_grammar(form, dialect, tools, options), dialect)


_TURN: Final = "write_turn"
"""The name of the tool whose input is a turn, for APIs that constrain no other text."""


def _described(dialect: Dialect) -> str:
    return f"Takes your whole reply: a turn in the format {dialect.name!r}."


def _openai_tool(grammar: Any, dialect: Dialect) -> dict[str, Any]:
    form = {"type": "grammar", "syntax": "lark", "definition": grammar}
    tool = {
        "type": "custom", "name": _TURN, "description": _described(dialect), "format": form,
    }  # fmt: skip
    return {"tools": [tool], "tool_choice": {"type": "custom", "name": _TURN}}


def _openai_chat_tool(grammar: Any, dialect: Dialect) -> dict[str, Any]:
    form = {"type": "grammar", "grammar": {"syntax": "lark", "definition": grammar}}
    tool = {"name": _TURN, "description": _described(dialect), "format": form}
    return {
        "tools": [{"type": "custom", "custom": tool}],
        "tool_choice": {"type": "custom", "custom": {"name": _TURN}},
    }


_FIELDS: Final[dict[str, tuple[GrammarForm, Callable[[Any, Dialect], dict[str, Any]]]]] = {
    # vLLM takes a text without ``::=`` as Lark, which both of its engines read.
    "vllm": ("lark", lambda grammar, _: {"structured_outputs": {"grammar": grammar}}),
    "sglang": ("gbnf", lambda grammar, _: {"ebnf": grammar}),
    "llama_cpp": ("gbnf", lambda grammar, _: {"grammar": grammar}),
    "openai_tool": ("lark", _openai_tool),
    "openai_chat_tool": ("lark", _openai_chat_tool),
    "anthropic": (
        "json_schema",
        lambda schema, _: {"output_config": {"format": {"type": "json_schema", "schema": schema}}},
    ),
}
