"""Consoles that are tables, each after the pages and packages that it names."""

from __future__ import annotations

from typing import Final

from agent_runs.tables.console import Console
from agent_runs.tables.piece import ConsolePiece, Shown

# developers.llamaindex.ai: the loop over events that its guide on multi-agent workflows prints.
LLAMAINDEX_WORKFLOW: Final = Console(
    name="llamaindex_workflow",
    summary="output of the loop in LlamaIndex's guide to multi-agent workflows",
    pieces=[
        ConsolePiece("nothing", r"={50}\n", r""),
        ConsolePiece("nothing", r"🤖 Agent: ", r"[^\n]*"),
        ConsolePiece("text", r"📤 Output: "),
        ConsolePiece("nothing", r"🛠️  Planning to use tools: ", r"[^\n]*", is_sign=True),
        ConsolePiece("call", r"🔨 Calling Tool: (?P<tool>[^\n]+)\n",
                     r"  With arguments: (?P<args>.*)", is_sign=True),
        ConsolePiece("result", r"🔧 Tool Result \((?P<tool>[^\n]*)\):\n",
                     r"  Arguments: [^\n]*\n  Output: (?P<text>.*)"),
    ],
)  # fmt: skip

# strands/handlers/callback_handler.py of strands-agents 1: neither inputs nor results are shown.
STRANDS: Final = Console(
    name="strands_console", summary="what the callback handler of Strands Agents prints",
    first="text",
    pieces=[
        ConsolePiece("call", r"Tool #\d+: (?P<tool>[\w.:-]+)\n", r"(?P<after>.*)", is_sign=True),
    ],
)  # fmt: skip

# What crews with human_input=True ask a person, whose reply is not always shown.
_FEEDBACK: Final = (
    r"## (?:Please provide feedback on the Final Result and the Agent's actions"
    r"(?:\. Respond with [^\n]*\n=====|:)"
    r"|[A-Z ]+: [^\n]*\n(?:[^\n=][^\n]*\n)*=====)\s*"
    r"(?P<unowned>(?:(?!Processing your feedback\.).)*)(?:Processing your feedback\.\.\.\s*)?"
)

# crewai/agents/crew_agent_executor.py (0.61 to 0.141); utilities/events/utils/console_formatter.py
# prints the trees of 0.108 and later. A coworker's steps stand before the call that asked it.
CREWAI_HEADINGS: Final = Console(
    name="crewai_headings", summary="console of CrewAI 0.61 to 0.1xx: # Agent:, ## Using tool:",
    is_paired=True,
    pieces=[
        ConsolePiece("nothing", r"# Agent: ?(?P<agent>[^\n]*)\n", "", is_sign=True,
                     ahead=r"## (?:Thought|Using tool|Final Answer): ?"),
        ConsolePiece("nothing", r"# Agent: ?(?P<agent>[^\n]*)\n", "", ahead=r"\s*## Task: ?"),
        ConsolePiece("question", r"## Task: ?"),
        ConsolePiece("thought", r"## Thought: ?", r"(?:Thought: ?)?(?P<text>.*)"),
        ConsolePiece("call", r"## Using tool: ?(?P<tool>[^\n]*)\n",
                     r"(?:## Tool Input: ?\n?(?P<args>.*))?", is_quoted=True),
        ConsolePiece("result", r"## Tool Output: ?\n?"),
        ConsolePiece("text", r"## Final Answer: ?\n?"),
        ConsolePiece("nothing", r"=====\n", _FEEDBACK,
                     ahead=r"## (?:Please provide feedback on|HUMAN FEEDBACK:|TRAINING MODE:) "),
        ConsolePiece("nothing", r"🚀 Crew: [^\n]*\n", r".*", more=r"[\s│├└]"),
        ConsolePiece("nothing", r"(?:📋 Task|🤖 Agent): [^\n]*\n|🔧 Using [^\n]*\n|🧠 Thinking",
                     r"[.…]*(?:\s*(?:Status|Assigned to|ID): [^\n]*)*\s*"),
        ConsolePiece("nothing", r"╭─+ (?:❌|✅|🚀|🤖|🔧|📋)[^\n]*\n", r".*", more=r"[│╰]"),
    ],
)  # fmt: skip

_STAMP: Final = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d: task_name=\""
_TASK: Final = (
    r"[^\"\n]*\", task=\"(?P<text>.*)\", agent=\"(?P<agent>[^\"\n]*)\", status=\"started\"\s*"
)
_DONE: Final = r"[^\"\n]*\", task=\".*?\", agent=\"(?P<agent>[^\"\n]*)\", status=\"completed\""

