"""Labels and actions that count, those that are only quoted, and the spans where they are."""

from itertools import chain, combinations, product

import pytest

from agent_parsers import AgentAction, OutputParserException, get_parser, merge_events
from agent_parsers.engine.reading.quoting.spans import merged, without

# Labels and actions that count, and those that are only quoted or mentioned.

# -- labels in quotations -------------------------------------------------------------------------

LABELS = "one\nObservation: two\nFinal Answer: three\nfour"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (f'"{LABELS}"', LABELS),
        (f'"""{LABELS}"""', LABELS),
        (f"'''{LABELS}'''", f"'''{LABELS}'''"),
        (f"```\n{LABELS}\n```", LABELS),
        (f"see below\n```\n{LABELS}\n```", f"see below\n```\n{LABELS}\n```"),
        (f'{{"text": "{LABELS}"}}', f'{{"text": "{LABELS}"}}'.replace("\n", "\\n")),
        (f'["a", "say \\"{LABELS}"]', f'["a", "say \\"{LABELS}"]'.replace("\n", "\\n")),
    ],
)
@pytest.mark.parametrize("invented", ["", "\nObservation: five"])
def test_a_label_in_a_quotation_is_text(written: str, value: str, invented: str) -> None:
    action = get_parser("react").parse(f"Action: write\nAction Input: {written}{invented}")
    assert isinstance(action, AgentAction)
    assert action.tool_input == value


@pytest.mark.parametrize("mark", ['"', '"""', "```", '{"text": "', '["'])
def test_a_quotation_with_a_label_must_be_closed(mark: str) -> None:
    with pytest.raises(OutputParserException, match="expected the end of the"):
        get_parser("react").parse(f"Action: write\nAction Input: {mark}one\nObservation: two")


@pytest.mark.parametrize("written", ["it's", 'a 5" pipe', 'say "hi', "use `x", "[sic]"])
def test_a_quote_within_an_input_hides_no_label(written: str) -> None:
    text = f"Action: write\nAction Input: {written}\nObservation: two"
    assert get_parser("react").parse(text).tool_input == written  # type: ignore[union-attr]


@pytest.mark.parametrize("size", range(1, 9))
def test_a_quotation_is_the_same_in_any_cut(size: int) -> None:
    text = f'Action: write\nAction Input: """say ""{LABELS}"""\nObservation: y'
    parser = get_parser("react")
    whole = parser.read(text)
    chunks = [text[at : at + size] for at in range(0, len(text), size)]
    assert tuple(merge_events(parser.events(chunks))) == whole.events
    assert parser.parse(text) == whole.result


# -- actions in prose -----------------------------------------------------------------------------

CALL = '{"action": "shell", "action_input": "ls"}'


@pytest.mark.parametrize("dialect", ["json", "react_json", "structured_chat"])
@pytest.mark.parametrize(
    "text",
    [
        f"Do not do {CALL}.",
        f"{CALL} is not what I would do.",
        f"First {CALL}, then more",
        f"I might, later, {CALL}",
        f'I use {{"tool_calls": [{CALL}]}} for that',
        f"[{CALL}, {CALL}]",
    ],
)
def test_an_action_that_a_sentence_mentions_is_not_done(dialect: str, text: str) -> None:
    with pytest.raises(OutputParserException):
        get_parser(dialect).parse(text)


@pytest.mark.parametrize("dialect", ["json", "react_json", "structured_chat"])
@pytest.mark.parametrize(
    "text",
    [
        f"I act: {CALL}",
        f"I act. {CALL}",
        f"I act.\n{CALL}",
        f"{CALL} That is all.",
        f"[{CALL}]",
    ],
)
def test_an_action_beside_sentences_is_done(dialect: str, text: str) -> None:
    action = get_parser(dialect).parse(text)
    assert isinstance(action, AgentAction)
    assert action.tool_input == "ls"


def test_an_action_that_follows_one_in_prose_is_done() -> None:
    text = f"I could write {CALL} here, but I do this:\n{CALL.replace('ls', 'pwd')}"
    assert get_parser("json").parse(text).tool_input == "pwd"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "text",
    [
        "<think>hm</think>Final Answer: 3",
        "hm</think>Final Answer: 3",
        "<think>hm</think> Final Answer: 3",
    ],
)
def test_a_label_may_follow_reasoning_on_its_line(text: str) -> None:
    parser = get_parser("react")
    assert parser.parse(text) == parser.read(text).result
    assert parser.read(text).thought == "hm"


