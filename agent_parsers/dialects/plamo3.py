"""PLaMo 3: calls that name the tool and have its arguments as JSON, in elements of their own.

    <|plamo:begin_think:plamo|>I have to look it up.<|plamo:end_think:plamo|>Let me see.\
<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|>\
<|plamo:begin_tool_name:plamo|>search<|plamo:end_tool_name:plamo|>\
<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>{"query": "Lake Thun"}\
<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>\
<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>ping<|plamo:end_tool_name:plamo|>\
<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>{}\
<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>\
<|plamo:end_tool_requests:plamo|>

The marks are no special tokens, so servers do not remove them. In lenient mode the mark of JSON
(``<|plamo:constrain|>json``) may be missing, and so may the end of the arguments.

Source: vLLM's ``plamo3`` and its structural tag. It does not show how results are written, so a
result stands in a turn of the role ``tool``.
"""

import re

from agent_parsers.authoring import CallFormat, Head, NamedPayload, role_frame


def element(name: str) -> tuple[str, str]:
    """Return the marks around an element of this *name*."""
    return f"<|plamo:begin_{name}:plamo|>", f"<|plamo:end_{name}:plamo|>"


END, TEXT = "<|plamo:tag|>", "<|plamo:msg|>"
NAME = element("tool_name")
ARGUMENTS, END_OF_ARGUMENTS = element("tool_arguments")
REQUEST, END_OF_REQUEST = element("tool_request")
TYPE = "<|plamo:constrain|>json"
HEAD = re.compile(
    r"\s*+".join(("", re.escape(NAME[0]), rf"(.*?)\s*+{re.escape(NAME[1])}", re.escape(ARGUMENTS)))
    + rf"\s*+(?>({re.escape(TYPE)})?)\s*+{re.escape(TEXT)}\s*+"
)


def read_head(text: str, *, lenient: bool) -> Head | None:
    """Read the head of a call, the text before its arguments."""
    head = HEAD.fullmatch(text)
    if head is None or not (head[2] or lenient):
        return None
    return Head(*head.span(1), odd="" if head[2] else f"accepted arguments without {TYPE!r}")


DIALECT = CallFormat(
    name="plamo3",
    summary="<|plamo:begin_tool_name:plamo|> and JSON (PLaMo 3)",
    payload=NamedPayload(
        read_head=read_head,
        call=f"{NAME[0]}{{tool}}{NAME[1]}{ARGUMENTS}{TYPE}{TEXT}{{input}}",
        mark=ARGUMENTS,
    ),
    call=(REQUEST, f"{END_OF_ARGUMENTS}{END_OF_REQUEST}"),
    region=element("tool_requests"),
    thought=element("think"),
    drafts=("call",),
    also={"end of call": (END_OF_REQUEST,)},
    ends=(END,),
    turn_frame=role_frame((END, TEXT), "tool"),
).dialect()
