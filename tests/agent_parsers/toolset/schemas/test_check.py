"""Inputs of tools: values that fit, conversions and problems."""

import pickle
import re
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import OutputParserException
from agent_parsers.toolset import ToolInputError, ToolSet, UnknownToolError
from agent_parsers.toolset.schemas import fit
from output_parsers.text import timed_regex

from ....helpers.growth import assert_linear


def tools_for(part: Any, **policy: Any) -> ToolSet:
    schema = {"type": "object", "properties": {"x": part}, "required": ["x"]}
    return ToolSet([{"name": "t", "parameters": schema}], **policy)


def outcome(part: Any, value: Any, *, lenient: bool = False, **policy: Any) -> Any:
    """Return the value of the parameter *x*, or its problems."""
    try:
        found = tools_for(part, **policy).check("t", {"x": value}, lenient=lenient)
    except ToolInputError as error:
        return [str(problem).removeprefix("x") for problem in error.problems]
    assert isinstance(found, dict)
    return found["x"]


INTEGER = {"type": "integer"}
STRING = {"type": "string"}
NUMBER = {"type": "number"}
NULL = {"type": "null"}
BOOLEAN = {"type": "boolean"}
LIST = {"type": "array", "items": INTEGER}
OBJECT = {"type": "object", "properties": {"a": INTEGER}, "required": ["a"]}


@pytest.mark.parametrize(
    ("part", "text", "value"),
    [
        (INTEGER, "5", 5),
        (INTEGER, " -5\n", -5),
        (INTEGER, "+5", 5),
        (INTEGER, "007", 7),
        (INTEGER, "5.0", 5),
        (NUMBER, "5", 5),
        (NUMBER, "5.5", 5.5),
        (NUMBER, ".5e1", 5.0),
        (BOOLEAN, "true", True),
        (BOOLEAN, "False", False),
        (NULL, "null", None),
        (NULL, "None", None),
        (LIST, "[1, 2]", [1, 2]),
        (LIST, '["1", 2]', [1, 2]),
        (OBJECT, '{"a": "1"}', {"a": 1}),
        (STRING, "007", "007"),
        (STRING, "null", "null"),
        (STRING, " x ", " x "),
        ({}, "5", "5"),
        (True, "5", "5"),
        ({"type": ["integer", "string"]}, "5", "5"),
        ({"type": ["integer", "null"]}, "5", 5),
        ({"type": ["integer", "null"]}, "null", None),
        ({"type": ["number", "integer"]}, "5", 5),
        ({"anyOf": [STRING, INTEGER]}, "5", "5"),
        ({"anyOf": [{"type": "string", "maxLength": 1}, INTEGER]}, "55", 55),
        ({"anyOf": [{"type": "string", "format": "date"}, INTEGER]}, "55", 55),
        ({"anyOf": [NUMBER, INTEGER, NULL]}, "null", None),
        ({"anyOf": [LIST, OBJECT]}, '{"a": "1"}', {"a": 1}),
        ({"anyOf": [LIST, OBJECT]}, '["1"]', [1]),
        ({"oneOf": [INTEGER, NULL]}, "5", 5),
        ({"enum": [1, 2, "a"]}, "2", 2),
        ({"enum": [1, 2, "2"]}, "2", "2"),
        ({"enum": [None, True]}, "true", True),
        ({"const": 5}, "5", 5),
        ({"allOf": [INTEGER, {"minimum": 3}]}, "5", 5),
        ({"allOf": [{"minimum": 3}, INTEGER]}, "5", 5),
        ({"if": {"enum": ["null", None]}, "then": NULL, "else": INTEGER}, "5", 5),
        ({"if": {"enum": ["null", None]}, "then": NULL, "else": INTEGER}, "null", None),
        ({"type": "array", "prefixItems": [STRING, INTEGER]}, ["1", "1"], ["1", 1]),
        ({"type": "array", "items": [STRING], "additionalItems": INTEGER}, ["1", "1"], ["1", 1]),
        ({"type": "object", "additionalProperties": INTEGER}, {"k": "1"}, {"k": 1}),
        ({"type": "object", "patternProperties": {"^n": INTEGER}}, {"n1": "1"}, {"n1": 1}),
    ],
)
def test_text_becomes_what_the_schema_says(part: Any, text: Any, value: Any) -> None:
    found = outcome(part, text)
    assert found == value
    assert type(found) is type(value)


ANY_OBJECT = {"type": "object", "additionalProperties": True}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': '{\"b\": 1, \"b\": 2}'}", {"a": '{"b": 1, "b": 2}'}),
        ('{"a\\b": "x:y", "c": True}', {"a\b": "x:y", "c": True}),
        ("{'a': [{'b': 1}, {'b': 2}], c: 'x:y',}", {"a": [{"b": 1}, {"b": 2}], "c": "x:y"}),
    ],
)
def test_text_that_is_repaired_may_have_colons_and_keys_in_its_strings(
    text: str, value: Any
) -> None:
    assert outcome(ANY_OBJECT, text, lenient=True) == value
    assert outcome({"type": "array"}, f"[{text},]", lenient=True) == [value]


