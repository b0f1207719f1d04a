"""How the model begins: with a letter, or with something else because of how the prompt ends."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from agent_parsers import get_dialect, get_parser, list_dialects
from tools.benchmarks.live.questions import QUESTIONS, TOOLS

if TYPE_CHECKING:
    from tools.benchmarks.live.server import Server

KINDS = ("letter", "digit", "line break", "other")


def kind(token: str) -> str:
    """Return what a first token begins with."""
    said = token.lstrip(" ")[:1]
    if "\n" in token[: len(token) - len(token.lstrip())]:
        return "line break"
    if not said:
        return "other"
    return "letter" if said.isalpha() else "digit" if said.isdigit() else "other"


def table(server: Server, questions: int = 10) -> str:
    """Return how likely each kind of first token is, with a space behind the prompt and without."""
    asked = QUESTIONS[:: len(QUESTIONS) // questions]
    rows = [f"| dialect | prompt | {' | '.join(KINDS)} |", "|---" * (2 + len(KINDS)) + "|"]
    for name in list_dialects():
        if not get_dialect(name).generation_prompt(1).isascii() or get_dialect(name).several:
            continue
        parser = get_parser(name, tools=TOOLS)
        for ending, what in (("", "as it is"), (" ", "and a space")):
            sums: Counter[str] = Counter()
            for question in asked:
                prompt = parser.render_prompt(question) + ending
                for token, share in server.first_tokens(prompt).items():
                    sums[kind(token)] += share
            shares = (f"{sums[each] / len(asked):.0%}" for each in KINDS)
            rows.append(f"| {name} | {what} | {' | '.join(shares)} |")
    return "\n".join(rows)
