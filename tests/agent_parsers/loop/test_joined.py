"""The joined text of a turn: what was said, and what was said since."""

from hypothesis import given
from hypothesis import strategies as st

from agent_parsers.loop import Asking
from agent_parsers.loop.joined import JoinedText


@given(parts=st.lists(st.tuples(st.text(max_size=4), st.booleans())), start=st.integers(0, 40))
def test_what_follows_an_offset_is_the_end_of_the_text(
    parts: list[tuple[str, bool]], start: int
) -> None:
    joined = JoinedText()
    for text, is_apart in parts:
        if is_apart:
            joined.part()
        joined.add(text)
    assert joined.size == len(joined.text)
    assert joined.since(start) == joined.text[start:]


def test_a_look_at_the_end_does_not_join_all_that_was_said() -> None:
    asking = Asking("hermes", "Which lake?", tools=[])
    asking.request()
    for word in ("Thun ", "or ", "Zug"):
        asking.feed(word)
    parts = asking._said["content"]._texts
    parts[0] = None  # type: ignore[call-overload]  # joining it would fail
    assert asking.content_since(len("Thun or ")) == "Zug"