@pytest.mark.parametrize("text", ["{'a': 1, 'a': 2}", "{'a': 1, a: 1}", '{"a": 1, "a": 1}'])
def test_text_with_a_key_twice_is_no_object(text: str) -> None:
    [problem] = outcome(ANY_OBJECT, text, lenient=True)
    assert "expected an object" in problem


@given(st.lists(st.sampled_from([*"{}[]'\":,\\a1 ", '"a": ', "'b': ", "True", '{"']), max_size=14))
def test_no_text_raises_anything_else(pieces: list[str]) -> None:
    for part in (ANY_OBJECT, {"type": "array"}):
        outcome(part, "{" + "".join(pieces), lenient=True)
        outcome(part, "[" + "".join(pieces), lenient=True)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        (INTEGER, 2.0**53 + 2),
        (INTEGER, 1e300),
        (NUMBER, 10**400),
        (NUMBER, -(10**400)),
        (NUMBER, "1" + "0" * 400),
        (NUMBER, "1e400"),
    ],
)
def test_a_number_that_cannot_be_kept_does_not_fit(part: Any, value: Any) -> None:
    [problem] = outcome(part, value, lenient=True)
    assert "expected a" in problem


@pytest.mark.parametrize(
    ("part", "value"),
    [
        (INTEGER, 5.0),
        (INTEGER, 2.0**53),
        (INTEGER, 10**400),
        (NUMBER, 10**300),
        (NUMBER, 5),
        (LIST, []),
        ({"enum": [1]}, 1.0),
        ({"type": "object"}, {"any": ["thing"]}),
        ({"not": STRING}, 5),
        ({"anyOf": [OBJECT, {"type": "object"}]}, {"a": "5"}),
        ({"multipleOf": 0.1}, 0.3),
        ({"multipleOf": 0.1}, 1e300),
        ({"minLength": 2, "maxLength": 2}, "é€"),
        ({"pattern": "b+"}, "abc"),
        ({"uniqueItems": True}, [1, True, "1", [1], [True]]),
        ({"contains": INTEGER, "maxContains": 1}, ["a", 1]),
        ({"exclusiveMinimum": 1, "exclusiveMaximum": 2}, 1.5),
        ({"minimum": 1, "exclusiveMinimum": False}, 1),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1, "b": 2}),
        ({"propertyNames": {"maxLength": 1}}, {"a": 1}),
        ({"format": "date"}, "2025-02-28"),
        ({"format": "date-time"}, "2025-02-28T12:00:00.1234567Z"),
        ({"format": "date-time"}, "2025-02-28 12:00"),
        ({"format": "time"}, "12:00:00+02:00"),
        ({"format": "email"}, "a.b@example.org"),
        ({"format": "uri"}, "mailto:a@b.c"),
        ({"format": "uuid"}, "123e4567-e89b-42d3-a456-426614174000"),
        ({"format": "ipv4"}, "192.0.2.1"),
        ({"format": "ipv6"}, "::1"),
        ({"format": "of another world"}, "x"),
    ],
)
def test_what_fits_stays_the_same_object(part: Any, value: Any) -> None:
    given = {"x": value}
    assert tools_for(part).check("t", given) is given


