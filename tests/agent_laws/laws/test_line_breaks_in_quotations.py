"""Whatever ends a line ends one for the marks of quotations, too."""

import pytest

from agent_parsers import AgentAction, get_parser, list_dialects
from agent_parsers.events import ActionComplete
from output_parsers import OutputParserException

BREAKS = ("\n", "\r\n", "\r", "\u2028", "\x85")
LABELLED = {"self_ask"}
"""Its input is the rest of its label's line, so that the quotation is part of one."""


def send(to: str) -> None:
    """Sends a letter."""


@pytest.mark.parametrize("lenient", [True, False], ids=["lenient", "strict"])
@pytest.mark.parametrize("dialect", sorted({*list_dialects()} - LABELLED))
def test_a_call_in_a_block_quote_is_not_made(dialect: str, lenient: bool) -> None:
    parser = get_parser(dialect, tools=[send], lenient=lenient)
    try:
        call = parser.render(AgentAction("send", {"to": "Ann"}, ""))
    except ValueError:
        pytest.skip("it takes no tool of this name")
    for end in BREAKS:
        text = f"Look:{end}> {call.replace(chr(10), end + '> ')}{end}That is all."
        for chunks in ([text], [*text]):
            stream = parser.stream_parser()
            try:
                events = [event for chunk in chunks for event in stream.feed(chunk)]
                events += stream.close(ended="stop")
            except OutputParserException:
                continue
            assert not any(isinstance(event, ActionComplete) for event in events), text
