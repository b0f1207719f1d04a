"""Calls as Python in a list: Llama 3.2 1B and 3B, ToolACE, Gemma 3 if the prompt asks for it.

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

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from agent_parsers.dialects import llama3_json
from agent_parsers.engine.calls.code.python_calls import PythonCalls
from agent_parsers.engine.calls.code.python_values import write_python
from agent_parsers.engine.grammar.table import Go
from agent_parsers.families.call_blocks import calls_dialect, calls_table
from agent_parsers.families.turn_writer import ResultsWriter, TurnWriter, inputs_of, write_json

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.dialect import Result, WrittenCall
    from agent_parsers.engine.grammar.table import Table

__all__ = ["DIALECT", "SAMPLE", "TURNS", "table"]

SAMPLE: Final = '[search(query="Lake Thun", limit=3), ping()]'
STOP: Final = ("<|eot_id|>", "<|eom_id|>", "<|eot|>", "<|eom|>")

_table = partial(calls_table, ends=STOP)
_bare = partial(PythonCalls, bare=True)


def table(*, lenient: bool) -> Table:
    """Return the table for lists of calls that may have Llama 4's marks around them."""
    calls = partial(PythonCalls, lenient=lenient)
    marks = ("<|python_start|>", "<|python_end|>")
    return _table(calls, call=marks, bare=partial(calls, bare=True), lenient=lenient)


def _lenient() -> Table:
    """Return the table for models that rarely write the marks; marks are then reported."""
    known = table(lenient=True)
    transitions = dict(known.transitions)
    for row in (("content", "call"), ("content", "end of call")):
        transition = transitions[row]
        assert isinstance(transition, Go), "it leads to another state"
        transitions[row] = transition._replace(odd="read the marks of another form")
    return replace(known, transitions=transitions)


def write_call(call: WrittenCall) -> str:
    """Return a call as text, without its list.

    Raises:
        ValueError: Python syntax cannot express the call.
    """
    values = (f"{key}={write_python(value)}" for key, value in inputs_of(call).items())
    return f"{call.tool}({', '.join(values)})"


def write_result(result: Result) -> str:
    """Return the result of one call as a JSON object."""
    return write_json({"output": result.text})


TURNS: Final = TurnWriter(content=None, call=write_call, calls=("[", ", ", "]"))

DIALECT: Final = calls_dialect(
    "pythonic",
    SAMPLE,
    summary="a list of Python calls (Llama 3.2, ToolACE)",
    strict=_table(_bare, call=None, bare=_bare),
    lenient=_lenient(),
    stop=STOP,
    write=TURNS,
    render_results=ResultsWriter(text=write_result, between=llama3_json.FRAME[0]),
    turn_frame=llama3_json.FRAME,
)
