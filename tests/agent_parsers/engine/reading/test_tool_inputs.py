"""How the input of a tool with a known schema is read, checked and written."""

import pickle
from typing import Any

import pytest

from agent_laws.trials.stories import outcome_of
from agent_parsers import (
    AgentAction,
    AgentFinish,
    DialectParser,
    OutputParserException,
    ReActSingleInputOutputParser,
    StreamParser,
    ToolInputError,
    ToolSet,
    UnknownToolError,
    get_dialect,
    get_parser,
    parse_record,
    parse_transcript,
)
from agent_parsers.engine.tables.modes import OnConflict
from agent_parsers.engine.whole import whole_reader


def search(query: str, limit: int = 10) -> None:
    """Looks up a name."""


def book(place: str, nights: int) -> None:
    """Books a room."""


def now() -> None:
    """Tells the time."""


TOOLS = ToolSet([search, book, now, "ask"])


def react(text: str, *, lenient: bool = True, tools: Any = TOOLS, **options: Any) -> Any:
    """Return the action or answer of *text*, which both readers must agree on."""
    parser = get_parser("react", tools=tools, lenient=lenient, **options)
    assert outcome_of(lambda: parser.parse(text)) == outcome_of(lambda: parser.read(text).result)
    return parser.parse(text)


def call(tool: str, written: str) -> str:
    return f"Action: {tool}\nAction Input: {written}"


def elements(parameters: str) -> str:
    invoke = f'<invoke name="book">\n{parameters}\n</invoke>'
    return f"<function_calls>\n{invoke}\n</function_calls>"


def wrong(text: str, **options: Any) -> ToolInputError:
    with pytest.raises(ToolInputError) as caught:
        react(text, **options)
    return caught.value


# -- what is read --------------------------------------------------------------------------------


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize(
    ("tool", "written", "value"),
    [
        ("search", "lakes", {"query": "lakes"}),
        ("search", "007", {"query": "007"}),
        ("search", '{"query": "007", "limit": "5"}', {"query": "007", "limit": 5}),
        ("search", '{"query": "lakes", "limit": 5}', {"query": "lakes", "limit": 5}),
        ("search", "{x} or {y}", {"query": "{x} or {y}"}),
        ("book", '{"place": "null", "nights": "2"}', {"place": "null", "nights": 2}),
        ("now", "None", {}),
        ("ask", "007", "007"),
        ("ask", '{"a": "5"}', '{"a": "5"}'),
    ],
)
def test_the_schema_says_the_types(tool: str, written: str, value: Any, lenient: bool) -> None:
    text = call(tool, written)
    assert react(text, lenient=lenient).tool_input == value
    assert react(text, lenient=lenient).log == text
    turn = get_parser("react", tools=TOOLS, lenient=lenient).read(text)
    assert not turn.repairs, "reading text as the type of the schema is not a repair"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("react_json", '```\n{"action": "book", "action_input": {"place": 7, "nights": "2"}}\n```'),
        ("json", '{"action": "book", "action_input": "{\\"place\\": 7, \\"nights\\": \\"2\\"}"}'),
        ("xml", '<tool>book</tool><tool_input>{"place": 7, "nights": "2"}</tool_input>'),
        ("anthropic_xml", elements('<parameter name="nights">2</parameter>')),
        ("react_docstore", 'Action 1: book[{"place": 7, "nights": "2"}]'),
        ("mrkl", 'Action: book\nAction Input: {"place": 7, "nights": "2"}'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("lenient", [False, True])
def test_every_form_has_the_types(name: str, text: str, lenient: bool) -> None:
    tools = ToolSet([{"name": "book", "parameters": {"properties": {
        "place": {"type": ["string", "integer"]}, "nights": {"type": "integer"},
    }}}])  # fmt: skip
    action = get_parser(name, tools=tools, lenient=lenient).parse(text)
    if isinstance(action, list):
        (action,) = action
    assert isinstance(action, AgentAction)
    assert isinstance(action.tool_input, dict)
    assert action.tool_input["nights"] == 2


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('search("lakes")', {"query": "lakes"}),
        ('search(query="lakes", limit="3")', {"query": "lakes", "limit": 3}),
        ("now()", {}),
        ("now\nObservation: 12:00", {}),
    ],
)
def test_the_input_may_stand_in_the_name(text: str, value: Any) -> None:
    assert react(f"Action: {text}").tool_input == value


