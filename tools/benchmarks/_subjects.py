"""What reads texts, for `make growth`: everything public that does, and shapes of hostile texts."""

from __future__ import annotations

import json
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import output_parsers as op
import outputs
from agent_laws.laws.work import RUNS
from agent_parsers import (
    StreamParser,
    answer_stream,
    get_dialect,
    get_parser,
    list_dialects,
    parse_transcripts,
)
from agent_runs import detect, detect_log, list_readers, read_runs
from agent_runs.readers.text import plain
from agent_serving.openai_reply import OpenAIReply
from agent_serving.templates import from_response_template
from outputs import AIMessage, AIMessageChunk
from tests.agent_runs.readers.data_logs import LOGS as DATA_LOGS
from tests.agent_runs.readers.text_logs import ANSWER, RESULT, THOUGHT
from tests.agent_runs.readers.text_logs import LOGS as TEXT_LOGS
from tests.helpers.public_parsers import SUBJECTS as PARSERS
from tests.helpers.response_templates import exports

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Read = Callable[[str], object]

LABELS: Final = (
    ("", "\nAction: a"), ("Action:", " "), ("Thought: a\n", "Action: "),
    ("Thought: a", "\nAction:\nAction Input:\nFinal Answer:"),
    ("Action: a", "\nAction Input: {"), ("Action: a\nAction Input: ", "{"),
    ("Thought: a", "\nFinal Answ\nActio"), ("Action: a\nAction Input: \"", '\\"'),
    ("", "<tool_call>"), ("<tool_call>\n", '{"name": '), ("<think>", "</thin"),
)  # fmt: skip
VALUES: Final = (
    '{"a": ', '{"a": {"b": [', "see {x} ", "it is {a: 1} ", "```json\n", "```{", "[1", "{//",
    '{"a": "the "b" ', '["a", "b" ', "\\u00e9", "\\", "<a>", "<a><b></a>", "<!--", "&amp;",
    "1. a\n", "- a\n", "'a', ", "a: b\n", "\x1b[1m", "│ a │\n",
)  # fmt: skip
SHAPES: Final = (*LABELS, *(("", run) for run in (*VALUES, *RUNS)))
"""The beginning of a text, and what is repeated behind it."""


