"""Code World Model: calls in ``<tool: name>``, of which each has a body of its own.

    <think>
    I have to look it up.
    </think>
    Let me see.
    <tool: search>
    {"query": "Lake Thun"}
    </tool>
    <tool: ping>
    {}
    </tool>

A body that begins with a brace is a JSON object. Any other is verbatim text, such as the command of
a tool ``bash``: the input of a tool that takes text, or the value of its lone parameter. Text has
no escapes, so a second closing tag is an error: the first may stand in the text. Text that ends in
a JSON object on lines of its own is an error, too: it may be words before the input. The prompt
opens the thought.

Source: facebookresearch/cwm, PROMPTING_GUIDE.md and serve/tools.py.
"""

from dataclasses import replace
from functools import partial

from typing_extensions import override

from agent_parsers.authoring import (
    PROBLEMS,
    Call,
    CallFormat,
    Given,
    Go,
    Head,
    NamedPayload,
    Part,
    Problem,
    ResultForm,
    ResultsWriter,
    Table,
    write_value,
)
from agent_parsers.engine.calls.json.headed import HeadedMessage, Header
from agent_parsers.events import InputDelta, SkippedDelta, Span
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import MAX_DEPTH, whole_object

END, OPENER, NAMED, CLOSER = "<|eot_id|>", "<tool: ", ">", "</tool>"
AROUND_ROLE = ("<|start_header_id|>", "<|end_header_id|>\n\n")


def may_lead(text: str) -> bool:
    """Return whether *text* may be the beginning of a name, before a JSON object."""
    name, _, rest = text.partition(NAMED)
    return len(name) <= 128 and "\n" not in name.strip() and not rest.strip()


def read_head(text: str, *, lenient: bool) -> Head | None:  # noqa: ARG001 - both modes are alike
    """Read the head of a call: its name, up to the end of the tag."""
    name, mark, rest = text.partition(NAMED)
    if not mark or rest.strip() or len(name.split()) != 1:
        return None
    start = len(name) - len(name.lstrip())
    return Head(start, start + len(name.strip()))


def read_header(text: str, is_whole: bool) -> Header:
    """Return what the tag of a call says whose body is text."""
    head = read_head(text, lenient=False) if is_whole else None
    if head is None:
        return Header(SkippedDelta, problem="bad_call")
    return Header(InputDelta, head=head)


class TextCall(HeadedMessage):
    """Reads a call whose body is text, which only its closing tag shows to be whole."""

    @override
    def _named(self, head: Head, input_span: Span) -> Call:
        call = super()._named(head, input_span)
        call.is_raw = False
        if not self._is_met:
            call.refuse("open_call")
        _, _, last = str(call.tool_input).rpartition("\n{")
        if last and whole_object(f"{{{last.rstrip()}", MAX_DEPTH) is not NOTHING:
            call.refuse("bad_call")  # words before arguments are no input
        return call


def with_one_closer(table: Table) -> Table:
    """Return *table*, in which no second tag closes a call."""
    content = {name: go for (state, name), go in table.transitions.items() if state == "content"}
    return replace(
        table,
        parts={**table.parts, "behind": Part.CONTENT},
        transitions={
            **table.transitions,
            **{("behind", name): go for name, go in content.items()},
            ("call", "end of call"): Go("behind", closes=True),
            ("behind", "end of call"): Go("behind", clash="two_closers"),
        },
    )


DIALECT = CallFormat(
    name="cwm",
    summary="JSON or text in <tool: name> (Code World Model)",
    payload=NamedPayload(
        read_head=read_head,
        call=f"{OPENER}{{tool}}{NAMED}\n{{input}}\n{CLOSER}",
        write_input=write_value,
        may_lead=may_lead,
        unnamed=lambda _lenient: partial(TextCall, NAMED, read_header, lambda _text: True),
    ),
    call=(OPENER, CLOSER),
    calls=("", "\n", ""),
    thought=("<think>\n", "\n</think>\n"),
    content=("", "\n"),
    ends=(END,),
    results=ResultsWriter(
        text=ResultForm("tool: {tool}".join(AROUND_ROLE) + f"{{text}}{END}"), between=""
    ),
    turn_frame=(END, "assistant".join(AROUND_ROLE)),
    adapt=with_one_closer,
).dialect(
    given=(Given(AROUND_ROLE[0], own="assistant"),),
    problems={
        **PROBLEMS,
        "two_closers": Problem(
            f"found a second {CLOSER} after a call",
            f"Your reply has a second {CLOSER}, so nothing was done. Write the call again, "
            f"without {CLOSER} inside it.",
        ),
    },
)
