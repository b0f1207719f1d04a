"""Texts that a grammar leaves out so that no label can be in them."""

import pytest

from agent_parsers import get_dialect
from agent_parsers.constrain.parts.cautious import nothing_like_ends_of_labels


@pytest.mark.parametrize("colon", [":", "："])
def test_no_text_has_the_end_of_a_label(colon: str) -> None:
    for name, label in (("react", "Final Answer"), ("self_ask", "So the final answer is")):
        allowed = nothing_like_ends_of_labels(get_dialect(name))
        assert not allowed.accepts(f"{label}{colon} 7")
        assert not allowed.accepts(f"the {label.lower()} *{colon}")
        assert allowed.accepts(f"The lakes{colon} Thun and Zug")
