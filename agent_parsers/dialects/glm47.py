"""GLM 4.7, GLM 5 and Spark 2.5: like `glm45`, without line breaks. Both are read the same way.

The prompt opens the thought, or closes it if thinking is off.

Source: the chat template of zai-org/GLM-4.7.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from agent_parsers.dialects import glm45
from agent_parsers.families.turn_writer import (
    TAGS,
    ResultsWriter,
    TurnWriter,
    inputs_of,
    write_value,
)

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.dialect import WrittenCall

__all__ = ["DIALECT"]


def write_call(call: WrittenCall) -> str:
    """Return one call as text."""
    values = "".join(
        f"<arg_key>{key}</arg_key><arg_value>{write_value(value)}</arg_value>"
        for key, value in inputs_of(call).items()
    )
    return f"<tool_call>{call.tool}{values}</tool_call>"


DIALECT: Final = replace(
    glm45.DIALECT,
    name="glm47",
    aliases=("glm5",),
    summary="as glm45, without line breaks (GLM 4.7 and GLM 5)",
    sample="".join(glm45.SAMPLE.splitlines()),
    write=TurnWriter(thought=TAGS, call=write_call),
    render_results=ResultsWriter(each=("<tool_response>", "</tool_response>")),
    turn_frame=("<|observation|>", "<|assistant|>"),
)