_JOINED: Final = r"agent=(?P<agent>[^\n]*?)(?=\d{4}-\d\d-\d\d \d\d:\d\d:\d\d: task=)"
_AT: Final = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d: "

# crewai/utilities/file_handler.py: the time joined the fields up to 0.74; the output is the task.
CREWAI_LOG_TEXT: Final = Console(
    name="crewai_log_text",
    summary="log file of a CrewAI crew (0.30 and later), as text, without calls",
    signs=("task_name=", ": task="), before=("prefixed",),
    pieces=[
        ConsolePiece("question", _JOINED, rf"{_AT}task=(?P<text>.*?){_AT}status=started\s*",
                     is_sign=True),
        ConsolePiece("text", _JOINED, rf"{_AT}task=(?P<text>.*?){_AT}status=completed\s*",
                     is_sign=True),
        ConsolePiece("question", _STAMP, _TASK, is_sign=True),
        ConsolePiece("text", _STAMP, rf"{_DONE}, output=\"(?P<text>.*)\"\s*", is_sign=True),
        ConsolePiece("nothing", _STAMP, rf"{_DONE}\s*"),
    ],
)  # fmt: skip

_SENDER: Final = r"(?P<who>\S[^\n]*?) \(to [^\n]+\):\n"
_RULE: Final = r"^-{80}$"
_CODE_RAN: Final = r">{8,10} EXECUTING (?:\d+ )?CODE BLOCK"


def _sent(what: Shown, body: str, *, each: str = "", then: str = "") -> ConsolePiece:
    """Return a kind of message of AutoGen 0.2, which ends with a line; *each* finds its calls."""
    return ConsolePiece(
        what,
        _SENDER,
        body,
        ahead=r"\s*\n",
        until=_RULE,
        is_sign=True,
        each=each,
        then=then,
        tool="python_interpreter" if then else "",
    )


# autogen/agentchat/conversable_agent.py, chat.py and groupchat.py (0.2.40), and agent_events.py of
# ag2 (0.7 to 0.10). Who speaks first is the user. Code is what a message has in fences, if the
# console says that it runs.
AUTOGEN_OLD: Final = Console(
    name="autogen_console_old",
    summary="console of AutoGen 0.2 and AG2 (to 0.10): user_proxy (to chatbot):",
    signs=(" (to ",),
    pieces=[
        _sent("calls", r"(?P<text>.*\*{5} Suggested (?:tool|function) [Cc]all.*)",
              each=r"\*{5} Suggested (?:tool|function) [Cc]all(?: \((?P<id>[^()\n]*)\))?: "
              r"(?P<tool>[^\n]*?) \*{5}\nArguments: ?\n(?P<args>.*?)\n\*{20,}"),
        _sent("results", r"\s*(?P<text>\*{5} Response from calling .*)",
              each=r"\*{5} Response from calling (?:tool [(\"](?P<id>[^\n]*?)[)\"]"
              r"|(?:function [(\"]|tool: )(?P<tool>[^\n]*?)[)\"]?|tool) \*{5}\n"
              r"(?P<text>.*?)\n\*{20,}"),
        _sent("result", r"\s*(?P<text>exitcode: .*)"),
        _sent("calls", r"(?P<text>.*\n```.*)", then=_CODE_RAN,
              each=r"```[^\n`]*\n(?P<args>.*?)\n```"),
        _sent("spoken", r"(?P<text>.*?)\s*(?:TERMINATE\s*)?"),
        ConsolePiece("start", r"Starting a new chat\.\.\.\.", r""),
        ConsolePiece("nothing", r"\*{80}\n", r""),
        ConsolePiece("nothing", r"Next speaker: ", r"[^\n]*"),
        ConsolePiece("nothing", r">{8,10} EXECUTED FUNCTION", r".*"),
        ConsolePiece("nothing", r">{8,10} (?:EXECUTING|USING AUTO REPLY|NO HUMAN|TERMINATING RUN)",
                     r"[^\n]*(?:\n(?:Call ID|Input arguments): [^\n]*)*"),
    ],
)  # fmt: skip

