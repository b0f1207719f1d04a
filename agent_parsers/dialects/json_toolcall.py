"""A tool call as text, in OpenAI's form: ``{"name": "search", "arguments": {"query": "…"}}``.

Models write it when they were trained on tool calls and nothing on the way reads them. The object
may be bare or in a fence, and ``arguments`` a string that holds JSON. The key ``name`` alone makes
no call, since objects with a name are common. The answer stands after ``Final Answer:``.

Source: the ``function`` object of OpenAI's chat completions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agent_parsers.dialects import _json_calls
from agent_parsers.dialects._json_calls import (
    OTHER_INPUTS,
    PROBLEMS,
    invite,
    lenient_rules,
    lenient_table,
    opens_after,
    strict_table,
    write_blob,
    write_observation,
)
from agent_parsers.engine import CallKeys, Dialect, JsonCallRules, Written, list_schemas

__all__ = ["DIALECT"]

SAMPLE: Final = """\
Question: How deep is Lake Thun?
Thought: I have to look it up.
```json
{
  "name": "search",
  "arguments": {
    "query": "Lake Thun"
  }
}
```
Observation: Lake Thun is 217 m deep.
Thought: I now know the answer.
Final Answer: Lake Thun is 217 m deep."""

KEYS: Final = CallKeys(
    tool="name", input="arguments", is_call_alone=False, other_inputs=OTHER_INPUTS
)

RULES: Final = JsonCallRules(
    keys=KEYS,
    may_open=opens_after(r"\s*```(?:json)?\s*\[?\s*", is_lead_enough=True),
    needs_input=True,
    reads_null=True,
)
STRICT: Final = strict_table(RULES, answers=True)
LENIENT: Final = lenient_table(lenient_rules(RULES), has_action=False)


def write(step: Written) -> str:
    """Write one step."""
    thought = f"Thought: {step.thought}\n" if step.thought else ""
    if not step.tool:
        return f"{thought}Final Answer: {step.answer}"
    return thought + write_blob({"name": step.tool, "arguments": step.tool_input})


PROMPT: Final = """\
Answer the question as well as you can. You can use these tools:

{tools}

To use a tool, write a JSON blob with two keys.
"name" is the name of the tool, one of [{tool_names}].
"arguments" is an object with the arguments of the tool.

Write in this form. Each label begins a line:

{form}

A blob has one call, never a list of them. Stop after it: the Observation is given to you.
For example, this turn uses a tool:

{action}"""

WORDS: Final = replace(_json_calls.WORDS, tool_input={"parameter": "value"})

DIALECT: Final = Dialect(
    name="json_toolcall",
    aliases=("openai_json", "autogpt"),
    summary="a tool call as text: name and arguments in a JSON object (OpenAI's form)",
    sample=SAMPLE,
    strict=STRICT,
    lenient=LENIENT,
    problems={name: text for name, text in PROBLEMS.items() if name != "no_input"},
    stop=("\nObservation:",),
    write=write,
    write_observation=write_observation,
    invite=invite,
    prompt=PROMPT,
    words=WORDS,
    list_tools=list_schemas,
)
