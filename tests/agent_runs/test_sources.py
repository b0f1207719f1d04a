"""Files, texts and data that runs are read from; JSON as it comes in."""

import io
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from agent_parsers import OutputParserException
from agent_runs import detect_log, read_runs
from agent_runs.json_items import ListItems
from agent_runs.reading.reader import Lines, Values
from agent_runs.sources import RunsFrom, open_log

ITEMS = [{"a": [1, {"b": "],["}], "c": 'é\\"'}, {}, {"d": None}, [[]], "x]", 12.5, True]


def content(source: RunsFrom) -> Lines | Values:
    with open_log(source) as log:
        return log.content


def values(source: RunsFrom) -> list[Any]:
    with open_log(source) as log:
        assert isinstance(log.content, Values)
        assert log.content.are_items
        return [value.data for value in log.content]


class Pieces:
    """A stream that returns few characters at a time."""

    def __init__(self, text: str, size: int) -> None:
        self._text = io.StringIO(text)
        self._size = size
        self.longest = 0

    def __call__(self, size: int) -> str:
        self.longest = max(self.longest, size)
        return self._text.read(min(size, self._size))


@pytest.mark.parametrize("indent", [None, 1, "\t"])
@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_items_of_a_list_come_out_one_by_one(indent: int | str | None, size: int) -> None:
    text = json.dumps(ITEMS, indent=indent, ensure_ascii=False)
    items = ListItems("[", Pieces(text[1:], size))
    assert items.is_list()
    assert [value.data for value in items] == ITEMS


def test_items_have_their_lines() -> None:
    text = '\n[\n  {},\n  {"a":\n 1}, {},\n\n [1]\n]\n'
    items = ListItems(text, lambda _size: "")
    assert [value.line for value in items] == [3, 4, 5, 7]


@pytest.mark.parametrize("text", ["[]", " [ ]\n", '[{"a": 1}]', "[{}, 3]\n\n"])
def test_a_list_in_a_file(text: str) -> None:
    assert values(text) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "items", "found"),
    [
        ('[{"a": 1},\n {"b": 2]', 1, "line 2"),
        ('[{"a": 1},\n {"b": 2}\n', 2, "no more text (line 3"),
        ('[{"a": 1},\n]', 1, "']' (line 2"),
        ('[{"a": 1}]\nbye', 1, "'bye' (line 2"),
    ],
)
def test_a_list_that_breaks_off_gives_its_items_and_an_error(
    text: str, items: int, found: str
) -> None:
    with open_log(text) as log:
        assert isinstance(log.content, Values)
        for _ in range(items):
            next(log.content)
        with pytest.raises(OutputParserException) as caught:
            next(log.content)
    assert found in caught.value.reason


@pytest.mark.parametrize(
    "text", ["[INFO] x", "[1", '["a" is', "[x]", "{", "{x", '{"a": 1', '[{"a": }]', "[\n\nno"]
)
def test_what_only_begins_like_json_is_text(text: str) -> None:
    with open_log(text) as log:
        assert isinstance(log.content, Lines)
        assert "".join(log.content) == text


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_values_a_line(end: str) -> None:
    assert values(end.join(('{"a": 1}', "", '{"b": 2}'))) == [{"a": 1}, {"b": 2}]
    assert values(end.join(("[1]", "[2]"))) == [[1], [2]]
    assert values(end.join(('{"a": 1}', "{broken", ""))) == [{"a": 1}, f"{{broken{chr(10)}"]


def test_lines_longer_than_what_is_looked_at() -> None:
    long = "x" * 200_000
    assert "".join(content(f"{long}\n{long}")) == f"{long}\n{long}"
    assert values(json.dumps([long, long])) == [long, long]
    assert values(f"{json.dumps({'a': long})}\n{{}}") == [{"a": long}, {}]


def test_bytes_that_are_no_text_are_an_error() -> None:
    with pytest.raises(OutputParserException, match="not UTF-8: byte 0xff"):
        list(content(b"one\n\xff\n"))


def test_a_long_list_is_not_loaded() -> None:
    item = json.dumps({"text": "x" * 1000})
    tracemalloc.start()
    with open_log(io.StringIO(f"[{','.join([item] * 2000)}]")) as log:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        assert sum(1 for _ in log.content) == 2000
        peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert peak < 500_000


