"""`repair_json` and its finder: which value in a text is the result."""

from __future__ import annotations

import json
import re
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from output_parsers.json_in_prose import repair
from output_parsers.json_in_prose.markdown import parse_json_markdown
from output_parsers.json_in_prose.repair import LenientJsonFinder, RepairedJson, repair_json
from outputs.growing_json.errors import (
    JsonError,
    JsonIncompleteError,
    JsonLimitError,
    JsonSyntaxError,
)
from outputs.growing_json.lenient.json_text import without_trailing_commas
from outputs.growing_json.lenient.strings import JsonRepair
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import scan_object

from ...helpers.effort import MANY, THOROUGH
from ...helpers.growth import assert_linear

if TYPE_CHECKING:
    from collections.abc import Callable

    from output_parsers.json_in_prose.search import FoundJson


# name, text, value, the text of the value
FOUND: list[tuple[str, str, Any, str]] = [
    ("alone", "{'a': 1}", {"a": 1}, "{'a': 1}"),
    ("in a fence", "```json\n{a: 1}\n```", {"a": 1}, "{a: 1}"),
    ("in an open fence", "```json\n{a: 1}\n", {"a": 1}, "{a: 1}"),
    ("in a doubled fence", "```\n```json\n{a: 1}\n```\n```", {"a": 1}, "{a: 1}"),
    ("in a short fence", "Well:\n``json\n[1,]\n``", [1], "[1,]"),
    ("in a spaced fence", "So\n ` ` ` json\n[1,]\n ` ` `", [1], "[1,]"),
    ("in a fence with a tag", "So\n```JavaScript \n[1,]\n```", [1], "[1,]"),
    ("before its fence ends", '```\n{"a": [1\n```', {"a": [1]}, '{"a": [1\n'),
    ("after a word", "Answer: {a: 1}", {"a": 1}, "{a: 1}"),
    ("before words", "{a: 1} is the answer, and {b} is not", {"a": 1}, "{a: 1}"),
    ("before a quote", '{"a": 1} is "a" and "b": ok', {"a": 1}, '{"a": 1}'),
    ("before a value", '{"a": 1} (like {"b": 2})', {"a": 1}, '{"a": 1}'),
    ("between words", "It is {a: 1}, I think [sic].", {"a": 1}, "{a: 1}"),
    ("said twice", 'It is {"a": 1}, yes {"a": 1}.', {"a": 1}, '{"a": 1}'),
    ("after brackets", "[Note] {a} is {a: 1}", {"a": 1}, "{a: 1}"),
    ("after code", "d['a'][0] and [3].pop() is {a: 1}", {"a": 1}, "{a: 1}"),
    ("fenced after a draft", 'Not {"a": 1}:\n```\n{"a": 2}\n```', {"a": 2}, '{"a": 2}'),
    ("fenced after a wreck", 'Not {"a": oops}:\n```\n[2]\n```', [2], "[2]"),
    ("after a thought", "<think>[1]? No.</think>\n[2]", [2], "[2]"),
    ("after a fence in a thought", "<think>\n```\n[1]\n```\n</think>[2]", [2], "[2]"),
    ("after two thoughts", " <thinking>[1]</thinking> <think>[3]</think>[2]", [2], "[2]"),
    ("in a fence after a thought", "<reasoning>[1]</reasoning>\n```\n[2]\n```", [2], "[2]"),
    ("in prose after a thought", "<think>[1]</think>So it is {a: 2}.", {"a": 2}, "{a: 2}"),
    ("a string after a thought", '<think>"x"</think> "y {a}"', "y {a}", '"y {a}"'),
    ("a number after a thought", "<think>1</think>\n`2`", 2, "2"),
    ("after the end of a thought", "Maybe.</think>[2]", [2], "[2]"),
    ("before a thought", "[2]\n<think>So it is.</think>", [2], "[2]"),
    ("after a tag", "<thinker>{a: 1}", {"a": 1}, "{a: 1}"),
    ("in two fences alike", "```\n[2]\n```\nor\n```json\n[2,]\n```", [2], "[2]"),
    ("before code", "```\n[2]\n```\n[1]\n```sh\n[ -f a ]\n```", [2], "[2]"),
    ("in a fence before a list", "```\n[2]\n```\n[1] a source", [2], "[2]"),
    ("before a fence of words", "[2]\n```\nso [1]\n```\n", [2], "[2]"),
    ("with a fence inside", '{"md": "```\\n{}\\n```",}', {"md": "```\n{}\n```"}, "{…}"),
    ("with one brace more", "{a: 1}}", {"a": 1}, "{a: 1}"),
    ("a string", "'so it is'", "so it is", "'so it is'"),
    ("a word", "`None`", None, "None"),
    ("a number", " 12 ", 12, "12"),
]

