"""Lines, columns, places inside JSON, and excerpts of lines."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agent_parsers.cli.places import Document
from agent_parsers.cli.screen import excerpt
from output_parsers.printable import printable

CHARS = st.characters(codec=None) | st.sampled_from('\\"{}[],:\ud83d\ude00\n/u0061')
TEXTS = st.text(CHARS, max_size=12)
VALUES: st.SearchStrategy[Any] = st.recursive(
    TEXTS | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=5,
)
STEPS = st.builds(
    lambda before, output, after: {**before, "output": output, "observation": after},
    st.dictionaries(TEXTS, VALUES, max_size=2),
    TEXTS,
    VALUES,
)
RECORDS = st.builds(
    lambda before, steps: {**before, "steps": steps},
    st.dictionaries(TEXTS, VALUES, max_size=2),
    st.lists(STEPS, min_size=1, max_size=3),
)


@given(text=st.text("ab\r\n"), data=st.data())
def test_a_place_leads_back_to_its_character(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    line, column = Document(text, 7).place(offset)
    assert sum(len(part) + 1 for part in text.split("\n")[: line - 7]) + column - 1 == offset
    shown, start = Document(text).line_at(offset)
    assert start <= offset
    assert text[start:].split("\n")[0].removesuffix("\r") == shown


@given(
    records=st.lists(RECORDS, min_size=1, max_size=3),
    indent=st.sampled_from([None, 2]),
    ascii_only=st.booleans(),
    alone=st.booleans(),
)
def test_a_character_of_an_output_is_found_in_its_json(
    records: list[Any], indent: int | None, ascii_only: bool, alone: bool
) -> None:
    records = records[:1] if alone else records
    value = records[0] if alone else records
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    document = Document(text)
    for index, record in enumerate(json.loads(text) if not alone else [json.loads(text)]):
        assert text[document.of_record(index)] == "{"
        for number, step in enumerate(record["steps"]):
            output = step["output"]
            starts = [document.in_output(index, number, at) for at in range(len(output) + 1)]
            assert text[starts[0] - 1] == '"'
            for char, start, stop in zip(output, starts, starts[1:], strict=False):
                assert json.loads(f'"{text[start:stop]}"') == char
            assert text[starts[-1]] == '"'


@given(text=st.text())
def test_what_is_printable_stays_and_the_rest_keeps_its_place(text: str) -> None:
    shown = printable(text)
    assert len(shown) == len(text)
    assert all(char.isprintable() or char in "\u200c\u200d" for char in shown)
    assert all(b == a for a, b in zip(text, shown, strict=True) if a.isprintable())


def test_white_space_other_than_a_space_becomes_a_space() -> None:
    assert printable("a\tb\u00a0c\u3000d\x1b[0m") == "a b c d\ufffd[0m"


@given(
    line=st.text(st.sampled_from("ab 中🧀\té"), max_size=200),
    width=st.integers(20, 90),
    data=st.data(),
)
def test_an_excerpt_fits_and_marks_what_is_meant(
    line: str, width: int, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(line)))
    stop = data.draw(st.integers(start, len(line)))
    shown, mark = excerpt(line, start, stop, width)
    assert cell_len(shown) <= width
    assert len(mark) <= width + 1  # a mark after the last character of a full line
    assert set(mark.lstrip(" ")) == {"^"}
    if start < stop:
        marked = ""
        cells = 0
        for char in shown:
            if len(mark) - len(mark.lstrip(" ")) <= cells < len(mark):
                marked += char
            cells += cell_len(char)
        meant = printable(line[start:stop])
        assert meant.startswith(marked.removesuffix("…").rstrip())


def test_a_mark_under_wide_characters_is_as_wide() -> None:
    assert excerpt("中文 ab", 3, 5, 40) == ("中文 ab", "     ^^")
    assert excerpt("ab 中文", 3, 5, 40) == ("ab 中文", "   ^^^^")


def test_a_long_line_is_cut_on_both_sides() -> None:
    shown, mark = excerpt("a" * 500 + "HERE" + "b" * 500, 500, 504, 60)
    assert (len(shown), shown[0], shown[-1]) == (60, "…", "…")
    assert shown[mark.index("^") :][:4] == "HERE"
    assert mark.strip() == "^^^^"