# -- evidence -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Thought: I must not do Action: search Action Input: secrets.",
        "Thought: I could write Action: search Action Input: x, but I know it already.",
        "I don't know the Final Answer: yet. I need to search.",
        "The log says:\n> then Action: search Action Input: lakes\nwhich was wrong.",
        "> Final Answer: 42",
        "Action: search would be wrong\nAction Input: x",
        "Action: search is useless here\nAction Input: x",
    ],
)
def test_what_a_thought_mentions_is_not_done(text: str) -> None:
    parser = get_parser("react", tools=["search"])
    with pytest.raises(OutputParserException):
        parser.parse(text)
    with pytest.raises(OutputParserException):
        list(parser.events(text))


def test_a_thought_that_mentions_an_action_may_act() -> None:
    text = "Thought: I could write Action: a Action Input: b, but no.\nAction: c\nAction Input: d"
    assert get_parser("react").parse(text).tool_input == "d"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "written",
    [
        '[15" laptop, cheap]\nObservation: The 15" laptop costs 300.',
        '"15" laptop"\nObservation: The 15" laptop',
        '"a\nObservation: b</s>',
        '"a\nObservation: b<|im_end|>',
    ],
)
def test_a_quotation_that_is_not_the_whole_input_is_refused(written: str) -> None:
    parser = get_parser("react")
    text = f"Action: search\nAction Input: {written}"
    with pytest.raises(OutputParserException, match="expected the end of the quotation"):
        parser.parse(text)
    with pytest.raises(OutputParserException, match="expected the end of the quotation"):
        parser.read(text)


@pytest.mark.parametrize(
    ("answer", "output"),
    [
        ("Use ``` to fence.\nQuestion: next?", "Use ``` to fence."),
        ("```\nQuestion: a\n```\nQuestion: next?", "```\nQuestion: a\n```"),
        ("<s>old</s>", "<s>old</s>"),
        ("42</s>", "42"),
        ("42</s>\n", "42"),
    ],
)
def test_an_answer_ends_where_it_ends(answer: str, output: str) -> None:
    parser = get_parser("react")
    text = f"Final Answer: {answer}"
    assert parser.parse(text).return_values["output"] == output  # type: ignore[union-attr]
    assert parser.read(text).result == parser.parse(text)


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ("Thought: Final Answer: 42", True),
        ("Thought: hm\nThought: Final Answer: 42", True),
        ("**Thought:** Final Answer: 42", True),
        ("Thought: I say: Final Answer: 42", False),
        ("I say：Final Answer: 42", False),
    ],
)
def test_a_label_behind_a_label_begins_a_sentence(text: str, is_read: bool) -> None:
    parser = get_parser("react")
    for read in (parser.parse, parser.read):
        if is_read:
            read(text)
        else:
            with pytest.raises(OutputParserException):
                read(text)


def test_a_mark_without_a_colon_begins_a_sentence_for_what_follows() -> None:
    parser = get_parser("conversational")
    text = "Do I need to use a tool? Yes Action: search\nAction Input: Bern"
    assert parser.parse(text) == parser.read(text).result


# Operations on spans, compared with the sets of offsets that the spans stand for.

SETS = [set(chosen) for size in range(7) for chosen in combinations(range(6), size)]
"""All sets of a few offsets."""


def spans_of(offsets: set[int]) -> list[tuple[int, int]]:
    """Return the longest runs of *offsets*."""
    starts = sorted(offsets - {each + 1 for each in offsets})
    stops = sorted({each + 1 for each in offsets} - offsets)
    return [*zip(starts, stops, strict=True)]


def test_spans_without_cuts_hold_the_other_offsets() -> None:
    for offsets, cuts in product(SETS, SETS):
        assert without(spans_of(offsets), spans_of(cuts)) == spans_of(offsets - cuts)


def test_merged_spans_hold_the_offsets_of_all() -> None:
    for one, other in product(SETS, SETS):
        spans = merged([*spans_of(one), *spans_of(other)])
        offsets = [*chain.from_iterable(range(*span) for span in spans)]
        assert offsets == sorted(one | other)