@pytest.mark.parametrize(
    ("part", "value", "problem"),
    [
        (INTEGER, "5.5", ': expected an integer, found "5.5"'),
        (INTEGER, "1,000", ': expected an integer, found "1,000"'),
        (INTEGER, "٣", ': expected an integer, found "٣"'),
        (INTEGER, "9" * 5000, f': expected an integer, found "{"9" * 58}…'),
        (INTEGER, True, ": expected an integer, found true"),
        (STRING, [10**5000], ": expected a string, found a list of one item"),
        (INTEGER, None, ": expected an integer, found null"),
        (NUMBER, "1e999", ': expected a number, found "1e999"'),
        (NUMBER, float("nan"), ": expected a value of JSON, found NaN"),
        (NUMBER, "NaN", ': expected a number, found "NaN"'),
        (STRING, 7, ": expected a string, found 7"),
        (STRING, ["a"], ": expected a string, found a list of one item"),
        (STRING, b"x", ": expected a value of JSON, found a value of type bytes"),
        (BOOLEAN, "yes", ': expected true or false, found "yes"'),
        (BOOLEAN, 1, ": expected true or false, found 1"),
        (LIST, "1, 2", ': expected a list, found "1, 2"'),
        (LIST, "[1,", ': expected a list, found "[1,"'),
        (LIST, [1, "a"], '[1]: expected an integer, found "a"'),
        (OBJECT, "[1]", ': expected an object, found "[1]"'),
        (OBJECT, {}, ".a: expected an integer, found nothing"),
        (OBJECT, {"a": 1, 2: 3}, ": expected keys that are strings, found 2"),
        (OBJECT, {"a": 1, "b c": 3}, '["b c"]: expected only the key a, found the key "b c"'),
        (False, 1, ": expected no value at all, found 1"),
        ({"not": STRING}, "x", ': expected another value, found "x"'),
        ({"minimum": 3}, 2, ": expected at least 3, found 2"),
        ({"exclusiveMinimum": 3}, 3, ": expected more than 3, found 3"),
        ({"minimum": 3, "exclusiveMinimum": True}, 3, ": expected more than 3, found 3"),
        ({"maximum": 3}, 4, ": expected at most 3, found 4"),
        ({"exclusiveMaximum": 3}, 3, ": expected less than 3, found 3"),
        ({"maximum": 3, "exclusiveMaximum": True}, 3, ": expected less than 3, found 3"),
        ({"multipleOf": 0.1}, 0.35, ": expected a multiple of 0.1, found 0.35"),
        ({"minLength": 2}, "a", ': expected at least 2 characters, found "a"'),
        ({"maxLength": 1}, "ab", ': expected at most 1 character, found "ab"'),
        ({"pattern": "^a$"}, "a\n", ': expected text that matches ^a$, found "a\\n"'),
        ({"pattern": "^a$"}, "b", ': expected text that matches ^a$, found "b"'),
        (
            {"format": "date"}, "2025-02-30",
            ': expected a date (YYYY-MM-DD), found "2025-02-30"',
        ),
        ({"format": "time"}, "25:00", ': expected a time (hh:mm:ss), found "25:00"'),
        ({"format": "email"}, "a@", ': expected an email address, found "a@"'),
        ({"format": "ipv4"}, "x", ': expected text in the format ipv4, found "x"'),
        ({"format": "ipv4"}, "::1", ': expected text in the format ipv4, found "::1"'),
        ({"minItems": 1}, [], ": expected at least 1 item, found an empty list"),
        ({"maxItems": 1}, [1, 2], ": expected at most 1 item, found a list of 2 items"),
        (
            {"uniqueItems": True}, [1, 1.0],
            ": expected items that are all different, found a list of 2 items",
        ),
        (
            {"contains": INTEGER}, ["a"],
            ": expected an integer in the list, at least 1 time, found a list of one item",
        ),
        (
            {"contains": INTEGER, "maxContains": 2}, [1, 2, 3],
            ": expected an integer in the list, at most 2 times, found a list of 3 items",
        ),
        ({"minProperties": 1}, {}, ": expected at least 1 key, found an empty object"),
        (
            {"maxProperties": 0}, {"a": 1},
            ": expected at most 0 keys, found an object with the key a",
        ),
        (
            {"propertyNames": {"maxLength": 1}}, {"ab": 1},
            '.ab: expected a key that the schema allows, found "ab"',
        ),
        (
            {"dependentRequired": {"a": ["b"]}}, {"a": 1},
            ".b: expected a value, because a is given, found nothing",
        ),
        ({"additionalProperties": False}, {"a": 1}, '.a: expected no keys, found the key "a"'),
        ({"anyOf": [INTEGER, NULL]}, "x", ': expected an integer or null, found "x"'),
        ({"anyOf": [LIST, NULL]}, ["x"], '[0]: expected an integer, found "x"'),
        (
            {"anyOf": [{"minLength": 3, **STRING}, NULL]}, "x",
            ': expected at least 3 characters, found "x"',
        ),
        (
            {"oneOf": [INTEGER, NUMBER]},
            5,
            ": expected a value that fits exactly one of 2 forms, not 2 of them, found 5",
        ),
        (
            {"oneOf": [INTEGER, NUMBER]}, "5",
            ': expected a value that fits exactly one of 2 forms, not several, found "5"',
        ),
        (
            {"enum": ["asc", "desc"]}, "ASC",
            ': expected one of "asc", "desc", found "ASC"; did you mean "asc"?',
        ),
        ({"const": "a"}, "b", ': expected "a", found "b"'),
        ({"allOf": [{"minimum": 3}, INTEGER]}, "2", ": expected at least 3, found 2"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_reported(part: Any, value: Any, problem: Any) -> None:
    found = outcome(part, value)
    assert found == ([problem] if isinstance(problem, str) else value)


@pytest.mark.parametrize(
    "part",
    [
        {"type": "integer", "minimum": 3},
        {"type": "string", "enum": ["a", "b"]},
        {"enum": ["a", "b"]},
        {"const": 4},
        {"type": "array", "items": INTEGER},
        {"anyOf": [INTEGER, BOOLEAN]},
        {"oneOf": [INTEGER, BOOLEAN]},
        {"allOf": [OBJECT]},
    ],
)
def test_nullable_allows_null(part: dict[str, Any]) -> None:
    assert outcome({**part, "nullable": True}, None) is None
    (problem,) = outcome({**part, "nullable": False}, None)
    assert problem.endswith(", found null")


def test_the_text_null_is_null_where_it_may_be_and_no_text_may() -> None:
    assert outcome({"type": "integer", "nullable": True}, "null") is None
    assert outcome({"enum": ["a", "b"], "nullable": True}, "null") is None
    assert outcome({"type": "string", "nullable": True}, "null") == "null"
    (problem,) = outcome({"enum": ["a", "b"], "nullable": True}, "c")
    assert problem == ': expected one of "a", "b", null, found "c"'


def test_nullable_counts_beside_a_reference_and_behind_it() -> None:
    parts = {"Size": INTEGER, "Color": {"type": "string", "nullable": True}}
    size = {"$ref": "#/$defs/Size"}
    properties = {"a": {**size, "nullable": True}, "b": {"$ref": "#/$defs/Color"}, "c": size}
    tools = ToolSet([{"name": "t", "parameters": {"properties": properties, "$defs": parts}}])
    assert tools.check("t", {"a": None, "b": None}) == {"a": None, "b": None}
    with pytest.raises(ToolInputError, match="c: expected an integer, found null"):
        tools.check("t", {"c": None})


TAGGED = {
    "anyOf": [
        {
            "type": "object",
            "properties": {"kind": {"const": kind}, key: INTEGER},
            "required": ["kind", key],
        }
        for kind, key in (("cat", "lives"), ("dog", "walks"))
    ]
}  # fmt: skip


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"kind": "cat", "lives": "x"}, ['.lives: expected an integer, found "x"']),
        ({"kind": "dog"}, [".walks: expected an integer, found nothing"]),
        ({"kind": "bird"}, ['.kind: expected one of "cat", "dog", found "bird"']),
        ({"lives": 1}, ['.kind: expected one of "cat", "dog", found nothing']),
        (5, [": expected an object, found 5"]),
        ({"kind": "dog", "walks": "1"}, {"kind": "dog", "walks": 1}),
    ],
)
def test_a_constant_shows_which_alternative_was_meant(value: Any, expected: Any) -> None:
    assert outcome(TAGGED, value) == expected


