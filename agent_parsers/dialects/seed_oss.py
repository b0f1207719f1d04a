"""Seed-OSS: like `qwen3_coder`, with verbatim values and its own marks.

    <seed:think>I have to look it up.</seed:think>
    Let me see.

    <seed:tool_call>
    <function=search>
    <parameter=query>Lake Thun</parameter>
    </function>
    </seed:tool_call>
    <seed:tool_call>
    <function=ping>
    </function>
    </seed:tool_call>

The template writes lists and objects as Python literals, and they are read as such if the tool
takes them. In lenient mode calls may also have the marks of `qwen3_coder`.

Source: the chat template of ByteDance-Seed/Seed-OSS-36B-Instruct.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from agent_parsers.authoring import ResultsWriter, role_frame
from agent_parsers.dialects import qwen3_coder
from agent_parsers.engine.calls.code.python_scan import read_literal
from agent_parsers.engine.calls.tags.form import truth_values
from agent_parsers.engine.repairs.payloads import BadPayload

END = "<seed:eos>"


def other_values(text: str, attributes: Mapping[str, str]) -> Iterator[Any]:
    """Yield possible values of a parameter written as *text*, including Python literals."""
    if text.lstrip()[:1] in ("[", "{"):
        with suppress(BadPayload):
            yield read_literal(text)
    yield from truth_values(text, attributes)


DIALECT = replace(
    qwen3_coder.FORMAT,
    name="seed_oss",
    aliases=("seed",),
    summary="as qwen3_coder, in <seed:tool_call> (Seed-OSS)",
    payload=replace(
        qwen3_coder.PAYLOAD,
        parameter="<parameter={key}>{value}</parameter>\n",
        trims=False,
        other_values=other_values,
        borrowed=("<tool_call>", "</tool_call>"),
    ),
    call=("<seed:tool_call>\n", "\n</seed:tool_call>"),
    thought=("<seed:think>", "</seed:think>\n"),
    ends=(END,),
    results=ResultsWriter(),
    turn_frame=role_frame((f"{END}<seed:bos>", "\n"), "tool"),
).dialect()
