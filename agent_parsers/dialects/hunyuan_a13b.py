"""Hunyuan A13B: a list of calls in JSON in ``<tool_calls>``, and ``<answer>`` around it.

* ``<answer>`` contains everything but the thought: calls, or text. The chat template leaves it out
  of earlier turns, and servers remove it, so it may be missing.
* Text for the user begins with ``助手：`` (Assistant:), as the template instructs the model. At the
  beginning of a line it is never part of the text.
* A list in a thought is a draft. Quick thinking is a thought without text.

Sources: the guide to agents in Tencent-Hunyuan/Hunyuan-A13B for the turns of the model;
vllm-project/vllm, examples/tool_chat_template_hunyuan_a13b.jinja, for results.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.calls.json.blocks import JsonCalls
from agent_parsers.engine.grammar.table import Go, Part
from agent_parsers.engine.markers.kinds import Label, Literal
from agent_parsers.families.call_blocks import calls_dialect, calls_table
from agent_parsers.families.json_blocks import LIST_PROBLEMS, block_rules, write_named
from agent_parsers.families.turn_writer import ResultsWriter, TurnWriter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agent_parsers.engine.calls.json.rules import JsonCallRules
    from agent_parsers.engine.grammar.dialect import Written
    from agent_parsers.engine.grammar.table import Table
    from agent_parsers.engine.markers.kinds import Marker

__all__ = ["DIALECT"]

SAMPLE: Final = """\
<think>
I have to look it up.
</think>
<answer>
Let me see.<tool_calls>[{"name": "search", "arguments": {"query": "Lake Thun"}}, \
{"name": "ping", "arguments": {}}]</tool_calls>
</answer>"""

MARKERS: Final[Mapping[str, Marker]] = {
    "answer": Literal("<answer>", ("<answer>助手：",)),
    "words": Label("助手", colon="："),
    "end of answer": Literal("</answer>"),
}
MOVES: Final = {
    ("content", "answer"): Go("content"),
    ("content", "words"): Go("content"),
    ("content", "end of answer"): Go("answered"),
    ("call", "end of answer"): Go("answered"),
    ("answered", "end <|eos|>"): Go("over"),
}
STRICT, LENIENT = block_rules(enclosed="[")


def _table(rules: JsonCallRules, *, lenient: bool = False) -> Table:
    table = calls_table(
        partial(JsonCalls, rules),
        call=("<tool_calls>", "</tool_calls>"),
        ends=("<|eos|>",),
        lenient=lenient,
    )
    ended = table.transitions[
        "content", "end of thought"
    ]  # the prompt opened the thought, so the list was a draft
    return replace(
        table,
        markers={**table.markers, **MARKERS},
        parts={**table.parts, "answered": Part.SKIPPED},
        transitions={**table.transitions, **MOVES, ("answered", "end of thought"): ended},
    )


SAID: Final = TurnWriter(
    call=write_named, calls=("<tool_calls>[", ", ", "]</tool_calls>"), answer=("助手：", "")
)


def write_turn(step: Written) -> str:
    """Return one turn as text."""
    thought = f"<think>\n{step.thought}\n</think>\n" if step.thought else ""
    return f"{thought}<answer>\n{SAID(step)}\n</answer>"


DIALECT: Final = calls_dialect(
    "hunyuan_a13b",
    SAMPLE,
    summary="a JSON list in <tool_calls>, in <answer> (Hunyuan A13B)",
    problems=LIST_PROBLEMS,
    strict=_table(STRICT),
    lenient=_table(LENIENT, lenient=True),
    stop=("<|eos|>",),
    write=write_turn,
    render_results=ResultsWriter(
        each=("<tool_response>", "</tool_response>"), between="<|extra_0|>"
    ),
    turn_frame=("<|eos|>", "<|extra_0|>"),
)
