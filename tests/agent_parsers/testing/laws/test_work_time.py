"""The clock tells slow reading from a busy machine."""

from agent_parsers.testing.laws.work_count import takes_twice_its_share


def test_work_that_grows_with_the_text_takes_its_share() -> None:
    assert not takes_twice_its_share(lambda text: [*map(ord, text)], "a" * 8_000, "a" * 64_000)


def test_work_that_grows_with_the_square_of_the_text_takes_more() -> None:
    def slicing(text: str) -> None:
        while text:
            text = text[1:]

    # 32 times the text takes some 400 times as long, far from what a busy machine adds to a scan.
    assert takes_twice_its_share(slicing, "a" * 4_000, "a" * 128_000)


def test_a_long_text_that_was_slow_once_is_measured_again() -> None:
    slow = iter([True] * 5)

    def read(text: str) -> int:
        return sum(map(ord, text * (40 if len(text) > 8_000 and next(slow, False) else 1)))

    assert not takes_twice_its_share(read, "a" * 8_000, "a" * 64_000)
    assert next(slow, None) is None
