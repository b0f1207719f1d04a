"""Calls that are broken on purpose: how often the model mends them once it is told what is wrong.

Three earlier questions were answered with calls, two of them after a mistake that was told in the
same way. Then comes a question, a call that is wrong, and what the model is told about it: our
observation, or one sentence for all. A call of the right tool with the city of the question is
*right*.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Any

from agent_parsers import AgentAction, AgentFinish, OutputParserException, get_parser
from tools.benchmarks.live.loop import TOLD, counted
from tools.benchmarks.live.questions import CITIES, QUESTIONS, TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tools.benchmarks.live.server import Reply, Server

DIALECTS = ("hermes", "pythonic", "xml", "react", "react_json")
WEATHER = [question for at, question in enumerate(QUESTIONS[:30]) if at % 10 < 5]
OUTCOMES = ("right", "other call", "answer", "refused")
EARLIER = (
    ("What is 3 * 4?", "calculate", "compute", {"expression": "3 * 4"}, "formula", "3 * 4 is 12"),
    (
        "Who founded Rome?",
        "search",
        "find",
        {"query": "founder of Rome"},
        "text",
        "It was Romulus.",
    ),
)
"""Questions, tools, other names for them, arguments, other names for these, and results."""
LAST = (
    "Is it raining in Bern?",
    AgentAction("weather", {"city": "Bern"}, ""),
    "It is cloudy in Bern, 12 °C.",
)


def broken(
    name: str, tool: str, other: str, given: dict[str, str], wrong: str
) -> Iterator[tuple[str, str]]:
    """Yield calls of *tool* that are wrong in one thing, and what that is.

    Some are cut, in a thought or an element, in a namespace, or have an argument beside the others
    or behind the call.
    """
    ((key, value),) = given.items()
    call = _written(name, tool, given)
    named = f'"{key}"' in call or f"{key}=" in call
    yield (
        "argument",
        call.replace(*((key, wrong) if named else (value, f'{{"{wrong}": "{value}"}}')), 1),
    )
    yield "tool", _written(name, other, given)
    before, quoted, after = call.partition(f'{value}"')
    if quoted:
        yield "quote", before + value + after
    yield "cut", call.partition(value)[0].rstrip('"')
    yield "thought", f"{call}\n</thought>"
    yield "element", f"<answer>\n{call}\n</answer>"
    beside = f'{{}}, "{key}": "{value}"'
    yield "beside", call.replace(f'{{"{key}": "{value}"}}', beside)
    yield "namespace", call.replace(tool, f"sandbox.{tool}")
    if (empty := _written(name, tool, {})) != call:
        yield "behind", f'{empty}\n{{"{key}": "{value}"}}'


def _written(name: str, tool: str, given: dict[str, str]) -> str:
    properties = {key: {"type": "string"} for key in given}
    schema = {"type": "object", "properties": properties, "required": [*given]}
    parser = get_parser(name, tools=[{"name": tool, "parameters": schema}])
    return parser.render(AgentAction(tool, given, ""))


def _error(name: str, text: str, told: str) -> OutputParserException | None:
    """Return the error of a *text*, with what the model is told about it; `None` if it is read."""
    try:
        get_parser(name, tools=TOOLS).parse(text)
    except OutputParserException as error:
        error.observation = TOLD[told](error.observation or "")
        return error
    return None


def _history(name: str, told: str) -> list[Any]:
    """Return a conversation in which two mistakes were mended."""
    said: list[Any] = []
    for kind, (question, tool, other, given, wrong, seen) in zip(
        ("tool", "argument"), EARLIER, strict=True
    ):
        mistake = dict(broken(name, tool, other, given, wrong))[kind]
        step = (AgentAction(tool, given, ""), seen)
        error = _error(name, mistake, told)
        assert error is not None, f"{name} reads {mistake!r}"
        said += [("user", question), error, step, ("assistant", seen)]
    question, action, seen = LAST
    return [*said, ("user", question), (action, seen), ("assistant", seen)]


def runs(
    server: Server, dialects: Sequence[str], questions: Sequence[str] = WEATHER
) -> Iterator[dict[str, str]]:
    """Yield what becomes of each broken call, for each of `TOLD`."""
    for name in dialects or DIALECTS:
        for told in TOLD:
            history = _history(name, told)
            for seed, question in enumerate(questions):
                city = next(each for each in CITIES if each in question)
                for kind, text in broken(name, "weather", "forecast", {"city": city}, "town"):
                    if (error := _error(name, text, told)) is None:
                        continue  # in this dialect it is no mistake
                    reply = _asked(server, name, question, error, history, seed + 1)
                    yield {
                        "dialect": name, "mistake": kind, "case": f"{name}, {kind}, {question}",
                        "told": told, "outcome": _outcome(name, city, reply), "text": reply.text,
                    }  # fmt: skip


def _asked(
    server: Server, name: str, question: str, error: OutputParserException, history: list[Any],
    seed: int,
) -> Reply:  # fmt: skip
    parser = get_parser(name, tools=TOOLS)
    if parser.dialect.several:
        messages = parser.render_prompt(question, [error], history=history, as_messages=True)
        return server.chat(messages, stop=parser.stop, seed=seed, tokens=44)
    prompt = parser.render_prompt(question, [error], history=history)
    return server.complete(prompt, stop=parser.stop, seed=seed, tokens=44)


def _outcome(name: str, city: str, reply: Reply) -> str:
    try:
        result: Any = get_parser(name, tools=TOOLS).parse(reply.text, ended=reply.ended)
    except OutputParserException:
        return "refused"
    if isinstance(result, AgentFinish):
        return "answer"
    action = result[0] if isinstance(result, list) else result
    is_right = action.tool == "weather" and city in str(action.tool_input)
    return "right" if is_right else "other call"


def chance(won: int, lost: int) -> float:
    """Return how likely a difference at least so large is by chance: McNemar's exact test."""
    total = won + lost
    tail = sum(comb(total, k) for k in range(min(won, lost) + 1)) / 2**total
    return min(2 * tail, 1.0)


def table(found: Sequence[dict[str, str]]) -> str:
    """Return the outcomes by dialect and by mistake, and how likely differences are by chance."""
    rows = [*counted(found, OUTCOMES), "", *counted(found, OUTCOMES, by="mistake")]
    for outcome in ("right", "answer"):
        ours, theirs = (
            {each["case"] for each in found if (each["told"], each["outcome"]) == (told, outcome)}
            for told in TOLD
        )
        won, lost = len(ours - theirs), len(theirs - ours)
        rows.append(
            f"\n{outcome}: only ours {won}, only the sentence {lost}, p = {chance(won, lost):.4f}"
        )
    return "\n".join(rows)