# transformers/agents/agents.py (4.44, 4.47); the results of tools are shown at the level INFO only.
TRANSFORMERS_AGENTS: Final = Console(
    name="transformers_agents", summary="console of transformers.agents (4.44 to 4.47)",
    nests=True, is_paired=True, signs=("== new task ==",),
    pieces=[
        ConsolePiece("question", r"={8} New task ={8}\n", is_sign=True),
        ConsolePiece("call", r"(?:={4}|>>>) Agent is executing the code below:\n",
                     r"(?P<args>.*)", until=r"^====$", tool="python_interpreter"),
        ConsolePiece("answer", r"(?:>>> )?Calling tool: 'final_answer' with arguments: ",
                     r"(?P<args>.*)"),
        ConsolePiece("call", r"(?:>>> )?Calling tool: '(?P<tool>[^'\n]*)' with arguments: ",
                     r"(?P<args>[^\n]*)(?P<unowned>.*)"),
        ConsolePiece("thought", r"=== Agent thoughts:\n?"),
        ConsolePiece("result", r"Print outputs:\n", r"(?P<text>.*?)\s*"),
        ConsolePiece("result", r"(?=Code execution failed due to the following error:"
                     r"|Error in tool call execution: )", behind=("call", "nothing")),
        ConsolePiece("answer", r"(?:>>> )?Final answer:\n"),
    ],
)  # fmt: skip

_MARK: Final = r"[⏺●] "
_RESULT: Final = r"(?:(?: {2,}[^\n]*)?\n)*? {2}⎿"
_GOES_ON: Final = r" {2,6}|\s*$"
_COLLAPSED: Final = (
    r"(?:Read|Ran|Searched for|Listed|Edited|Wrote|Fetched) \d+ "
    r"(?:lines?|files?|shell commands?|patterns?|director(?:y|ies))\b(?=[^.:]*$)"
)
"""Calls that the terminal has drawn together into one line."""

# Copies of the terminal and /export of Claude Code 1 and 2, as people keep them. The names of tools
# are those shown, and long values are shortened.
CLAUDE_TERMINAL: Final = Console(
    name="claude_terminal",
    summary="text copied from Claude Code's terminal (1 and 2), or written by /export",
    signs=("⏺ ", "● "), is_paired=True,
    shortened=r"(?m)^[^\n]*(?:… \+\d+ lines?\b|\(ctrl\+\w to expand\))[^\n]*$"
    r"|\ADone \(\d+ tool uses?[^\n]*\)\Z|…\Z",
    pieces=[
        ConsolePiece("question", r"[>❯] ", more=r" {2}|\s*$"),
        ConsolePiece("call", rf"{_MARK}(?P<tool>[\w-]+(?: - [\w-]+ \(MCP\)|(?: [\w-]+){{0,3}}))\(",
                     r"(?P<args>.*)\)\s*", ahead=_RESULT, more=_GOES_ON, is_sign=True,
                     is_untyped=True),
        ConsolePiece("call", rf"{_MARK}(?P<tool>[A-Z]\w*)\((?=[^\n]*\)$)",
                     r"(?P<args>.*)\)\s*", more=_GOES_ON, is_untyped=True),
        ConsolePiece("call", rf"{_MARK}(?P<tool>[A-Z]\w*(?: \w+){{0,3}})\n", r"\s*",
                     ahead=r" {2}⎿", is_sign=True),
        ConsolePiece("nothing", rf"(?:{_MARK})?Thought for \d+", r"[^\n]*"),
        ConsolePiece("text", _MARK, more=r" {2}|\s*$"),
        ConsolePiece("result", r" {2}⎿ {1,2}", more=r" {5}|\s*$", behind=("call", "result")),
        ConsolePiece("nothing", r" {2}⎿ {1,2}", r"⧉ [^\n]*|\(no content\)", more=r" {5}|\s*$"),
        ConsolePiece("nothing", rf" {{2}}{_COLLAPSED}", r"(?!)", more=r"\s*$"),
        ConsolePiece("thought", r"∴ Thinking[^\n]*\n", more=r" {2}|\s*$"),
        ConsolePiece("nothing", r"[✻✽✶✳✢·※] ", r"[^\n]*"),
        ConsolePiece("nothing", r"[╭│╰]", r"[^\n]*"),
    ],
)  # fmt: skip

_TAKES: Final = r"Agent \S[^\n]* takes \d+-step Action:\n"

