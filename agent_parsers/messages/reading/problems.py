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
        "found several calls, but this parser reads a single one: use get_parser('tools')",
        "You called several tools. Call one tool at a time.",
    ),
    "tool_calls": Problem(
        "found tool calls, but this parser reads a single function call: use get_parser('tools')",
        "You called a tool, but tool calls are not accepted here, so nothing was done. Call a "
        "single function instead, or write your answer.",
    ),
    "function_call": Problem(
        "found a function call, but this parser reads tool calls: use"
        " get_parser('openai_functions')",
        "You called a function, but function calls are not accepted here, so nothing was done. "
        "Call a tool instead, or write your answer.",
    ),
    "unread_call": Problem(
        "found a call that is not supported, a block of type {kind!r} in the content; only calls"
        " to functions and custom tools are read",
        "You made a call that is not supported here ({kind}), so nothing was done. Call one of the"
        " functions instead, or write your answer.",
    ),
    "unread_member": Problem(
        "found calls in the field {member!r} of the message, which is not read; only calls in"
        " 'tool_calls' are",
        "You made a call that is not supported here ({member}), so nothing was done. Call the tool"
        " again, or write your answer.",
    ),
    "empty_message": Problem(
        "expected a call or an answer, found no text and no call",
        "You wrote nothing. Call a tool, or write your answer.",
    ),
    "cut_before_text": Problem(
        "the reply was cut off at the token limit, before any text or call: raise the limit",
        "Your reply was cut off before the answer. Think less, and write the answer.",
    ),
    "only_thought": Problem(
        "expected a call or an answer, found only a thought",
        "You wrote only a thought. Call a tool, or write your answer.",
    ),
    "paused": Problem(
        "the provider paused the turn (pause_turn): send it back unchanged to continue",
        "Your turn was paused. Go on.",
    ),
    "no_arguments": Problem(
        "expected a call with arguments",
        "You called a function without arguments. Call the function again, with a JSON object as "
        "arguments.",
    ),
    "deep_arguments": Problem(
        "the arguments of the call are nested too deeply",
        "The arguments of your call are nested too deeply. Write the call again, with fewer "
        "levels.",
    ),
    "broken_tag": Problem(
        "expected a whole tool call after its opening tag",
        "Your tool call cannot be read. Write the whole call again.",
    ),
    "cut_content_call": Problem(
        "the tool call that was written as content is cut off or broken",
        "Your tool call is cut off or broken, so nothing was done. Write the whole call again.",
    ),
    "repeated_key_in_content": Problem(
        "found the same key twice in a tool call, so it is unclear which value counts",
        "Your tool call has the same key twice, so nothing was done. Write the call again, with "
        "each key once.",
    ),
    "arguments_not_json": Problem(
        "the arguments of {tool!r} are not valid JSON: {reason}",
        "The arguments of {tool} are not valid JSON: {reason}. Call {tool} again, with a JSON "
        "object as arguments.",
        exact="Could not parse tool input: {function} because the `arguments` is not valid JSON.",
        send_to_llm=False,
    ),
    "arguments_no_object": Problem(
        "expected a JSON object as the arguments of {tool!r}, not {kind}",
        "The arguments of {tool} are {kind}. Call {tool} again, with a JSON object as arguments.",
    ),
    "cut_arguments": Problem(
        "expected the rest of the arguments of {tool!r}, which end in the middle of a value",
        "The arguments of {tool} are cut off, so nothing was done. Call {tool} again, with all "
        "arguments.",
    ),
    "open_arguments": Problem(
        "expected the rest of the arguments of {tool!r}, which may be cut off",
        "The arguments of {tool} may be cut off, so nothing was done. Call {tool} again, with all "
        "arguments.",
    ),
    "missing_arguments": Problem(
        "expected the arguments of {tool!r}, but the call was not ended, so the message may be "
        "cut off",
        "Your call to {tool} may be cut off, so nothing was done. Call {tool} again, with its "
        "arguments.",
    ),
    "odd_member": Problem(
        "expected the whole input of {tool!r} in its arguments, but the call also has the field "
        "{member!r}",
        "Not all of the input of {tool} was in its arguments, so nothing was done. Call {tool} "
        "again, with the whole input in its arguments.",
    ),
    "unread_piece": Problem(
        "found a part of a call in an event of type {kind!r}, which is not supported",
        "A part of your call was not read, so nothing was done. Make the call again.",
    ),
    "call_beside": Problem(
        "found a call to {tool!r} in addition to the message's tool calls, so it is unclear which "
        "calls are meant",
        "You also called {tool} in a second way, next to your other calls, so nothing was done. "
        "Make each call only once.",
    ),
    "call_beside_pieces": Problem(
        "found a call to {tool!r} in a whole message of the stream, but not in its chunks",
        "Your call to {tool} was garbled, so nothing was done. Call {tool} again.",
    ),
    "contradicted": Problem(
        "the stream contradicts itself: at the end of an item, its {field} differ from those sent "
        "before",
        "Your message was garbled, so nothing was done. Write it again.",
    ),
    "other_whole": Problem(
        "the whole message after the chunks contradicts them: pass either the chunks or the whole"
        " message",
        "Your message was garbled, so nothing was done. Write it again.",
    ),
    "lost_call": Problem(
        "the message has no call, but its finish reason {reason!r} says that it has one{where}",
        "Your call was lost, so nothing was done. Call the tool again.",
    ),
    "repeated_key": Problem(
        "found the key {key!r} twice in the arguments of {tool!r}, so it is unclear which value "
        "counts",
        "The arguments of {tool} have the key {key!r} twice, so nothing was done. Call {tool} "
        "again, with each key once.",
    ),
}
"""The problems by name."""
