"""The observations that a model gets after an error."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import Dialect, OutputParserException, get_parser
from agent_parsers.testing import laws

from ....helpers.stories import every_dialect


def advice(dialect: Dialect, text: str, tools: list[str] | None = None) -> str | None:
    try:
        get_parser(dialect.name, tools=tools).parse(text)
    except OutputParserException as error:
        return str(error.observation)
    return None


@every_dialect
def test_the_example_is_an_action_of_the_dialect(dialect: Dialect) -> None:
    laws.the_example_is_an_action(dialect)


def test_without_tools_the_example_is_an_answer() -> None:
    with pytest.raises(OutputParserException) as caught:
        get_parser("react", output_type=list[int]).parse("Action: search\nAction Input: x")
    assert str(caught.value.observation).endswith("\nFor example: Final Answer: [1]")


@every_dialect
@given(text=st.text(max_size=2_000), tools=st.sampled_from([None, ["search", "look_up"]]))
def test_advice_is_short_and_ends_in_an_example(
    dialect: Dialect, text: str, tools: list[str] | None
) -> None:
    observation = advice(dialect, text, tools)
    if observation is not None:
        shown = tools and dialect.show and dialect.show("search", None)
        assert observation.endswith(dialect.write(shown or dialect.example))
        assert len(observation) < 800


@every_dialect
def test_what_was_written_is_shown_on_one_line(dialect: Dialect) -> None:
    observation = advice(dialect, "a\n" + "long " * 100 + "<unclosed")
    if observation is not None:
        lead = dialect.prompt_words.wrote.partition("{")[0]
        (line,) = (line for line in observation.split("\n") if line.startswith(lead))
        assert len(line) < 100
