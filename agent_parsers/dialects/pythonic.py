"""Calls as Python in a list: Llama 3.2 1B and 3B, ToolACE, Gemma 3 if the prompt asks for it.

    [search(query="Lake Thun", limit=3), ping()]

The list begins the text, or follows a thought. Text that begins with anything but ``[name(`` is an
answer, so text is held back until that is certain. Values are literals, in lenient mode also JSON
literals, and are never evaluated. Arguments are passed by name. A name may be any word, including
Python keywords, since a tool may have a parameter such as ``from``.

Llama 4 writes marks around the list, see `llama4_pythonic`; lenient mode reads them here too. These
models do not write thoughts, so thoughts are not written; thoughts of models that were tuned from
them are read.

Source: Llama 3.2 and 4, prompt formats (custom tools, zero-shot function calling); ToolACE,
arXiv 2409.00920; results as in the templates for both in vllm-project/vllm.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from agent_parsers.authoring import (
    SAMPLE_TURN,
    CallForm,
    CallFormat,
    Go,
    JsonPayload,
    ParameterForm,
    Payload,
    PythonCalls,
    ResultsWriter,
    write_json,
)
from agent_parsers.dialects import llama3_json
from agent_parsers.engine.repairs.python_values import write_python

SAMPLE = replace(SAMPLE_TURN, tool_input={"query": "Lake Thun", "limit": 3})


@dataclass(frozen=True, kw_only=True)
class PythonPayload(Payload):
    """Calls in Python syntax."""

    row: tuple[str, str, str] = ("[", ", ", "]")
    is_bare: bool = False
    """Whether a list that begins the text needs no mark."""
    write_value: Callable[[Any], str] = write_python
    """Writes the value of a parameter."""
    comma: str = ", "
    """Text between two parameters."""
    json: JsonPayload | None = None
    """Calls in JSON, which lenient mode reads."""

    def reader(self, closer: str, *, lenient: bool) -> partial[PythonCalls]:
        """Return a function that creates the call reader of a block."""
        json = self.json.reader(closer, lenient=True) if self.json and lenient else None
        return partial(PythonCalls, listed="[" in self.row, json=json, lenient=lenient)

    def content_reader(self, *, lenient: bool) -> partial[PythonCalls] | None:
        """Return a function that creates the reader of content; `None` if lists need a marker."""
        return partial(self.reader("", lenient=lenient), bare=True) if self.is_bare else None

    @property
    def form(self) -> CallForm:
        """How one call is written, without its list."""
        parameters = ParameterForm(
            text="{key}={value}", between=self.comma, write_value=self.write_value
        )
        return CallForm(text="{tool}({parameters})", parameters=parameters)


MARKED = CallFormat(
    name="pythonic",
    summary="a list of Python calls (Llama 3.2, ToolACE)",
    payload=PythonPayload(is_bare=True),
    call=("<|python_start|>", "<|python_end|>"),
    writes_thoughts=False,
    ends=llama3_json.DIALECT.stop,
    results=ResultsWriter(text=lambda result: write_json({"output": result.text})),
    turn_frame=llama3_json.FORMAT.turn_frame,
    sample=SAMPLE,
)
# These models rarely write the marks of Llama 4, which lenient mode reads and reports.
LENIENT = MARKED.table(lenient=True)
ODD = "accepted the marks of another format"

DIALECT = replace(MARKED, call=None, content=None).dialect(
    lenient=replace(
        LENIENT,
        transitions={
            **LENIENT.transitions,
            ("content", "call"): Go("call", odd=ODD),
            ("content", "end of call"): Go("content", closes=True, odd=ODD),
        },
    )
)