def test_all_problems_are_reported_at_once() -> None:
    tools = ToolSet(
        [{"name": "t", "parameters": {"properties": {"a": INTEGER, "b": LIST}, "required": ["a"]}}]
    )
    with pytest.raises(ToolInputError) as caught:
        tools.check("t", {"b": ["x", 1, {}], "c": 2})
    error = caught.value
    assert [problem.path for problem in error.problems] == [("b", 0), ("b", 2), ("c",), ("a",)]
    assert error.example == {"a": 2, "b": [1, 1, 1]}
    assert str(error).startswith("the input of t has 4 problems\n- b[0]: expected an integer")
    assert error.llm_output == '{"b": ["x", 1, {}], "c": 2}'
    assert error.send_to_llm
    assert error.advice in str(error.observation)


def test_the_example_is_text_where_text_is_the_input() -> None:
    tools = ToolSet(TEXTS)
    for name, text, expected in (
        ("find", '{"q": "lakes"}', "lakes"),
        ("find", '{"query": "lakes", "limit": "x"}', '{"query": "lakes", "limit": 1}'),
        ("book", "Bern", '{"where": "<where>", "nights": 1}'),
        ("now", "x", "{}"),
    ):
        with pytest.raises(ToolInputError) as caught:
            tools.check(name, text)
        assert caught.value.example_text == expected
        assert tools.check(name, expected) == caught.value.example


def test_every_tool_has_an_example() -> None:
    tools = ToolSet([*TEXTS, "plain", {"name": "t", "parameters": {"properties": {"x": INTEGER}}}])
    assert tools.example("find") == {"query": "<query>"}
    assert tools.example("book") == {"where": "<where>", "nights": 1}
    assert tools.example("now") == tools.example("t") == {}
    assert tools.example("plain") is None
    assert tools_for({"pattern": "^[A-Z]{9}$"}).example("t") is None
    with pytest.raises(KeyError):
        tools.example("other")


def test_an_error_can_be_copied_and_sent() -> None:
    for name, text in (("find", "{}"), ("serch", "x")):
        with pytest.raises(OutputParserException) as caught:
            ToolSet(TEXTS).check(name, text)
        other = pickle.loads(pickle.dumps(caught.value))
        assert type(other) is type(caught.value)
        assert str(other) == str(caught.value)
        assert vars(other) == vars(caught.value)


def test_many_problems_are_counted() -> None:
    with pytest.raises(ToolInputError) as caught:
        tools_for(LIST).check("t", {"x": ["a"] * 1000})
    assert len(caught.value.problems) == 1000
    assert str(caught.value.observation).count("\n") == 22
    assert "\n- and 980 more\n" in str(caught.value.observation)