# name, text, the class of the error, its position
REFUSED: list[tuple[str, str, type[JsonError], str]] = [
    ("nothing", "", JsonIncompleteError, ""),
    ("prose", "No, sorry.", JsonSyntaxError, "No, sorry."),
    ("prose with brackets", "see {a} and [b]", JsonSyntaxError, "see {a} and [b]"),
    ("half a value", '{"path": "a.txt", "text": "Dear', JsonIncompleteError, ""),
    ("half a number", '{"amount": 1', JsonIncompleteError, ""),
    ("half a value in a fence", '```json\n{"text": "Dear', JsonIncompleteError, ""),
    ("half a value in prose", 'It is {"text": "Dear', JsonIncompleteError, ""),
    ("two values", 'It is {"a": 1} or {"a": 2}', JsonSyntaxError, '{"a": 2}'),
    ("a row of values", '{"a": 1}\n{"a": 2}', JsonSyntaxError, '{"a": 2}'),
    ("a list without brackets", '{"a": 1}, {"a": 2}', JsonSyntaxError, '{"a": 2}'),
    ("a value closed too soon", '{"a": 1}, "b": 2}', JsonSyntaxError, ', "b": 2}'),
    ("a string closed too soon", '{"a": "b"}", "c": 2}', JsonSyntaxError, '", "c": 2}'),
    ("a string cut by its brace", '{"a": "b "} c", "d": 2}', JsonSyntaxError, ' c", "d": 2}'),
    ("a string cut by its bracket", '[{"a": "5" ] x"}, 2]', JsonSyntaxError, ' x"}, 2]'),
    ("a string cut by its comma", '{"a": "]b",} c"} d', JsonSyntaxError, ' c"} d'),
    ("members without braces", '"a": {"b": 1}', JsonSyntaxError, '{"b": 1}'),
    ("a wreck", '{"a": oops, "b": {"c": 1}}', JsonSyntaxError, 'oops, "b": {"c": 1}}'),
    ("a list of other things", '[one, {"a": 1}]', JsonSyntaxError, 'one, {"a": 1}]'),
    ("a wreck with a fence inside", '{"a": oops, "b": "\n```\n{}\n```"}', JsonSyntaxError, ""),
    ("a wreck in a fence", "```\n{a: b}\n```\n```\n{a: 1}\n```", JsonSyntaxError, "b}"),
    ("an example from the prompt", '```\n{"action": $TOOL}\n```', JsonSyntaxError, "$TOOL}"),
    ("code", "```df['a'].sum()```", JsonSyntaxError, "df['a'].sum()"),
    ("a key with two values", '{"to": "ann", "to": "bob"}', JsonSyntaxError, '{"to": "ann"'),
    ("a key with two spellings", 'So: {to: 1, "to": 2}', JsonSyntaxError, "{to: 1"),
    ("an inner key with two values", '[{"a": {"b": [1], "b": [2]}}]', JsonSyntaxError, "[{"),
    ("a key with two numbers", '```\n{"n": 1, "n": 1.0}\n```', JsonSyntaxError, '{"n": 1,'),
    ("a key cut off the second time", '{"to": "ann", "to": "bob"', JsonSyntaxError, '{"to": "ann"'),
    ("only a thought", '<think>maybe {"a": 1}</think>\n', JsonIncompleteError, ""),
    ("only a fence in a thought", "<think>```\n[1]\n```</think>", JsonIncompleteError, ""),
    ("an open thought", '<think>maybe {"a": 1}', JsonIncompleteError, ""),
    ("a thought with other tags in it", "<think>[1]</thinking>[2]", JsonIncompleteError, ""),
    ("words after a thought", "<think>[1]</think>No.", JsonSyntaxError, "No."),
    ("two fences", "```json\n[1]\n```\n```json\n[2]\n```", JsonSyntaxError, "[2]"),
    ("two fences with words", "So:\n```[1]``` or\n```{a: 2}```", JsonSyntaxError, "{a: 2}"),
    ("three fences", "```\n[1]\n```\n```\n[1]\n```\n```js\n[2]", JsonSyntaxError, "[2]"),
    ("two fences, one open", "```\n[1,]\n```json\n[2]\n```", JsonSyntaxError, "[2]"),
    ("two fences and a number", "```\n[1]\n```\n```\n[true]\n```", JsonSyntaxError, "[true]"),
    ("two fences in a line", "So ```[1]``` or ```json [2] ```", JsonSyntaxError, "[2]"),
    ("two fences in a list", "- ```\n[1]\n```\n- ```\n[2]\n```", JsonSyntaxError, "[2]"),
    ("a fence and one in a string", '```\n[1]\n```\n```\n["```"]\n```', JsonSyntaxError, "["),
    ("an object after a fence", "```\n[1]\n```\n\n{a: 2}", JsonSyntaxError, "{a: 2}"),
    ("a value before a fence", "[1]\nBetter:\n```\n[2]\n```", JsonSyntaxError, "[2]"),
    ("a value in a thought", 'Maybe {"a": 1}?</think>', JsonSyntaxError, "?</think>"),
    ("a fence in a thought", "```\n[1]\n```\n</think>\n[2]", JsonSyntaxError, "\n```\n</think>"),
    ("a fence in a later thought", "So <think>```\n[1]\n```</think>[2]", JsonSyntaxError, "\n```"),
    ("two numbers that are equal", "So [1] or [true]", JsonSyntaxError, "[true]"),
    ("two values, one ambiguous", 'So {"a": 2}, yes {"a": 1, "a": 2}', JsonSyntaxError, '{"a": 1'),
    ("words after a string", "'a' b", JsonSyntaxError, " b"),
]


