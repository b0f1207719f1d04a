"""A raw value ends at a mark that it may quote, and no text is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers.authoring import RawValue
from agent_parsers.testing import cut

CLOSER = "</t>"


def read(chunks: list[str], *, first: bool = False) -> tuple[str, str, bool]:
    """Return the value, what follows it, and whether it is closed."""
    raw = RawValue(CLOSER, first=first)
    value = rest = ""
    for chunk in chunks:
        if raw.is_closed:
            rest += chunk
            continue
        more, after = raw.feed(chunk)
        value, rest = value + more, rest + after
    if not raw.is_closed:
        more, after = raw.close()
        value, rest = value + more, rest + after
    return value, rest, raw.is_closed


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a</t>", "a"),
        ("a</t>\nb", "a"),
        ("a</t> \t\r\nb</t>", "a"),
        ("a</t><u>b</t>", "a"),
        ('say("</t>")</t>', 'say("</t>")'),
        ("a</t> b", "a"),
        ("a</t> b</t> c", "a</t> b"),
        ("a</t> b</t>\nc</t>", "a</t> b"),
        ("</t>", ""),
        ("</t></t>", ""),
    ],
)
def test_a_mark_closes_a_value_if_a_break_a_tag_or_the_end_follows(text: str, value: str) -> None:
    assert read([text]) == (value, text[len(value) :], True)


@pytest.mark.parametrize("text", ["", "a", "a</", "a</t", "< /t>"])
def test_a_value_without_its_mark_is_open(text: str) -> None:
    assert read([text]) == (text, "", False)


def test_the_first_mark_closes_it_on_request() -> None:
    assert read(['say("</t>")</t>'], first=True) == ('say("', '</t>")</t>', True)


texts = st.lists(st.sampled_from([CLOSER, CLOSER, "</", "<", "t>", "a", " ", "\n"])).map("".join)


@given(texts, st.integers(1, 5), st.booleans())
def test_any_cut_gives_the_same_value(text: str, size: int, first: bool) -> None:
    whole = read([text], first=first)
    assert read([*cut(text, [size])], first=first) == whole
    assert whole[0] + whole[1] == text
    assert whole[2] == (CLOSER in text)