@pytest.mark.parametrize("marks", ["``", "```"])
@pytest.mark.parametrize(
    ("name", "before"),
    [("react", "Action: clock\nAction Input: "), ("xml", "<tool>clock</tool><tool_input>")],
)
def test_backticks_alone_may_open_the_input(name: str, before: str, marks: str) -> None:
    def clock(zone: str = "UTC") -> None:
        """Tell the time."""

    parser: Any = get_parser(name, tools=[clock])
    with pytest.raises(OutputParserException, match="expected an input before the end"):
        parser.parse(f"{before}{marks}")
    assert parser.parse(f"{before}{marks}", ended="stop").tool_input == {}


def test_a_missing_input_is_not_text() -> None:
    error = wrong("Action: search\n")
    assert [str(problem) for problem in error.problems] == [
        "query: expected a string, found nothing"
    ]
    assert error.span == (8, 14)
    for text in ("<tool>search</tool>", "<tool>search</tool>\n"):
        with pytest.raises(ToolInputError, match="query: expected a string, found nothing"):
            get_parser("xml", tools=TOOLS).parse(text, ended="stop")
    parser: Any = get_parser("react", tools=TOOLS)
    assert parser.parse("Action: ask\n", ended="stop").tool_input == ""


@pytest.mark.parametrize("lenient", [False, True])
def test_an_answer_is_not_an_input(lenient: bool) -> None:
    assert react("Final Answer: 42", lenient=lenient).return_values == {"output": "42"}
    parser = get_parser("json", tools=[{"name": "Final Answer!", "parameters": {}}])
    text = '{"action": "Final Answer", "action_input": {"a": 1}}'
    assert isinstance(parser.parse(text), AgentFinish)
    assert react("Action: Final Answer\nAction Input: 42").return_values == {"output": "42"}


def test_the_only_tool_of_a_dialect_may_have_a_schema() -> None:
    schema = {"properties": {"question": {"type": "string", "minLength": 5}}}
    parser = get_parser("self_ask", tools=[{"name": "Intermediate Answer", "parameters": schema}])
    action = parser.parse("Follow up: How old is it?")
    assert isinstance(action, AgentAction)
    assert action.tool_input == {"question": "How old is it?"}
    with pytest.raises(ToolInputError, match="at least 5 characters") as caught:
        parser.parse("Follow up: Why?")
    assert str(caught.value.observation).endswith("\nFor example: Follow up: <question>")
    tools = ToolSet([search])
    turn = get_parser("self_ask", tools=tools).read("Follow up: Why?")
    assert [(each.tool, each.tool_input) for each in turn.actions] == [
        ("search", {"query": "Why?"})
    ]
    several = get_parser("self_ask", tools=[search, "look_up"]).read("Follow up: Why?")
    assert [(each.tool, each.tool_input) for each in several.actions] == [
        ("Intermediate Answer", "Why?")
    ]


# -- what is repaired ----------------------------------------------------------------------------


def kinds(text: str, tools: ToolSet, *, lenient: bool = True) -> list[tuple[str, str]]:
    turn = get_parser("react", tools=tools, lenient=lenient).read(text)
    return [(repair.kind, text[slice(*repair.span)]) for repair in turn.repairs]


@pytest.mark.parametrize("lenient", [False, True])
def test_what_a_policy_leaves_out_is_reported(lenient: bool) -> None:
    tools = ToolSet([search], unknown_keys="drop", extra_text="drop")
    text = call("search", '{"query": "lakes", "page": 2} please')
    assert react(text, tools=tools, lenient=lenient).tool_input == {"query": "lakes"}
    found = kinds(text, tools, lenient=lenient)
    written = '{"query": "lakes", "page": 2} please'
    assert found == [("extra_text", written), ("unknown_key", written)]


