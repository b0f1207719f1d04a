"""The loop: how often what a model is told about a reply that cannot be read brings it back.

Each reply that is refused goes back with an observation, up to two times: ours, or one sentence
for all. The model is asked for a call, since it cannot know the answers: a *call* that the tools
take is right, an *answer* is invented, and what is left is *refused* to the end.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from agent_parsers import AgentFinish, OutputParserException, get_parser
from tools.benchmarks.live.free import DIALECTS, OUTCOMES, ask, streamed_otherwise, tools_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tools.benchmarks.live.server import Reply, Server

RETRIES = 2
GENERIC = "Your reply could not be read. Follow the format of the instructions exactly."
TOLD: dict[str, Callable[[str], str]] = {"ours": str, "one sentence": lambda _: GENERIC}
"""What the model is told, by name, given our observation."""


def runs(
    server: Server, dialects: Sequence[str], questions: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield, for each question whose first reply is refused, how a run went with each of `TOLD`."""
    for name in dialects or DIALECTS:
        for seed, question in enumerate(questions):
            first = ask(server, name, question, seed=seed)
            outcome = _outcome(name, first)
            if not isinstance(outcome, OutputParserException):
                continue
            for told, say in TOLD.items():
                yield {
                    "dialect": name, "question": question, "told": told,
                    **_retried(server, name, question, seed, outcome, say, first),
                }  # fmt: skip


def _retried(
    server: Server, name: str, question: str, seed: int, error: OutputParserException,
    say: Callable[[str], str], reply: Reply,
) -> dict[str, Any]:  # fmt: skip
    steps, replies = [], [reply]
    outcome: Any = error
    while isinstance(outcome, OutputParserException) and len(steps) < RETRIES:
        outcome.observation = say(outcome.observation or "")
        steps.append(outcome)
        replies.append(ask(server, name, question, steps, seed=seed + 100 * len(steps)))
        outcome = _outcome(name, replies[-1])
    return {"outcome": _named(outcome), "tries": len(steps), "replies": replies}


def _outcome(name: str, reply: Reply) -> Any:
    """Return the result of *reply*, or the error."""
    try:
        return get_parser(name, tools=tools_of(name)).parse(reply.text, ended=reply.ended)
    except OutputParserException as error:
        return error


def _named(outcome: Any) -> str:
    if isinstance(outcome, OutputParserException):
        return "refused"
    return "answer" if isinstance(outcome, AgentFinish) else "call"


def counted(
    found: Sequence[Mapping[str, Any]], outcomes: Sequence[str], by: str = "dialect"
) -> list[str]:
    """Return the rows of a table: how many of each dialect, or *by* another key, came out how."""
    rows = [f"| {by} | told | {' | '.join(outcomes)} |", "|---" * (2 + len(outcomes)) + "|"]
    for name in (*dict.fromkeys(each[by] for each in found), "all"):
        for told in TOLD:
            those = [e for e in found if e["told"] == told and name in (e[by], "all")]
            counts = Counter(each["outcome"] for each in those)
            cells = " | ".join(f"{counts[each]} of {len(those)}" for each in outcomes)
            rows.append(f"| {name} | {told} | {cells} |")
    return rows


def table(found: Sequence[dict[str, Any]]) -> str:
    """Return the outcomes, by dialect and by what the model was told."""
    rows = counted(found, OUTCOMES)
    texts = [
        {"dialect": each["dialect"], **reply._asdict()}
        for each in found
        for reply in each["replies"]
    ]
    odd = len(streamed_otherwise(texts))
    return "\n".join((*rows, f"\nreplies: {len(texts)}, read otherwise in pieces: {odd}"))
