"""Tables of turns: what is in a row, and how data goes in and out."""

from __future__ import annotations

import json
import pickle
import struct
import subprocess
import sys
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_laws.smallest import drawn_cases
from agent_laws.trials.pieces import rows as table_rows
from agent_laws.trials.pieces import written
from agent_laws.trials.sample_calls import sample_turns
from agent_parsers import (
    OutputParserException,
    ToolSet,
    UnknownToolError,
    get_dialect,
    get_parser,
    list_dialects,
)
from agent_runs.bulk import TURN_FIELDS, TableParser, parse_table
from agent_runs.bulk import table_parser as _table_parser
from agent_runs.bulk.columns import Rows, json_text

from ...helpers.effort import THOROUGH
from ...helpers.tables import NOTHING, check_rows

if TYPE_CHECKING:
    from agent_parsers.engine.tables.modes import Mode

TEXTS = [
    "I need it.\nAction: search\nAction Input: bridge",
    'x\nAction: s\nAction Input: {"q": "é\\ud800"}',
    None,
    "no label",
    "I know.\nFinal Answer: 42",
    "**Final Answer:** 3\nObservation: x",
    "",
    "😀\nAction: s",
]


def table(texts: list[str | None] = TEXTS) -> Any:
    return pa.table({"id": range(len(texts)), "text": pa.array(texts, pa.string()), "z": texts})


def turn_columns(parsed: Any) -> Any:
    return parsed.select([field.name for field in TURN_FIELDS])


# -- a row is what `read` gives ------------------------------------------------------------------


def texts_of(name: str, mode: Mode) -> list[str]:
    """Return turns of a dialect, and spoilt ones."""
    dialect = get_dialect(name)
    found = [*written(dialect), *(turn.text for turn in sample_turns(dialect)), dialect.sample]
    found += table_rows(dialect, mode)[:: 3 if THOROUGH else 9]
    found += (case.text for case in drawn_cases(dialect, mode, 40 if THOROUGH else 10))
    return [text for text in found if not any("\ud800" <= char <= "\udfff" for char in text)]


@pytest.mark.one_in(28)
@pytest.mark.parametrize("mode", ["strict", "lenient"])
@pytest.mark.parametrize("name", list_dialects())
def test_a_row_is_what_reading_gives(name: str, mode: Mode) -> None:
    texts = texts_of(name, mode)
    lenient = mode == "lenient"
    for tools in (None, ["search", "look_up"]):
        parsed = parse_table(table([*texts, None]), name, lenient=lenient, tools=tools)
        parser = get_parser(get_dialect(name), lenient=lenient, tools=tools)
        check_rows(parser, [*texts, None], parsed.to_pylist())


@given(st.lists(st.none() | st.sampled_from(TEXTS) | st.text(st.characters(codec="utf-8"))))
def test_any_texts_have_the_rows_of_reading(texts: list[str | None]) -> None:
    check_rows(get_parser("react"), texts, parse_table(table(texts)).to_pylist())


def a_thought_is_lost(rows: Rows) -> None:
    rows._thoughts[:] = [each and "" for each in rows._thoughts]


def repairs_are_not_counted(rows: Rows) -> None:
    rows._repair_ends[:] = [each and 0 for each in rows._repair_ends]


def an_answer_is_that_of_another_row(rows: Rows) -> None:
    answers = [each for each in rows._answers if each is not None]
    rows._answers[:] = [each and answers.pop() for each in rows._answers]


def a_call_is_that_of_another_row(rows: Rows) -> None:
    rows._calls.reverse()


def an_error_is_that_of_another_row(rows: Rows) -> None:
    errors = [each for each in rows._errors if each is not None]
    rows._errors[:] = [each and errors.pop() for each in rows._errors]