def test_json_in_an_input_is_repaired_leniently_and_reported() -> None:
    tools = ToolSet([{"name": "t", "parameters": {"properties": {
        "a": {"type": "object"}, "b": {"type": "integer"}
    }}}])  # fmt: skip
    text = call("t", '{"a": "{x: 1}", "b": 2}')
    assert react(text, tools=tools).tool_input == {"a": {"x": 1}, "b": 2}
    assert [kind for kind, _ in kinds(text, tools)] == ["unquoted_key"]
    wrong(text, tools=tools, lenient=False)


def test_a_set_of_the_user_is_used_unchanged() -> None:
    class Lax(ToolSet):
        def checks(self, name: str) -> bool:
            return False

    lax = Lax([search])
    parser = get_parser("react", tools=lax)
    assert parser.tools is lax
    assert react(call("search", "[]"), tools=lax).tool_input == "[]"
    kept = ToolSet([search], missing_keys="keep")
    assert DialectParser(dialect=get_dialect("react"), tools=kept).tools is kept
    assert react(call("search", "{}"), tools=kept).tool_input == {}


@pytest.mark.parametrize("tools", [None, TOOLS, ["search"], [search], {"search": search}])
def test_a_parser_keeps_a_set(tools: Any) -> None:
    parser = ReActSingleInputOutputParser(tools=tools)
    assert isinstance(parser.tools, ToolSet | None)
    assert parser.tool_names == (None if tools is None else parser.tools.names)
    assert pickle.loads(pickle.dumps(parser)) == parser
    parser.tools = ["other"]
    assert parser.tool_names == ("other",)


def test_the_engine_takes_names_alone() -> None:
    text = call("search", "lakes")
    for known in (["search"], ("search",), {"search"}, {"search": ""}.keys(), TOOLS):
        reader = StreamParser(get_dialect("react"), tools=known)
        reader.feed(text)
        reader.close()
        assert (
            whole_reader(get_dialect("react"), "lenient").parse(text, tools=known) == reader.result
        )
    with pytest.raises(UnknownToolError):
        whole_reader(get_dialect("react"), "strict").parse(text, tools=["find"])


# -- names ---------------------------------------------------------------------------------------


def test_a_name_is_repaired_leniently_before_its_input_is_read() -> None:
    text = call("functions.Search", "lakes")
    assert react(text) == AgentAction("search", {"query": "lakes"}, text)
    with pytest.raises(UnknownToolError) as caught:
        react(call("Search", "lakes"), lenient=False)
    assert caught.value.near == ("search",)


def test_a_name_that_may_be_two_tools_is_never_executed() -> None:
    tools = [{"name": name, "parameters": {}} for name in ("get_time", "getTime")]
    with pytest.raises(UnknownToolError, match="'Get Time' may be any of get_time, getTime"):
        react(call("Get Time", "{}"), tools=tools)
    for name in ("search.now", "now: search", "search or now"):
        with pytest.raises(UnknownToolError):
            react(call(name, "x"))


@pytest.mark.parametrize("lenient", [False, True])
def test_an_unknown_name_is_reported_with_an_input_of_the_nearest(lenient: bool) -> None:
    text = call("bok", "x")
    with pytest.raises(UnknownToolError) as caught:
        react(text, lenient=lenient)
    error = caught.value
    assert (error.name, error.near, error.names) == ("bok", ("book",), TOOLS.names)
    assert (error.span, error.llm_output, error.send_to_llm) == ((8, 11), text, True)
    assert str(error.observation).split("\n") == [
        "There is no tool 'bok'. Did you mean 'book'? The tools are: search, book, now, ask.",
        "For example: Action: book",
        'Action Input: {"place": "<place>", "nights": 1}',
    ]


def test_without_tools_the_example_is_an_answer() -> None:
    with pytest.raises(UnknownToolError) as caught:
        react(call("search", "x"), tools=[])
    assert caught.value.observation == (
        "There is no tool 'search'. There are no tools."
        "\nFor example: Final Answer: the answer to the question"
    )


