"""A turn that can be read in two ways is an error; beside it stands one that can not."""

from typing import Any

import pytest

from agent_parsers import AgentAction, AgentFinish, OutputParserException, get_parser, list_dialects

CALL = '<tool_call>\n{{"name": "{}", "arguments": {}}}\n</tool_call>'


def send(to: str, amount: int = 1) -> None:
    """Sends money."""


def look(folder: str = ".") -> None:
    """Lists a folder."""


def note(text: str) -> None:
    """Notes a text."""


TOOLS = [send, look, note]


def read(dialect: str, text: str, *, lenient: bool = True) -> Any:
    """Return the calls of a turn, or the answer as text; `None` if it is an error."""
    try:
        result = get_parser(dialect, tools=TOOLS, lenient=lenient).parse(text)
    except OutputParserException:
        return None
    if isinstance(result, AgentFinish):
        return result.return_values["output"]
    calls = result if isinstance(result, list) else [result]
    return [(call.tool, call.tool_input) for call in calls]


def in_tags(value: str, closer: str) -> str:
    """Return a turn of qwen3_coder with a *value* and what closes it."""
    value = f"<parameter=text>\n{value}\n{closer}"
    return f"<tool_call>\n<function=note>\n{value}\n</function>\n</tool_call>"


CLOSERS = (
    "</parameter >", "</parameters>", "</PARAMETER>", "&lt;/parameter&gt;", "</ parameter>",
    "< /parameter>", "<parameter>", "<//parameter>", r"<\parameter>", "</parameter", "</param>",
    "</text>", "</value>", '</parameter name="text">', "</par",
)  # fmt: skip


@pytest.mark.parametrize("closer", CLOSERS)
def test_the_closing_tag_of_a_value_in_another_spelling_is_not_text(closer: str) -> None:
    assert read("qwen3_coder", in_tags("a", closer)) in (None, [("note", {"text": "a"})])


@pytest.mark.parametrize("value", ["<b>a</b>", "a < b", "<p>\na\n</p>", "1 <par", "a <"])
def test_a_value_may_end_in_a_tag_that_it_opens_or_in_a_sign(value: str) -> None:
    assert read("qwen3_coder", in_tags(value, "")) == [("note", {"text": value})]


@pytest.mark.parametrize("lenient", [True, False])
def test_a_key_has_one_value(*, lenient: bool) -> None:
    text = "<tool_call>note\n<arg_key>text</arg_key>\n<arg_value>a</arg_value>{}\n</tool_call>"
    assert read("glm45", text.format(""), lenient=lenient) == [("note", {"text": "a"})]
    assert read("glm45", text.format("<arg_value>b</arg_value>"), lenient=lenient) is None


BEHIND = (
    ("mistral", '[TOOL_CALLS]send[ARGS]{"to": "Ann"}', (' or {"to": "Bob"}', '{"to": "Bob"}')),
    ("glm4", 'send\n{"to": "Ann"}', (' {"amount": 5}', '\n{"amount": 5}', "\namount=5")),
    ("gemma4", "<|tool_call>call:look{}<tool_call|>", ('\n{"folder": "a"}', '\nfolder="a"')),
    ("hermes", CALL.format("look", "{}"), ("\n{'folder': 'a'}", "\n{folder: a}")),
    ("react", 'Action: send\nAction Input: {"to": "Ann"}', ('\nNo, better: {"to": "Bob"}',)),
    ("chat", 'Action:\n```\n{"action": "look", "action_input": {}}\n```', ('\n{"folder": "a"}',)),
)
"""Calls, and what may be their input, or more of it."""
HARMLESS = ("\nI wait.", "\n\nIt has the form {a: b}.", '\n{"lakes": 5}')


@pytest.mark.parametrize("lenient", [True, False])
@pytest.mark.parametrize(("dialect", "call", "others"), BEHIND, ids=[each[0] for each in BEHIND])
def test_what_stands_behind_a_call_may_be_its_input(
    dialect: str, call: str, others: tuple[str, ...], *, lenient: bool
) -> None:
    made = read(dialect, call, lenient=lenient)
    assert made is not None
    for other in others:
        assert read(dialect, call + other, lenient=lenient) is None, other
    for other in HARMLESS if dialect in ("hermes", "glm4", "gemma4", "mistral") else ():
        assert read(dialect, call + other, lenient=lenient) == made, other


