"""DeepSeek V3, R1 and the models distilled from them: a row of named calls, JSON in a fence.

The bars in the marks are full-width (U+FF5C), the low blocks are U+2581. The type of the call is
always ``function``; the name follows the separator and ends with the line. The fence is not part of
the JSON, which ends the call: three backticks in a string are text. If a turn of R1 has no
``<think>``, the prompt has opened the thought; pass ``start="thought"``.

Source: the chat template of deepseek-ai/DeepSeek-V3-0324.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.calls.json.named_head import Head
from agent_parsers.engine.calls.json.named_json import NamedJson
from agent_parsers.families.call_blocks import calls_table
from agent_parsers.families.json_blocks import block_rules, json_dialect
from agent_parsers.families.turn_writer import LINES, ResultsWriter, TurnWriter, write_json

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.dialect import WrittenCall

__all__ = [
    "DIALECT", "RESULTS", "RULES", "SEPARATOR", "TURNS", "call", "head_of", "read_either", "table",
]  # fmt: skip

SAMPLE: Final = """\
<think>
I have to look it up.
</think>

Let me see.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>search
```json
{"query": "Lake Thun"}
```<｜tool▁call▁end｜>
<｜tool▁call▁begin｜>function<｜tool▁sep｜>ping
```json
{}
```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"""

SEPARATOR: Final = "<｜tool▁sep｜>"
RULES: Final = block_rules()


def read_head(text: str) -> Head | None:
    """Read the head of a call, the text before the JSON."""
    kind, _, rest = text.partition(SEPARATOR)
    name, _, fence = rest.partition("\n")
    if kind.strip() != "function" or fence.strip() != "```json":
        return None
    return head_of(len(text) - len(rest), name)


def read_either(text: str) -> Head | None:
    """Do the same as `read_head`, with the name on either side and an optional fence."""
    kind, separator, rest = text.partition(SEPARATOR)
    name, fence = _before_fence(rest)
    is_own = kind.strip() == "function"
    is_read = fence.strip('`" \n\r\t') in ("", "json") and (is_own or not name.strip())
    if not separator or not is_read:
        return None
    if not is_own:
        return head_of(0, kind, f"read a name that stands before {SEPARATOR}")
    odd = "read JSON in another fence" if "`" in fence else "read JSON in no fence"
    is_usual = fence[:1] == "\n" and fence.strip('" \n\r\t') == "```json"
    return head_of(len(text) - len(rest), name, "" if is_usual else odd)


def _before_fence(text: str) -> tuple[str, str]:
    """Split *text* after its first line, or before a fence in that line.

    The line may be the whole text. JSON written as a string begins with a quote.
    """
    ends = [at for mark in ("\n", "`", '"') if (at := text.find(mark)) >= 0]
    end = min(ends, default=len(text))
    return text[:end], text[end:]


def head_of(start: int, name: str, odd: str = "") -> Head:
    """Return a head whose *name*, possibly surrounded by spaces, begins at *start*."""
    start += len(name) - len(name.lstrip())
    return Head(start, start + len(name.strip()), odd=odd)


call = partial(NamedJson, mark=SEPARATOR)
table = partial(
    calls_table,
    call=("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"),
    region=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
    ends=("<｜end▁of▁sentence｜>",),
)


def write_call(call: WrittenCall) -> str:
    """Return one call as text."""
    named = f"function{SEPARATOR}{call.tool}\n```json\n{write_json(call.tool_input)}\n```"
    return f"<｜tool▁call▁begin｜>{named}<｜tool▁call▁end｜>"


TURNS: Final = TurnWriter(
    thought=LINES,
    call=write_call,
    calls=("<｜tool▁calls▁begin｜>", "\n", "<｜tool▁calls▁end｜>"),
)
RESULTS: Final = ResultsWriter(
    each=("<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"), between="\n"
)

DIALECT: Final = json_dialect(
    "deepseek_v3",
    SAMPLE,
    aliases=("deepseek_r1",),
    summary="<｜tool▁calls▁begin｜>, names, and JSON in fences (DeepSeek V3, R1)",
    strict=table(partial(call, read_head, RULES[0])),
    lenient=table(partial(call, read_either, RULES[1]), lenient=True),
    stop=("<｜end▁of▁sentence｜>",),
    write=TURNS,
    render_results=RESULTS,
    turn_frame=("<｜end▁of▁sentence｜><｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>"),
)