# -- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize("lenient", [False, True])
def test_an_error_says_all_that_is_wrong(lenient: bool) -> None:
    text = "Thought: hm\n" + call("book", '{"place": 7, "night": "two"}')
    error = wrong(text, lenient=lenient)
    assert [problem.path for problem in error.problems] == [("place",), ("night",), ("nights",)]
    assert text[slice(*error.span or (0, 0))] == '{"place": 7, "night": "two"}'
    assert (error.llm_output, error.send_to_llm, error.line) == (text, True, 3)
    assert str(error.observation).split("\n") == [
        "The input of book is not right:",
        "- place: expected a string, found 7",
        (
            '- night: expected only the keys place, nights, found the key "night";'
            ' did you mean "nights"?'
        ),
        "- nights: expected an integer, found nothing",
        'You wrote: {"place": 7, "night": "two"}',
        "For example: Action: book",
        'Action Input: {"place": "<place>", "nights": 1}',
    ]


@pytest.mark.parametrize(
    ("name", "text", "at_fault"),
    [
        ("react", call("search", '{"limit": 1}') + "\nObservation: x", '{"limit": 1}'),
        ("react", 'Action: search(limit="x")', 'search(limit="x")'),
        ("react_json", '```\n{"action": "book", "action_input": "Bern"}\n```', "Bern"),
        ("react_json", '```\n{"action_input": {"a": [1]}, "action": "book"}\n```', '{"a": [1]}'),
        ("json", '{"action": "book"}', "book"),
        ("json", '{"tool": "book", "args": {"a": 1}}', '{"a": 1}'),
        ("structured_chat", '```\n{"action": "book", "action_input": null}\n```', "null"),
        ("xml", "<tool>book</tool><tool_input> Bern", " Bern"),
        ("xml", "<tool>book</tool><observation>", "book"),
        (
            "anthropic_xml",
            elements('<parameter name="place">x</parameter>'),
            "x",
        ),
        ("react_docstore", "Action 1: book[Bern]\nObservation 1:", "Bern"),
        ("react_docstore", 'Action 1: book("Bern")', '"Bern"'),
    ],
)
def test_an_error_points_at_the_input(name: str, text: str, at_fault: str) -> None:
    parser = get_parser(name, tools=TOOLS)
    with pytest.raises(ToolInputError) as caught:
        parser.parse(text)
    start, end = caught.value.span or (0, 0)
    assert text[start:end] == at_fault


def test_a_key_that_comes_twice_is_an_error() -> None:
    for lenient in (False, True):
        error = wrong(call("search", '{"query": "a", "query": "b"}'), lenient=lenient)
        assert str(error.problems[0]) == "query: expected one value, found the key more than once"
    wrong(call("book", "{'place': 'a', 'nights': 1, 'nights': 2}"))


def test_a_long_input_makes_no_long_example() -> None:
    long = "x " * 50_000
    error = wrong(call("book", f'{{"place": "{long}", "nights": "two"}}'))
    assert len(str(error.observation)) < 300
    assert str(error.observation).endswith('{"place": "<place>", "nights": 1}')
    keys = ", ".join(f'"{long}{n}": {n}' for n in range(30))
    error = wrong(call("book", f"{{{keys}}}"))
    assert len(error.problems) == 32
    assert len(str(error.observation)) < 10_000
    assert len(str(error)) < 10_000


def test_a_tool_with_an_unknown_pattern_gets_no_example() -> None:
    part = {"type": "string", "pattern": "^[A-Z]{9}$"}
    tools = [{"name": "t", "parameters": {"properties": {"x": part}, "required": ["x"]}}]
    error = wrong(call("t", "abc"), tools=tools)
    assert "For example" not in str(error.observation)


def test_an_error_can_be_copied_and_sent() -> None:
    error = wrong(call("search", "{}"))
    other = pickle.loads(pickle.dumps(error))
    assert vars(other) == vars(error)


