"""Tool calls as text, in OpenAI's form: ``{"name": "search", "arguments": {"query": "…"}}``.

Models that were trained on tool calls write it as text if no server parses it. An object is a call
and a list of objects is several calls, bare at the beginning of the turn or in a fence;
``arguments`` may be a JSON string. An object with only the key ``name`` is not a call, since such
objects are common. After the label ``Thought:`` the text is a thought, up to the calls; other text
beside them is content. The answer follows ``Final Answer:``, or is the whole text.

Source: the ``function`` object of OpenAI's chat completions.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.engine.calls.json.blocks import JsonCalls
from agent_parsers.engine.grammar.dialect import Dialect
from agent_parsers.engine.grammar.table import EndTurn, Go, Note, Part, Table
from agent_parsers.engine.markers.kinds import Label, Literal
from agent_parsers.engine.repairs.names import repair_tool_name
from agent_parsers.engine.writing.tool_lists import list_schemas
from agent_parsers.families.json_blocks import (
    BARE_PROBLEMS,
    PROBLEMS,
    bare_rules,
    block_rules,
    json_dialect,
)
from agent_parsers.families.json_steps import opens_after
from agent_parsers.families.turn_writer import write_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_parsers.engine.calls.json.rules import JsonCallRules
    from agent_parsers.engine.grammar.dialect import Result, Written, WrittenCall
    from agent_parsers.engine.grammar.table import Transition

__all__ = ["DIALECT"]

SAMPLE: Final = """\
Thought: I have to look it up.
```json
[
  {"name": "search", "arguments": {"query": "Lake Thun"}},
  {"name": "ping", "arguments": {}}
]
```"""

FENCED: Final = opens_after(r"\s*```(?:json)?\s*\[?\s*", is_lead_enough=True)
STRICT_RULES: Final = replace(
    bare_rules(block_rules())[0], may_open=FENCED, in_rows=True, following=None
)
LENIENT_RULES: Final = replace(
    bare_rules(block_rules(), anywhere=True)[1], strict=STRICT_RULES, following=None
)


BEFORE: Final = ("content", "thought")
"""The states before the first call."""


def _table(rules: JsonCallRules) -> Table:
    """Return the table for turns with labels, and calls without marks."""
    new_call = partial(JsonCalls, rules, bare=True)
    transitions: dict[tuple[str, str], Transition] = {
        **{(state, "thought"): Go("thought") for state in BEFORE},
        **{(state, "answer"): Go("answer") for state in BEFORE},
        **{(state, "observation"): Go("observation", clash="early") for state in BEFORE},
        ("calls", "thought"): EndTurn("thought"),
        ("calls", "answer"): Go("answer", clash="both"),
        ("calls", "observation"): EndTurn("observation"),
        ("answer", "answer"): Go("answer", firm=True),
        ("answer", "observation"): EndTurn("observation", firm=True),
        ("observation", "thought"): Go("thought"),
        ("observation", "answer"): Go("answer"),
    }
    return Table(
        new_call=new_call,
        readers={"thought": partial(new_call, thinks=True)},
        markers={
            "thought": Label("Thought", loose=rules.lenient),
            "answer": Label("Final Answer", loose=rules.lenient),
            "observation": Label("Observation", loose=rules.lenient),
        },
        parts={
            **dict.fromkeys((*BEFORE, "calls"), Part.CALL),
            "answer": Part.ANSWER,
            "observation": Part.OBSERVATION,
        },
        begun=dict.fromkeys(BEFORE, "calls"),
        transitions=transitions,
        several=True,
        starts={name: name for name in BEFORE},
        prompt_ends={"Thought:": "thought"},
        one_line_tools=True,
    )


def _lenient(rules: JsonCallRules) -> Table:
    """Return the table of lenient mode, with labels of other formats and special tokens."""
    table = _table(rules)
    transitions = {
        **table.transitions,
        **{(state, "question"): Go("action", clash="early") for state in BEFORE},
        **{(state, "action"): Go("action") for state in ("observation", *BEFORE)},
        **{
            ("action", marker): transition
            for (state, marker), transition in table.transitions.items()
            if state == "content"
        },
        ("action", "action"): Go("action"),
        ("action", "question"): Go("action", clash="early"),
        ("calls", "question"): EndTurn("content"),
        ("calls", "action"): EndTurn("action"),
        ("answer", "question"): EndTurn("content", firm=True),
        ("observation", "question"): Go("content", firm=True),
        # Minutes may have a line "Action:"; it begins a second turn only if a call follows.
        ("answer", "action"): Note("answer, action", firm=True),
        ("answer, action", "key"): Note("answer and action"),
        ("answer, action", "answer"): Go("answer", firm=True),
    }
    return replace(
        table,
        read_tool=repair_tool_name,
        readers={**table.readers, "action": partial(JsonCalls, rules, closed=False)},
        markers={
            **table.markers,
            "question": Label("Question", loose=True),
            "action": Label("Action", loose=True, borrowed=True),
            "key": Literal('"name"'),
        },
        parts={
            **table.parts,
            "action": Part.CALL,
            "answer, action": Part.ANSWER,
            "answer and action": Part.ANSWER,
        },
        begun={**table.begun, "action": "calls"},
        transitions=transitions,
        ends={"answer and action": "both"},
        lenient=True,
    )


def _as_json(call: WrittenCall) -> dict[str, Any]:
    return {"name": call.tool, "arguments": call.tool_input}


def write(step: Written) -> str:
    """Return one turn as text; if it has a thought, its content follows the calls."""
    thought = f"Thought: {step.thought}\n" if step.thought else ""
    if not step.calls:
        return f"{thought}Final Answer: {step.answer}"
    first, *others = map(_as_json, step.calls)
    written = write_json(first)
    if others:
        written = "[\n" + ",\n".join(f"  {write_json(call)}" for call in (first, *others)) + "\n]"
    blob = f"```json\n{written}\n```"
    if not step.content:
        return f"{thought}{blob}"
    return f"{thought}{blob}\n{step.content}" if thought else f"{step.content}\n{blob}"


def render_results(results: Sequence[Result], _number: int) -> str:
    """Return the results of a turn as text: one result unchanged, several as a list."""
    if len(results) == 1:
        return f"Observation: {results[0].text}"
    seen = ",\n".join(
        f"  {write_json({'name': result.tool, 'content': result.text})}" for result in results
    )
    return f"Observation: [\n{seen}\n]"


PROMPT: Final = """\
Answer the question as well as you can. You can use these tools:

{tools}

To use a tool, write a JSON blob with two keys.
"name" is the name of the tool, one of [{tool_names}].
"arguments" is an object with the arguments of the tool.
For example:

{action}

To use several tools in a turn, write a list of such objects in the blob.
Then stop: what the tools return is given to you as the Observation.
When you need no tool, write the answer in this form:

{answer}"""

DIALECT: Final = json_dialect(
    "json_toolcall",
    SAMPLE,
    aliases=("openai_json", "autogpt"),
    summary="tool calls as text: name and arguments in JSON objects (OpenAI's form)",
    strict=_table(STRICT_RULES),
    lenient=_lenient(LENIENT_RULES),
    problems={**PROBLEMS, **BARE_PROBLEMS},
    stop=("\nObservation:",),
    reasoning=Dialect.reasoning,
    write=write,
    render_results=render_results,
    turn_frame=("\n", "\n"),
    prompt=PROMPT,
    list_tools=list_schemas,
)