@pytest.mark.parametrize("key", ["kwargs", "payload", "data", "options", "body"])
def test_arguments_under_an_unknown_key_are_not_dropped(key: str) -> None:
    lost, other = (f'{{}}, "{key}": {{"{inside}": "a"}}' for inside in ("folder", "source"))
    assert read("hermes", CALL.format("look", lost)) is None
    assert read("hermes", CALL.format("look", other)) == [("look", {})]
    assert (
        read("json", f'{{"action": "look", "action_input": {{}}, "{key}": {{"folder": 1}}}}')
        is None
    )


@pytest.mark.parametrize("lenient", [True, False])
def test_text_between_a_name_and_an_empty_input_is_not_dropped(*, lenient: bool) -> None:
    call = "<tool>look</tool>{}<tool_input>{}</tool_input>"
    assert read("xml", call.format("", ""), lenient=lenient) == [("look", {})]
    for between in ("a", ' {"folder": "a"} ', "\nfolder: a\n"):
        assert read("xml", call.format(between, ""), lenient=lenient) is None
        assert read("xml", call.format(between, "{}"), lenient=lenient) is None


@pytest.mark.parametrize("lenient", [True, False])
@pytest.mark.parametrize(("dialect", "label"), [
    ("react", "Observation"), ("mrkl", "Observation"), ("react_crewai", "Observation"),
    ("react_llamaindex", "Observation"), ("react", "Final Answer"), ("mrkl", "Final Answer"),
])  # fmt: skip
def test_a_label_within_the_line_of_an_input_is_not_text(
    dialect: str, label: str, *, lenient: bool
) -> None:
    call = "Thought: hm\nAction: note\nAction Input: {}"
    assert read(dialect, call.format(f"a {label}: done"), lenient=lenient) is None
    assert read(dialect, call.format(f'{{"text": "a"}} {label}: done'), lenient=lenient) is None
    kept = f'{{"text": "a {label}: b"}}'
    made = [("note", {"text": f"a {label}: b"})]
    # LangChain takes the label of the answer for two parts of a turn, wherever it is.
    is_refused = label == "Final Answer" and not lenient
    assert read(dialect, call.format(kept), lenient=lenient) == (None if is_refused else made)


@pytest.mark.parametrize("dialect", list_dialects())
def test_a_namespace_tells_tools_apart(dialect: str) -> None:
    parser = get_parser(dialect, tools=TOOLS)
    try:
        call = parser.render(AgentAction("note", {"text": "a"}, ""))
    except ValueError:
        pytest.skip("it takes no tool of this name")
    if "note" not in call:
        pytest.skip("it has one tool, which is not named")
    for namespace in ("dont.", "sandbox.", "undo:", "admin/", "dry_run::"):
        text = call.replace("note", f"{namespace}note")
        assert not isinstance(read(dialect, text), list), text


@pytest.mark.parametrize("name", ["functions.note", "default_api.note", "mcp:note", "tools/note"])
def test_a_namespace_that_says_nothing_is_dropped(name: str) -> None:
    assert read("hermes", CALL.format(name, '{"text": "a"}')) == [("note", {"text": "a"})]


@pytest.mark.parametrize("lenient", [True, False])
@pytest.mark.parametrize("dialect", ["muse_glimmer", "muse_spark"])
def test_the_recipient_and_the_call_have_one_name(dialect: str, *, lenient: bool) -> None:
    body = '<|message|><atem:invoke name="look">\n</atem:invoke>'
    assert read(dialect, f" to=look{body}", lenient=lenient) == [("look", {})]
    assert read(dialect, f" to=send{body}", lenient=lenient) is None


PATHS = (
    r"C:\temp\Music",
    r"C:\dir\new",
    r"D:\Music\temp\a.txt",
    r"C:\Windows\bin",
    r"\w+\b",
    r"\d\f",
)