# -- what is written -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "written"),
    [
        ("react", {"query": "lakes"}, "lakes"),
        ("react", "lakes", "lakes"),
        ("react", {"query": "lakes", "limit": 3}, '{"query": "lakes", "limit": 3}'),
        ("react", {"query": '{"query": 1}'}, '{"query": "{\\"query\\": 1}"}'),
        ("react", '{"query": "lakes", "limit": "3"}', '{"query": "lakes", "limit": "3"}'),
        ("react", {"query": "a\nObservation: b"}, '{"query": "a\\nObservation: b"}'),
        ("json", {"query": "lakes"}, '"action_input": {\n    "query": "lakes"\n  }'),
        (
            "anthropic_xml",
            {"query": "lakes", "limit": 3},
            '<parameter name="query">lakes</parameter>\n<parameter name="limit">3</parameter>',
        ),
    ],
)
def test_arguments_are_written_as_the_dialect_can_say_them(
    name: str, value: Any, written: str
) -> None:
    parser = get_parser(name, tools=TOOLS)
    text = parser.render(AgentAction("search", value, ""))
    assert written in text
    action = parser.parse(text)
    if isinstance(action, list):
        (action,) = action
    assert isinstance(action, AgentAction)
    assert action.tool_input == TOOLS.check("search", value)


@pytest.mark.parametrize("tools", [None, ["search"]])
def test_an_object_without_a_schema_is_refused_where_inputs_are_text(tools: Any) -> None:
    parser = get_parser("react", tools=tools)
    with pytest.raises(ValueError, match="react cannot write this step: its input"):
        parser.render(AgentAction("search", {"query": "lakes"}, ""))


def test_what_the_tool_does_not_take_is_refused() -> None:
    parser = get_parser("react", tools=TOOLS)
    with pytest.raises(ValueError, match="react cannot write this step: the input of book") as e:
        parser.render(AgentAction("book", {"place": "Bern"}, ""))
    assert not isinstance(e.value, OutputParserException)
    assert parser.render(AgentAction("gone", "x", "")) == call("gone", "x")


def test_a_scratchpad_with_arguments_is_read_back() -> None:
    parser = get_parser("react", tools=TOOLS)
    first = AgentAction("search", {"query": "lakes", "limit": 3}, "")
    second = AgentAction("book", {"place": "Bern", "nights": 2}, "")
    text = parser.format_scratchpad([(first, "a lake"), (second, "done")])
    run = parse_transcript(text, tools=TOOLS)
    taken = [step.action for step in run.steps]
    assert [(a.tool, a.tool_input) for a in taken if isinstance(a, AgentAction)] == [
        ("search", {"query": "lakes", "limit": 3}),
        ("book", {"place": "Bern", "nights": 2}),
    ]
    assert parser.render_prompt("Which lake?", [(first, "a lake")]).count('"limit": 3') == 1


# -- transcripts and explanations ----------------------------------------------------------------


def test_a_step_of_a_transcript_may_have_a_wrong_input() -> None:
    text = "\nObservation: x\n".join([call("search", '{"limit": 1}'), call("search", "lakes")])
    run = parse_transcript(f"Question: why?\n{text}", tools=[search])
    bad, good = run.all_steps
    assert isinstance(bad.error, ToolInputError)
    assert str(bad.error.llm_output).strip() == call("search", '{"limit": 1}')
    assert isinstance(good.action, AgentAction)
    assert good.action.tool_input == {"query": "lakes"}
    record = {"format": "react", "steps": [{"output": call("search", "lakes")}]}
    (step,) = parse_record(record, tools=[search]).steps
    assert isinstance(step.action, AgentAction)
    assert step.action.tool_input == {"query": "lakes"}


def test_a_wrong_input_is_explained() -> None:
    why = get_parser("react", tools=TOOLS).explain(call("search", '{"limit": 1}'))
    assert isinstance(why.error, ToolInputError)
    assert "query: expected a string, found nothing" in str(why)
    fine = get_parser("react", tools=TOOLS).explain(call("search", "lakes"))
    assert isinstance(fine.result, AgentAction)
    assert fine.result.tool_input == {"query": "lakes"}


