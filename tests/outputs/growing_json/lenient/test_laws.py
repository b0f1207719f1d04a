"""Properties of the lenient JSON reader for any text: cuts, cut values, and its reports."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import example, given
from hypothesis import strategies as st

from outputs.growing_json.errors import JsonError
from outputs.growing_json.lenient.lenient_reader import LenientJsonReader

from ....helpers.effort import MANY

if TYPE_CHECKING:
    from outputs.growing_json.lenient.strings import JsonRepair


def pieces(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def read(text: str, size: int = 10**6) -> LenientJsonReader:
    reader = LenientJsonReader()
    for chunk in pieces(text, size):
        reader.feed(chunk)
    return reader


def story(text: str, size: int) -> tuple[Any, ...]:
    """Return all visible results of reading *text* in pieces; comparing them compares types."""
    reader = read(text, size)
    try:
        end = repr(reader.close())
    except JsonError as error:
        end = f"{type(error).__name__}: {error}"
    return end, reader.end, repr(reader.value), reader.repairs


texts = st.text(max_size=8) | st.sampled_from(
    [
        "it's",
        'a "b" c',
        '", "k": "',
        '"}',
        "// no",
        "# no",
        "x: y",
        "“q”",
        "```",
        " " * 600,
        "\ud83d",
    ]
)
keys = texts | st.sampled_from(["a", "k" * 600])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=10,
)
documents = st.builds(
    json.dumps, values, ensure_ascii=st.booleans(), indent=st.sampled_from([None, 1])
)
FRAGMENTS = [
    *"{}[]\"':,/#*`\\ \nax1-.“”’‘«»<(",
    *("{{", "}}", "//", "/*", "*/", "None", "Tru", "undefined", "null", '"x" y "z"', "don't"),
    *('"a":', "a:", 'a":', '", "b":', '"{"a": "b", "c": 1}"', "\\x4", "\\d", "\\_", "\\u12"),
    *('\n"k": ', ", ", "```", "tru", "\x01"),
]


@st.composite
def almost_documents(draw: st.DrawFn) -> str:
    text = draw(documents)[:200]
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 3)))
        text = text[:start] + draw(st.sampled_from(["", *FRAGMENTS])) + text[end:]
    return text


any_text = almost_documents() | st.lists(st.sampled_from(FRAGMENTS), max_size=16).map("".join)
sizes = st.sampled_from([1, 2, 3, 7, 70])


@MANY
@given(documents, sizes)
@example(json.dumps({"a": "x" * 600, "b" * 600: ["c"]}), 3)
@example('["a"' + " " * 600 + ', "b"' + " " * 600 + "]", 3)
def test_json_is_read_as_it_is(text: str, size: int) -> None:
    reader = read(text, size)
    assert repr(reader.close()) == repr(json.loads(text))
    assert reader.repairs == []
    assert reader.end == len(text)


@MANY
@given(any_text, sizes)
@example('["a `", "```", ["x"]]', 1)
@example('["a"' + " " * 507 + "```]", 1)
@example("{" + "k" * 600 + ": 1}", 4)
@example("{k" + " " * 600 + ": 1}", 4)
def test_any_cut_tells_the_same_story(text: str, size: int) -> None:
    assert story(text, size) == story(text, 10**6)


@MANY
@given(any_text, sizes)
def test_the_value_so_far_depends_on_the_text_alone(text: str, size: int) -> None:
    reader = LenientJsonReader()
    for end, chunk in enumerate(pieces(text, size), 1):
        reader.feed(chunk)
        so_far = read(text[: end * size])
        assert (reader.has_value, repr(reader.value)) == (so_far.has_value, repr(so_far.value))


def grows(before: Any, after: Any) -> bool:
    """Return whether *after* is *before* with more text, items or members at its open end."""
    if isinstance(before, str) and isinstance(after, str):
        return after.startswith(before)
    if isinstance(before, list) and isinstance(after, list):
        if not before:
            return True
        return len(after) >= len(before) and grows(before[-1], after[len(before) - 1])
    if isinstance(before, dict) and isinstance(after, dict):
        return all(key in after for key in before)
    return isinstance(before, int | float) or before == after


@MANY
@given(almost_documents().filter(lambda text: "\\" not in text))
def test_the_value_so_far_only_grows(text: str) -> None:
    reader = LenientJsonReader()
    before: Any = None
    for char in text:
        reader.feed(char)
        if before is not None and reader.value != before:
            assert grows(before, reader.value)
        before = reader.value


@MANY
@given(documents.filter(lambda text: text[0] in "{["), st.data())
def test_a_text_cut_short_is_never_half_a_value(text: str, data: st.DataObject) -> None:
    end = data.draw(st.integers(0, len(text) - 1))
    reader = read(text[:end])
    try:
        value = reader.close()
    except JsonError:
        return
    # Only brackets were missing.
    (missing,) = [repair for repair in reader.repairs if repair.kind == "missing_closer"]
    closers = missing.message.removeprefix("supplied the missing ")
    assert repr(value) == repr(json.loads(text[:end] + closers))


def repaired(text: str, repairs: list[JsonRepair]) -> str:
    """Apply exactly *repairs* to *text*."""
    inner = {span[0] for kind, span, _ in repairs if kind == "inner_quote"}
    edits: list[tuple[int, int, str]] = []
    for kind, (start, end), message in repairs:
        said = text[start:end]
        if kind == "quotes":
            edits += [(start, start + 1, '"'), (end - 1, end, '"')]
            escaped = False
            for place in range(start + 1, end - 1):
                if text[place] == '"' and not escaped and place not in inner:
                    edits.append((place, place + 1, '\\"'))
                escaped = text[place] == "\\" and not escaped
        elif kind == "unquoted_key":
            edits += [(start, start, '"'), (end, end, '"')]
        elif kind == "escape":
            escape = {"\\'": "'", "\\_": "_"}.get(said, "\\" + said)
            edits.append((start, end, "\\u00" + said[2:] if said[1] == "x" else escape))
        elif kind == "control_characters":
            assert any(char < " " for char in said)
        else:
            instead = {
                "comment": "",
                "doubled_brace": "",
                "inner_quote": '\\"' if said == '"' else said,
                "literal": {"True": "true", "False": "false"}.get(said, "null"),
                "missing_closer": message.removeprefix("supplied the missing "),
                "missing_comma": ",",
                "trailing_comma": "",
            }
            edits.append((start, end, instead[kind]))
    result, last = "", 0
    for start, end, instead_of_it in sorted(edits):
        assert last <= start <= end <= len(text)
        result += text[last:start] + instead_of_it
        last = end
    return result + text[last:]


@MANY
@given(any_text, sizes)
@example('{{"a": {{"b": "c"', 100)
@example('{{"a": 1,}}', 1)
@example("{'a': \"it's\", 'b': 'say \"x\"',}", 100)
def test_the_repairs_that_are_told_are_all_there_are(text: str, size: int) -> None:
    reader = read(text, size)
    try:
        value = reader.close()
    except JsonError:
        return
    repairs = reader.repairs
    # The other quote of a missing one may be of any kind.
    if all(repair.kind != "missing_quote" for repair in repairs):
        document = repaired(text[: reader.end], repairs)
        assert repr(json.loads(document, strict=False)) == repr(value)
