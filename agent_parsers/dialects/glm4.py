"""A line with the name of the tool and a line of JSON: GLM-4-9B, GLM-4-32B.

    Let me see.<|assistant|>search
    {"query": "Lake Thun"}<|assistant|>ping
    {}

The first call has no mark; each later call follows ``<|assistant|>``, and so does a call after
content. A line that is not a name, or is not followed by JSON, is content. If a sentence continues
after the JSON, it may only quote the call, which is an error.

Source: the chat template of THUDM/glm-4-9b-chat.
"""

from agent_parsers.authoring import CallFormat, Head, JsonPayload, NamedPayload
from agent_parsers.families.json_blocks import is_name

MARK = "<|assistant|>"
ENDS = ("<|user|>", "<|observation|>")


def may_lead(text: str) -> bool:
    """Return whether *text* may be the beginning of a name and the line break after it."""
    return _is_short_name(text.rstrip())


def read_head(text: str, *, lenient: bool) -> Head | None:  # noqa: ARG001 - both modes are alike
    """Read the head of a call: its name on a line of its own."""
    name, newline, rest = text.partition("\n")
    name = name.rstrip(" \t")
    is_head = newline and _is_short_name(name) and not rest.strip()
    return Head(0, len(name)) if is_head else None


def _is_short_name(text: str) -> bool:
    return len(text) <= 64 and is_name(text)


NAMELESS = JsonPayload(unmarked="accepted a call without the line that names its tool")

DIALECT = CallFormat(
    name="glm4",
    summary="a name on a line, then JSON (GLM-4-9B)",
    payload=NamedPayload(
        read_head=read_head,
        call="{tool}\n{input}",
        is_bare=True,
        may_lead=may_lead,
        unnamed=lambda lenient: NAMELESS.content_reader(lenient=lenient),
    ),
    call=(MARK, ""),
    calls=("", MARK, ""),
    thought=None,
    content=("", MARK),
    ends=ENDS,
    turn_frame=(f"{ENDS[1]}\n", f"{MARK}\n"),
).dialect()