# -- policies ------------------------------------------------------------------------------------

OPEN = {"type": "object", "properties": {"a": INTEGER}}


@pytest.mark.parametrize(
    ("part", "value", "forbid", "drop", "keep"),
    [
        (OPEN, {"a": 1, "z": 2}, None, {"a": 1}, {"a": 1, "z": 2}),
        ({**OPEN, "additionalProperties": True}, {"z": 2}, {"z": 2}, {"z": 2}, {"z": 2}),
        ({**OPEN, "additionalProperties": False}, {"z": 2}, None, {}, None),
        ({"type": "object"}, {"z": 2}, {"z": 2}, {"z": 2}, {"z": 2}),
        (
            {"allOf": [OPEN, {"properties": {"b": INTEGER}}]},
            {"a": 1, "b": "2", "z": 3},
            None,
            {"a": 1, "b": 2},
            {"a": 1, "b": 2, "z": 3},
        ),
        ({"anyOf": [OPEN, OBJECT]}, {"a": "1", "z": 3}, None, {"a": 1}, {"a": 1, "z": 3}),
        (
            {**OPEN, "anyOf": [{"required": ["a"]}, {"properties": {"b": NULL}}]},
            {"b": None, "z": 1},
            None,
            {"b": None},
            {"b": None, "z": 1},
        ),
    ],
)
def test_unknown_keys_are_policy(part: Any, value: Any, forbid: Any, drop: Any, keep: Any) -> None:
    for policy, expected in (("forbid", forbid), ("drop", drop), ("keep", keep)):
        found = outcome(part, value, unknown_keys=policy)
        if expected is None:
            assert isinstance(found, list)
            assert all("only the key" in problem for problem in found)
        else:
            assert found == expected


def test_what_was_dropped_is_reported() -> None:
    found = tools_for(OPEN, unknown_keys="drop").read("t", {"x": {"a": "1", "z": 2}})
    assert found.notes == (
        ('x.a: read "1" as 1', ""),
        ("dropped the key x.z, which is unknown", "unknown_key"),
    )


def test_missing_keys_are_policy() -> None:
    assert tools_for(STRING, missing_keys="keep").check("t", {}) == {}
    with pytest.raises(ToolInputError, match=r"\n- x: expected a string, found nothing\n "):
        tools_for(STRING).check("t", {})


# -- inputs as text ------------------------------------------------------------------------------

BOOK = {
    "name": "book",
    "parameters": {
        "properties": {"where": STRING, "nights": INTEGER},
        "required": ["where", "nights"],
    },
}
FIND = {
    "name": "find",
    "parameters": {"properties": {"query": STRING, "limit": INTEGER}, "required": ["query"]},
}
NOW = {"name": "now", "parameters": {"properties": {}}}
FILTER = {"name": "filter", "parameters": {"properties": {"by": {"type": "object"}}}}
DICE = {"name": "dice", "parameters": {"properties": {"sides": INTEGER, "rolls": INTEGER}}}
TEXTS = [BOOK, FIND, NOW, FILTER, DICE]


@pytest.mark.parametrize(
    ("tool", "text", "value"),
    [
        ("book", '{"where": "Bern", "nights": "2"}', {"where": "Bern", "nights": 2}),
        ("book", ' {"where": "007", "nights": 2}\n', {"where": "007", "nights": 2}),
        ("find", "lakes", {"query": "lakes"}),
        ("find", "007", {"query": "007"}),
        ("find", ' "lakes" ', {"query": ' "lakes" '}),
        ("find", '{"query": "lakes", "limit": "3"}', {"query": "lakes", "limit": 3}),
        ("find", "{1, 2}.union({3})", {"query": "{1, 2}.union({3})"}),
        ("find", "{x} of {y}", {"query": "{x} of {y}"}),
        ("find", '[1, "x"]', {"query": '[1, "x"]'}),
        ("now", "", {}),
        ("now", "{}", {}),
        ("now", "None", {}),
        ("filter", '{"by": {"a": 1}}', {"by": {"a": 1}}),
        ("filter", "", {}),
        ("filter", {}, {}),
        ("dice", "  ", {}),
        ("dice", '{"sides": "6"}', {"sides": 6}),
    ],
)
def test_text_is_an_input(tool: str, text: Any, value: Any) -> None:
    tools = ToolSet(TEXTS)
    assert tools.check(tool, text) == value
    assert tools.check(tool, text, lenient=True) == value


