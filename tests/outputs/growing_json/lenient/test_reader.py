"""The lenient JSON reader, and what it repairs."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers.engine.repairs.inputs import repair_json_input
from outputs.growing_json.errors import (
    JsonError,
    JsonIncompleteError,
    JsonLimitError,
    JsonSyntaxError,
)
from outputs.growing_json.lenient.json_text import without_trailing_commas
from outputs.growing_json.lenient.lenient_reader import KeyReader, LenientJsonReader
from outputs.growing_json.lenient.strings import JsonRepair

# The lenient JSON reader: what it repairs, what it refuses, and what it leaves unchanged.

# text, value, the kinds of repairs in the order of the text
REPAIRED: list[tuple[str, Any, str]] = [
    # brackets
    ('{"ports": ["Cork", "Bantry"', {"ports": ["Cork", "Bantry"]}, "missing_closer"),
    ('{"ports": ["Cork", "Bantry"}', {"ports": ["Cork", "Bantry"]}, "missing_closer"),
    ('[{"port": "Cork"]', [{"port": "Cork"}], "missing_closer"),
    ('{"a": [[1, 2}', {"a": [[1, 2]]}, "missing_closer"),
    ('{"ok": true', {"ok": True}, "missing_closer"),
    ('{"a": [1, 2]\n```', {"a": [1, 2]}, "missing_closer"),
    ('{"a": "b"```', {"a": "b"}, "missing_closer"),
    ('{"a": "b"\n` ` `\r\nSo?', {"a": "b"}, "missing_closer"),
    ('{{"port": "Cork"}}', {"port": "Cork"}, "doubled_brace doubled_brace"),
    ('{{"port": "Cork"}', {"port": "Cork"}, "doubled_brace"),
    ('{{"a": {"b": 1}}}', {"a": {"b": 1}}, "doubled_brace doubled_brace"),
    ('{{"a": {{"b": 1}}}}', {"a": {"b": 1}}, " ".join(["doubled_brace"] * 4)),
    ('[{{"a": 1}}, 2]', [{"a": 1}, 2], "doubled_brace doubled_brace"),
    ("{{}}", {}, "doubled_brace doubled_brace"),
    ('{{"a": {{"b": "c"', {"a": {"b": "c"}}, "doubled_brace doubled_brace missing_closer"),
    (
        '{{"a": {{"b": 1,}',
        {"a": {"b": 1}},
        "doubled_brace doubled_brace trailing_comma missing_closer",
    ),
    ('{{"a": 1,}}', {"a": 1}, "doubled_brace trailing_comma doubled_brace"),
    # commas and comments
    ("[1, 2,]", [1, 2], "trailing_comma"),
    ('{"a": "b", }', {"a": "b"}, "trailing_comma"),
    ('{"a": 1\n "b": 2}', {"a": 1, "b": 2}, "missing_comma"),
    ('{"a": "x"\n "b": "y"}', {"a": "x", "b": "y"}, "missing_comma"),
    ('[{"a": 1} {"a": 2}]', [{"a": 1}, {"a": 2}], "missing_comma"),
    ('{"a": "x" "b": "y" "c": 1}', {"a": "x", "b": "y", "c": 1}, "missing_comma missing_comma"),
    ('["a" "b" "c"]', ["a", "b", "c"], "missing_comma missing_comma"),
    ("[1 2 -3.5 1000]", [1, 2, -3.5, 1000], "missing_comma missing_comma missing_comma"),
    ('[1 "x"]', [1, "x"], "missing_comma"),
    ('{"a": "x", // why\n "b": 2 # so\n}', {"a": "x", "b": 2}, "comment comment"),
    ("[/* one */ 1 /**/]", [1], "comment comment"),
    ('// first\n{"a": 1}', {"a": 1}, "comment"),
    ('{"a": /* * / */ 1}', {"a": 1}, "comment"),
    ('["a" /* b */, "c"]', ["a", "c"], "comment"),
    ('["a", // not "b"\n "c"]', ["a", "c"], "comment"),
    ("['a', # don't\n 2]", ["a", 2], "quotes comment"),
    # literals
    ("[True, False, None, undefined]", [True, False, None, None], " ".join(["literal"] * 4)),
    ('["a", None, "b", true]', ["a", None, "b", True], "literal"),
    # quotes
    ("{'a': 'b'}", {"a": "b"}, "quotes quotes"),
    ("{'a': \"it's\"}", {"a": "it's"}, "quotes"),
    ("['it's here']", ["it's here"], "quotes inner_quote"),
    ("['rock 'n' roll', 1]", ["rock 'n' roll", 1], "quotes inner_quote inner_quote"),
    ('{“a”: “b”, „c“: "d"}', {"a": "b", "c": "d"}, "quotes quotes quotes"),
    ("{“a”: “Say “hi” now”}", {"a": "Say “hi” now"}, "quotes quotes inner_quote inner_quote"),
    ("[«a»]", ["a"], "quotes"),
    ('{"a": ‘b’}', {"a": "b"}, "quotes"),
    ('"he said “so”"', "he said “so”", ""),
    # quotes inside strings
    ('{"a": "the "red" one"}', {"a": 'the "red" one'}, "inner_quote inner_quote"),
    ('{"a": "the "red", or not."}', {"a": 'the "red", or not.'}, "inner_quote inner_quote"),
    ('{"a": ""red" it is"}', {"a": '"red" it is'}, "inner_quote inner_quote"),
    ('{"a": "it is "red""}', {"a": 'it is "red"'}, "inner_quote inner_quote"),
    ('{"a": "d["k"]"}', {"a": 'd["k"]'}, "inner_quote inner_quote"),
    ('{"a": "f({"k"})", "b": 1}', {"a": 'f({"k"})', "b": 1}, "inner_quote inner_quote"),
    ('["p("x", "y")", "z"]', ['p("x", "y")', "z"], " ".join(["inner_quote"] * 4)),
    (
        '{"args": "{"city": "Oslo", "n": 2}"}',
        {"args": '{"city": "Oslo", "n": 2}'},
        " ".join(["inner_quote"] * 6),
    ),
    ('{"a": "say "x", then "y""}', {"a": 'say "x", then "y"'}, " ".join(["inner_quote"] * 4)),
    # other text in strings
    ('{"a": "one\n\ttwo"}', {"a": "one\n\ttwo"}, "control_characters"),
    ('{"a\nb": 1}', {"a\nb": 1}, "control_characters"),
    (r'["\d+ \(x\)"]', [r"\d+ \(x\)"], "escape escape escape"),
    (r"""["it\'s"]""", ["it's"], "escape"),
    (r"['\x41\xe9']", ["Aé"], "quotes escape escape"),
    (r'{"a\_b": 1}', {"a_b": 1}, "escape"),
    # keys
    ("{a: 1, $b-c: 2, é: 3}", {"a": 1, "$b-c": 2, "é": 3}, " ".join(["unquoted_key"] * 3)),
    ("{1: 2}", {"1": 2}, "unquoted_key"),
    ('{port": "Cork", "n": 1}', {"port": "Cork", "n": 1}, "missing_quote"),
    ("{tool name': 1}", {"tool name": 1}, "missing_quote"),
]

# text, the position of the error; None if the text is incomplete
REFUSED: list[tuple[str, int | None]] = [
    # cut values
    ("", None),
    ("[", None),
    ("{", None),
    ('{"a": {', None),
    ('{"a": "b', None),
    ('{"a": "b\\', None),
    ('{"a": "b", "c', None),
    ('{"amount": 1', None),
    ("[1,", None),
    ('{"a"', None),
    ('{"a":', None),
    ("[tru", None),
    ("[Non", None),
    ("{abc", 1),
    ('{"a": "b", "c"', None),
    ('{"a": "b" // the "c"', None),
    ('{"a": 1 // }', None),
    ('{"a": 1 /* }', None),
    ("[1 /", 3),
    ('[{"a": [1}, {"a": true}', None),
    ('{"a": "the "red" one"', None),
    ('{"a": "the "red"', None),
    ('{"a": "the "', None),
    ('{"a": "f("', None),
    ('{"a": “b"', None),
    # ambiguous
    ('["a""b"]', 3),
    ('["a" "b" c"]', 3),
    ('{"a": "x" "b" "c": "y"}', 8),
    ('{"a": "x "y", "b": 1}', 11),
    ('["he said "a", "b"]', 12),
    ('{"a": {"b": "say "x"}, "c": 1}', 19),
    ('[{"a": [1}, 2\n```', 14),
    ('{"size": "5" pipe", "n": 1}', 11),
    ("['the cats' toys']", 10),
    ('["""x"""]', 2),
    ("['a', f(2), 'b']", 3),
    ('{"a": "x" // or "y\n}', 8),
    ('["a" # b", "c"\n]', 3),
    ('{"a": "the "red" one"\n```', 20),
    ("[1, 2 `x`, 3]", 6),
    ('{"a": "x" ```b```", "c": 1}', 8),
    # not readable
    ("hello", 0),
    ("{hello}", 1),
    ("{a b: 1}", 1),
    ("[hello]", 1),
    ('{"a": hello}', 6),
    ('{"a": $B}', 6),
    ('{"a": f()}', 6),
    ("[Truely]", 5),
    ("[1 000]", 3),
    ("[1 250, 3]", 3),
    ('{"a": 1 2}', 8),
    ("[1,,2]", 3),
    ("[,1]", 1),
    ('{"a": }', 6),
    ('{"a" 1}', 5),
    ("{1, 2}", 1),
    ("(1, 2)", 0),
    ("[1}", 2),
    ("{{{}}}", 2),
    ("{ {}}", 2),
    ("['a': 1]", 3),
    ("[01]", 3),
    ("[/]", 1),
    (r'["\_"]', 2),
    (r'{na\u00efve": 1}', 1),
    (r'["\u12x"]', 2),
]


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


@pytest.mark.parametrize(("text", "value", "kinds"), REPAIRED, ids=[row[0] for row in REPAIRED])
def test_it_mends(text: str, value: Any, kinds: str) -> None:
    reader = read(text)
    assert repr(reader.close()) == repr(reader.value) == repr(value)
    assert " ".join(repair.kind for repair in reader.repairs) == kinds
    for size in (1, 2, 3):
        assert story(text, size) == story(text, 10**6)


@pytest.mark.parametrize(("text", "pos"), REFUSED, ids=[row[0] for row in REFUSED])
def test_it_refuses(text: str, pos: int | None) -> None:
    with pytest.raises(JsonError) as caught:
        read(text).close()
    if pos is None:
        assert isinstance(caught.value, JsonIncompleteError)
        assert caught.value.closers is None
    else:
        assert isinstance(caught.value, JsonSyntaxError)
        assert caught.value.pos == pos
    for size in (1, 2, 3):
        assert story(text, size) == story(text, 10**6)


def test_repairs_have_spans_and_come_in_the_order_of_the_text() -> None:
    reader = read("{tool: 'it's', n: [None,], // so\n")
    reader.feed("deep: {}")
    reader.close()
    text = "{tool: 'it's', n: [None,], // so\ndeep: {}"
    assert [(kind, text[slice(*span)]) for kind, span, _ in reader.repairs] == [
        ("unquoted_key", "tool"),
        ("quotes", "'it's'"),
        ("inner_quote", "'"),
        ("unquoted_key", "n"),
        ("literal", "None"),
        ("trailing_comma", ","),
        ("comment", "// so"),
        ("unquoted_key", "deep"),
        ("missing_closer", ""),
    ]
    assert reader.repairs[-1] == JsonRepair(
        "missing_closer", (len(text), len(text)), "supplied the missing }"
    )
    assert reader.repairs[4].message == "read None as null"


def test_closers_are_not_supplied_if_so_told() -> None:
    reader = read('{"a": [1]')
    with pytest.raises(JsonIncompleteError) as caught:
        reader.close(supply_closers=False)
    assert caught.value.closers == "}"


def test_text_after_the_value_is_left_alone() -> None:
    reader = LenientJsonReader()
    assert reader.feed("{'a': 1} and {more}") == 8
    assert (reader.complete, reader.end, reader.close()) == (True, 8, {"a": 1})


def test_a_value_is_complete_at_its_last_bracket() -> None:
    for text in ('{"a": "b"}', "['a']", "{a: 1,}", '{"a": [{"b": "c"}]}'):
        reader = read(text, 1)
        assert reader.complete
        assert reader.end == len(text)


def test_the_value_stays_when_the_text_breaks() -> None:
    reader = read('{"a": [1, "text with an "end", "b": 1}', 1)
    assert reader.error is not None
    assert reader.value == {"a": [1, 'text with an "end']}
    reader.feed("]}")
    assert reader.value == {"a": [1, 'text with an "end']}


def test_limits_are_those_of_the_strict_reader() -> None:
    with pytest.raises(JsonLimitError, match="max_depth"):
        read("[" * 201)
    with pytest.raises(JsonLimitError, match="max_number_chars"):
        read("{n: " + "9" * 5000)
    reader = LenientJsonReader(max_chars=5)
    with pytest.raises(JsonLimitError, match="max_chars"):
        reader.feed("{a: 12345}")
    with pytest.raises(JsonLimitError, match="max_depth"):
        LenientJsonReader(max_depth=2).feed("[[['a']]]")


def test_changes_are_told_as_by_the_strict_reader() -> None:
    reader = LenientJsonReader()
    found = []
    for chunk in ["{a: 'x", ' "y"', " z', b", ": [1", "2,], ", "c: None}"]:
        reader.feed(chunk)
        found.append([tuple(change.values()) for change in reader.changes()])
    assert found == [
        [("replace", "", {"a": "x"})],
        [("replace", "/a", 'x "y"')],
        [("replace", "/a", 'x "y" z')],
        [("add", "/b", [1])],
        [("replace", "/b/0", 12)],
        [("add", "/c", None)],
    ]


# Objects with commas before closing brackets are read as the reader repairs them.


@pytest.mark.parametrize(
    ("text", "plain", "commas"),
    [
        ('{"a": [1,],}', '{"a": [1]}', [8, 10]),
        ('{"a": 1 ,\n}', '{"a": 1 \n}', [8]),
        ('{"a": ",]", "b": "\\",}"}', None, []),
        ('{"a": ",]",}', '{"a": ",]"}', [10]),
        ("[1, 2]", None, []),
        ("[1,,]", "[1,]", [3]),
        ('{"a": [,],}', None, []),
        ("{ ,}", None, []),
        ('{"a": 1,} "', None, []),
        ('"' * 5 + ",]", None, []),
    ],
)
def test_a_comma_goes_that_follows_a_value_outside_of_strings(
    text: str, plain: str | None, commas: list[int]
) -> None:
    assert without_trailing_commas(text) == (text if plain is None else plain, commas)


texts = st.text(st.sampled_from("ab ,:[]{}\"\\\n'é`"), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(value=st.dictionaries(texts, values, max_size=4), data=st.data())
def test_the_repairs_are_those_of_the_reader(value: dict[str, object], data: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=data.draw(st.booleans()))
    text = re.sub(
        r"(?<![\[{])(?=[\]}])",
        lambda _: data.draw(st.sampled_from(["", "", ",", ", ", " ,\n", ",,"])),
        text,
    )
    reader = KeyReader()
    try:
        reader.feed(text)
        expected = reader.close()
    except JsonError:
        return
    repairs: list[object] = []
    if "`" in text or reader.repeated_key is not None:
        return
    assert repair_json_input(text, repairs) == expected
    made = [(repair.kind, repair.span, repair.message) for repair in repairs]
    assert made == [tuple(repair) for repair in reader.repairs]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"a": 1, "b": {"c": 1, "c": 2}}', "c"),
        ('{"a": 1, "a": 2,}', "a"),
        ('{x: {"a": "' + 64 * "long " + '", "b": 1, "b": 2}}', "b"),
        ('{"a": 1, "b": {"a": 1},}', None),
    ],
)
def test_a_reader_knows_a_key_that_stands_twice(text: str, key: str | None) -> None:
    reader = KeyReader()
    reader.feed(text)
    assert reader.repeated_key == key