def test_a_broken_item_takes_no_more_than_its_size() -> None:
    pieces = Pieces('[{"a": "' + "x" * 1_000_000, 1 << 20)
    items = ListItems(pieces(1 << 16), pieces)
    assert not items.is_list()


def test_objects_that_follow_one_another_are_the_values_of_a_file() -> None:
    messages = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
    text = "".join(f"{json.dumps(each, indent=4)}\n" for each in messages)
    (run,) = read_runs(text)
    assert (run.question, run.finish and run.finish.return_values) == ("q", {"output": "a"})
    with pytest.raises(OutputParserException, match="which is not JSON"):
        list(read_runs(text[:-5]))


# -- encodings -----------------------------------------------------------------------------------

GERMAN = "Question: Wie tief?\nThought: für später\nFinal Answer: 198 m, größer\n"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_an_encoding_that_the_bytes_show_is_read(encoding: str) -> None:
    with open_log(GERMAN.encode(encoding)) as log:
        assert isinstance(log.content, Lines)
        assert "".join(log.content) == GERMAN
    assert values(json.dumps([GERMAN] * 2, ensure_ascii=False).encode(encoding)) == [GERMAN] * 2


CHAT = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "y"}]


@pytest.mark.parametrize(
    "log",
    ["Question: q\nAction: a\nAction Input: x\nObservation: r\nFinal Answer: y\n",
     json.dumps(CHAT), json.dumps({"messages": CHAT}, indent=1), "\n".join(map(json.dumps, CHAT))],
    ids=["text", "list", "object", "lines"],
)  # fmt: skip
@pytest.mark.parametrize("kind", [str, io.StringIO])
def test_a_byte_order_mark_in_a_text_is_no_part_of_it(log: str, kind: type[Any]) -> None:
    (plain,), (marked,) = read_runs(kind(log)), read_runs(kind("\ufeff" + log))
    assert (marked.question, marked.steps, marked.source) == ("q", plain.steps, plain.source)
    assert detect_log(kind("\ufeff" + log)) == detect_log(kind(log))


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "utf-16", "UTF8", "utf_16_be", "cp437"])
def test_an_encoding_may_be_named(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    path.write_bytes(GERMAN.encode(encoding))
    for source in (path, str(path), path.read_bytes(), io.BytesIO(path.read_bytes())):
        (run,) = read_runs(source, encoding=encoding)
        assert run.finish
        assert run.finish.return_values == {"output": "198 m, größer"}
    assert detect_log(path, encoding=encoding).reader == "plain"


def test_utf_16_without_a_mark_has_the_order_of_its_bytes() -> None:
    for order in ("utf-16-le", "utf-16-be"):
        with open_log(GERMAN.encode(order), encoding="utf-16") as log:
            assert isinstance(log.content, Lines)
            assert "".join(log.content) == GERMAN


def test_bytes_of_another_encoding_are_an_error_that_says_how_to_name_it() -> None:
    text = GERMAN.encode("cp1252")
    advice = r"byte 0xfc \(line 2, column 11 of the file\); .* as encoding="
    with pytest.raises(OutputParserException, match=advice):
        list(read_runs(text))
    with pytest.raises(OutputParserException, match=r"byte 0xfc, column 8; .* as encoding="):
        list(read_runs(b'{"a": "\xfc"}\n{"a": "\xfc"}\n', format="openai_chat"))


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(b"a\x81b\n", "cp1252"), (GERMAN.encode("utf-16")[:-1], None), (b"\xff\xfe\x00\xd8a", None)],
)
def test_bytes_that_no_encoding_has_are_our_error(text: bytes, encoding: str | None) -> None:
    with pytest.raises(OutputParserException, match=r"not (cp1252|utf-16.*): byte 0x"):
        list(read_runs(text, encoding=encoding))


@pytest.mark.parametrize("name", ["utf-99", "base64", ""])
def test_an_unknown_encoding_is_a_value_error(name: str) -> None:
    with pytest.raises(ValueError, match="there is no encoding"):
        list(read_runs(GERMAN.encode(), encoding=name))
