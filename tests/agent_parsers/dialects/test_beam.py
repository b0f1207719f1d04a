"""Beam's calls, which only the end of their message closes."""

import pytest

from agent_parsers import AgentAction, OutputParserException, get_parser


def move(path: str = ".", dry_run: bool = False) -> str:
    """Moves a file."""
    return path if dry_run else "moved"


@pytest.mark.parametrize("lenient", [True, False], ids=["lenient", "strict"])
def test_a_call_that_may_lack_a_parameter_is_not_made_at_an_unknown_end(lenient: bool) -> None:
    parser = get_parser("beam", tools=[move], lenient=lenient)
    whole = parser.render(AgentAction("move", {"path": "/a", "dry_run": True}, ""))
    half = whole[: whole.index("</rfl:parameter>") + len("</rfl:parameter>")]
    for ended in ("unknown", "length"):
        with pytest.raises(OutputParserException):
            parser.parse(half, ended=ended)
    assert parser.parse(half, ended="stop")[0].tool_input == {"path": "/a"}
    body = whole.removesuffix("<|call|>")  # the server took the stop sequence off
    assert parser.parse(body)[0].tool_input == {"path": "/a", "dry_run": True}