@pytest.mark.parametrize("on_conflict", ["first", "action", "answer"])
def test_an_action_beside_an_answer_is_checked_if_it_counts(on_conflict: OnConflict) -> None:
    text = call("search", "{}") + "\nFinal Answer: 42"
    parser = get_parser("react", tools=TOOLS, on_conflict=on_conflict)
    outcome = outcome_of(lambda: parser.parse(text))
    assert isinstance(outcome, AgentFinish) == (on_conflict == "answer")
    if on_conflict != "answer":
        assert isinstance(outcome.error, ToolInputError)


def test_a_tool_is_run_with_what_was_read() -> None:
    def repeat(word: str, times: int) -> str:
        return word * times

    tools = ToolSet([repeat])
    action = react(call("repeat", '{"word": "ab", "times": "2"}'), tools=tools)
    assert tools.call(action) == "abab"


# -- what is copied from the instructions ------------------------------------------------------


def test_a_placeholder_of_another_tool_is_no_argument() -> None:
    """Seen live: a model took the tool from one example and the input from another."""

    def mill(river: str) -> str:
        return river

    parser = get_parser("react", tools=[search, mill])
    with pytest.raises(ToolInputError, match='found "<query>", which is a placeholder'):
        parser.parse(call("mill", "<query>"))
    assert parser.parse(call("mill", "<b>")).tool == "mill"
    assert get_parser("react", tools=[mill]).parse(call("mill", "<query>")).tool == "mill"


def test_the_example_for_an_unknown_tool_is_a_call_of_the_one_that_takes_the_input() -> None:
    def mill(river: str) -> str:
        return river

    parser = get_parser("react", tools=[search, mill])
    with pytest.raises(UnknownToolError) as caught:
        parser.parse(call("grinder", '{"river": "Ouse"}'))
    assert caught.value.near == ("mill",)
    assert str(caught.value.observation).endswith("For example: Action: mill\nAction Input: Ouse")
    with pytest.raises(UnknownToolError) as caught:  # either takes a text
        parser.parse(call("grinder", "Ouse"))
    assert caught.value.near == ()


def test_a_placeholder_is_no_argument() -> None:
    parser = get_parser("react", tools=[search])
    with pytest.raises(
        ToolInputError, match="which is a placeholder in the instructions"
    ) as caught:
        parser.parse("Action: search\nAction Input: <query>")
    assert caught.value.pointer().endswith("^^^^^^^")
    assert "query: expected a value" in str(caught.value.observation)
    assert parser.read("Action: search\nAction Input: <b>query</b>").actions
    strict = get_parser("react", tools=[search], lenient=False)
    with pytest.raises(ToolInputError):  # it is never laxer
        strict.read("Action: search\nAction Input: <query>")


@pytest.mark.parametrize("name", ["react", "json", "react_docstore", "xml", "hermes", "pythonic"])
def test_a_placeholder_is_no_answer(name: str) -> None:
    parser = get_parser(name, tools=[search])
    copied = get_parser(name).render(
        AgentFinish({"output": parser.dialect.prompt_words.answer}, "")
    )
    with pytest.raises(OutputParserException, match="copied from the instructions"):
        parser.parse(copied)
    assert isinstance(get_parser(name).parse(copied), AgentFinish)


def test_a_placeholder_is_no_answer_either_before_other_lines_or_in_data() -> None:
    react = get_parser("react", tools=["search"])
    words = react.dialect.prompt_words.answer
    for answer in (f"{words}\n\nYou can use a tool:", f"  {words} \nYes."):
        with pytest.raises(OutputParserException, match="copied from the instructions"):
            react.read(f"Final Answer: {answer}")
    assert react.read(f"Final Answer: {words} is 42").output == f"{words} is 42"
    json = get_parser("json", tools=["search"])
    for data, is_copied in (
        (f'{{"key": "{words}"}}', True),
        (f'[{{"a": "{words}"}}, "{words}"]', True),
        (f'{{"key": "{words}", "n": 42}}', False),
        ("{}", False),
    ):
        text = f'{{"action": "Final Answer", "action_input": {data}}}'
        if is_copied:
            with pytest.raises(OutputParserException, match="copied from the instructions"):
                json.read(text)
        else:
            assert json.read(text).finish
