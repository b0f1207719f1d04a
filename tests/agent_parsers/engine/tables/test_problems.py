"""The errors that problems become."""

import pytest

from agent_parsers.engine.tables.problems import Problem

PROBLEM = Problem(
    "expected the arguments of {tool!r}",
    "Write the arguments of {tool}.",
    exact="Could not parse {tool}",
    send_to_llm=False,
)


@pytest.mark.parametrize(
    ("strict", "message", "is_sent"),
    [(True, "Could not parse {text}", False), (False, "expected the arguments of '{text}'", True)],
)
def test_the_words_of_a_model_are_never_filled_in(
    strict: bool, message: str, is_sent: bool
) -> None:
    error = PROBLEM.about(tool="{text}").error("all of it", (0, 3), strict=strict)
    assert str(error).startswith(message)
    assert error.observation == "Write the arguments of {text}."
    assert (error.llm_output, error.span, error.send_to_llm) == ("all of it", (0, 3), is_sent)


def test_an_observation_that_says_more_replaces_that_of_the_problem() -> None:
    problem = Problem("expected more", "Write more.", exact_observation="More!")
    assert problem.error("", (0, 0), strict=True).observation == "More!"
    assert problem.error("", (0, 0), strict=False).observation == "Write more."
    error = problem.error("", (0, 0), strict=False, observation="Write more, as here: x")
    assert error.observation == "Write more, as here: x"
