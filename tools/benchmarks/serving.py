"""Our parser in vLLM beside vLLM's own parsers of the same model.

Run ``python -m tools.benchmarks.serving``. It needs vLLM and what its parsers import, and prints a
table in Markdown. Each row is one reply: a thought, a sentence, and a call that writes a file, in
tokens that arrive one by one. The two parsers take turns in one process, token by token, and their
CPU times are compared: for the median token, for the slowest one (of the best of all rounds for
each token), for all tokens, and for the reply as a whole. The last columns say how many deltas
brought arguments.
"""

from __future__ import annotations

import gc
import time
from importlib import import_module
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import get_dialect
from agent_parsers.forms.form import Written
from tools.benchmarks._timing import short
from tools.conformance.adapters import PROMPT, VLLM_NAMES
from tools.conformance.tokens import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable

DIALECTS: Final = ("hermes", "qwen3_coder", "deepseek_v31", "kimi_k2", "glm47", "minimax_m2")
ROUNDS: Final = 15
LINE: Final = "def area(width: float, height: float) -> float: return width * height\n"
TOOL: Final = {
    "type": "function",
    "function": {
        "name": "write_file",
        "parameters": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "body": {"type": "string"}},
            "required": ["path", "body"],
        },
    },
}


def reply(dialect: str, lines: int) -> str:
    """Return a reply whose call has so many *lines*."""
    return get_dialect(dialect).write(
        Written(
            thought="The user wants a function, so I write it to a file. " * 8,
            content="I write the file.",
            tool="write_file",
            tool_input={"path": "/src/area.py", "body": LINE * lines},
        )
    )


class Contender:
    """A parser of vLLM, or ours in it."""

    def __init__(self, dialect: str, names: tuple[str, str]) -> None:
        manager = import_module("vllm.parser.parser_manager").ParserManager
        protocol = import_module("vllm.entrypoints.openai.chat_completion.protocol")
        self.kind = manager.get_parser(
            tool_parser_name=names[0], reasoning_parser_name=names[1], enable_auto_tools=True
        )
        messages = [{"role": "user", "content": "?"}]
        self.request = protocol.ChatCompletionRequest(model="m", messages=messages, tools=[TOOL])
        markers = get_dialect(dialect).strict.markers.values()
        self.tokens = Tokenizer(each.canonical for each in markers if each.canonical[0] == "<")

    def pieces(self, text: str) -> list[tuple[str, list[int]]]:
        """Return *text* in tokens: marks, and pieces of four characters."""
        pieces: list[tuple[str, list[int]]] = []
        for number in self.tokens.encode(text):
            written = self.tokens.decode(number)
            if len(written) == 1 and pieces and len(pieces[-1][0]) < 4 and "<" not in pieces[-1][0]:
                pieces[-1] = pieces[-1][0] + written, [*pieces[-1][1], number]
            else:
                pieces.append((written, [number]))
        return pieces

    def start(self, prompt: str) -> Callable[[str, list[int], bool], Any]:
        """Return what takes the next token of a new reply."""
        parser, ids = self.kind(self.tokens, self.request.tools), self.tokens.encode(prompt)
        return lambda text, new, ends: parser.parse_delta(
            text, new, self.request, ids, finished=ends
        )

    def whole(self, text: str, prompt: str) -> Any:
        """Read a whole reply."""
        parser, ids = self.kind(self.tokens, self.request.tools), self.tokens.encode(prompt)
        parser.set_prompt_token_ids(ids)
        return parser.parse(text, self.request, True, self.tokens.encode(text))


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time_ns()
    result = call()
    return (time.process_time_ns() - start) / 1000, result


def row(dialect: str, lines: int) -> str:
    """Return a row of the table."""
    both = [
        Contender(dialect, (f"ap_{dialect}", f"ap_{dialect}")),
        Contender(dialect, VLLM_NAMES[dialect]),
    ]
    text = reply(dialect, lines)
    opener = next((each for each in ("<think>\n", "<think>") if text.startswith(each)), "")
    prompt, text = PROMPT + opener, text.removeprefix(opener)
    pieces = both[0].pieces(text)
    best = [[float("inf")] * len(pieces) for _ in both]
    wholes: list[list[float]] = [[], []]
    counts = [0, 0]
    for _ in range(ROUNDS):
        gc.collect()
        streams = [each.start(prompt) for each in both]
        counts = [0, 0]
        for at, (piece, ids) in enumerate(pieces):
            for number, stream in enumerate(streams):
                taken, delta = timed(lambda: stream(piece, ids, at + 1 == len(pieces)))  # noqa: B023
                best[number][at] = min(best[number][at], taken)
                counts[number] += bool(delta and delta.tool_calls)
        for number, each in enumerate(both):
            wholes[number].append(timed(lambda: each.whole(text, prompt))[0])  # noqa: B023
    ours, theirs = best
    usual, slow = (median(ours), median(theirs)), (max(ours), max(theirs))
    whole = median(a / b for a, b in zip(*wholes, strict=True))
    return (
        f"| {dialect} | `{'`, `'.join(dict.fromkeys(VLLM_NAMES[dialect]))}` | {len(pieces)}"
        f" | {short(usual[0])} · {short(usual[1])} | ×{short(usual[0] / usual[1])}"
        f" | {short(slow[0])} · {short(slow[1])} | ×{short(slow[0] / slow[1])}"
        f" | ×{short(sum(ours) / sum(theirs))} | ×{short(whole)} | {counts[0]} · {counts[1]} |"
    )


def main() -> None:
    import_module("agent_serving.vllm")
    print(
        "| dialect | vLLM's parsers | tokens | median token: ours · theirs, µs | ratio"
        " | slowest token: ours · theirs, µs | ratio | all tokens | whole"
        " | deltas with arguments: ours · theirs |"
    )
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for dialect in DIALECTS:
        for lines in (2, 40):
            print(row(dialect, lines), flush=True)


if __name__ == "__main__":
    main()
