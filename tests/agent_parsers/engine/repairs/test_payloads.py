"""What a call may lack at the end of a text."""

import pytest

from agent_parsers.engine.repairs.payloads import Lack, may_lack
from outputs.messages.ended import Ended


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