@pytest.mark.parametrize(
    ("tool", "text", "problem"),
    [
        ("book", "Bern", 'expected a JSON object with keys where, nights, found "Bern"'),
        ("book", "", "- where: expected a string, found nothing"),
        ("find", "", "query: expected a string, found nothing"),
        ("find", " \n", "query: expected a string, found nothing"),
        ("find", "{", "expected a whole JSON object, found only its beginning"),
        ("find", '{"', "expected a whole JSON object, found only its beginning"),
        ("find", '{"limit', "expected a whole JSON object, found only its beginning"),
        ("find", "{'q", "expected a whole JSON object, found only its beginning"),
        ("find", '** {"query": "lakes"}', "expected "),
        ("filter", '{"a": 1}', 'a: expected only the key by, found the key "a"'),
        ("filter", {"a": 1}, 'a: expected only the key by, found the key "a"'),
        ("filter", "{a: 1}", "expected a JSON object with the key by, found "),
        ("book", '["Bern", 2]', "expected a JSON object with keys where, nights, found "),
        ("book", '{"where": "Bern", "nigh', "expected a JSON object, found text that cannot be"),
        ("find", '{"query": "lak', "expected a JSON object, found text that cannot be read as one"),
        ("find", '{"query": ' + "[" * 300, "expected a JSON object, found text that cannot be"),
        ("find", '{"limit": ' + "9" * 5000 + "}", "(nested too deep, or a number with too many"),
        ("book", '{"where": "\\ud83d", "nights": 2}', "(half of a surrogate pair in an escape)"),
        ("book", "{1}", "expected a JSON object with keys where, nights"),
        ("find", '{"q": "lakes"}', 'q: expected only the keys query, limit, found the key "q"'),
        ("now", "please", 'expected no input, found "please"'),
        ("dice", "6", "expected a JSON object with keys sides, rolls"),
        ("filter", "x", 'by: expected an object, found "x"'),
        ("book", 5, "expected a JSON object with keys where, nights, found 5"),
        ("book", None, "expected a JSON object with keys where, nights, found null"),
        ("book", b"x", "found a value of type bytes"),
    ],
)
def test_text_that_is_not_an_input_is_reported(tool: str, text: Any, problem: str) -> None:
    with pytest.raises(ToolInputError) as caught:
        ToolSet(TEXTS).check(tool, text)
    assert problem in str(caught.value)


EXTRA = '{"where": "Bern", "nights": 2} I hope that helps.'
CLEAN = {"where": "Bern", "nights": 2}


@pytest.mark.parametrize("text", [EXTRA, f"Here: {EXTRA}", f"```json\n{EXTRA}\n```"])
@pytest.mark.parametrize("lenient", [False, True])
def test_extra_text_is_policy(text: str, lenient: bool) -> None:
    assert ToolSet(TEXTS, extra_text="drop").check("book", text, lenient=lenient) == CLEAN
    with pytest.raises(ToolInputError, match="expected nothing but the JSON object, found the"):
        ToolSet(TEXTS).check("book", text, lenient=lenient)
    with pytest.raises(ToolInputError, match="expected a JSON object with keys where, nights"):
        ToolSet(TEXTS, extra_text="keep").check("book", text, lenient=lenient)


def test_extra_text_of_a_lone_parameter_is_policy() -> None:
    text = '{"query": "x"} and more'
    assert ToolSet(TEXTS, extra_text="keep").check("find", text) == {"query": text}
    assert ToolSet(TEXTS, extra_text="drop").check("find", text) == {"query": "x"}
    assert ToolSet(TEXTS, extra_text="drop").check("now", "please") == {}
    with pytest.raises(ToolInputError, match="expected nothing but the JSON object"):
        ToolSet(TEXTS).check("find", text)


@pytest.mark.parametrize("lenient", [False, True])
def test_an_object_is_never_put_into_the_lone_parameter(lenient: bool) -> None:
    tools = ToolSet(TEXTS)
    for value in ({"a": False}, '{"a": false}', "{a: false}"):
        with pytest.raises(ToolInputError):
            tools.check("filter", value, lenient=lenient)


@pytest.mark.parametrize("text", ["{% for %}", "{# a note", "{x", "{1, 2", "{query", "[", "[1"])
def test_text_that_begins_no_object_is_text(text: str) -> None:
    assert ToolSet(TEXTS).check("find", text) == {"query": text}


def test_of_two_objects_none_counts() -> None:
    text = '{"where": "Bern", "nights": 2} {"where": "Rome", "nights": 1}'
    for lenient in (False, True):
        with pytest.raises(ToolInputError, match="expected one JSON object, found several"):
            ToolSet(TEXTS, extra_text="drop").check("book", text, lenient=lenient)


WRAPPED = [
    {"arguments": {"where": "Bern", "nights": "2"}},
    {"input": {"where": "Bern", "nights": 2}},
    {"arguments": '{"where": "Bern", "nights": 2}'},
    '{"arguments": {"where": "Bern", "nights": 2}}',
]


@pytest.mark.parametrize("value", WRAPPED)
def test_arguments_in_a_wrapper_are_read_leniently_and_reported(value: Any) -> None:
    found = ToolSet(TEXTS).read("book", value, lenient=True)
    assert found.value == {"where": "Bern", "nights": 2}
    assert found.notes[0].kind == "wrapper"
    with pytest.raises(ToolInputError, match="expected only the keys where, nights"):
        ToolSet(TEXTS).read("book", value)


