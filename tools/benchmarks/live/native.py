"""Native tool calls of the server, beside what our parser reads in the same replies.

The server is started with a chat template of Hermes' format, and asked with the tools of the
request. It also says what the model wrote, before it read the calls in it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from agent_parsers import AgentAction, AgentFinish, OutputParserException, ToolSet, get_parser
from tools.benchmarks.live.free import OUTCOMES
from tools.benchmarks.live.questions import QUESTIONS, TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tools.benchmarks.live.server import Server

TEMPLATE = """\
{%- if tools %}<|im_start|>system
You can call these tools:
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}Answer every question with a call, which is JSON in XML tags:
<tool_call>
{"name": "weather", "arguments": {"city": "Bern"}}
</tool_call><|im_end|>
{% endif %}
{%- for message in messages %}<|im_start|>{{ message.role }}
{{ message.content or '' }}
{%- for call in message.tool_calls or [] %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>
{%- endfor %}<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


def _past(question: str, tool: str, arguments: dict[str, str], seen: str) -> list[dict[str, Any]]:
    """Return a question, the call that answers it, what the tool returned, and the answer."""
    function = {"name": tool, "arguments": json.dumps(arguments)}
    called = [{"id": question, "type": "function", "function": function}]
    return [
        {"role": "user", "content": question},
        {"role": "assistant", "content": "", "tool_calls": called},
        {"role": "tool", "tool_call_id": question, "content": seen},
        {"role": "assistant", "content": seen},
    ]


PAST = [
    *_past("Is it raining in Bern?", "weather", {"city": "Bern"}, "It is cloudy in Bern, 12 °C."),
    *_past("What is 3 * 4?", "calculate", {"expression": "3 * 4"}, "3 * 4 is 12"),
    *_past("Who founded Rome?", "search", {"query": "founder of Rome"}, "It was Romulus."),
]
"""A small model calls only if it has seen calls."""


def replies(server: Server, questions: Sequence[str] = QUESTIONS) -> Iterator[dict[str, Any]]:
    """Yield what the model wrote to each question, what the server made of it, and what we do."""
    tools = ToolSet(TOOLS)
    for seed, question in enumerate(questions):
        asked = [*PAST, {"role": "user", "content": question}]
        text, ended, theirs = server.chat_natively(asked, tools.openai_tools(), seed=seed)
        for reader in ("strict", "lenient"):
            ours = _calls(text, ended, tools, lenient=reader == "lenient")
            yield {"text": text, "server": theirs, "reader": reader, "ours": ours}


def _calls(text: str, ended: Any, tools: ToolSet, *, lenient: bool) -> Any:
    """Return the calls in *text*, or the error; `None` for an answer."""
    try:
        result: Any = get_parser("hermes", tools=tools, lenient=lenient).parse(text, ended=ended)
    except OutputParserException as error:
        return str(error)
    if isinstance(result, AgentFinish):
        return None
    made: list[AgentAction] = result
    return [(each.tool, each.tool_input) for each in made]


def _named(outcome: Any) -> str:
    return "answer" if outcome is None else "refused" if isinstance(outcome, str) else "call"


def table(found: Sequence[dict[str, Any]]) -> str:
    """Return how often the server and we agree, and each reply of which we make another call."""
    rows = [f"| reader | server | {' | '.join(OUTCOMES)} | calls that differ |", "|---" * 6 + "|"]
    for reader in ("strict", "lenient"):
        of_reader = [each for each in found if each["reader"] == reader]
        for theirs in OUTCOMES:
            those = [each for each in of_reader if _named(each["server"]) == theirs]
            counts = [sum(_named(each["ours"]) == kind for each in those) for kind in OUTCOMES]
            other = sum(
                _named(each["ours"]) == theirs == "call" and each["ours"] != each["server"]
                for each in those
            )
            rows.append(f"| {reader} | {theirs} | {' | '.join(map(str, counts))} | {other} |")
    odd = (each for each in found if each["reader"] == "lenient" and each["ours"] != each["server"])
    return "\n".join((*rows, *(f"\n{each}" for each in odd)))