def find(text: str, size: int = 10**6) -> FoundJson:
    finder = LenientJsonFinder()
    for start in range(0, len(text), size):
        finder.feed(text[start : start + size])
    return finder.close()


def story(text: str, size: int) -> str:
    try:
        return repr(find(text, size))
    except JsonError as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize(("name", "text", "value", "written"), FOUND, ids=[row[0] for row in FOUND])
def test_it_finds_the_value(name: str, text: str, value: Any, written: str) -> None:
    found = find(text)
    assert repr(found.value) == repr(value)
    start, end = found.span
    assert written in ("{…}", text[start:end])
    assert repair_json(text).value == value
    for size in (1, 2, 3):
        assert story(text, size) == story(text, 10**6)


@pytest.mark.parametrize(
    ("name", "text", "error", "rest"), REFUSED, ids=[row[0] for row in REFUSED]
)
def test_it_refuses(name: str, text: str, error: type[JsonError], rest: str) -> None:
    with pytest.raises(error) as caught:
        repair_json(text)
    assert type(caught.value) is error
    if rest or error is JsonIncompleteError:
        assert text[caught.value.pos :].startswith(rest)
    for size in (1, 2, 3):
        assert story(text, size) == story(text, 10**6)


def test_repairs_are_told_with_their_spans() -> None:
    text = "Sure:\n{'tool': 'search', 'args': {limit: 3,}}\nOk?"
    value, repairs = repair_json(text)
    assert value == {"tool": "search", "args": {"limit": 3}}
    assert repairs[0] == JsonRepair("surrounding_text", (0, 6), "dropped the text around the value")
    assert [(kind, text[slice(*span)]) for kind, span, _ in repairs] == [
        ("surrounding_text", "Sure:\n"),
        ("quotes", "'tool'"),
        ("quotes", "'search'"),
        ("quotes", "'args'"),
        ("unquoted_key", "limit"),
        ("trailing_comma", ","),
        ("surrounding_text", "\nOk?"),
    ]


