"""Calls as ``<function>`` and ``<param>`` with the names as attributes: MiniCPM5.

    <think>
    I have to look it up.
    </think>

    Let me see.
    <function name="search"><param name="query">Lake Thun</param></function>
    <function name="ping"></function>

Nothing encloses the calls. A value is verbatim text, or is in ``<![CDATA[…]]>``, which is not part
of the value. A value with a mark or a line break is written in CDATA, where no tag counts before
``]]>`` and the end of the value. In lenient mode ``]]>`` may be missing at the end of the call.

Source: the chat template of openbmb/MiniCPM5-1B.
"""

from dataclasses import replace
from typing import Any

from agent_parsers.authoring import TaggedPayload, write_value
from agent_parsers.dialects import hermes

CDATA = ("<![CDATA[", "]]>")


def write_in_cdata(value: Any) -> str:
    """Return a value as text, in CDATA if needed."""
    text = write_value(value)
    return text.join(CDATA) if any(mark in text for mark in "<&\n") else text


DIALECT = replace(
    hermes.FORMAT,
    name="minicpm5",
    aliases=(),
    summary="<function name> and <param name> (MiniCPM5)",
    payload=TaggedPayload(
        call='<function name="{tool}">{parameters}</function>',
        parameter='<param name="{key}">{value}</param>',
        quote=CDATA,
        write_value=write_in_cdata,
        closes_with_key=True,
    ),
    call=None,
    also={},
).dialect()