@pytest.mark.parametrize(
    ("tool", "value"),
    [
        ("book", {"arguments": {"where": "Bern", "nights": 2, "page": 1}}),
        ("book", {"arguments": {"where": "Bern", "nights": 2}, "where": "Rome"}),
        ("book", {"arguments": '{"where": "Bern", "where": "Rome", "nights": 2}'}),
        ("book", {"arguments": "Bern"}),
        ("book", {"other": {"where": "Bern", "nights": 2}}),
        ("find", {"input": "lakes"}),
    ],
)
def test_a_wrapper_is_only_what_the_schema_says(tool: str, value: Any) -> None:
    with pytest.raises(ToolInputError):
        ToolSet(TEXTS).check(tool, value, lenient=True)


def test_a_key_that_the_tool_has_is_not_a_wrapper() -> None:
    own = {"properties": {"input": {"type": "object"}, "q": STRING}}
    other = {"properties": {"q": STRING}, "additionalProperties": True}
    value = {"input": {"q": "lakes"}}
    for schema in (own, other):
        tools = ToolSet([{"name": "t", "parameters": schema}], unknown_keys="drop")
        assert tools.check("t", value, lenient=True) == value
    tools = ToolSet([{"name": "t", "parameters": {"properties": {"q": STRING}}}])
    for policy in ("drop", "keep"):
        loose = ToolSet(tools, unknown_keys=policy)
        assert loose.check("t", value, lenient=True) == {"q": "lakes"}


@pytest.mark.parametrize(
    "text",
    [
        r'"{\"query\": \"a\"}"',
        r"'{\"query\": \"a\"}'",
        """'{"query": "a"}'""",
        r"{\"query\": \"a\"}",
    ],
)
def test_an_object_that_is_written_as_a_string_is_meant(text: str) -> None:
    found = ToolSet(TEXTS).read("find", text, lenient=True)
    assert found.value == {"query": "a"}
    assert found.notes[0].kind == "double_encoding"
    with pytest.raises(ToolInputError, match="found a string that contains one"):
        ToolSet(TEXTS).check("find", text)


@pytest.mark.parametrize("text", ['"lakes"', "'tis", '"{x}"', r'"{\"other\": 1}"', r"'{\"a\"'"])
def test_another_string_is_text(text: str) -> None:
    assert ToolSet(TEXTS).check("find", text, lenient=True) == {"query": text}


def test_lenient_mode_repairs_json_and_reports_it() -> None:
    tools = ToolSet(TEXTS)
    found = tools.read("book", "{'where': 'Bern', nights: '2',}", lenient=True)
    assert found.value == {"where": "Bern", "nights": 2}
    assert len(found.notes) > 2
    assert found.notes[-1] == ('nights: read "2" as 2', "")
    assert {note.kind for note in found.notes[:-1]} == {"quotes", "unquoted_key", "trailing_comma"}
    with pytest.raises(ToolInputError):
        tools.read("book", "{'where': 'Bern', nights: '2',}")
    found = tools.read("filter", {"by": "{a: 1}"}, lenient=True)
    assert found.value == {"by": {"a": 1}}
    assert [note.kind for note in found.notes] == ["", "unquoted_key"]
    with pytest.raises(ToolInputError):
        tools.check("find", '{"query": "lak', lenient=True)


# -- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["get_weather", "Get_Weather", "get weather", "`GetWeather`"])
def test_a_name_that_differs_in_marks_only_is_that_tool(name: str) -> None:
    tools = ToolSet(["get_weather", "search"])
    assert tools.find(name) == "get_weather"
    assert tools.read(name, "x").tool == "get_weather"


def test_a_name_that_matches_two_tools_is_unknown() -> None:
    tools = ToolSet(["get_weather", "getWeather", "search"])
    assert tools.find("getWeather") == "getWeather"
    assert tools.find("GetWeather") is None
    with pytest.raises(UnknownToolError) as caught:
        tools.check("GetWeather", "x")
    assert str(caught.value) == "'GetWeather' may be any of get_weather, getWeather"
    assert caught.value.near == ("get_weather", "getWeather")
    assert caught.value.observation == (
        "There is no tool 'GetWeather'. Did you mean 'get_weather' or 'getWeather'?"
        " The tools are: get_weather, getWeather, search."
    )


@pytest.mark.parametrize(
    ("name", "near"),
    [("serch", ("search",)), ("search_web", ("search",)), ("xyz", ()), ("", ()), ("!!", ())],
)
def test_a_name_that_is_near_is_suggested(name: str, near: tuple[str, ...]) -> None:
    with pytest.raises(UnknownToolError) as caught:
        ToolSet(["search", "calculate"]).check(name, "x")
    assert pickle.loads(pickle.dumps(caught.value)).near == near
    assert caught.value.near == near
    assert isinstance(caught.value, OutputParserException)
    assert "The tools are: search, calculate." in str(caught.value.observation)


