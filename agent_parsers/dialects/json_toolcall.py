"""Tool calls as text, in OpenAI's form: ``{"name": "search", "arguments": {"query": "…"}}``.

    Thought: I have to look it up.
    ```json
    [
      {"name": "search", "arguments": {"query": "Lake Thun"}},
      {"name": "ping", "arguments": {}}
    ]
    ```

Models that were trained on tool calls write it as text if no server parses it. An object is a call
and a list of objects is several calls, bare at the beginning of the turn or in a fence;
``arguments`` may be a JSON string. An object with only the key ``name`` is not a call, since such
objects are common. After the label ``Thought:`` the text is a thought, up to the calls; other text
beside them is content. The answer follows ``Final Answer:``, or is the whole text.

Source: the ``function`` object of OpenAI's chat completions.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from agent_parsers.authoring import (
    SAMPLE_TURN,
    EndTurn,
    Form,
    Go,
    JsonCallRules,
    JsonCalls,
    JsonPayload,
    Label,
    Literal,
    Marker,
    Note,
    Part,
    Result,
    Table,
    Transition,
    Written,
    bare_rules,
    calls_dialect,
    write_json,
)
from agent_parsers.engine.repairs.names import repair_tool_name
from agent_parsers.families.json_steps import opens_after

THOUGHT, ANSWER, OBSERVATION = "Thought", "Final Answer", "Observation"
CALL = JsonPayload(bare="anywhere")
STRICT_RULES = replace(
    bare_rules(CALL.rules)[0],
    may_open=opens_after(r"\s*```(?:json)?\s*\[?\s*", is_lead_enough=True),
    in_rows=True,
    following=None,
)
LENIENT_RULES = replace(
    bare_rules(CALL.rules, anywhere=True)[1], strict=STRICT_RULES, following=None
)


def _table(rules: JsonCallRules) -> Table:
    """Return the table for turns with labels, and calls without marks.

    That of lenient mode also has the labels of other formats.
    """
    new_call = partial(JsonCalls, rules, bare=True)
    before = ["content", "thought", *(["action"] if rules.lenient else [])]
    """The states before the first call."""
    after: dict[str, Part] = {"answer": Part.ANSWER, "observation": Part.OBSERVATION}
    markers: dict[str, Marker] = {
        "thought": Label(THOUGHT, loose=rules.lenient),
        "answer": Label(ANSWER, loose=rules.lenient),
        "observation": Label(OBSERVATION, loose=rules.lenient),
    }
    transitions: dict[tuple[str, str], Transition] = {
        **{(state, "thought"): Go("thought") for state in before},
        **{(state, "answer"): Go("answer") for state in before},
        **{(state, "observation"): Go("observation", clash="invented_first") for state in before},
        ("calls", "thought"): EndTurn("thought"),
        ("calls", "answer"): Go("answer", clash="action_and_answer"),
        ("calls", "observation"): EndTurn("observation"),
        ("answer", "answer"): Go("answer", firm=True),
        ("answer", "observation"): EndTurn("observation", firm=True),
        ("observation", "thought"): Go("thought"),
        ("observation", "answer"): Go("answer"),
    }
    if rules.lenient:
        after |= dict.fromkeys(("answer, action", "answer and action"), Part.ANSWER)
        markers |= {
            "question": Label("Question", loose=True),
            "action": Label("Action", loose=True, borrowed=True),
            "key": Literal(f'"{CALL.tool}"'),
        }
        transitions |= {
            # A model that repeats the question of its prompt has begun its content with it.
            **{(state, "question"): Note(state) for state in before if state != "action"},
            ("action", "question"): Go("action", clash="invented_first"),
            **{(state, "action"): Go("action") for state in ("observation", *before)},
            ("calls", "question"): EndTurn("content"),
            ("calls", "action"): EndTurn("action"),
            ("answer", "question"): EndTurn("content", firm=True),
            ("observation", "question"): Go("content", firm=True),
            # Minutes may have a line "Action:"; it begins a second turn only if a call follows.
            ("answer", "action"): Note("answer, action", firm=True),
            ("answer, action", "key"): Note("answer and action"),
            ("answer, action", "answer"): Go("answer", firm=True),
        }
    in_action = {"action": partial(JsonCalls, rules, closed=False)} if rules.lenient else {}
    return Table(
        new_call=new_call,
        readers={"thought": partial(new_call, thinks=True), **in_action},
        markers=markers,
        parts={**dict.fromkeys((*before[:2], "calls", *before[2:]), Part.CALL), **after},
        begun=dict.fromkeys(before, "calls"),
        transitions=transitions,
        ends={"answer and action": "action_and_answer"} if rules.lenient else {},
        several=True,
        starts={name: name for name in before[:2]},
        prompt_ends={f"{THOUGHT}:": "thought"},
        read_tool=repair_tool_name if rules.lenient else None,
        lenient=rules.lenient,
    )


ONE, SEVERAL = ("```json\n", "", "\n```"), ("```json\n[\n  ", ",\n  ", "\n]\n```")
BEFORE = Form(
    call=CALL.form,
    calls=ONE,
    thought=(f"{THOUGHT}: ", "\n"),
    content=("", "\n"),
    answer=(f"{ANSWER}: ", ""),
)
BEHIND = replace(BEFORE, content=("\n", ""), is_content_last=True)
FORMS = {
    (has_several, has_thought): replace(form, calls=calls, is_single=not has_several)
    for has_several, calls in ((False, ONE), (True, SEVERAL))
    for has_thought, form in ((False, BEFORE), (True, BEHIND))
}


def write(step: Written) -> str:
    """Return one turn as text; if it has a thought, its content follows the calls."""
    return FORMS[bool(step.others), bool(step.thought)](step)


def render_results(results: Sequence[Result], _number: int) -> str:
    """Return the results of a turn as text: one result unchanged, several as a list."""
    if len(results) == 1:
        return f"{OBSERVATION}: {results[0].text}"
    seen = ",\n".join(
        f"  {write_json({'name': result.tool, 'content': result.text})}" for result in results
    )
    return f"{OBSERVATION}: [\n{seen}\n]"


PROMPT = """\
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

DIALECT = calls_dialect(
    "json_toolcall",
    write(replace(SAMPLE_TURN, content="")),
    aliases=("openai_json", "autogpt"),
    summary="tool calls as text: name and arguments in JSON objects (OpenAI's form)",
    strict=_table(STRICT_RULES),
    lenient=_table(LENIENT_RULES),
    problems=CALL.problems,
    stop=(f"\n{OBSERVATION}:",),
    form=replace(BEFORE, is_single=True, own=write, others=tuple(FORMS.values())[1:]),
    render_results=render_results,
    turn_frame=("\n", "\n"),
    prompt=PROMPT,
)
