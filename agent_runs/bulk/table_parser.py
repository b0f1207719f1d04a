"""Parses the texts of a column, batch by batch."""

from __future__ import annotations

import sys
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypedDict

from agent_parsers import Dialect, get_dialect, get_parser
from agent_parsers.core import LISTENERS, whole_reader
from agent_runs.bulk.arrow import pa
from agent_runs.bulk.columns import TURN_FIELDS, Rows
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Unpack

    from agent_parsers.authoring import OnConflict
    from agent_parsers.toolset import Tools

OnError: TypeAlias = Literal["row", "raise"]


class ParserOptions(TypedDict, total=False):
    """Options that are passed on to `get_parser`."""

    lenient: bool
    on_conflict: OnConflict
    start: Literal["", "content", "thought"]
    prompt: str
    max_chars: int


_MOST_ROWS: Final = 4096
_MOST_BYTES: Final = 64 << 20
"""Most rows, and most bytes of text, that are read at a time."""


def parse_table(
    data: Any,
    dialect: str | Dialect = "react",
    *,
    column: str = "text",
    tools: Tools | None = None,
    on_error: OnError = "row",
    **options: Unpack[ParserOptions],
) -> Any:
    """Parse the strings in a column, and return the data with the columns of `TURN_FIELDS` added.

    ::

        parse_table(table, "hermes", column="reply")

    Rows keep their order and their other columns. A row is what ``get_parser(…).read`` returns for
    its text; see `TURN_FIELDS`.

    Args:
        data: A `pyarrow.Table`, a `pyarrow.RecordBatch`, a `pyarrow.RecordBatchReader` or another
            object with ``__arrow_c_stream__``, such as a data frame of Polars; or an iterable of
            record batches.
        dialect: A dialect, its name or an alias, or the name of an open model.
        column: The name of the column with the texts.
        tools: The tools, to check names and inputs; `None` accepts any.
        on_error: What to do if a text cannot be read: ``"row"`` puts the error in its row,
            ``"raise"`` raises it.
        options: ``lenient``, ``on_conflict``, ``start``, ``prompt`` and ``max_chars``, as for
            `get_parser`.

    Returns:
        A table for a table, a record batch for a record batch, an iterator of record batches for
        an iterable, and a `pyarrow.RecordBatchReader` for all else. The last two read a batch when
        the next one is asked for, and may return smaller ones than they are given.

    Raises:
        OutputParserException: A text cannot be read, with ``on_error="raise"``; a note of the
            exception has the number of its row, from 0.
        TypeError: *data* is none of these, or the column has no texts.
        ValueError: There is no such column, or the data has a column with one of our names already.
    """
    parser = TableParser(dialect, column=column, tools=tools, on_error=on_error, **options)
    return parser(data)