def test_without_tools_every_name_is_unknown() -> None:
    with pytest.raises(UnknownToolError) as caught:
        ToolSet([]).check("x", "")
    assert caught.value.observation == "There is no tool 'x'. There are no tools."


# -- odd inputs ----------------------------------------------------------------------------------


def test_references_may_go_round_in_a_circle() -> None:
    node = {
        "$defs": {"N": {"properties": {"n": INTEGER, "next": {"$ref": "#/$defs/N"}}}},
        "$ref": "#/$defs/N",
    }
    tools = ToolSet([{"name": "t", "parameters": node}])
    value = {"n": "1", "next": {"n": "2", "next": {"n": 3}}}
    assert tools.check("t", value) == {"n": 1, "next": {"n": 2, "next": {"n": 3}}}
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"next": deep}
    with pytest.raises(ToolInputError, match="expected a less deeply nested value"):
        tools.check("t", deep)
    while deep:
        deep = deep["next"]


def test_a_schema_with_many_ways_takes_no_longer() -> None:
    def many(count: int) -> dict[str, Any]:
        way: Any = INTEGER
        defs = {}
        for number in range(count):
            defs[f"W{number}"] = {"anyOf": [way, way, {"allOf": [way]}]}
            way = {"$ref": f"#/$defs/W{number}"}
        return {"$defs": defs, "properties": {"x": way}}

    def use(schema: dict[str, Any]) -> None:
        tools = ToolSet([{"name": "t", "parameters": schema}])
        assert tools.check("t", {"x": "5"}) == {"x": 5}
        with pytest.raises(ToolInputError):
            tools.check("t", {"x": "a"})
        tools.describe()

    assert_linear(use, many, 3)


def test_a_pattern_that_takes_forever_is_stopped_and_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fit, "PATTERN_SECONDS", 0.1)
    for slow in ({"items": {"pattern": r"^(a|aa)+$"}}, {"patternProperties": {r"^(a|aa)+$": {}}}):
        text = "a" * 60 + "b"
        (problem,) = outcome(slow, [text] * 50 if "items" in slow else {text: 1})
        assert problem == (
            "the input: expected a shorter text, found an object with the key x;"
            " matching ^(a|aa)+$ takes too long or too much memory"
        )


def test_only_the_search_for_patterns_takes_from_their_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    minutes = count()
    now = 0.0

    def is_slow(_text: str, _name: str) -> bool:
        nonlocal now
        now = 60.0 * next(minutes)
        return True

    monkeypatch.setattr(fit, "is_format", is_slow)
    monkeypatch.setattr(timed_regex, "perf_counter", lambda: now)
    part = {"items": {"pattern": "^a", "format": "slow"}}
    assert outcome(part, ["a1", "a2", "a3"]) == ["a1", "a2", "a3"]
    assert next(minutes) == 3


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (lambda size: ["x"] * size, 300),
        (lambda size: {f"k{i}": 1 for i in range(size)}, 300),
        (lambda size: "x" * size, 10_000),
        (lambda size: "[" * size, 2_000),
    ],
    ids=["items", "keys", "text", "brackets"],
)
def test_large_inputs_take_no_longer_than_they_must(value: Callable[[int], Any], size: int) -> None:
    part = {"anyOf": [LIST, OPEN, {"type": "string", "maxLength": 10}]}
    assert_linear(lambda it: outcome(part, it), value, size)


@pytest.mark.parametrize("least", [10**9, 10**12])
def test_an_example_has_few_items(least: int) -> None:
    node = {"type": "array", "items": {"type": "string"}, "minItems": least}
    tools = ToolSet([{"name": "f", "parameters": {"properties": {"a": node}, "required": ["a"]}}])
    assert len(str(tools.example("f"))) < 1_000
    with pytest.raises(ToolInputError) as caught:
        tools.check("f", {"a": "x"})
    assert len(caught.value.observation or "") < 2_000


def test_only_what_is_converted_loses_keys_that_are_not_known() -> None:
    """A part that must not fit is tried with all keys of the value."""
    closed = {"type": "object", "properties": {"a": {}}, "additionalProperties": False}
    tools = tools_for({"not": closed}, unknown_keys="drop")
    assert tools.read("t", {"x": {"z": 1}}).value == {"x": {"z": 1}}


@pytest.mark.parametrize("keyword", ["dependentSchemas", "unevaluatedItems", "$dynamicRef"])
def test_a_keyword_that_is_not_checked_is_told(keyword: str) -> None:
    inner = {"type": "object", "properties": {}, keyword: {}}
    schema = {"title": "f", "type": "object", "properties": {"a": inner}}
    with pytest.warns(UserWarning, match=f"{re.escape(keyword)}' at #/properties/a .* not checked"):
        ToolSet([schema])
