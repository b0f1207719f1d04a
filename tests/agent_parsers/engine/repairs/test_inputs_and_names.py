"""What is removed from the name of a tool and its input, and what stays."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import AgentAction, OutputParserException, Repair, get_parser
from agent_parsers.engine.repairs import names as known_names
from agent_parsers.engine.repairs.inputs import repair_answer, repair_input, repair_json_input
from agent_parsers.engine.repairs.names import repair_tool_name
from agent_parsers.engine.repairs.payloads import BadPayload, Lack, ToolHead, may_lack
from outputs.messages.ended import Ended

TOOLS = ["search", "Python REPL", "web_search", "Wikipedia", "Calculator"]


def tool(written: str, tools: list[str] | None = None) -> ToolHead:
    repairs: list[Repair] = []
    head = repair_tool_name(written, tools, repairs)
    assert bool(repairs) == (head.tool != written)
    return head


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("search", "search"),
        ("`search`", "search"),
        ('"search"', "search"),
        ("'search'", "search"),
        ("[Python REPL]", "Python REPL"),
        ("**search**", "search"),
        ("<search>", "search"),
        ("- search", "search"),
        ("• `search`", "search"),
        ("-search", "-search"),
        ("“search”", "search"),
        ("functions.search", "search"),
        ("default_api.search", "search"),
        ("functions.`search`", "functions.`search`"),
        ("search()", "search"),
        ("`search()`", "search"),
        ("search (web)", "search (web)"),
        ("search[", "search["),
        ("a.b.search", "a.b.search"),
        ("[", "["),
        ("``", "``"),
    ],
)
def test_dressing_is_removed_from_a_name(written: str, name: str) -> None:
    assert tool(written) == ToolHead(name, is_called="()" in written)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Search", "search"),
        ("python_repl", "Python REPL"),
        ("Web Search", "web_search"),
        ("[python repl]", "Python REPL"),
        ("serach", "serach"),
        ("web search or Calculator", "web search or Calculator"),
        ("research", "research"),
    ],
)
def test_a_name_is_the_tool_that_it_can_only_mean(written: str, name: str) -> None:
    assert tool(written, TOOLS) == ToolHead(name)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Use Wikipedia", "Wikipedia"),
        ("I should ask Wikipedia about this battle.", "Wikipedia"),
        ("use the python repl", "Python REPL"),
        ("Use Wikipedia instead", "Wikipedia"),
    ],
)
def test_a_phrase_that_names_one_tool_is_that_tool_and_needs_an_input(
    written: str, name: str
) -> None:
    assert tool(written, TOOLS) == ToolHead(name, needs_input=True)


@pytest.mark.parametrize(
    ("written", "tool_input"),
    [
        ("search[Franz Kafka]", "Franz Kafka"),
        ("Search[ Franz Kafka ]", "Franz Kafka"),
        ("functions.search[x = y[1]]", "x = y[1]"),
        ("`search[Lake (Thun)]`", "Lake (Thun)"),
    ],
)
def test_a_text_in_brackets_behind_a_name_is_its_input(written: str, tool_input: str) -> None:
    assert tool(written, ["search"]) == ToolHead("search", tool_input, is_called=True)
    known, called = get_parser("react", tools=["search"]), f"Action: {written}"
    ends: list[Ended] = ["stop", "unknown"]
    for ended in ends:
        turn = known.read(called, ended=ended)
        assert [(each.tool, each.tool_input) for each in turn.actions] == [("search", tool_input)]
        assert [repair.kind for repair in turn.repairs] == ["tool_name"]
    with pytest.raises(OutputParserException):
        known.read(f"{called} and more")
    with pytest.raises(OutputParserException, match="two inputs"):
        known.read(f"{called}\nAction Input: y")
    for at in range(len("Action: search["), len(called)):
        with pytest.raises(OutputParserException):
            known.read(called[:at])


@pytest.mark.parametrize(
    ("written", "tool_input"),
    [
        ('search["Franz Kafka"]', "Franz Kafka"),
        ("search[{'query': 'Kafka'}]", '{"query": "Kafka"}'),
        ("search('{query: \"Kafka\"}')", '{"query": "Kafka"}'),
    ],
)
def test_a_text_in_brackets_is_read_as_any_input(written: str, tool_input: str) -> None:
    assert tool(written, ["search"]).tool_input == tool_input


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ('send({"to": "ann", "to": "bob"})', "repeated_key"),
        ("send([{'to': 1, 'to': 2}])", "repeated_key"),
        ('send(to={"a": 1, "a": 2})', "repeated_key"),
        ('send(\'{"to": "ann", "to": "bob"}\')', "repeated_key"),
        ('send[{"to": "ann", "to": "bob"}]', "repeated_key"),
        ("send[{'to': 'ann', 'to': 'bob'}]", "repeated_key"),
        ('send[{"to": "ann"]', "cut_input"),
        ("send(1e999)", "bad_value"),
    ],
)
def test_a_call_in_place_of_a_name_has_a_whole_input(written: str, problem: str) -> None:
    with pytest.raises(BadPayload, match=problem):
        tool(written, ["send"])


@pytest.mark.parametrize(
    "written", ["search[a], search[b]", "search[a", "search[]a]", "search[[a]", "search[a\nb]"]
)
def test_brackets_that_may_be_something_else_are_no_input(written: str) -> None:
    assert tool(written, ["search"]).tool_input is None


@pytest.mark.parametrize(
    "written", ["Use Wikipedia or Calculator", "Use Wikipedia\nand more", "Use it"]
)
def test_a_phrase_that_names_no_tool_or_two_stays(written: str) -> None:
    assert tool(written, TOOLS).tool == written


@pytest.mark.parametrize(
    "written",
    [
        "Avoid Wikipedia",
        "After Wikipedia",
        "Wikipedia, since only Wikipedia knows",
    ],
)
def test_a_phrase_that_does_not_say_to_use_the_tool_stays(written: str) -> None:
    assert tool(written, TOOLS).tool == written


@pytest.mark.parametrize("tools", [TOOLS, None])
@pytest.mark.parametrize(
    "written",
    [
        "Do not use Wikipedia",
        "don't use Wikipedia",
        "Wikipedia is not needed",
        "Wikipedia isn't needed",
        "None (Wikipedia has answered)",
        "Wikipedia?",
        "`Wikipedia`?",
        "~~Wikipedia~~",
    ],
)
def test_a_denial_a_question_and_what_is_struck_out_name_no_tool(
    written: str, tools: list[str] | None
) -> None:
    with pytest.raises(BadPayload, match="no_tool_name"):
        tool(written, tools)


@pytest.mark.parametrize("name", ["None", "final answer", "`x`", "functions.x", "f(1)"])
def test_a_name_among_the_tools_is_never_touched(name: str) -> None:
    assert tool(name, [*TOOLS, name]) == ToolHead(name)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ('f("low tide")', "low tide"),
        ("f('it')", "it"),
        ('f(city="Xi\'an", days=2)', {"city": "Xi'an", "days": 2}),
        ('f({"id": "P-17", "full": true, "by": null})', {"id": "P-17", "full": True, "by": None}),
        ("f([1, 2])", "[1, 2]"),
        ("f({1, 2})", "[1, 2]"),
        ("f(-3)", "-3"),
        ("f(x=[True, {'a': 1}])", {"x": [True, {"a": 1}]}),
        ("f('\\d')", r"\d"),
    ],
)
def test_a_call_in_the_place_of_a_name_has_an_input(written: str, value: object) -> None:
    assert tool(written) == ToolHead("f", value, is_called=True)  # type: ignore[arg-type]  # text or dict


@pytest.mark.parametrize(
    "written",
    [
        'f("a", "b")',
        'f("a", b=1)',
        "f(a)",
        "f(**a)",
        "f(*a)",
        "f(g(1))",
        "f(",
        "f(1))",
        'f("a',
        "f(__import__('os'))",
        "f(b'a')",
        "f(a=...)",
        "f(" + "[" * 5_000 + "]" * 5_000 + ")",
        "f(" + "-" * 9_000 + "1)",
        "f('" + "a" * 20_000 + "')",
    ],
)
def test_text_that_is_not_a_call_of_literals_stays(written: str) -> None:
    assert tool(written) == ToolHead(written)


@pytest.mark.parametrize("written", ["None", "none", "N/A", "`None`", "No action needed."])
def test_a_name_may_say_that_there_is_no_action(written: str) -> None:
    with pytest.raises(BadPayload, match="action_without_tool"):
        repair_tool_name(written, TOOLS, [])


@pytest.mark.parametrize("written", ["Final Answer", "final answer", "**Final Answer**"])
def test_the_answer_may_be_written_as_an_action(written: str) -> None:
    assert repair_tool_name(written, TOOLS, []).is_answer


@given(st.text(max_size=30) | st.sampled_from(["f(1)", "`a`", "[b]", "Use a", "x.y"]))
def test_any_name_is_read_or_refused(written: str) -> None:
    written = written.strip()
    for tools in (None, TOOLS):
        repairs: list[Repair] = []
        try:
            head = repair_tool_name(written, tools, repairs)
        except BadPayload:
            continue
        assert bool(repairs) == (head.tool != written or head.is_answer)
        assert all(repair.span == (0, len(written)) for repair in repairs)


WORDS = ["search", "get", "Weather", "use", "to", "not", "_", "-", "é"]
names = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4)
MANY = [f"tool_{number}" for number in range(200)]


@given(st.lists(names.map("_".join), max_size=4), names, st.sampled_from([" ", "_", "  ", "\n"]))
def test_a_phrase_means_the_same_tool_among_many(
    tools: list[str], words: list[str], between: str
) -> None:
    """With many tools, the words of the phrase are looked up."""
    assert named(between.join(words), tools) == named(between.join(words), [*tools, *MANY])


def named(written: str, tools: list[str]) -> object:
    try:
        return repair_tool_name(written, tools, [])
    except BadPayload as bad:
        return bad.problem


def test_looking_up_one_word_alone_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        known_names, "_names", lambda tools: read_names(tools)._replace(most_words=1)
    )
    assert named("use get weather", ["get_weather", *MANY]) == ToolHead("use get weather")


read_names = known_names._names


def test_a_name_of_nothing_but_marks_is_read_in_linear_time() -> None:
    with pytest.raises(OutputParserException):
        get_parser("react").parse("Action: " + "*" * 1_000_000)


# -- inputs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("df.head()", "df.head()"),
        ("", ""),
        ('"', '"'),
        ('""', ""),
        ('"low tide"', "low tide"),
        ("'low tide'", "low tide"),
        ("`low tide`", "low tide"),
        ("“low tide”", "low tide"),
        ('"""\nlow\ntide\n"""', "low\ntide"),
        ('"low" or "high"', '"low" or "high"'),
        ("'it' is 'it'", "'it' is 'it'"),
        ('git tag -m "second cut"', 'git tag -m "second cut"'),
        ("```\nx = 1\n```", "x = 1"),
        ("```python\n  x = 1\n\n```", "  x = 1"),
        ("```x = 1```", "x = 1"),
        ('```json {"a": 1}```', '{"a": 1}'),
        ("```\na\n``` and ```\nb\n```", "```\na\n``` and ```\nb\n```"),
        ('{"a": 1}', '{"a": 1}'),
        ('{"a":1,  "b":[ ]}', '{"a":1,  "b":[ ]}'),
        ("{'a': 1, 'b': None}", '{"a": 1, "b": null}'),
        ('{"a": "x\ny"}', '{"a": "x\\ny"}'),
        ('{"a": 1}\n\nI will wait.', '{"a": 1}'),
        ('{"a": 1} (as you said)', '{"a": 1}'),
        ('{"a": 1}.get("a")', '{"a": 1}.get("a")'),
        ('{"a": 1} | {"b": 2}', '{"a": 1} | {"b": 2}'),
        ('```json\n{"a": [1,],}\n```', '{"a": [1]}'),
        ("[sic] the text", "[sic] the text"),
        ("[1] the first footnote\nand more", "[1] the first footnote\nand more"),
        ("[x for x in range(3)]", "[x for x in range(3)]"),
        (r"{\bf low} tide", r"{\bf low} tide"),
        ("{% for x in y %}", "{% for x in y %}"),
        ('{"a": x}.get("a")', '{"a": x}.get("a")'),
        ("- low tide", "low tide"),
        ("- low tide\n- high tide", "- low tide\n- high tide"),
        ("- x + 1", "- x + 1"),
        ("- low + high", "- low + high"),
        ("-l", "-l"),
        ("**low tide**", "low tide"),
        ('***"low tide"***', "low tide"),
        ("**low** tide**", "**low** tide**"),
        ("*.py*", "*.py*"),
        ("**/low/**", "**/low/**"),
        ("__init__", "__init__"),
        ("low tide\n\nPAUSE\n", "low tide"),
        ("```\nlow tide\n```\nPAUSE", "low tide"),
        ('{"a": 1}\nPAUSE', '{"a": 1}'),
        ("low PAUSE", "low PAUSE"),
        ("PAUSE", "PAUSE"),
        ("\nPAUSE\nlow", "PAUSE\nlow"),
    ],
)
def test_dressing_is_removed_from_an_input_and_data_stays(written: str, value: str) -> None:
    assert repair_input(written, []) == value


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ('{"to": "Ann", "text": "Dear', "cut_input"),
        ('{"to": "Ann", "amount": 1', "cut_input"),
        ('```json\n{"to": "Ann", "amount": 1\n```', "cut_input"),
        ('{"q": bridge', "cut_input"),
        ("{'q': bridge, 'n': [1", "cut_input"),
        ("```python\nx = 1", "open_fence"),
        ("see ```\nx = 1\n``` and ```\ny", "open_fence"),
    ],
)
def test_half_an_input_is_an_error(written: str, problem: str) -> None:
    with pytest.raises(BadPayload, match=problem) as caught:
        repair_input(written, [])
    start, end = caught.value.span
    assert 0 <= start < end <= len(written)


@pytest.mark.parametrize(
    ("text", "lacks"), [('{"to": ["Ann"]', "arguments"), ('{"to": ["Ann"', "values")]
)
def test_an_input_without_its_closers_says_what_it_would_be(text: str, lacks: str) -> None:
    with pytest.raises(BadPayload, match="cut_input") as caught:
        repair_input(text, [])
    unclosed = caught.value.unclosed
    assert unclosed is not None
    assert (unclosed.value, unclosed.lacks) == ('{"to": ["Ann"]}', lacks)
    assert unclosed.arguments == {"to": ["Ann"]}


def test_a_fence_closes_what_it_encloses() -> None:
    assert repair_input('```json\n{"to": ["Ann"]\n```', []) == '{"to": ["Ann"]}'


def test_an_input_of_json_is_an_object_or_text() -> None:
    assert repair_json_input("```json\n{'a': 1}\n```", []) == {"a": 1}
    assert repair_json_input("[1, 2]", []) == "[1, 2]"
    assert repair_json_input("low tide", []) == "low tide"
    with pytest.raises(BadPayload, match="bad_input"):
        repair_json_input('{"a": 1} and more', [])


def test_an_answer_loses_only_the_end_of_a_fence_that_opened_before_it() -> None:
    assert repair_answer("0.38\n```", []) == "0.38"
    for answer in ("```\n0.38\n```", "0.38", "so ``` it is"):
        assert repair_answer(answer, []) == answer


NOISE = [
    *"{}[]\"'`:, \na1(\\",
    *("```", "True", "**", "- ", "low", "\nPAUSE"),
]


@given(st.lists(st.sampled_from(NOISE), max_size=14).map("".join))
def test_an_input_that_is_changed_is_reported(written: str) -> None:
    repairs: list[Repair] = []
    try:
        value = repair_input(written, repairs)
    except BadPayload:
        return
    body = written.strip()
    if value not in (body, body[1:-1]):
        assert repairs
    for repair in repairs:
        start, end = repair.span
        assert 0 <= start <= end <= len(written)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON) | st.lists(JSON), st.booleans())
def test_an_input_that_is_json_is_left_as_it_is(value: object, is_ascii: bool) -> None:
    repairs: list[Repair] = []
    written = json.dumps(value, ensure_ascii=is_ascii)
    if written.count("```") % 2:
        return
    assert repair_input(written, repairs) == written
    assert not repairs


# -- both an action and an answer -----------------------------------------------------------------

ACTION_FIRST = "Action: a\nAction Input: b\nFinal Answer: c"
ANSWER_FIRST = "Final Answer: c\nAction: a\nAction Input: b"


@pytest.mark.parametrize(
    ("text", "on_conflict", "read"),
    [
        (ACTION_FIRST, "first", "b"),
        (ACTION_FIRST, "action", "b"),
        (ACTION_FIRST, "answer", "c"),
        (ANSWER_FIRST, "first", "c"),
        (ANSWER_FIRST, "action", "b"),
        (ANSWER_FIRST, "answer", "c"),
        ("Action: None\nFinal Answer: c", "first", "c"),
        ("Action: None\nAction Input: None\nFinal Answer: c", "action", "c"),
    ],
)
def test_the_user_may_say_what_counts_beside_the_other(
    text: str, on_conflict: str, read: str
) -> None:
    turn = get_parser("react", on_conflict=on_conflict).read(text)  # type: ignore[arg-type]  # one of them
    result = turn.result
    value = result.tool_input if result.type == "AgentAction" else result.return_values["output"]
    assert value == read
    assert turn.repairs


@pytest.mark.parametrize("text", [ACTION_FIRST, ANSWER_FIRST])
def test_an_action_beside_an_answer_is_refused_unless_the_user_says_more(text: str) -> None:
    with pytest.raises(OutputParserException, match="may have only one of them"):
        get_parser("react").parse(text)


RM = '{"action": "rm", "action_input": "a"}'
LS = '{"action": "ls", "action_input": "b"}'
ANSWER = '{"action": "Final Answer", "action_input": "42"}'


@pytest.mark.parametrize(
    ("text", "on_conflict", "read"),
    [
        (f"{RM}\n{LS}", "first", "rm"),
        (f"{RM}\n{ANSWER}", "action", "rm"),
        (f"{RM}\n{ANSWER}", "answer", "42"),
        (f"{ANSWER}\n{RM}", "first", "42"),
        (f"{ANSWER}\n{RM}\n{RM}", "action", "rm"),
        (f"{RM}\n{RM}\n{RM}", "error", "rm"),
        (f"<!-- {RM} -->\n{LS}", "error", "ls"),
    ],
)
def test_of_several_blobs_that_counts_which_the_user_says(
    text: str, on_conflict: str, read: str
) -> None:
    turn = get_parser("json", on_conflict=on_conflict).read(text)  # type: ignore[arg-type]  # one of them
    result = turn.result
    found = result.tool if isinstance(result, AgentAction) else result.return_values["output"]
    assert found == read


@pytest.mark.parametrize("on_conflict", ["error", "action", "answer"])
def test_of_two_actions_neither_counts_unless_the_user_says(on_conflict: str) -> None:
    parser = get_parser("json", on_conflict=on_conflict)  # type: ignore[arg-type]  # one of them
    with pytest.raises(OutputParserException, match="two different actions"):
        parser.parse(f"{RM}\n{LS}")


# -- what a call may lack at the end of a text -----------------------------------------------------


@pytest.mark.parametrize(
    ("ended", "lacks", "may"),
    [
        ("stop", "values", True),
        ("length", "closer", False),
        ("length", "", True),
        ("unknown", "closer", True),
        ("unknown", "arguments", None),
        ("unknown", "values", False),
    ],
)
def test_a_call_may_lack_what_the_end_of_the_text_explains(
    ended: Ended, lacks: Lack, may: bool | None
) -> None:
    found = [may_lack(lacks, ended, lambda fills=fills: fills) for fills in (False, True)]
    assert found == ([False, True] if may is None else [may, may])
