"""The problems of a message and its calls, worded for a person and for the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agent_parsers.engine.tables.problems import Problem

if TYPE_CHECKING:
    from agent_parsers.events import Span
    from output_parsers import OutputParserException


class BadCall(Exception):  # noqa: N818 - never leaves the package
    """A call that cannot be made.

    Args:
        problem: What is wrong: a key of `MESSAGE_PROBLEMS`, or the error that the tools raised.
        span: Where, in `str` characters from the start of the text; `None` for all of it.
        words: The words for the places in the texts of the problem.
    """

    def __init__(
        self,
        problem: str | Problem | OutputParserException,
        span: Span | None = None,
        **words: Any,
    ) -> None:
        self.name = ""
        """Name of the problem; the errors of tools have their own."""
        if isinstance(problem, str):
            self.name = problem
            problem = MESSAGE_PROBLEMS[problem].about(**words)
        super().__init__(problem)
        self.problem = problem
        self.span = span

    def at(self, span: Span) -> BadCall:
        """Return the same problem at *span*."""
        bad = BadCall(self.problem, span)
        bad.name = self.name
        return bad


MESSAGE_PROBLEMS: Final = {
    "no_tool_name": Problem(
        "expected a call with the name of a tool",
        "You called a tool without a name. Call one of the tools by its name.",
    ),
    "several_calls": Problem(
        "found several calls; this parser reads one at a time",
        "You called several tools. Call one tool at a time.",
    ),
    "tool_calls": Problem(
        "found calls of tools, but this parser reads the one call of a function:"
        " get_parser('tools') reads calls of tools",
        "You called a tool, but such calls are not read here, so nothing was done.",
    ),
    "function_call": Problem(
        "found the call of a function, but this parser reads calls of tools:"
        " get_parser('openai_functions') reads the call of a function",
        "You called a function, but such calls are not read here, so nothing was done.",
    ),
    "unread_call": Problem(
        "found a call that is not read here, a block {kind!r} of the content; what the API calls a"
        " function, or a custom tool, is read",
        "You made a call that is not read here ({kind}), so nothing was done. Call one of the"
        " functions instead, or write your answer.",
    ),
    "unread_member": Problem(
        "found calls that are not read here, in the member {member!r} of the message; those in"
        " 'tool_calls' are read",
        "You made a call that is not read here ({member}), so nothing was done. Call the tool"
        " again, or write your answer.",
    ),
    "empty_message": Problem(
        "expected a call or an answer, found no text and no call",
        "You wrote nothing. Call a tool, or write your answer.",
    ),
    "cut_before_text": Problem(
        "the reply was cut at the limit of tokens before any text or call: raise that limit",
        "Your reply was cut off before it had an answer. Think less, and write it.",
    ),
    "only_thought": Problem(
        "expected a call or an answer, found only a thought",
        "You only thought. Call a tool, or write your answer.",
    ),
    "paused": Problem(
        "the provider has paused the turn (pause_turn): send it back as it is, and it goes on",
        "Your turn was paused. Go on.",
    ),
    "no_arguments": Problem(
        "expected a call with arguments",
        "You called a function without arguments. Call it again, with a JSON object as arguments.",
    ),
    "deep_arguments": Problem(
        "expected arguments that are nested less deep (max_depth)",
        "The arguments are nested too deep. Call it again, with fewer levels.",
    ),
    "broken_tag": Problem(
        "expected a whole tool call after its opening tag",
        "Your tool call cannot be read. Write it again, whole.",
    ),
    "cut_content_call": Problem(
        "expected the rest of a tool call that was written as content",
        "Your tool call is cut off or broken, so nothing was done. Write it again, whole.",
    ),
    "repeated_key_in_content": Problem(
        "found a key twice in a tool call; which value counts?",
        "Your tool call has a key twice, so nothing was done. Write it again, with each key once.",
    ),
    "arguments_not_json": Problem(
        "the arguments of {tool!r} are not valid JSON: {reason}",
        "The arguments of {tool} are not valid JSON: {reason}. Call it again, with a JSON object"
        " as arguments.",
        exact="Could not parse tool input: {function} because the `arguments` is not valid JSON.",
        send_to_llm=False,
    ),
    "arguments_no_object": Problem(
        "expected a JSON object as the arguments of {tool!r}, not {kind}",
        "The arguments of {tool} are {kind}. Call it again, with a JSON object as arguments.",
    ),
    "cut_arguments": Problem(
        "expected the rest of the arguments of {tool!r}, which end in the middle of a value",
        "The arguments of {tool} are cut off, so nothing was done. Call it again, with all of"
        " them.",
    ),
    "open_arguments": Problem(
        "expected the rest of the arguments of {tool!r}, which may be cut",
        "The arguments of {tool} may be cut off, so nothing was done. Call it again, with all of"
        " them.",
    ),
    "missing_arguments": Problem(
        "expected the arguments of {tool!r}: the message may be cut, since nothing ended the call",
        "Your call of {tool} may be cut off, so nothing was done. Call it again, with its"
        " arguments.",
    ),
    "odd_member": Problem(
        "expected all of the input of {tool!r} in its arguments, found a member {member!r} beside"
        " them",
        "Not all of the input of {tool} was in its arguments, so nothing was done. Call it again.",
    ),
    "unread_piece": Problem(
        "found a piece of a call that is not read here, an event {kind!r}",
        "A part of your call was not read, so nothing was done. Call it again.",
    ),
    "call_beside": Problem(
        "found another call of {tool!r} beside the calls of the message; which of them is meant?",
        "You called {tool} in another way beside your calls, so nothing was done. Make each call"
        " once.",
    ),
    "call_beside_pieces": Problem(
        "found a call of {tool!r} that is in no piece of the stream",
        "Your call of {tool} was garbled, so nothing was done. Call it again.",
    ),
    "contradicted": Problem(
        "the stream contradicts itself: the {field} of an item at its end are not what came before",
        "Your message was garbled, so nothing was done. Write it again.",
    ),
    "other_whole": Problem(
        "the whole message after the chunks says something else than they do: give the parser one"
        " of both",
        "Your message was garbled, so nothing was done. Write it again.",
    ),
    "lost_call": Problem(
        "the message has no call, and its finish reason {reason!r} says that it has one{where}",
        "Your call was lost, so nothing was done. Call the tool again.",
    ),
    "repeated_key": Problem(
        "found the key {key!r} twice in the arguments of {tool!r}; which value counts?",
        "The arguments of {tool} have the key {key!r} twice, so nothing was done. Call it"
        " again, with each key once.",
    ),
}
"""The problems by name."""
