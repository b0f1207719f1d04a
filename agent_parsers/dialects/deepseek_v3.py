"""DeepSeek V3, R1 and the models distilled from them: a row of named calls, JSON in a fence.

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
    ```<｜tool▁call▁end｜><｜tool▁calls▁end｜>

The bars in the marks are full-width (U+FF5C), the low blocks are U+2581. The type of the call is
always ``function``; the name follows the separator and ends with the line. The fence is not part of
the JSON, which ends the call: three backticks in a string are text. If a turn of R1 has no
``<think>``, the prompt has opened the thought; pass ``start="thought"``.

Source: the chat template of deepseek-ai/DeepSeek-V3-0324.
"""

from agent_parsers.authoring import LINES, CallFormat, Given, Head, NamedPayload, ResultsWriter

END = "<｜end▁of▁sentence｜>"
SEPARATOR = "<｜tool▁sep｜>"
KIND, FENCE = "function", "```json"


def read_head(text: str, *, lenient: bool) -> Head | None:
    """Read the head of a call; in lenient mode, the fence is optional, the name may be first."""
    kind, separator, rest = text.partition(SEPARATOR)
    is_own = kind.strip() == KIND
    if not lenient:
        name, _, fence = rest.partition("\n")
        is_read = is_own and fence.strip() == FENCE
        return head_of(len(text) - len(rest), name) if is_read else None
    name, fence = _before_fence(rest)
    is_read = fence.strip('`" \n\r\t') in ("", "json") and (is_own or not name.strip())
    if not separator or not is_read:
        return None
    if not is_own:
        return head_of(0, kind, f"read the name of the tool before {SEPARATOR}")
    odd = "read JSON in a nonstandard fence" if "`" in fence else "accepted JSON without a fence"
    is_usual = fence[:1] == "\n" and fence.strip('" \n\r\t') == FENCE
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


FORMAT = CallFormat(
    name="deepseek_v3",
    aliases=("deepseek_r1", "cogito"),
    summary="<｜tool▁calls▁begin｜>, names, and JSON in fences (DeepSeek V3, R1)",
    payload=NamedPayload(
        read_head=read_head,
        call=f"{KIND}{SEPARATOR}{{tool}}\n{FENCE}\n{{input}}\n```",
        mark=SEPARATOR,
    ),
    call=("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"),
    between="\n",
    region=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
    thought=LINES,
    drafts=("call",),
    ends=(END,),
    results=ResultsWriter(each=("<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"), between="\n"),
    turn_frame=(f"{END}<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>"),
)
GIVEN = (Given("<｜tool▁output"), Given("<｜User｜>"))  # one output, or the mark around all
DIALECT = FORMAT.dialect(given=GIVEN)
