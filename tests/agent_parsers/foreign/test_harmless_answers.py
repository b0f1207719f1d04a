"""Answers that mention tools, quote calls and explain code stay answers, in any dialect.

They stand in ``tests/cases/answers/harmless.txt``: records between lines ``%%``, each with a title
on its first line, and the text of a model below it.
"""

from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple
from zlib import crc32

from agent_parsers import AgentFinish, get_parser

from ...helpers.effort import THOROUGH

FILE = Path(__file__).parents[2] / "cases" / "answers" / "harmless.txt"
DIALECTS = (
    "hermes", "qwen3_coder", "mistral", "glm45", "kimi_k2", "deepseek_v31", "gemma4", "minimax_m2",
    "lfm2", "react",
)  # fmt: skip
FEWEST = 300
CHUNK = 7


def search(query: str, limit: int = 5) -> None: ...
def weather(city: str, unit: Literal["celsius", "fahrenheit"] = "celsius") -> None: ...
def ping() -> None: ...
def read_file(path: str) -> None: ...
def send_email(to: str, subject: str, body: str) -> None: ...
def run(command: str) -> None: ...
def calculator(expression: str) -> None: ...


TOOLS = [search, weather, ping, read_file, send_email, run, calculator]


class Record(NamedTuple):
    title: str
    text: str


def records() -> list[Record]:
    """Return the records of the file."""
    found = FILE.read_text(encoding="utf-8").removesuffix("\n").split("\n%%\n")
    return [Record(title, text) for title, _, text in (each.partition("\n") for each in found)]


RECORDS = records()


@cache
def parser_of(dialect: str) -> Any:
    return get_parser(dialect, tools=TOOLS)


def written(dialect: str, text: str) -> str | None:
    """Return the answer *text* as *dialect* writes it; `None` if it cannot."""
    if dialect != "react":
        return text
    try:
        return str(parser_of(dialect).render(AgentFinish({"output": text}, "")))
    except ValueError:
        return None


def check_answer(dialect: str, text: str) -> None:
    """Check that *text* is an answer in *dialect*, whole and in a stream."""
    reply = written(dialect, text)
    if reply is None:
        return
    parser = parser_of(dialect)
    chunks = (reply[at : at + CHUNK] for at in range(0, len(reply), CHUNK))
    for result in (parser.parse(reply), [*parser.transform(chunks)][-1]):
        assert isinstance(result, AgentFinish), (dialect, text)
        assert result.return_values == {"output": text.strip()}, (dialect, text)


def dialects_for(record: Record) -> tuple[str, ...]:
    """Return the dialects to try: one, or all of them in thorough runs."""
    if THOROUGH:
        return DIALECTS
    return (DIALECTS[crc32(record.title.encode()) % len(DIALECTS)],)


def test_there_are_many_and_their_titles_differ() -> None:
    titles = [record.title for record in RECORDS]
    assert len(titles) >= FEWEST
    assert sorted({*titles}) == sorted(titles)
    assert all(record.title.strip() and record.text.strip() for record in RECORDS)


def test_a_harmless_answer_is_an_answer() -> None:
    for record in RECORDS:
        for dialect in dialects_for(record):
            check_answer(dialect, record.text)


def test_react_can_write_nearly_all_of_them() -> None:
    refused = [record for record in RECORDS if written("react", record.text) is None]
    assert 10 * len(refused) <= len(RECORDS)