def test_a_member_that_is_repeated_is_told() -> None:
    value, repairs = repair_json('{"at": "10:45", "to": {"ann": 1}, to: {"ann": 1}}')
    assert value == {"at": "10:45", "to": {"ann": 1}}
    assert [(kind, message) for kind, _, message in repairs] == [
        ("repeated_key", 'dropped a member that repeats the key "to"'),
        ("unquoted_key", "accepted a key without quotes"),
    ]
    assert repair_json('{"at": "10:45"}').repairs == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<think>[1]</think> [2]", "dropped the thought before the value"),
        ("<think>[1]</think> '2'", "dropped the thought before the value"),
        ('<think>[1]</think> "2"', "dropped the thought before the value"),
        ("<think>[1]</think> So: [2]", "dropped the thought and the text before the value"),
    ],
)
def test_a_thought_that_is_dropped_is_told(text: str, message: str) -> None:
    first = repair_json(text).repairs[0]
    assert (first.kind, first.span[0], first.message) == ("surrounding_text", 0, message)
    assert text[first.span[1] :] in ("[2]", "'2'", '"2"')


def test_a_caller_may_check_repeated_keys_itself() -> None:
    for text in ('{"to": "ann", "to": "bob"}', "{to: 'ann', to: 'bob'}"):
        found = repair.repaired_with_last_keys(text)
        assert found.value == {"to": "bob"}
        assert {kind for kind, _, _ in found.repairs} <= {"unquoted_key", "quotes"}


def test_limits_are_told_by_name() -> None:
    for text in ("[" * 100_000, "So: " + "{a:" * 100_000, "```\n" + "[{a:" * 100_000):
        with pytest.raises(JsonLimitError, match=r"at most 200 nested brackets \(max_depth\)"):
            repair_json(text)
    for text in ("9" * 10**6, "[" + "9" * 10**6, "{a: " + "9" * 10**6 + "}"):
        with pytest.raises(JsonLimitError, match="max_number_chars"):
            repair_json(text)


def test_hostile_escapes_end_soon() -> None:
    assert repair_json('"' + "\\\\" * 500_000 + '"').value == "\\" * 500_000
    with pytest.raises(JsonIncompleteError):
        repair_json('{a: "' + "\\" * 1_000_000)
    assert repair_json("{a: '\\ud83d', b: \"\ud83d\"}").value == {"a": "\ud83d", "b": "\ud83d"}


strings = st.text(max_size=8) | st.sampled_from(
    ["```\n{}\n```", "[{", '"a": 1', "it's", "// x", "\ud83d{"]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | strings,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(strings, inner, max_size=4),
    max_leaves=8,
)
containers = st.lists(values, max_size=3) | st.dictionaries(strings, values, max_size=3)
sizes = st.sampled_from([1, 2, 3, 7, 50])
indents = st.sampled_from([None, 1])


@MANY
@given(values, st.booleans(), indents)
def test_json_is_never_changed(value: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    read = repair_json(text)
    assert repr(read) == repr(RepairedJson(json.loads(text), ()))
    assert repr(find(text).value) == repr(json.loads(text))
    assert find(text).repairs == ()


before = st.sampled_from(["", "Sure:\n", "It's [sic] {x}: ", "1. ", "see `[`\n"])
fences = st.sampled_from([("", ""), ("```json\n", "\n```"), ("``` json\n", ""), ("```js\n", "```")])
after = st.sampled_from(["", "\n", "\nDone.", " I'm done, {x}."])


@MANY
@given(before, fences, containers, indents, after, sizes)
def test_json_is_found_in_any_dress(
    before: str, fence: tuple[str, str], value: Any, indent: int | None, after: str, size: int
) -> None:
    text = before + fence[0] + json.dumps(value, indent=indent) + fence[1] + after
    found = find(text, size)
    assert repr(found.value) == repr(json.loads(json.dumps(value)))
    assert {repair.kind for repair in found.repairs} <= {"surrounding_text"}
    if not before or fence[0].startswith("```json"):
        assert repr(parse_json_markdown(text)) == repr(found.value)


@MANY
@given(containers)
def test_what_python_prints_is_read(value: Any) -> None:
    text = repr(value)
    try:
        found = repair_json(text).value
    except JsonError:
        # NaN is `nan`, and Python escapes unprintable characters.
        assert "nan" in text or "inf" in text or "\\" in text or '""' in text or "''" in text
    else:
        assert repr(found) == repr(value)


FRAGMENTS = [
    *"{}[]\"':,\\ \na1`x",
    *('{"a": 1}', '{"a":', "[1", "], ", "null", "[]", "{}", "```", "```json\n", "``", "` ` `"),
    *("Here: ", "[1] ", "{x}", "{x: ", "json", "//", '"k": ', "{{", "}}", ", ", ".y", "("),
]
any_text = st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join)


