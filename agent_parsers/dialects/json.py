"""One JSON blob in a turn, for a tool or for the answer: LangChain's JSON chat agent.

The blob may be bare or in a fence, and text may follow it. Strict mode requires it at the beginning
of the text or in a fence, like LangChain, and reads the first object of a list.

Source: LangChain's JSON chat agent.
"""

from __future__ import annotations

from typing import Final

from agent_parsers.engine.calls.json.rules import JsonCallRules
from agent_parsers.families.json_steps import KEYS, JsonActions, opens_after

__all__ = ["DIALECT", "FORM"]

SAMPLE: Final = """\
Question: How old is the oldest bridge of Bern?
Thought: I need to know which bridge that is.
```json
{
  "action": "search",
  "action_input": "oldest bridge in Bern"
}
```
TOOL RESPONSE: The Untertorbrücke was built from 1461 to 1489.
Thought: I now know the answer.
```json
{
  "action": "Final Answer",
  "action_input": "The Untertorbrücke has stood since 1489."
}
```"""

# LangChain's agent writes no thoughts; here they have a label.
FORM: Final = JsonActions(
    rules=JsonCallRules(
        keys=KEYS,
        answers=frozenset({"Final Answer"}),
        may_open=opens_after(r"\s*```(?:json)?[\s`]*\[?\s*", is_lead_enough=True),
        reads_null=True,
    ),
    observation="TOOL RESPONSE",
    has_action=False,
    has_answer=False,
)

PROMPT: Final = """\
Answer the question as well as you can. You can use these tools:

{tools}

Each reply is a thought and one JSON blob with two keys.
"action" is the name of a tool, one of [{tool_names}], or "Final Answer" when you know the answer.
"action_input" is the input of the tool, or the answer.

Write in this form. Each label begins a line:

{form}

A blob has one action, never a list of them. Stop after it: the TOOL RESPONSE is given to you.
For example, this turn uses a tool:

{action}"""

DIALECT: Final = FORM.dialect(
    name="json",
    aliases=("json_chat", "json_agent"),
    summary="one JSON blob with action and action_input, the answer included (LangChain)",
    sample=SAMPLE,
    prompt=PROMPT,
)
