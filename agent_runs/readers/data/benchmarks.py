r"""Results of benchmarks, as tables.

::

    {"7": {"query": "…", "turn_history": {"actions": ["execute[ls]"], "observations": ["a.txt"]}}}
    {"state": {"history": [{"role": "user", "content": "…"}, …]}, "task": {"prompt": "…"}}
    {"7": {"query": "…", "answer": {"answer_details": [{"role": "system", "next": […]}]}}}
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from agent_runs.reading.parts import text_of
from agent_runs.reading.reprs import value_of_repr
from agent_runs.tables.arranging import LeftOut
from agent_runs.tables.messages import Messages
from agent_runs.tables.part import MessagePart, at

# -- InterCode -------------------------------------------------------------------------------------


def _named(action: str) -> tuple[str, str]:
    """Return the tool and the input in an *action*: ``execute[ls]``, ``submit``, or a command.

    The environment executes what is not submitted, and agents of ReAct say so.
    """
    name, bracket, given = action.partition("[")
    is_call = bool(bracket) and given.rstrip().endswith("]") and name.strip().isidentifier()
    if is_call:
        return name.strip(), given.rstrip()[:-1]
    return ("submit", "") if action.strip() == "submit" else ("execute", action)


def _plan(record: Mapping[str, Any]) -> Any:
    """Return the steps of the plan, one for each action; the last has those that were not tried."""
    steps, tried = (at(record, f"turn_history.{name}") for name in ("steps", "actions"))
    if not (isinstance(steps, list) and isinstance(tried, list) and tried):
        return None
    last = len(tried) - 1
    return [*steps[:last], "\n".join(map(text_of, steps[last:]))] if steps[last:] else steps


INTERCODE: Final = Messages(
    name="intercode", summary="results of InterCode, whose turns are parallel lists",
    roles={"assistant": "assistant"}, content=None, messages="", records="logs{}|logs|",
    question="query",
    lists={"action": "turn_history.actions", "thought": "turn_history.thoughts",
           "step": _plan, "observation": "turn_history.observations"},
    has=("action",), sign="'actions' in 'turn_history'", is_one_run=True,
    parts=[
        MessagePart("thought", at="", key="thought"),
        MessagePart("thought", at="", key="step"),
        MessagePart("call", at="", key="action", of="", is_text=True, id="=",
                    name=lambda turn: _named(turn["action"])[0],
                    arguments=lambda turn: _named(turn["action"])[1], output="observation"),
    ],
)  # fmt: skip

# -- MINT ------------------------------------------------------------------------------------------

# mint/datatypes.py and mint/envs/general_env.py of MINT: a solution is tried as code is run, and
# that in the last turn is the answer.
_mint_parts: Final = re.compile(
    r"(?s)<(?P<kind>thought|execute|solution)>\s*(?P<text>.*?)\s*</(?P=kind)>|(?P<other>[^<]+|<)"
).finditer


def _mint_turns(record: Mapping[str, Any]) -> list[Any] | None:
    turns = at(record, "state.history") if "task" in record else None
    return None if not isinstance(turns, list) else [
        {**turn, "said": [{**part.groupdict(), "is_last": turn is turns[-1]}
                          for part in _mint_parts(turn["content"]) if turn["role"] != "user"]}
        for turn in turns[1:]
    ]  # fmt: skip


MINT: Final = Messages(
    name="mint", summary="results of MINT, whose models write <execute> and <solution>",
    roles={"assistant": "assistant", "user": "tool"}, messages=_mint_turns, content=None,
    question="task.prompt", has=("said",), sign="'history' in 'state'", before=("openai_chat",),
    about={"task_id": "task.task_id|task.id", "success": "state.success"}, type_key="kind",
    parts=[
        MessagePart("result", at="", where=lambda turn: turn["role"] == "user", of="", id="=",
                    output=lambda turn: turn["content"].removeprefix("Observation:").strip()),
        MessagePart("thought", at="said", type="thought", of="text"),
        MessagePart("text", at="said", type="solution", of="text", where=lambda it: it["is_last"]),
        MessagePart("call", at="said", type="execute|solution", of="", name="kind", id="=",
                    arguments="text", is_text=True),
        MessagePart("text", at="said", key="other"),
    ],
)  # fmt: skip

# -- ToolBench -------------------------------------------------------------------------------------


def _tooleval_nodes(record: Mapping[str, Any]) -> list[Any] | None:
    """Return the nodes on the way that goes on with the first of several."""
    nodes, found = at(record, "answer.answer_details"), []
    while nodes:
        found += [nodes[0], *[LeftOut("another branch")] * (len(nodes) - 1)]
        nodes = nodes[0]["next"]
    return found or None


def _tooleval_call(node: Mapping[str, Any]) -> Any:
    said = node["message"] if node["role"] == "tool" else None
    return value_of_repr(said) if isinstance(said, str) else said


# toolbench/tooleval/evaluation/dataclass.py of ToolBench; a call and its result are one node.
TOOLEVAL: Final = Messages(
    name="tooleval", summary="answers of ToolBench, as ToolEval reads them", content=None,
    roles={"assistant": "assistant", "tool": "assistant"}, messages=_tooleval_nodes,
    question="query", has=("message", "next"), sign="'answer_details' in 'answer'",
    skips=lambda node: node.get("role") in ("system", "user"), about={"method": "answer.method"},
    parts=[
        MessagePart("text", at="", where=lambda node: node["role"] == "assistant", of="message"),
        MessagePart("text", at=_tooleval_call, key="arguments!.final_answer"),
        MessagePart("call", at=_tooleval_call, key="name", of="", id="=", output="response",
                    where=lambda call: call["name"] != "Finish"),
        MessagePart("error", at=_tooleval_call, key="name", of="arguments!.return_type|arguments",
                    where=lambda call: call["name"] == "Finish"
                    and at(call, "arguments!.final_answer") is None),
    ],
)  # fmt: skip

TABLES: Final = (INTERCODE, MINT, TOOLEVAL)
