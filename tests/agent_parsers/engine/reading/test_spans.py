"""Operations on spans, compared with the sets of offsets that the spans stand for."""

from itertools import chain, combinations, product

from agent_parsers.engine.reading.quoting.spans import merged, without

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