class TableParser:
    """`parse_table` with its options, as an object that can be sent to other processes.

    ::

        dataset.map_batches(TableParser("hermes", tools=[search]), batch_format="pyarrow")  # Ray

    It can be pickled if the tools can. A dialect that is not one of this library is sent whole, so
    other processes need not register it; if it has functions of its own, this takes `cloudpickle`,
    which Ray and Spark use, or a module that both processes can import.

    Args:
        dialect: A dialect, its name or an alias, or the name of an open model.
        column: The name of the column with the texts.
        tools: The tools, to check names and inputs; `None` accepts any.
        on_error: What to do if a text cannot be read: ``"row"`` puts the error in its row,
            ``"raise"`` raises it.
        options: ``lenient``, ``on_conflict``, ``start``, ``prompt`` and ``max_chars``, as for
            `get_parser`.

    Raises:
        TypeError: *dialect* is no dialect, or one of *tools* is not a tool.
        ValueError: There is no such dialect, or another argument has a wrong value.
    """

    def __init__(
        self,
        dialect: str | Dialect = "react",
        *,
        column: str = "text",
        tools: Tools | None = None,
        on_error: OnError = "row",
        **options: Unpack[ParserOptions],
    ) -> None:
        if on_error not in ("row", "raise"):
            raise ValueError(f"expected on_error='row' or 'raise', found {on_error!r}")
        self._dialect = get_dialect(dialect)
        self._column, self._on_error = column, on_error
        self._options = options
        self._parser = get_parser(self._dialect, tools=tools, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        known = {"column": self._column, "tools": self._parser.tools, "on_error": self._on_error}
        return _restored, (type(self), _sent(self._dialect), {**known, **self._options})

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._dialect.name!r}, column={self._column!r})"

    def description(self) -> dict[str, Any]:
        """Return all settings that the results depend on, as JSON data."""
        tools = self._parser.tools
        given = {**self._options}
        if tools is not None and tools.output_type is not None:
            given["output_type"] = tools.output_type.json_schema
        return {
            "dialect": self._dialect.name,
            "column": self._column,
            "tools": None if tools is None else [tools.names, tools.json_schemas()],
            "on_error": self._on_error,
            **given,
        }

    def schema(self, schema: Any) -> Any:
        """Return the schema of the result for data with this *schema*.

        Raises:
            TypeError: The column does not contain strings.
            ValueError: There is no such column, or a column that parsing adds is already there.
        """
        _check_schema(schema, self._column)
        for field in TURN_FIELDS:
            schema = schema.append(field)
        return schema

    def __call__(self, data: Any) -> Any:
        """Parse *data*; see `parse_table`."""
        if isinstance(data, pa.Table):
            batches = self._parsed(data.to_batches())
            return pa.Table.from_batches(batches, self.schema(data.schema))
        if isinstance(data, pa.RecordBatch):
            return pa.concat_batches(self._parsed([data]))
        if hasattr(data, "__arrow_c_stream__"):
            try:
                reader = pa.RecordBatchReader.from_stream(data)
            except pa.ArrowInvalid as error:  # such as a series
                kind = type(data).__name__
                raise TypeError(f"expected a table or record batches, found {kind}") from error
            schema = self.schema(reader.schema)
            return pa.RecordBatchReader.from_batches(schema, self._parsed(reader))
        if isinstance(data, (str, bytes, dict, pa.Array)) or not hasattr(data, "__iter__"):
            raise TypeError(f"expected a table or record batches, found {type(data).__name__}")
        return self._parsed(data)

    def _parsed(self, batches: Any) -> Iterator[Any]:
        """Yield the result for each of some batches, cut into parts that fit into memory."""
        row = 0
        for batch in batches:
            if not isinstance(batch, pa.RecordBatch):
                raise TypeError(f"expected record batches, found {type(batch).__name__}")
            schema = self.schema(batch.schema)
            size = _size_of_parts(batch, self._column)
            for at in range(0, batch.num_rows or 1, size):
                part = batch.slice(at, size)
                arrays = self._arrays(part.column(self._column), row + at)
                yield pa.RecordBatch.from_arrays([*part.columns, *arrays], schema=schema)
            row += batch.num_rows

    def _arrays(self, texts: Any, first: int) -> list[Any]:
        """Return the arrays of a column of *texts*, whose first row has this number."""
        parser = self._parser
        tools, max_chars = parser.tools, parser.max_chars
        reader = whole_reader(self._dialect, parser.mode, parser.on_conflict)
        # Only a stream tells those who listen, and it alone begins within a turn.
        is_whole = not (parser.start or parser.prompt or LISTENERS)
        rows = Rows()
        for row, text in enumerate(_texts_of(texts), first):
            if text is None:
                rows.put_nothing()
                continue
            try:
                if isinstance(text, OutputParserException):
                    raise text
                plain = None
                if is_whole and len(text) <= max_chars:
                    plain = reader.plain(text, tools)
                if plain is None:
                    rows.put_turn(parser.read(text))
                else:
                    rows.put(plain)
            except OutputParserException as error:
                if self._on_error == "raise":
                    error.add_note(f"in row {row} of the column {self._column!r}")
                    raise
                rows.put_error(error)
        return rows.arrays()


def _check_schema(schema: Any, column: str) -> None:
    names: list[str] = schema.names
    if (count := names.count(column)) != 1:
        found = f"there are {count} columns named" if count else "there is no column"
        has = ", ".join(names) or "none"
        raise ValueError(f"{found} {column!r} in the data (columns: {has})")
    kind = schema.field(column).type
    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not any(is_text(inner) for is_text in _ARE_TEXT):
        raise TypeError(f"expected strings in the column {column!r}, found {kind}")
    if clashes := [field.name for field in TURN_FIELDS if field.name in names]:
        raise ValueError(
            f"the data already has the columns {', '.join(clashes)}, which parsing adds:"
            " rename them"
        )


_ARE_TEXT: Final = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_string_view,
    pa.types.is_null,
)


def _size_of_parts(batch: Any, column: str) -> int:
    """Return how many rows of a *batch* are read at a time."""
    each: int = batch.column(column).nbytes // max(batch.num_rows, 1) + 1
    return min(_MOST_ROWS, max(1, _MOST_BYTES // each))


def _texts_of(array: Any) -> list[Any]:
    """Return the texts of an *array*; for one that is not UTF-8 an exception."""
    try:
        texts: list[Any] = array.to_pylist()
    except UnicodeDecodeError:  # Arrow checks no text, so a file may have anything
        texts = [_text_of(item) for item in array]
    return texts


def _text_of(item: Any) -> Any:
    try:
        return item.as_py()
    except UnicodeDecodeError as error:
        found = error.object
        at = len(found[: error.start].decode())
        return OutputParserException(
            f"expected UTF-8, found the byte 0x{found[error.start]:02x}",
            llm_output=found.decode(errors="replace"),
            span=(at, at + 1),
        )


# -- sending it to other processes -------------------------------------------------------------


def _sent(dialect: Dialect) -> str | dict[str, Any]:
    """Return what to send of a *dialect*: its name, or its fields if it is not one of ours."""
    name = dialect.name
    if getattr(sys.modules.get(f"agent_parsers.dialects.{name}"), "DIALECT", None) is dialect:
        return name
    return {field.name: getattr(dialect, field.name) for field in fields(dialect)}


def _restored(
    cls: type[TableParser], dialect: str | dict[str, Any], options: dict[str, Any]
) -> TableParser:
    return cls(dialect if isinstance(dialect, str) else Dialect(**dialect), **options)