@MANY
@given(any_text, sizes)
@example('a [b] [\n "{}\\x\\n//y",\n 0.5\n]\n``` 5\n]', 7)
def test_any_cut_tells_the_same_story(text: str, size: int) -> None:
    assert story(text, size) == story(text, 10**6)


@MANY
@given(any_text, sizes)
@example('a [b] [\n "{}\\x\\n//y",\n 0.5\n]\n``` 5\n]', 7)
def test_the_value_so_far_depends_on_the_text_alone(text: str, size: int) -> None:
    finder = LenientJsonFinder()
    for start in range(0, len(text), size):
        finder.feed(text[start : start + size])
        at_once = LenientJsonFinder()
        at_once.feed(text[: start + size])
        readers = [which.reader for which in (finder, at_once)]
        so_far = [None if reader is None else repr(reader.value) for reader in readers]
        assert so_far[0] == so_far[1]


HOSTILE: dict[str, Callable[[int], str]] = {
    "open braces": lambda n: "see " + "{" * n,
    "open braces apart": lambda n: "see " + "{ " * (n // 2),
    "open strings": lambda n: "see " + '{"' * (n // 2),
    "keys": lambda n: "see " + "{a: " * (n // 4),
    "braced words": lambda n: "see " + "{x} " * (n // 4),
    "values": lambda n: "see " + "{a:1} " * (n // 6),
    "subscripts": lambda n: "x[0]" * (n // 4),
    "fences": lambda n: "```{" * (n // 4),
    "inner quotes": lambda n: '{"a": "' + '" x ' * (n // 4),
    "inner commas": lambda n: '{"a": "' + '", ' * (n // 3),
    "inner comments": lambda n: '{"a": "' + '"//' * (n // 3),
    "inner keys": lambda n: '{"a": "' + '", "b" ' * (n // 7),
    "apostrophes": lambda n: "{'a': '" + "a'" * (n // 2),
    "smart quotes": lambda n: '{"a": “' + "“”" * (n // 2),
    "bare keys": lambda n: "{" + "a:1," * (n // 4),
    "a long key": lambda n: "{" + "k" * n,
    "comments": lambda n: "{" + "//x\n" * (n // 4),
    "an open comment": lambda n: "{/*" + "*" * n,
    "doubled braces": lambda n: '{{"a":1' + "}" * n,
    "wrong brackets": lambda n: '{"a":[' + "}" * n,
    "white space": lambda n: '{"a": "x"' + " " * n,
    "text after": lambda n: '{"a": 1}' + " " * n + "x",
    "a value after": lambda n: '{"a": 1} {"a": "' + "x" * n,
    "backticks": lambda n: "` " * (n // 2),
}


@pytest.mark.parametrize("size", [10**6, 7])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_costs_no_more_than_its_length(name: str, size: int) -> None:
    assert_linear(lambda text: story(text, size), HOSTILE[name], 500)


def test_a_text_that_begins_with_a_value_is_that_value_and_elsewhere_two_are_an_error() -> None:
    assert repair_json('{"a": 1} or {"a": 2}').value == {"a": 1}
    for text in ('Either {"a": 1} or {"a": 2}', '{"a": 1} {"a": 2}'):
        with pytest.raises(
            json.JSONDecodeError, match="expected one JSON value, found a second one"
        ):
            repair_json(text)


@pytest.mark.parametrize(
    "text", ['[[],"q",]a",-1.5]', '[1,"q",] a",2]', '[1,"q"] a","b",3]', '[1,"q",]a", true]']
)
def test_a_string_may_not_be_cut_at_a_bracket_in_it(text: str) -> None:
    with pytest.raises(json.JSONDecodeError, match="expected no more JSON after"):
        repair_json(text)


def test_quoted_words_in_prose_after_a_value_are_no_json() -> None:
    for prose in ('I chose "x", "y" and "z", see [1]', 'is "x", 5.', "(not 'b', 'c')"):
        assert repair_json(f'["a"] {prose}').value == ["a"]


# -- JSON in a fence is read at once, with trailing commas or not ----------------------------------

FENCE_PIECES = [
    "```", "```json\n", "```py\n", "\n```", "``", "` ` `", "\n", " ", *'[]{},":', "So: ", "Done.",
    "[sic]", '{"a": 1}', '{"a": [1, 2], "b": "x"}', '{"a": 1, "a": 2}', "[1]", "{}", '{"a": 1,}',
    '{"b": [1, ",]",], }', "[,]", '{"a": {,}}', '[",}" ,\xa0]', '["x\\",]",]', "[1,,]", "[2,\n]",
    '{"q": "\\ud800"}', '{"q": "\\u00e9```"}', "NaN", '"b": 2}', "{a: 1}", "\xa0",
]  # fmt: skip


def fence_differences(count: int) -> tuple[int, list[str]]:
    """Return how many texts are read at once, and those that the search reads otherwise."""
    random = Random(5)
    taken, odd = 0, []
    for _ in range(count):
        value = random.choice(FENCE_PIECES[19:])
        text = f"{random.choice(('Here:', '', '[sic]'))}\n```json\n{value}\n```"
        for _ in range(random.choice((0, 0, 1, 2))):
            at = random.randrange(len(text) + 1)
            text = text[:at] + random.choice(FENCE_PIECES) + text[at:]

        def search(text: str = text) -> object:
            finder = LenientJsonFinder()
            finder.feed(text)
            found = finder.close()
            return RepairedJson(found.value, found.repairs)

        quick = outcome_of(partial(at_once, text))
        taken += quick != "None"
        if quick not in ("None", outcome_of(search)):
            odd.append(text)
    return taken, odd


def at_once(text: str) -> RepairedJson | None:
    if repair._read_at_once(text, checks_keys=True)[0] is NOTHING:
        return None
    found = repair_json(text)
    assert repr(found.value) == repr(repair.repaired_value(text))
    return found


def outcome_of(read: Callable[[], object]) -> str:
    try:
        return repr(read())
    except JsonError as error:
        return f"{type(error).__name__} {error}"


def test_json_in_a_fence_is_read_at_once_as_by_the_search() -> None:
    taken, odd = fence_differences(20_000 if THOROUGH else 1_000)
    assert not odd
    assert taken


def blank_commas(text: str, start: int, max_depth: int) -> tuple[Any, int]:
    return scan_object(text.replace(",}", " }"), start, max_depth)


def all_commas(text: str) -> tuple[str, list[int]]:
    """Return *text* without commas before brackets, even those in strings."""
    found = [each.start() for each in re.finditer(r",\s*[\]}]", text)]
    return re.sub(r",(?=\s*[\]}])", "", text), found


def no_places(text: str) -> tuple[str, list[int]]:
    plain, commas = without_trailing_commas(text)
    return plain, [comma - number for number, comma in enumerate(commas)]


@pytest.mark.parametrize(
    ("name", "bug"),
    [
        ("scan_object", blank_commas),
        ("without_trailing_commas", all_commas),
        ("without_trailing_commas", no_places),
    ],
)
def test_the_comparison_would_find_a_bug(
    name: str, bug: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repair, name, bug)
    assert any(fence_differences(count)[1] for count in (200, 2_000))


def test_only_text_is_repaired() -> None:
    others: list[Any] = [b"{}", bytearray(b"{}"), None, {}]
    for other in others:
        with pytest.raises(TypeError, match="expected a string, found"):
            repair_json(other)
