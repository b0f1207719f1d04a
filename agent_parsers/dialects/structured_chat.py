"""ReAct text in which everything is a JSON blob, the answer as well: the structured chat agent.

A text without any blob is the final answer, as it has always been with this agent. A text that
looks like a broken call is none: a label ``Action:`` without JSON, JSON that is cut or cannot be
read, or the key ``"action"`` outside of any object.

Source: LangChain's structured chat agent.
"""

from __future__ import annotations

import re
from typing import Final

from agent_parsers.dialects._json_calls import (
    ANSWERS,
    KEYS,
    PROBLEMS,
    lenient_rules,
    lenient_table,
    opens_after,
    strict_table,
    write_blob,
    write_observation,
    written_call,
)
from agent_parsers.engine import Dialect, JsonCallRules, Written

__all__ = ["DIALECT"]

SAMPLE: Final = """\
Question: How deep is Lake Thun?
Thought: I have to look it up.
Action:
```json
{
  "action": "search",
  "action_input": {
    "query": "Lake Thun",
    "unit": "m"
  }
}
```
Observation: Lake Thun is 217 m deep.
Thought: I know what to respond
Action:
```json
{
  "action": "Final Answer",
  "action_input": "Lake Thun is 217 m deep."
}
```"""

# What LangChain's pattern takes for a blob. A fence with another tag is a part of the answer. One
# blank behind the tag will do, since what follows it may be a blank as well.
_is_blob: Final = re.compile(r"```(?:json\s)?\W.*?```", re.DOTALL).search


def _is_answer(text: str) -> bool:
    return '"action"' not in text and _is_blob(text) is None


RULES: Final = JsonCallRules(
    keys=KEYS,
    answers=frozenset({"Final Answer"}),
    may_open=opens_after(r"\s*```(?:json)?\s*\[?\s*", is_lead_enough=True),
    fills_fence=True,
    may_answer=_is_answer,
)
STRICT: Final = strict_table(RULES, labels=("Thought", "Action"))
LENIENT: Final = lenient_table(lenient_rules(RULES, answers=ANSWERS), has_answer=False)


def write(step: Written) -> str:
    """Write one step."""
    thought = f"Thought: {step.thought}\n" if step.thought else ""
    return f"{thought}Action:\n{write_blob(written_call(step))}"


INSTRUCTIONS: Final = """\
You can use these tools:

{tools}

Everything you do is a JSON blob with two keys: "action" is the name of a tool, one of
[{tool_names}], or "Final Answer"; "action_input" is the input of the tool, or the answer. Write one
action in a blob, in this form:

Question: the question to answer
Thought: what you know and what to do next
Action:
```json
{
  "action": the tool,
  "action_input": its input
}
```
Observation: what the tool returned
... (Thought, Action and Observation may repeat)
Thought: I know what to respond
Action:
```json
{
  "action": "Final Answer",
  "action_input": the answer to the question
}
```

After a blob, stop: the Observation is given to you."""

DIALECT: Final = Dialect(
    name="structured_chat",
    aliases=("structured_chat_agent",),
    summary="ReAct text with JSON blobs for actions and for the answer (LangChain)",
    sample=SAMPLE,
    strict=STRICT,
    lenient=LENIENT,
    problems=PROBLEMS,
    stop=("\nObservation:",),
    write=write,
    write_observation=write_observation,
    instructions=INSTRUCTIONS,
)
