"""One JSON blob in a turn, for a tool or for the answer: LangChain's JSON chat agent.

The blob may be bare or in a fence, and text may follow it. Strict mode requires it at the beginning
of the text or in a fence, like LangChain, and reads the first object of a list.

Source: LangChain's JSON chat agent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent_parsers.engine.calls.json.rules import JsonCallRules
from agent_parsers.engine.grammar.dialect import Dialect, Written
from agent_parsers.engine.writing.tool_lists import list_schemas
from agent_parsers.families.json_steps import (
    ANSWERS,
    KEYS,
    PROBLEMS,
    WORDS,
    json_steps,
    lenient_rules,
    lenient_table,
    opens_after,
    strict_table,
    write_blob,
    written_call,
)
from agent_parsers.families.step_writer import StepWriter

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.table import Table

__all__ = ["DIALECT", "RULES", "lenient"]

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

RULES: Final = JsonCallRules(
    keys=KEYS,
    answers=frozenset({"Final Answer"}),
    may_open=opens_after(r"\s*```(?:json)?[\s`]*\[?\s*", is_lead_enough=True),
    reads_null=True,
)
STRICT: Final = strict_table(RULES)
STEPS: Final = json_steps(observation="TOOL RESPONSE", has_action=False, has_answer=False)
WRITER: Final = StepWriter(STEPS.markers)


def lenient(rules: JsonCallRules) -> Table:
    """Return the table of lenient mode, given the *rules* of strict mode."""
    return lenient_table(lenient_rules(rules, answers=ANSWERS), STEPS)


def write(step: Written) -> str:
    """Return one step as text; thoughts, which LangChain's agent does not write, have a label."""
    return WRITER.thought(step) + write_blob(written_call(step))


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

DIALECT: Final = Dialect(
    name="json",
    aliases=("json_chat", "json_agent"),
    summary="one JSON blob with action and action_input, the answer included (LangChain)",
    sample=SAMPLE,
    strict=STRICT,
    lenient=lenient(RULES),
    problems=PROBLEMS,
    stop=WRITER.stop,
    write=write,
    render_observation=WRITER.render_observation,
    generation_prompt=WRITER.generation_prompt,
    prompt=PROMPT,
    prompt_words=WORDS,
    list_tools=list_schemas,
)