class Subject(NamedTuple):
    """What reads a text, and the text around the hostile one."""

    kind: str
    name: str
    way: str
    read: Read
    around: tuple[str, str] = ("", "")
    own: str = ""
    """What is repeated as well, such as the sample of a reader."""
    in_json: bool = False

    def text(self, head: str, run: str, size: int) -> str:
        """Return the text of *head* and as much of *run* as makes about *size* characters."""
        hostile = head + run * max(size // len(run), 1)
        if self.in_json:
            hostile = json.dumps(hostile)[1:-1]
        return hostile.join(self.around)


def subjects() -> Iterator[Subject]:
    """Yield everything that reads; subjects of a kind and a name follow each other."""
    yield from chain(_dialects(), _parsers(), _json(), _detectors(), _templates(), _logs())


def _chunks(text: str, size: int = 16) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _dialects() -> Iterator[Subject]:
    for name in list_dialects():
        dialect, lenient = get_dialect(name), get_parser(name)
        for mode, parser in (("strict", get_parser(name, lenient=False)), ("lenient", lenient)):
            yield Subject("dialects", name, mode, parser.parse)
            yield Subject("dialects", name, f"{mode}, streamed", partial(_streamed, parser))
        yield Subject("dialects", name, "explained", partial(_explained, lenient))
        if dialect.lenient.transcript_start:
            read, feed = partial(parse_transcripts, dialect=dialect), partial(_transcript, name)
            yield Subject("dialects", name, "transcripts", read)
            yield Subject("dialects", name, "transcripts, streamed", partial(_fed, feed))


def _streamed(parser: Any, text: str) -> None:
    for _ in parser.events(_chunks(text)):
        pass


def _explained(parser: Any, text: str) -> str:
    return str(parser.explain(text))


def _transcript(name: str) -> StreamParser:
    return StreamParser(get_dialect(name), mode="transcript", max_chars=None)


def _fed(make: Callable[[], Any], text: str) -> None:
    reader = make()
    for chunk in _chunks(text):
        reader.feed(chunk)
    reader.close()


def _parsers() -> Iterator[Subject]:
    ours = [known for known in PARSERS if "tests" not in type(known.parser).__module__]
    for at, known in enumerate(ours):
        name = f"{type(known.parser).__name__} {at}"
        whole, parts = partial(_whole, known.reads), partial(_parts, known.reads)
        yield Subject("parsers", name, "whole", partial(_invoked, known.parser, whole))
        if hasattr(known.parser, "transform"):
            read = partial(_transformed, known.parser, parts)
            yield Subject("parsers", name, "streamed", read)
    auto = get_parser("auto")
    yield Subject("parsers", "auto", "whole", auto.parse)
    yield Subject("parsers", "auto", "streamed", partial(_streamed, auto))
    react, hermes = get_parser("react"), get_parser("hermes")
    yield Subject(
        "parsers", "answer_stream", "streamed",
        lambda text: list(answer_stream(react.events(_chunks(text)))),
    )  # fmt: skip
    make = partial(OpenAIReply, hermes, model="m")
    yield Subject("parsers", "OpenAIReply", "streamed", partial(_fed, make))


def _invoked(parser: Any, message: Callable[[str], Any], text: str) -> None:
    parser.invoke(message(text))


def _transformed(parser: Any, parts: Callable[[str], list[Any]], text: str) -> None:
    for _ in parser.transform(iter(parts(text))):
        pass


def _whole(reads: str, text: str) -> Any:
    call = {"name": "City", "arguments": text}
    if reads == "function":
        return AIMessage(content="", additional_kwargs={"function_call": call})
    if reads == "tools":
        calls = [{"id": "c", "type": "function", "function": call}]
        return AIMessage(content="", additional_kwargs={"tool_calls": calls})
    return text


def _parts(reads: str, text: str) -> list[Any]:
    if reads == "function":
        called = [
            {"name": "" if at else "City", "arguments": c} for at, c in enumerate(_chunks(text))
        ]
        return [AIMessageChunk("", additional_kwargs={"function_call": each}) for each in called]
    if reads == "tools":
        first = {"name": "City", "args": "", "id": "c", "index": 0}
        rest = [{**first, "name": None, "id": None, "args": chunk} for chunk in _chunks(text)]
        return [AIMessageChunk("", tool_call_chunks=[each]) for each in (first, *rest)]
    return _chunks(text)


def _json() -> Iterator[Subject]:
    whole: dict[str, Read] = {
        "parse_partial_json": op.parse_partial_json,
        "parse_partial_json, strict": partial(op.parse_partial_json, strict=True),
        "parse_json_markdown": op.parse_json_markdown,
        "repair_json": op.repair_json,
    }
    for name, read in whole.items():
        yield Subject("JSON readers", name, "whole", read)
    for reader in (outputs.JsonReader, outputs.LenientJsonReader):
        yield Subject("JSON readers", reader.__name__, "streamed", partial(_fed, reader))
        looked_at = partial(_looked_at, reader)
        yield Subject("JSON readers", reader.__name__, "streamed, values", looked_at)


def _looked_at(make: Callable[[], Any], text: str) -> None:
    reader = make()
    for chunk in _chunks(text):
        reader.feed(chunk)
        _ = reader.changed


def _detectors() -> Iterator[Subject]:
    yield Subject("detectors", "detect", "whole", detect)
    yield Subject("detectors", "detect_log", "whole", partial(_afresh, detect_log))


def _afresh(read: Callable[..., Any], text: str, **options: Any) -> Any:
    """Call *read* as if it had not seen the text before."""
    plain._detected.cache_clear()
    return read(f"{text}\n", **options)


def _templates() -> Iterator[Subject]:
    for name, template in exports().items():
        parser = from_response_template(template, name=name, timeout_s=60)
        yield Subject("response templates", name, "whole", parser.parse)
        yield Subject("response templates", name, "streamed", partial(_streamed, parser))


def _logs() -> Iterator[Subject]:
    kind = "readers of logs"
    yield Subject(kind, "auto", "alone", lambda text: [*_afresh(read_runs, text)])
    samples: dict[str, Any] = {**TEXT_LOGS, **{name: of[0] for name, of in DATA_LOGS.items()}}
    for name in list_readers():
        in_json = name not in TEXT_LOGS
        log = json.dumps(samples[name]) if in_json else samples[name]
        read = partial(_read_log, name)
        yield Subject(kind, name, "alone", read, own=f"{log}\n")
        for place in (THOUGHT, RESULT, ANSWER):
            head, found, tail = log.partition(place)
            if found:
                yield Subject(kind, name, f"in {place!r}", read, (head, tail), "", in_json)


def _read_log(name: str, text: str) -> None:
    for _ in _afresh(read_runs, text, format=name, on_error=lambda _error: None):
        pass
