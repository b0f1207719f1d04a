"""A call in another form is judged by what stands around it as one of the dialect is."""

import pytest

from agent_parsers import AgentAction, OutputParserException, get_parser, list_dialects

SHAPES = (
    'send: {"to": "Ann"}',
    'send {"to": "Ann"}',
    'send[ARGS]{"to": "Ann"}',
    'send<|sep|>{"to": "Ann"}',
    'send({"to": "Ann"})',
    'send(to="Ann")',
    '{"send": {"to": "Ann"}}',
    'Use the tool send with {"to": "Ann"}',
)
NAMES = (
    "Think",
    "draft",
    "example",
    "log",
    "del",
    "tool_result",
    "function_response",
    "error",
    "user",
    "final_answer",
    "not_executed",
    "cancelled_call",
)
"""Names of marks that do not say that what they enclose is to be called."""
OWN = {"xml": "final_answer", "anthropic_xml": "final_answer"}
"""Names that are a dialect's own marks, in which a call in another form is read."""
FRAMES = (
    "<{}>[]</{}>",
    "<{}>\n[]</{}>",
    "It said:\n<{}>[]</{}>",
    "[{}][][/{}]",
    "<|{}|>[]<|end_{}|>",
    "{{{}}}[]{{/{}}}",
)
LEADS = (
    "// {}", "% {}", "! {}", "[ ] {}", "[ERROR] {}", "[INFO]: {}", "<|user|>{}", "<no>{}", "❌ {}",
    "Not this: 🚫 {}", "[#{}]", "[//{}]", "[❌ {}]", "✖\ufe0f {}", "❌\ufe0f[{}]", "❎\u200b{}",
)  # fmt: skip
"""What comes before a call on its line and is not closed. To objects alone these mean nothing."""


def send(to: str) -> None:
    """Sends a letter."""


def acts(dialect: str, text: str, *, lenient: bool = True) -> bool:
    """Return whether the turn calls a tool."""
    try:
        result = get_parser(dialect, tools=[send], lenient=lenient).parse(text)
    except OutputParserException:
        return False
    return bool(result) if isinstance(result, list) else isinstance(result, AgentAction)


@pytest.mark.parametrize("dialect", list_dialects())
def test_a_call_in_another_form_is_not_made_in_marks_of_other_things(dialect: str) -> None:
    for frame in FRAMES:
        for number, name in enumerate(NAMES):
            if name == OWN.get(dialect):
                continue
            call = SHAPES[number % len(SHAPES)]
            text = frame.format(name, name).replace("[]", call, 1)
            assert not acts(dialect, text), text


@pytest.mark.parametrize("dialect", list_dialects())
def test_a_call_in_another_form_is_not_made_behind_a_mark_of_something_else(dialect: str) -> None:
    for lead in LEADS:
        for call in SHAPES[:6]:
            text = lead.format(call)
            assert not acts(dialect, text), text


def test_a_call_in_another_form_is_made_in_marks_that_call() -> None:
    for text in ("<tool_use>{}</tool_use>", "[ACTION] {}", "<|invoke|>{}", "{}</s>"):
        for call in SHAPES[:6]:
            assert acts("hermes", text.format(call)), (text, call)


def test_a_sign_that_denies_nothing_is_dropped() -> None:
    for lead in ("🔧 {}", "✅ {}", "👉 {}"):
        assert acts("hermes", lead.format(SHAPES[5])), lead


@pytest.mark.parametrize("dialect", list_dialects())
@pytest.mark.parametrize("lenient", [True, False])
def test_a_name_with_a_sign_that_denies_it_is_no_tool(dialect: str, *, lenient: bool) -> None:
    try:
        sample = get_parser(dialect, tools=[send]).render(AgentAction("send", {"to": "Ann"}, ""))
    except ValueError:
        pytest.skip("it takes no tool of this name")
    if "send" not in sample:
        pytest.skip("it has one tool, which is not named")
    for sign in ("❌ ", "🚫", "✖\ufe0f", "!", "~", "¬"):
        text = sample.replace("send", f"{sign}send")
        assert not acts(dialect, text, lenient=lenient), text