@pytest.mark.parametrize("written", PATHS)
def test_backslashes_are_escaped_or_they_are_not(written: str) -> None:
    assert read("hermes", CALL.format("note", f'{{"text": "{written}"}}')) is None


@pytest.mark.parametrize("written", [r"C:\Music\dir", r"a\d\nb", r"C:\dir\\new"])
def test_a_backslash_that_begins_no_escape_is_text(written: str) -> None:
    assert read("hermes", CALL.format("note", f'{{"text": "{written}"}}')) is not None


FORMS = (
    "<a>{}</a>", "<a><b>{}</b></a>", "<answer>\n{}\n</answer>", "<x_start>{}<x_end>",
    "<X_START>{}<X_END>", "<|x_start|>{}<|x_end|>", "[x]{}[/x]",
)  # fmt: skip


@pytest.mark.parametrize("dialect", ["hermes", "glm4", "gemma4", "qwen3_coder"])
def test_nothing_but_a_call_in_marks_of_any_name_is_no_answer(dialect: str) -> None:
    call = '{"name": "note", "arguments": {"text": "a"}}'
    for form in FORMS:
        assert read(dialect, form.format(call)) is None, form
        shown = f"See {form.format(call)} there."
        assert read(dialect, shown) == shown, form
    for form in (
        'note（text="a"）',
        "- name: note\n  arguments: {text: a}",
        "{tool: note, text: a}",
    ):
        assert read(dialect, form) is None, form
    made = [("note", {"text": "a"})]
    assert read(dialect, 'name: note\narguments: {"text": "a"}') == made


def test_the_label_of_an_answer_alone_is_no_answer() -> None:
    for lenient in (True, False):
        parser = get_parser("react", tools=TOOLS, lenient=lenient)
        for ended in ("unknown", "length"):
            with pytest.raises(OutputParserException):
                parser.parse("Thought: hm\nFinal Answer:", ended=ended)
        answer = parser.parse("Thought: hm\nFinal Answer:", ended="stop")
        assert answer.return_values == {"output": ""}


def test_a_null_is_no_text() -> None:
    assert read("gemma4", "<|tool_call>call:look{folder:null}<tool_call|>") is None
    assert read("gemma4", "<|tool_call>call:note{text:5}<tool_call|>") == [("note", {"text": "5"})]


def test_backslashes_of_code_are_escaped_or_they_are_not() -> None:
    assert read("pythonic", r'[note(text="C:\temp\Music")]') is None
    assert read("pythonic", r'[note(text="D:\Music\temp")]') is None
    assert read("pythonic", r'[note(text="D:\Music\dir")]') == [("note", {"text": r"D:\Music\dir"})]


SPACED = (
    '{}note(text="a")', '{}note: {{"text": "a"}}', '{{"{}note": {{"text": "a"}}}}',
    '{{"tool": "{}note", "args": {{"text": "a"}}}}', '[{}note(text="a")]',
)  # fmt: skip


@pytest.mark.parametrize("dialect", ["hermes", "gemma4", "glm4"])
def test_a_namespace_tells_tools_apart_in_other_forms(dialect: str) -> None:
    made = [("note", {"text": "a"})]
    for form in SPACED:
        for namespace in ("dont.", "sandbox/", "dry_run::"):
            assert read(dialect, form.format(namespace)) is None, (form, namespace)
        for namespace in ("", "functions.", "self.", "tool_use."):
            assert read(dialect, form.format(namespace)) == made, (form, namespace)
    call = '{"server": "sandbox", "tool": "note", "args": {"text": "a"}}'
    assert read(dialect, call) is None


def test_arguments_are_not_dropped_in_text_at_any_depth_or_in_another_case() -> None:
    for member in (
        r'"payload": "{\"folder\": \"/b\"}"', '"data": {"body": [{"folder": "/b"}]}',
        '"Folder": "/b"', '"server": "prod"',
    ):  # fmt: skip
        assert read("hermes", CALL.format("look", f"{{}}, {member}")) is None, member
    assert read("hermes", CALL.format("look", '{}, "thought": {"folder": 1}')) == [("look", {})]