# agentlite/logging/terminal_logger.py of AgentLite; agents of a team work inside calls of others.
AGENTLITE: Final = Console(
    name="agentlite", summary="console and log file of AgentLite's agents", nests=True,
    is_paired=True,
    signs=("receives the following taskpackage:", "-step action:"),
    pieces=[
        ConsolePiece("question", r"Agent \S[^\n]* receives the following TaskPackage:\n",
                     r"\[\n\tTask ID: [^\n]*\n\tInstruction: (?P<text>.*)\n\]\s*", is_sign=True),
        ConsolePiece("answer", _TAKES, r"\{\n\tname: Finish\n\tparams: (?P<args>.*)\n\}\s*",
                     ahead=r"\{\n\tname: Finish\n"),
        ConsolePiece("call", _TAKES, r"\{\n\tname: (?P<tool>[^\n]*)\n\tparams: (?P<args>.*)\n\}\s*",
                     ahead=r"\{\n\tname: (?!Finish\n)", is_sign=True),
        ConsolePiece("nothing", r"Observation: ", r"[^\n]*", behind=("answer",)),
        ConsolePiece("result", r"Observation: "),
        ConsolePiece("nothing", r"Action and Observation added to Agent \S[^\n]* memory\n", r""),
        ConsolePiece("nothing", r"={4}\S[^\n]* starts execution on TaskPackage [^\n]*={4}\n", r""),
        ConsolePiece("nothing", r"={9}\S[^\n]* finish execution\. TaskPackage\[ID:[^\n]*\n",
                     r"\[\n\tcompletion: [^\n]*\n\tanswer: .*\n\]\n={10}\s*"),
    ],
)  # fmt: skip


def _swe_agent(at: str, more: str, *others: ConsolePiece) -> list[ConsolePiece]:
    """Return the pieces of SWE-agent's logs: what stands before each, and before further lines."""
    return [
        ConsolePiece("system", rf"{at}SYSTEM \([^\n]*\)\s*\n", more=more),
        ConsolePiece("question", rf"{at}🤖 MODEL INPUT\s*\n", more=more, behind=("system",),
                     is_sign=True),
        ConsolePiece("result", rf"{at}🤖 MODEL INPUT\s*\n", r"(?:OBSERVATION:\n)?(?P<text>.*)",
                     more=more, is_sign=True),
        ConsolePiece("thought", rf"{at}💭 THOUGHT\s*\n", more=more, is_sign=True),
        ConsolePiece("call", r" *🎬 ACTION\s*\n", r"(?P<args>.*)", more=more, behind=("thought",),
                     tool="bash", arguments=lambda text: {"command": text}),
        ConsolePiece("answer", rf"{at}Found submission:\s", more=more),
        *others,
    ]  # fmt: skip


_BELOW: Final = r" {12}|\s*$"

# sweagent/agent/agents.py and utils/log.py of SWE-agent 1: Rich wraps and indents what is logged.
SWE_AGENT_CONSOLE: Final = Console(
    name="swe_agent_console", summary="console of SWE-agent 1", is_paired=True, wraps=True,
    pieces=_swe_agent(
        "🤠 INFO     ", _BELOW,
        ConsolePiece("nothing", r"[^\w\s]\S? (?:DEBUG|INFO) +", r".*", more=_BELOW, is_aside=True),
        ConsolePiece("nothing", r"[^\w\s]\S? [A-Z]+ +", r"(?!)", more=_BELOW, is_aside=True),
        ConsolePiece("nothing", r"╭─+ 🎉", r".*", more=r"[│╰]"),
    ),
)  # fmt: skip
# The same below the prefixes of a file, in which nothing is wrapped: *.info.log, *.debug.log.
SWE_AGENT_LOG: Final = Console(
    name="swe_agent_log", is_paired=True,
    summary="log files of SWE-agent 1, after removing their line prefixes",
    pieces=_swe_agent(
        "", "",
        ConsolePiece("nothing", r"(?:={25} STEP \d+ ={25}|DEMONSTRATION: \S+|Setting up agent for "
                     r"instance \S+|Trajectory (?:will be )?saved to \S+\.traj)\s*$", r"",
                     is_aside=True),
        ConsolePiece("nothing", r"(?=Exiting (?:agent|due to |with autosub)|Executing submission )",
                     r"(?P<unowned>.*)", is_aside=True),
    ),
)  # fmt: skip

TABLES: Final = (
    AGENTLITE, LLAMAINDEX_WORKFLOW, STRANDS, CREWAI_HEADINGS, CREWAI_LOG_TEXT, AUTOGEN_OLD,
    TRANSFORMERS_AGENTS, CLAUDE_TERMINAL, SWE_AGENT_CONSOLE, SWE_AGENT_LOG,
)  # fmt: skip
