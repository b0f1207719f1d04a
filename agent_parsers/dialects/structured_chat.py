"""ReAct text with a JSON blob for each action and for the answer: the structured chat agent.

A text without a blob is the final answer, as in LangChain. A text that looks like a broken call is
an error: a label ``Action:`` without JSON, JSON that is cut or cannot be read, or the key
``"action"`` outside of any object.

Source: LangChain's structured chat agent.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from agent_parsers.engine.calls.json.rules import JsonCallRules
from agent_parsers.families.json_steps import KEYS, WORDS, JsonActions, opens_after

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

# What LangChain's pattern accepts as a blob. A fence with another tag is part of the answer. One
# space after the tag is enough, since more white space may follow.
_is_blob: Final = re.compile(r"```(?:json\s)?\W.*?```", re.DOTALL).search


_has_input: Final = re.compile(
    r"^\W*action[ _]?input\W*:\s*[{\[]", re.IGNORECASE | re.MULTILINE
).search


def _is_answer(text: str) -> bool:
    return '"action"' not in text and _is_blob(text) is None and _has_input(text) is None


FORM: Final = JsonActions(
    rules=JsonCallRules(
        keys=KEYS,
        answers=frozenset({"Final Answer"}),
        may_open=opens_after(r"\s*```(?:json)?\s*\[?\s*", is_lead_enough=True),
        fills_fence=True,
        may_answer=_is_answer,
    ),
    has_answer=False,
)

PROMPT: Final = """\
Answer the question as well as you can. You can use these tools:

{tools}

Write each action, and the final answer, as a JSON blob with two keys.
"action" is the name of a tool, one of [{tool_names}], or "Final Answer" when you know the answer.
"action_input" is the input of the tool, or the answer.

Write in this form. Each label begins a line:

{form}

A blob has one action, never a list of them. Stop after it: the Observation is given to you.
For example, this turn uses a tool:

{action}"""

DIALECT: Final = FORM.dialect(
    name="structured_chat",
    aliases=("structured_chat_agent",),
    summary="ReAct text with JSON blobs for actions and for the answer (LangChain)",
    sample=SAMPLE,
    prompt=PROMPT,
    prompt_words=replace(
        WORDS, tool_input={"parameter": "value"}, last_thought="I know what to respond"
    ),
)
