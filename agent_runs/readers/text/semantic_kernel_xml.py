"""Chat histories of Semantic Kernel as XML, as ``ChatHistory.to_prompt`` and ``str`` write them.

::

    <chat_history><message role="user"><text>Which month has the most fog?</text></message>
    <message role="assistant"><function_call id="c1" name="desk-search">{"query": "fog"}
    </function_call></message><message role="tool"><function_result id="c1" name="desk-search">
    November</function_result></message></chat_history>

Source: ``semantic_kernel/contents`` of semantic-kernel 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final
from xml.etree import ElementTree as ET

from agent_runs.readers.data.tables import SEMANTIC_KERNEL
from agent_runs.reading.messages import said_or_left_out
from agent_runs.reading.reader import Lines, Reading, Runs, TextReader, Value
from agent_runs.reading.said import runs_of_messages

_SIGN: Final = re.compile(r"\s*(?:<\?xml[^>]*\?>\s*)?<chat_history>\s*<message\b").match
_WITH_TEXT: Final = {"function_call": "arguments", "function_result": "result", "text": "text"}
"""Where each element has its text in the form of JSON."""


def _evidence(head: str) -> Sequence[str]:
    return ("'<chat_history>' around all",) if _SIGN(head) else ()


def _read(lines: Lines, reading: Reading) -> Runs:
    text = "".join(lines)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        reading.refuse(
            "XML with <!DOCTYPE or <!ENTITY is not read, for safety: remove it", text[:1000], line=1
        )
        return
    try:
        messages = [_message(each) for each in ET.fromstring(text)]
    except ET.ParseError as error:
        reading.refuse(f"expected XML: {error}", text[:1000], line=error.position[0])
        return
    said = said_or_left_out(map(Value, messages), reading, SEMANTIC_KERNEL.form)
    yield from runs_of_messages(said, reading)


def _message(element: ET.Element) -> dict[str, Any]:
    items = [
        {"content_type": item.tag, **item.attrib, _WITH_TEXT.get(item.tag, "text"): item.text or ""}
        for item in element
    ]
    if element.text and element.text.strip():
        items.insert(0, {"content_type": "text", "text": element.text})
    return {**element.attrib, "items": items}


READER: Final = TextReader(
    name="semantic_kernel_xml",
    summary="chat histories of Semantic Kernel, as XML",
    evidence=_evidence,
    read=_read,
    signs=("<chat_history>",),
)
