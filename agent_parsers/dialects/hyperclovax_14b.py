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
from collections.abc import Iterator
from dataclasses import dataclass, replace

from typing_extensions import override

from agent_parsers.authoring import (
    Ahead,
    CallFormat,
    Given,
    Go,
    JsonPayload,
    Literal,
    ResultsWriter,
    Table,
)
from agent_parsers.engine.calls.marks import Before, one_of
from agent_parsers.engine.markers.kinds import SPACE, Atom

START, END, MODEL = "<|im_start|>", "<|im_end|>", "assistant"
NEXT = f"{END}\n{START}{MODEL}"
STOPS = ("<|stop|>", "<|endofturn|>")
ENDS = tuple(f"{END}{stop}" for stop in STOPS)
GOES_ON = (f"{START}{MODEL}", *STOPS)
"""What may follow the end of a message, so that it is part of a longer mark."""
TOOL, THINK = "tool/function_call", "/think"
CALLS, RESULT = f" -> {TOOL}", f"\n{START}{TOOL}\n"


@dataclass(frozen=True, slots=True)
class NextHeader(Before):
    """The end of a message and the header of the next, with any white space between them."""

    @override
    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Yield the atoms of each spelling."""
        yield (*map(re.escape, END), SPACE, *map(re.escape, f"{START}{MODEL}"), self.ahead)

    @override
    def is_canonical(self, seen: str) -> bool:
        """Return true: white space means nothing."""
        return True


def behind(*texts: str, unless: bool = False) -> Ahead:
    """Return an atom that requires that one of *texts* follows, or that none does."""
    sign, found = "!" if unless else "=", "|".join(map(re.escape, map(str.strip, texts)))
    pending = one_of(*map(str.strip, texts)).pending
    return Ahead(
        rf"(?{sign}{SPACE}(?:{found}))",
        pending=rf"{SPACE}{pending}",
        sample="" if unless else texts[0],
    )


def with_headers(table: Table) -> Table:
    """Return *table*, in which a header follows the end of a message, or begins the turn."""
    markers = {
        "thought": Literal(THINK, place="text"),
        "end of thought": NextHeader(NEXT, ahead=behind(CALLS, unless=True)),
        "end before calls": NextHeader(NEXT, ahead=behind(CALLS)),
        "end of message": Before(END, ahead=behind(*GOES_ON, unless=True)),
    }
    states = [state for state in table.parts if state != "over"]
    return replace(
        table,
        markers={**table.markers, **markers},
        transitions={
            **table.transitions,
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