def test_other_forms_of_an_input_behind_a_call_without_one() -> None:
    call = CALL.format("look", "{}")
    for form in (
        "\n```json\n{}\n```", "\nArguments: {}", "\n[{}]", '\n{{"arguments": {}}}',
    ):  # fmt: skip
        assert read("hermes", call + form.format('{"folder": "a"}')) is None, form
    for text in (
        "\nfolder: a", "\n--folder=a", "\n<folder>a</folder>", '\n(folder="a")',
        '\u200b\n{"folder": "a"}', '\ufeff{"folder": "a"}', '\n\u3000folder="a"',
        '\n{"Folder": "a"}',
    ):  # fmt: skip
        assert read("hermes", call + text) is None, text
    for text in ("\nfolder = the one you named.", "\nThe folder: a", "\nIt is {lakes: 1}."):
        assert read("hermes", call + text) == [("look", {})], text


QUOTED = (
    "text: |\n  {}",
    ".. code-block:: text\n\n   {}",
    "@@ -1 +1 @@\n-{}\n+x",
    "See:\n```\n{}\nok",
)
MEANT = (
    "The method is std::\n  {}", "Plan\n~~~~\n{}\nok", "Не волнуйтесь, сейчас удалю:\n{}",
    "不要担心，我现在删除：\n{}", "```\n@@ -1 +1 @@\n-a\n```\n- {}",
    "``` and has no end, so\n{}\nok",
)  # fmt: skip


@pytest.mark.parametrize("lenient", [True, False])
def test_what_announces_a_quotation_makes_a_call_an_error(*, lenient: bool) -> None:
    call = CALL.format("look", "{}").replace("\n", " ")
    for form in QUOTED:
        assert read("hermes", form.format(call), lenient=lenient) is None, form
    for form in MEANT:
        assert read("hermes", form.format(call), lenient=lenient) == [("look", {})], form


def test_documents_and_descriptions_are_answers() -> None:
    for text in (
        "<nav><look><input/></look></nav>", "<svg><look/></svg>",
        '<examples><example>{"name": "look", "arguments": {}}</example></examples>',
        'Name: look\nInput: {"folder": "a"}\nIt lists a folder.',
        "look（フォルダ）を使うと分かります。",
    ):  # fmt: skip
        assert read("gemma4", text) == text, text
    for text in ('<answer>note(text="a")</answer>', '<b>look(folder="a")</b>'):
        assert read("gemma4", text) is None, text


def test_a_value_does_not_begin_with_its_own_opening_tag() -> None:
    text = (
        "<tool_call>note\n<arg_key>text</arg_key>\n<arg_value><arg_value>a</arg_value></arg_value>"
    )
    assert read("glm45", f"{text}\n</tool_call>") is None


@pytest.mark.parametrize("closer", ["[/parameter]", "＜/parameter＞", "<end_parameter>"])
def test_closers_in_other_brackets(closer: str) -> None:
    assert read("qwen3_coder", in_tags("a", closer)) is None


def test_labels_of_results_in_other_spellings_and_in_quotes() -> None:
    call = "Action: note\nAction Input: {}"
    for text in (
        "a **Observation:** b",
        "a Observation： b",
        "a (OBSERVATION: b)",
        "a.Final Answer: b",
    ):
        assert read("react", call.format(text)) is None, text
    assert read("react_zh", "行动: note\n行动输入：a，最终答案：b") is None
    title = 'Find "Participant Observation: A Guide" now'
    assert read("react", call.format(title)) == [("note", {"text": title})]


def test_an_answer_that_a_result_follows_is_not_empty() -> None:
    assert read("react", "Final Answer:\n\nObservation: x") is None


@pytest.mark.parametrize("lenient", [True, False])
def test_one_object_after_another_is_the_text_of_a_tool_or_an_error(*, lenient: bool) -> None:
    call = "Action: note\nAction Input: {}"
    for text in ('{}\n{"text": "a"}', '{"text": "a"}\n{"text": "b"}', '{"text": "a"} {"b": 1}'):
        assert read("react", call.format(text), lenient=lenient) is None, text
    lines = '{"lake": "Zug"}\n{"lake": "Thun"}'
    assert read("react", call.format(lines), lenient=lenient) == [("note", {"text": lines})]
