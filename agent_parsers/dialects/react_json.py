"""ReAct text whose action is a JSON blob in a fence, as LangChain's chat agents prompt for it.

In strict mode, as for `ReActJsonSingleInputOutputParser`, a fence begins the action, with or
without the tag ``json``, and labels before it are ignored. An answer needs the label
``Final Answer:``, so an action *called* ``Final Answer`` is a tool; lenient mode reads it as the
answer.

Source: LangChain's chat zero-shot ReAct agent, after Yao et al. 2022 (arXiv 2210.03629).
"""

from __future__ import annotations

from typing import Final

from agent_parsers.engine.calls.json.rules import JsonCallRules
from agent_parsers.families.json_steps import KEYS, JsonActions, opens_after

__all__ = ["DIALECT", "FORM"]

SAMPLE: Final = """\
Question: How old is the oldest bridge of Bern?
Thought: I need to know which bridge that is.
Action:
```json
{
  "action": "search",
  "action_input": "oldest bridge in Bern"
}
```
Observation: The Untertorbrücke was built from 1461 to 1489.
Thought: I now know the final answer
Final Answer: The Untertorbrücke has stood since 1489."""

FORM: Final = JsonActions(
    rules=JsonCallRules(
        keys=KEYS,
        may_open=opens_after(r"\s*```(?:json)?\s*", is_lead_enough=False),
        fills_fence=True,
    )
)

PROMPT: Final = """\
Answer the question as well as you can. You can use these tools:

{tools}

To use a tool, write a JSON blob with two keys.
"action" is the name of the tool, one of [{tool_names}].
"action_input" is the input of the tool.

Write in this form. Each label begins a line:

{form}

A blob has one action, never a list of them. Stop after it: the Observation is given to you.
For example, this turn uses a tool:

{action}"""

DIALECT: Final = FORM.dialect(
    name="react_json",
    aliases=("react_json_single_input",),
    summary="ReAct text with the action as a JSON blob, or Final Answer (LangChain)",
    sample=SAMPLE,
    prompt=PROMPT,
)