@pytest.mark.parametrize(
    "bug",
    [
        an_error_is_that_of_another_row,
        a_thought_is_lost,
        repairs_are_not_counted,
        an_answer_is_that_of_another_row,
        a_call_is_that_of_another_row,
    ],
)
def test_the_check_of_rows_notices_a_bug(bug: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [*TEXTS, "Action: s\nAction Input: x\nObservation: y", "Final Answer: 7"]
    check_rows(get_parser("react"), texts, parse_table(table(texts)).to_pylist())
    arrays = Rows.arrays

    def wrong(rows: Rows) -> Any:
        bug(rows)
        return arrays(rows)

    monkeypatch.setattr(Rows, "arrays", wrong)
    with pytest.raises(AssertionError):
        check_rows(get_parser("react"), texts, parse_table(table(texts)).to_pylist())


def test_a_row_without_text_has_nothing() -> None:
    assert parse_table(table([None])).to_pylist() == [{"id": 0, "text": None, "z": None, **NOTHING}]
    nulls = pa.table({"text": pa.nulls(2)})
    assert turn_columns(parse_table(nulls)).to_pylist() == [NOTHING, NOTHING]


def test_what_utf8_cannot_encode_stays_escaped() -> None:
    blob = '{"action": "Final Answer", "action_input": "a \\ud800 b"}'
    (row,) = parse_table(table([blob]), "json").to_pylist()
    assert row["answer"] == "a \\ud800 b"
    (row,) = parse_table(table(["[f(q='é\\ud800')]"]), "pythonic").to_pylist()
    assert json.loads(row["calls"][0]["input"]) == {"q": "é\ud800"}
    assert "é" in row["calls"][0]["input"]


class Odd:
    def __str__(self) -> str:
        return "odd"


def test_data_that_json_lacks_is_written_as_in_the_json_form() -> None:
    assert json.loads(json_text({"a": float("nan")})) == {"a": {"$float": "NaN"}}
    assert json.loads(json_text({"a": "NaN and Infinity"})) == {"a": "NaN and Infinity"}
    assert json.loads(json_text({"a": date(1489, 1, 2)})) == {"a": "1489-01-02"}
    assert json.loads(json_text({"a": Odd()})) == {"a": "odd"}


def test_a_text_that_is_not_utf8_is_an_error_of_its_row() -> None:
    offsets = pa.py_buffer(struct.pack("iii", 0, 4, 20))
    wrong = pa.py_buffer("é".encode() + b"\xffbFinal Answer: 42")
    texts = pa.Array.from_buffers(pa.string(), 2, [None, offsets, wrong])
    first, second = parse_table(pa.table({"text": texts})).select(["answer", "error"]).to_pylist()
    assert first["error"]["reason"] == "expected UTF-8, found the byte 0xff"
    assert (first["error"]["start"], first["error"]["end"]) == (1, 2)
    assert second == {"answer": "42", "error": None}


# -- data in, data out ---------------------------------------------------------------------------


@given(st.lists(st.integers(0, 5)))
def test_any_size_of_batches_gives_the_same_table(sizes: list[int]) -> None:
    whole = table(TEXTS * 3)
    want = parse_table(whole)
    cut, at = [], 0
    for size in [*sizes, len(whole)]:
        cut += whole.slice(at, size).to_batches() or [whole.schema.empty_table().to_batches()]
        at += size
    batches = [batch for batch in cut if isinstance(batch, pa.RecordBatch)]
    assert parse_table(pa.Table.from_batches(batches)).equals(want)
    assert pa.Table.from_batches(parse_table(iter(batches)), want.schema).equals(want)
    stream = pa.RecordBatchReader.from_batches(whole.schema, batches)
    assert parse_table(stream).read_all().equals(want)


@pytest.mark.parametrize(("most_rows", "most_bytes"), [(1, 1 << 20), (3, 1 << 20), (4096, 30)])
def test_large_batches_are_read_in_parts(
    most_rows: int, most_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    want = parse_table(table())
    monkeypatch.setattr(_table_parser, "_MOST_ROWS", most_rows)
    monkeypatch.setattr(_table_parser, "_MOST_BYTES", most_bytes)
    (batch,) = table().to_batches()
    parts = list(parse_table(iter([batch])))
    assert len(parts) > 1
    assert pa.Table.from_batches(parts).equals(want)
    assert parse_table(batch).equals(want.combine_chunks().to_batches()[0])


def test_other_columns_and_the_order_of_rows_are_kept() -> None:
    whole = table().replace_schema_metadata({"made": "by hand"})
    parsed = parse_table(whole)
    assert parsed.select(whole.column_names).equals(whole)
    assert parsed.schema.metadata == whole.schema.metadata
    assert parsed.schema.names == [*whole.column_names, *(field.name for field in TURN_FIELDS)]
    assert parsed.schema == TableParser().schema(whole.schema)


@pytest.mark.parametrize("rows", [slice(0, 0), slice(2, 5), slice(1, 8)])
def test_part_of_a_table_has_the_rows_of_that_part(rows: slice) -> None:
    size = rows.stop - rows.start
    part = parse_table(table().slice(rows.start, size))
    assert part.equals(parse_table(table()).slice(rows.start, size))


@pytest.mark.parametrize(
    "kind", [pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())], ids=str
)
def test_a_column_may_have_any_kind_of_text(kind: Any) -> None:
    texts = pa.array(TEXTS).dictionary_encode() if pa.types.is_dictionary(kind) else pa.array(TEXTS)
    other = pa.table({"text": texts.cast(kind)})
    assert other.schema.field("text").type.equals(kind) or pa.types.is_dictionary(kind)
    assert turn_columns(parse_table(other)).equals(turn_columns(parse_table(table())))


def test_what_goes_in_comes_out() -> None:
    (batch,) = table().to_batches()
    assert isinstance(parse_table(table()), pa.Table)
    assert isinstance(parse_table(batch), pa.RecordBatch)
    assert isinstance(parse_table(table().to_reader()), pa.RecordBatchReader)
    assert [type(each) for each in parse_table([batch, batch])] == [pa.RecordBatch] * 2
    assert list(parse_table(iter(()))) == []
    assert parse_table(batch.slice(0, 0)).num_rows == 0


def test_a_stream_is_read_only_as_far_as_it_is_asked_for() -> None:
    read = []

    def batches() -> Any:
        for number in range(3):
            read.append(number)
            yield from table().to_batches()

    parsed = parse_table(batches())
    next(parsed)
    assert read == [0]


@pytest.mark.parametrize(
    ("data", "given", "kind", "reason"),
    [
        (table(), {"column": "x"}, ValueError, "there is no column 'x' in the data .columns: id"),
        (table(), {"column": "id"}, TypeError, "expected strings in the column 'id', found int64"),
        (
            table().append_column("text", [TEXTS]),
            {},
            ValueError,
            "there are 2 columns named 'text'",
        ),
        (parse_table(table()), {}, ValueError, "has the columns kind, thought, content, calls"),
        (
            table().rename_columns(["error", "text", "z"]),
            {},
            ValueError,
            "has the columns error, which",
        ),
        (table(), {"on_error": "skip"}, ValueError, "expected on_error='row' or 'raise'"),
        (table(), {"dialect": "openai_tools"}, ValueError, "openai_tools"),
        ("text", {}, TypeError, "expected a table or record batches, found str"),
        (7, {}, TypeError, "expected a table or record batches, found int"),
    ],
)
def test_a_mistake_of_the_caller_is_named(
    data: Any, given: dict[str, Any], kind: type[Exception], reason: str
) -> None:
    with pytest.raises(kind, match=reason):
        parse_table(data, **given)


def test_other_things_than_batches_are_refused() -> None:
    with pytest.raises(TypeError, match="expected record batches, found str"):
        list(parse_table(["text"]))


def test_an_error_may_be_raised_with_its_row() -> None:
    with pytest.raises(OutputParserException, match="expected an Action") as raised:
        parse_table(table(), on_error="raise")
    assert raised.value.__notes__[-1] == "in row 3 of the column 'text'"
    batches = table(["Final Answer: 1"]).to_batches() + table().to_batches()
    with pytest.raises(OutputParserException) as raised:
        list(parse_table(batches, on_error="raise"))
    assert raised.value.__notes__[-1] == "in row 4 of the column 'text'"


# -- options, and other processes ----------------------------------------------------------------


def search(query: str, most: int = 3) -> str:
    """Looks a question up."""
    return query * most


TOOL_TEXTS: list[str | None] = [
    'Action: search\nAction Input: {"query": "a", "most": "2"}',
    "Action: look\nAction Input: a",
]


def test_options_are_those_of_a_parser() -> None:
    called, unknown = parse_table(table(TOOL_TEXTS), tools=[search]).to_pylist()
    assert json.loads(called["calls"][0]["input"]) == {"query": "a", "most": 2}
    assert unknown["error"]["reason"] == "'look' is not one of the tools"
    with pytest.raises(UnknownToolError):
        parse_table(table(TOOL_TEXTS), tools=ToolSet([search]), on_error="raise")
    both = "Action: s\nAction Input: x\nFinal Answer: 1"
    (row,) = parse_table(table([both]), on_conflict="answer").to_pylist()
    assert row["kind"] == "answer"
    (row,) = parse_table(table(["so\n</think>\n\nhi"]), "hermes", start="thought").to_pylist()
    assert (row["thought"], row["answer"]) == ("so", "hi")
    (row,) = parse_table(table(["Final Answer: 1234"]), max_chars=5).to_pylist()
    assert row["kind"] == "error"


@pytest.mark.parametrize("name", ["react", "react_json", "xml", "hermes", "qwen3_coder"])
def test_a_parser_of_tables_can_be_sent_to_another_process(name: str) -> None:
    texts: list[str | None] = [*texts_of(name, "lenient")[:20], *TOOL_TEXTS]
    for dialect in (name, get_dialect(name), replace(get_dialect(name), name="my_dialect")):
        parser = TableParser(dialect, column="z", tools=[search], lenient=True)
        try:
            sent = pickle.dumps(parser)
        except (AttributeError, pickle.PicklingError):  # the dialect has functions without a name
            import cloudpickle

            sent = cloudpickle.dumps(parser)
        other = pickle.loads(sent)
        assert repr(other) == repr(parser)
        assert other(table(texts)).equals(parser(table(texts)))


def test_a_dialect_of_this_library_is_sent_by_its_name() -> None:
    assert len(pickle.dumps(TableParser("hermes"))) < 250


COMMAND = (
    "import runpy; sys.argv[1:] = {!r}; runpy.run_module('agent_parsers', run_name='__main__')"
)


@pytest.mark.parametrize(
    "code",
    [
        "from agent_runs.bulk import parse_table",
        COMMAND.format(["reply", "a.parquet", "-o", "b.parquet", "--dialect", "react"]),
    ],
)
def test_without_pyarrow_it_says_what_to_install(code: str) -> None:
    program = f"import sys; sys.modules['pyarrow'] = None; {code}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    said = done.stderr.splitlines()[-1]
    assert said.endswith(' needs pyarrow: pip install "agent-parsers[arrow]"')


def test_texts_may_be_words_of_a_dictionary_of_views() -> None:
    words = pa.array(["Final Answer: 1", "no label"], pa.string_view())
    coded = pa.DictionaryArray.from_arrays(pa.array([1, 0, None]), words)
    kinds = parse_table(pa.table({"text": coded})).column("kind").to_pylist()
    assert kinds == ["error", "answer", None]
