"""HyperCLOVA X SEED Think 14B: messages whose headers say what they are, and calls in a JSON list.

    Let me see.<|im_end|>
    <|im_start|>assistant -> tool/function_call
    [{"name": "search", "arguments": {"query": "Lake Thun"}}, {"name": "ping", "arguments": {}}]

The prompt ends with ``<|im_start|>assistant``, so a turn begins behind it: with ``/think`` and a
thought, with calls, or with a line break and text; the prompt may also have the ``/think`` or the
line break. ``<|im_end|>`` ends each message, and the turn if no header of the model follows. Then
come ``<|stop|>`` behind calls and ``<|endofturn|>`` behind an answer. Of two messages of text, the
first is a thought. Thoughts are left out of past turns, so they are read and not written. The
model card shows a call as one object with its arguments as ``input``, which lenient mode reads.

The 32B model writes `glm45`.

Source: the model card of naver-hyperclovax/HyperCLOVAX-SEED-Think-14B; the parsers of
NAVER-Cloud-HyperCLOVA-X/hcx-vllm-plugin. They show one result in a turn.
"""

import re
from dataclasses import replace

from agent_parsers.authoring import (
    Ahead,
    CallFormat,
    Given,
    Go,
    JsonPayload,
    ResultsWriter,
    Table,
)
from agent_parsers.engine.calls.marks import Before, one_of
from agent_parsers.engine.tables.guards import begins_the_text

START, END, MODEL = "<|im_start|>", "<|im_end|>", "assistant"
NEXT = f"{END}\n{START}{MODEL}"
ENDS = (f"{END}<|stop|>", f"{END}<|endofturn|>")
GOES_ON = (NEXT, *ENDS)
"""What begins with the end of a message, and ends more."""
TOOL, THINK = "tool/function_call", "/think"
CALLS, RESULT = f" -> {TOOL}", f"\n{START}{TOOL}\n"


def unless(*texts: str) -> Ahead:
    """Return an atom that requires that none of *texts* follows."""
    return Ahead(
        f"(?!{'|'.join(map(re.escape, texts))})", pending=one_of(*texts).pending, sample=""
    )


def with_headers(table: Table) -> Table:
    """Return *table*, in which a header follows the end of a message, or begins the turn."""
    markers = {
        "end of thought": Before(NEXT, ahead=unless(CALLS)),
        "end before calls": Before(NEXT, ahead=one_of(CALLS)),
        "end of message": Before(END, ahead=unless(*(text.removeprefix(END) for text in GOES_ON))),
    }
    states = [state for state in table.parts if state != "over"]
    begins = table.transitions["content", "thought"]._replace(guards=(begins_the_text,))
    return replace(
        table,
        markers={**table.markers, **markers},
        transitions={
            **table.transitions,
            ("content", "thought"): begins,
            **{(state, "end before calls"): Go("content", closes=True) for state in states},
            **{(state, "end of message"): Go("over") for state in states},
        },
        prompt_ends={**table.prompt_ends, f"{START}{MODEL}{THINK}": "thought"},
    )


DIALECT = CallFormat(
    name="hyperclovax_14b",
    aliases=("hyperclovax_seed_think_14b",),
    summary="a JSON list behind '-> tool/function_call' (HyperCLOVA X SEED Think 14B)",
    payload=JsonPayload(row=("[", ", ", "]")),
    call=(f"{CALLS}\n", ""),
    thought=(f"{THINK}\n", NEXT),
    writes_thoughts=False,
    content=("\n", NEXT),
    answer=("\n", END),
    ends=ENDS,
    results=ResultsWriter(between=f"{END}{RESULT}"),
    turn_frame=(f"{ENDS[0]}{RESULT}", NEXT),
    adapt=with_headers,
).dialect(given=(Given(START, own=MODEL),))
