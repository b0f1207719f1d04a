# pip install agent-parsers && python examples/own_dialect.py
"""A dialect of your own; docs/dialects.md explains it."""

from agent_parsers import Dialect, get_parser, register
from agent_parsers.authoring import EndTurn, Go, Label, Part, Table, Written

SAMPLE = """\
Task: How old is the oldest bridge of Bern?
Plan: I look it up.
Tool: search
With: oldest bridge in Bern
Result: It was built from 1461 to 1489.
Plan: That is all I need.
Reply: It has stood since 1489."""

TABLE = Table(
    markers={
        "task": Label("Task"),
        "plan": Label("Plan"),
        "tool": Label("Tool"),
        "with": Label("With"),
        "result": Label("Result"),
        "reply": Label("Reply"),
    },
    parts={
        "plan": Part.THOUGHT,  # a turn begins in the first state
        "tool": Part.TOOL,
        "with": Part.INPUT,
        "reply": Part.ANSWER,
        "result": Part.OBSERVATION,
        "task": Part.QUESTION,
    },
    transitions={
        ("plan", "plan"): Go("plan"),
        ("tool", "with"): Go("with"),
        ("with", "result"): EndTurn("result"),
        ("reply", "task"): EndTurn("task"),
        ("task", "task"): Go("task"),
        ("task", "plan"): Go("plan"),
        ("result", "plan"): Go("plan"),
        **{(state, "tool"): Go("tool") for state in ("plan", "task", "result")},
        **{(state, "reply"): Go("reply") for state in ("plan", "task", "result")},
    },
    transcript_start="task",
)


def write(step: Written) -> str:
    """Write one step."""
    plan = f"Plan: {step.thought}\n" if step.thought else ""
    if step.tool:
        return f"{plan}Tool: {step.tool}\nWith: {step.tool_input}"
    return f"{plan}Reply: {step.answer}"


MEMO = Dialect(
    name="memo",
    sample=SAMPLE,
    strict=TABLE,
    stop=("\nResult:",),
    write=write,
    render_observation=lambda result, _number: f"\nResult: {result}\n",
)
register(MEMO)

print(get_parser("memo").parse("Tool: search\nWith: lakes"))
