"""One small run, as each console and logger prints it."""

from .console_logs import LOGS as CONSOLE_LOGS
from .consoles import BLUE, ESC, GREEN, agno, box, chain, coloured

QUESTION, THOUGHT, RESULT, ANSWER = "Which month?", "I look it up.", "November", "Fog."
JSON = '{"query": "fog"}'
REACT = f"""\
Question: {QUESTION}
Thought: {THOUGHT}
Action: search
Action Input: {JSON}
Observation: {RESULT}
Thought: I know it now.
Final Answer: {ANSWER}
"""

_TURN = f" {THOUGHT}\nAction: search\nAction Input: {JSON}"
_LAST = f" I know it now.\nFinal Answer: {ANSWER}"
_DASHES = "-" * 10
_CALL = f"[FunctionCall(id='c1', arguments='{JSON}', name='search')]"
_SEEN = f"[FunctionExecutionResult(content={RESULT!r}, name='search', call_id='c1')]"


def _field(name: str, text: str) -> str:
    return f"[[ ## {name} ## ]]\n{text}\n\n"


def _title(kind: str) -> str:
    return f" {kind} Message ".center(80, "=")


def _step(number: int, inside: str) -> str:
    rule = f" Step {number} ".center(64, "━")
    return f"{rule}\n{inside}[Step {number}: Duration 0.02 seconds]\n"


def _called(text: str) -> str:
    return box("", f"Calling tool: {text}", width=64, padding=1)


LOGS: dict[str, str] = {
    **CONSOLE_LOGS,
    "agno_console": agno("Message", QUESTION)
    + agno("Tool Calls", "• search(query=fog)")
    + agno("Response (0.8s)", ANSWER),
    "autogen_console": "".join(
        f"{_DASHES} {title} {_DASHES}\n{text}\n"
        for title, text in (
            ("TextMessage (user)", QUESTION),
            ("ThoughtEvent (planner)", THOUGHT),
            ("ToolCallRequestEvent (planner)", _CALL),
            ("ToolCallExecutionEvent (planner)", _SEEN),
            ("TextMessage (planner)", ANSWER),
        )
    ),
    "crewai_console": box("🤖 Agent Started", f"Agent: Planner\n\nTask: {QUESTION}")
    + box("🔧 Tool Execution Started (#1)", f"Tool: search\nArgs: {JSON}\n")
    + box("Tool Output", RESULT)
    + box("✅ Agent Final Answer", f"Agent: Planner\n\nFinal Answer:\n{ANSWER}"),
    "crewai_console_old": f"{ESC}1m{ESC}95m [DEBUG]: == Working Agent: Planner{ESC}00m\n"
    f"{ESC}1m{ESC}95m [INFO]: == Starting Task: {QUESTION}{ESC}00m\n"
    + chain(
        coloured(f"Thought:{_TURN}\n", GREEN)
        + f"{ESC}95m \n\n{RESULT}\n{ESC}00m\n"
        + coloured(f"Thought:{_LAST}", GREEN),
        "CrewAgentExecutor",
    )
    + f"{ESC}1m{ESC}92m [DEBUG]: == [Planner] Task output: {ANSWER}\n\n{ESC}00m\n",
    "dspy_history": f"\n\n\n{ESC}34m[2026-01-05T09:00:00.000001]{ESC}0m\n\n"
    f"{ESC}31mSystem message:{ESC}0m\n\nFields:\n[[ ## question ## ]]\n{{question}}\n\n\n"
    f"{ESC}31mUser message:{ESC}0m\n\n{_field('question', QUESTION)}[[ ## trajectory ## ]]\n"
    + _field("thought_0", THOUGHT)
    + _field("tool_name_0", "search")
    + _field("tool_args_0", JSON)
    + _field("observation_0", RESULT)
    + "Respond with the corresponding output fields, starting with the field `reasoning`.\n\n"
    f"{ESC}31mResponse:{ESC}0m\n\n{ESC}32m"
    + _field("reasoning", "I know it now.")
    + _field("answer", ANSWER)
    + f"[[ ## completed ## ]]{ESC}0m\n\n\n\n\n\n",
    "langchain_console": chain(
        coloured(_TURN, GREEN)
        + "\nObservation: "
        + coloured(RESULT, BLUE)
        + "\nThought:"
        + coloured(_LAST, GREEN)
    ),
    "langgraph_pretty": f"{_title('Human')}\n\n{QUESTION}\n{_title('Ai')}\n\n{THOUGHT}\n"
    f"Tool Calls:\n  search (c1)\n Call ID: c1\n  Args:\n    query: fog\n"
    f"{_title('Tool')}\nName: search\n\n{RESULT}\n{_title('Ai')}\n\n{ANSWER}\n",
    "llamaindex_stream": f"User: {QUESTION}\nThought:{_TURN}\n"
    f"Call search with {{'query': 'fog'}}\nReturned: {RESULT}\n"
    f"Thought: I know it now.\nAnswer: {ANSWER}\n",
    "llamaindex_verbose": "[tick] add: ToolCall(tool_name='search', tool_kwargs={'query': 'fog'},"
    " tool_id='c1')\n",
    "llamaindex_workflow": f"{'=' * 50}\n🤖 Agent: A\n{'=' * 50}\n\n📤 Output: {THOUGHT}\n"
    "🛠️  Planning to use tools: ['search']\n🔨 Calling Tool: search\n"
    "  With arguments: {'query': 'fog'}\n🔧 Tool Result (search):\n"
    f"  Arguments: {{'query': 'fog'}}\n  Output: {RESULT}\n📤 Output: {ANSWER}\n",
    "semantic_kernel_xml": "<chat_history>"
    f'<message role="user"><text>{QUESTION}</text></message><message role="assistant">'
    '<function_call id="c1" name="search">{"query": "fog"}</function_call></message>'
    f'<message role="tool"><function_result id="c1" name="search">{RESULT}</function_result>'
    f'</message><message role="assistant"><text>{ANSWER}</text></message></chat_history>\n',
    "roles": f"### User\n{QUESTION}\n\n### Assistant\n{THOUGHT}\nAction: search\n"
    f'Action Input: {{"query": "fog"}}\n\n### Tool\n{RESULT}\n\n'
    f"### Assistant\nFinal Answer: {ANSWER}\n",
    "strands_console": f"{THOUGHT}\nTool #1: search\n{ANSWER}\n",
    "plain": REACT,
    "prefixed": "".join(
        f"2026-01-05 09:00:00,260 INFO agent {line}\n" for line in REACT.splitlines()
    ),
    "python_repr": f"{{'messages': [HumanMessage(content={QUESTION!r}, id='1'), "
    f"AIMessage(content={THOUGHT!r}, tool_calls=[{{'name': 'search', "
    f"'args': {{'query': 'fog'}}, 'id': 'c1'}}]), "
    f"ToolMessage(content={RESULT!r}, tool_call_id='c1'), "
    f"AIMessage(content={ANSWER!r}, tool_calls=[])]}}\n",
    "smolagents_console": box(
        "New run", f"\n{QUESTION}\n", width=64, padding=1, subtitle="Model - id"
    )
    + _step(1, _called("'search' with arguments: {'query': 'fog'}") + f"Observations: {RESULT}\n")
    + _step(
        2,
        _called(f"'final_answer' with arguments: {{'answer': {ANSWER!r}}}")
        + f"Observations: {ANSWER}\nFinal answer: {ANSWER}\n",
    ),
}
"""The log of each reader of text."""
