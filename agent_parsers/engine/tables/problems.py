"""Problems: what can be wrong with a turn, and what to tell the model that wrote it.

The problems defined here are shared by all dialects; a dialect may override them. Those of messages
with tool calls have the same form, in `agent_parsers.messages.reading.problems`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from output_parsers import OutputParserException

if TYPE_CHECKING:
    from agent_parsers.events import Span


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a text, and what to tell the model.

    Args:
        reason: One clause about the expectation that failed.
        observation: Text to send back to the model. ``{tool}`` stands for the invalid call's tool.
        exact: The message in strict mode, if it has to be that of the reference parser; ``{text}``
            stands for the model's text. Or a function that returns the message, given that text.
        exact_observation: The observation in strict mode, if it differs.
        send_to_llm: LangChain's flag in strict mode: whether an executor sends the observation.
    """

    reason: str
    observation: str
    exact: str | Callable[[str], str] = ""
    exact_observation: str = ""
    send_to_llm: bool = True

    def about(self, **words: Any) -> Problem:
        """Return this problem with *words* filled into the ``{…}`` fields of its texts."""
        assert isinstance(self.exact, str), "a function returns the whole message"
        exact = self.exact.format(**words)
        return replace(
            self,
            reason=self.reason.format(**words),
            observation=self.observation.format(**words),
            exact=exact and (lambda _text: exact),  # the words may hold "{text}"
        )

    def strict_reason(self, text: str) -> str:
        """Return the error message in strict mode, given the model's *text*."""
        if not isinstance(self.exact, str):
            return self.exact(text)
        return self.exact.replace("{text}", text) or self.reason

    def told(self, tool: str, *, strict: bool) -> str:
        """Return the observation about a call of *tool*."""
        exact = strict and self.exact_observation
        return exact or self.observation.replace("{tool}", tool)

    def error(
        self, text: str, span: Span, *, strict: bool, observation: str = ""
    ) -> OutputParserException:
        """Return the exception for this problem.

        Args:
            text: The model's text.
            span: Where the problem is in *text*.
            strict: Whether *text* was read in strict mode.
            observation: The observation, if it is not just that of the problem.
        """
        return OutputParserException(
            self.strict_reason(text) if strict else self.reason,
            observation=observation or self.told("the tool", strict=strict),
            llm_output=text,
            send_to_llm=self.send_to_llm or not strict,
            span=span,
        )


def too_long(what: str, text: str, max_chars: int) -> OutputParserException:
    """Return the error for a *what* (text, message) that is too long and begins with *text*."""
    error = OutputParserException(
        f"the {what} is longer than max_chars={max_chars:,} characters",
        observation="Your reply is too long. Answer in fewer words.",
        llm_output=text,
        send_to_llm=True,
        span=(max_chars, max_chars),
    )
    error.problem = "too_long"
    return error


SHARED_PROBLEMS: Final = {
    "no_action_or_answer": Problem(
        "expected an action or a final answer",
        "Invalid Format: Write one action, or the final answer.",
    ),
    "stray_closer": Problem(
        "found the end of a call whose beginning is missing or misspelt",
        "What opens your call is missing or misspelt, so nothing was done. Write the whole call"
        " again.",
    ),
    "lost_call": Problem(
        "the message has no call, but its finish reason {mark!r} says that it has one",
        "Your call was lost, so nothing was done. Call the tool again.",
    ),
    "placeholder": Problem(
        "found the placeholder for the answer, copied from the instructions",
        "Invalid Format: Write the answer itself, not its placeholder from the instructions.",
    ),
    "no_tool_name": Problem(
        "expected the name of a tool",
        "Invalid Format: The action does not name a tool. Write the action again, with the name "
        "of one tool.",
    ),
    "long_tool_name": Problem(
        "expected the name of a tool on one line",
        "Invalid Format: Write only the name of one tool as the action, on one line.",
    ),
    "no_input": Problem(
        "expected an input for the tool",
        "Invalid Format: The action has no input. Write the action again, with the input of the "
        "tool.",
    ),
    "missing_input": Problem(
        "expected an input before the end of the text, which may be cut off",
        "Your reply ends before the input of {tool}, so nothing was done. Write the whole action "
        "again.",
    ),
    "no_call": Problem(
        "expected a call with the name of a tool and its input",
        "Invalid Format: Write a call with the name of the tool and its input.",
    ),
    "open_call": Problem(
        "expected the end of the call",
        "Your call is cut off, so nothing was done. Write the whole call again.",
    ),
    "unenclosed_call": Problem(
        "expected the marker that opens the block of calls before the first call",
        "Invalid Format: Write all calls inside the marks that open and close the block of calls.",
    ),
    "call_in_thought": Problem(
        "found a call before the end of a thought",
        "Invalid Format: Close your thought before you call a tool.",
    ),
    "positional": Problem(
        "expected each argument with its name",
        "Invalid Format: Write each argument of the call with its name.",
    ),
    "other_form": Problem(
        "expected a call in the dialect's own form",
        "Invalid Format: The call is not in the requested form. Write it again, in the form that "
        "you were given.",
    ),
    "no_key": Problem(
        "expected the name of an argument",
        "Invalid Format: A value in the call has no name. Write each argument with its name.",
    ),
    "no_value": Problem(
        "expected a value after the name of an argument",
        "Invalid Format: An argument of the call has no value. Write each argument with its value.",
    ),
    "repeated_key": Problem(
        "expected each key of the call once, found the same key twice",
        "Invalid Format: A key appears twice in the call, so nothing was done. Write the call "
        "again, with each key once.",
    ),
    "bad_value": Problem(
        "expected a value that can be read",
        "Invalid Format: A value in the call cannot be read. Write the call again, with plain"
        " values.",
    ),
    "computed_value": Problem(
        "expected plain values, not code that computes them",
        "Invalid Format: Write plain values in the call, such as strings, numbers and lists,"
        " not variables or expressions.",
    ),
    "odd_brackets": Problem(
        "expected matching brackets, and commas between arguments",
        "Invalid Format: The brackets or commas in the call do not match. Write the call again.",
    ),
    "ambiguous_end": Problem(
        "found several places where the value may end",
        "It is unclear where a value in the call ends, so nothing was done. Write the call again:"
        " close each value once, and leave its closing mark out of the value.",
    ),
    "open_tag": Problem(
        "expected a closing tag before the next tag",
        "Invalid Format: A closing tag is missing in the call. Write the call again, with all its "
        "tags.",
    ),
    "odd_tag": Problem(
        "expected the tags of a call in order, each of them once",
        "Invalid Format: A tag of the call is not where it belongs. Write the call again, with "
        "its tags in order.",
    ),
    "stray_text": Problem(
        "expected nothing but arguments in the call",
        "Invalid Format: There is text between the arguments of the call. Write the call again, "
        "without that text.",
    ),
    "deep_call": Problem(
        "expected fewer nested brackets in the arguments (the limit is 100)",
        "The arguments of the call are nested too deeply. Write the call again, with simpler "
        "arguments.",
    ),
    "long_call": Problem(
        "expected an argument of at most 500,000 characters outside of strings",
        "An argument of the call is too long. Write the call again, with shorter arguments.",
    ),
    "after_call": Problem(
        "expected nothing after the call",
        "Invalid Format: Write nothing after the call.",
    ),
    "beside_call": Problem(
        "expected nothing in the call but the name of the tool and its input",
        "Invalid Format: The call has something outside the input of {tool}, so nothing was"
        " done. Write all arguments inside the input, and nothing next to it.",
    ),
    "json_goes_on": Problem(
        "expected the end of the call, found text after it that may be part of its input",
        "Invalid Format: The text after the call may be part of its input, so nothing was done."
        " Write the call again, with its whole input inside and no text after it.",
    ),
    "several_tools": Problem(
        "expected one tool, found several",
        "Invalid Format: Use only one tool in a turn.",
    ),
    "several_actions": Problem(
        "found a list of several actions; a turn has only one action",
        "Write one action in a turn, never a list, then stop: you will see its result before the"
        " next turn.",
    ),
    "several_inputs": Problem(
        "expected one input for the tool, found several",
        "Invalid Format: Give the tool only one input.",
    ),
    "action_and_answer": Problem(
        "found both an action and a final answer; a turn may have only one of them",
        "Write either an action or the final answer, not both.",
    ),
    "invented_first": Problem(
        "found text that the model must not write, before any action",
        "Invalid Format: Do not write the text of the user or of a tool. Write an action or the"
        " final answer.",
    ),
    "invented_after": Problem(
        "found text that the model must not write, after the action or the answer",
        "Invalid Format: Stop after the action or the answer; the text that follows is given to "
        "you.",
    ),
    "cut_input": Problem(
        "expected the rest of the tool's input, which ends in the middle of a value",
        "The input of {tool} is cut off, so nothing was done. Write the whole action again.",
    ),
    "bad_input": Problem(
        "expected a JSON object as the tool's input",
        "Invalid Format: The input of the tool is not a JSON object. Write the input as a JSON "
        'object, such as {"key": "value"}.',
    ),
    "bad_escape": Problem(
        "expected each backslash in a string to be escaped",
        "Invalid Format: A string has a backslash that is not escaped, so nothing was done. Write"
        " it again, with two backslashes for each one in a string.",
    ),
    "bad_string": Problem(
        "expected a string whose end is clear, with the quotes in it escaped",
        "Invalid Format: It is unclear where a string ends, so nothing was done. Write it again,"
        " with each string closed, and a backslash before each quote inside one.",
    ),
    "open_fence": Problem(
        "expected the end of the fenced block",
        "The fenced block is not closed, so nothing was done. Write the whole block again.",
    ),
    "open_quote": Problem(
        "expected the end of the quotation, which contains a label",
        "The quotation in the input is not closed, so nothing was done. Write the whole input "
        "again.",
    ),
    "bad_call": Problem(
        "expected a call with the name of a tool and its input",
        "Invalid Format: The action cannot be read. Write the action again, with the name of the "
        "tool and its input.",
    ),
    "bad_head": Problem(
        "expected the head of the call in the dialect's own form, before the input",
        "Invalid Format: The text before the input of the call cannot be read. Write the call"
        " again, and its head in the form that you were given.",
    ),
    "call_in_sentence": Problem(
        "expected an action on its own, found an action in the middle of a sentence",
        "The action is in a sentence, so nothing was done. If you want this action, write it "
        "again, without other text.",
    ),
    "call_in_quotation": Problem(
        "expected an action, found a quoted action",
        "The action is in a quotation, so nothing was done. If you want this action, write it "
        "again, without other text.",
    ),
    "call_or_answer": Problem(
        "found an action that could also be part of a thought or an answer",
        "It is unclear whether you want the action, so nothing was done. If you do, write it "
        "again, without other text.",
    ),
    "call_in_element": Problem(
        "found a call in an element that is not for calls",
        "The call is in {mark}, so nothing was done. If you want this call, write it again, "
        "without {mark}.",
    ),
    "differing_calls": Problem(
        "found two different actions; only one is allowed",
        "Your reply has two different actions, so nothing was done. Write only one of them.",
    ),
    "no_plain_list": Problem(
        "expected a plain list of calls, not code that chooses or creates them",
        "Invalid Format: Write nothing but calls in the list, with commas between them.",
    ),
    "second_input": Problem(
        "found a second input for the same action",
        "Your action has two inputs, so nothing was done. Write one action with one input.",
    ),
    "label_in_input": Problem(
        "found the label {mark} in the line of an input",
        "The line of your input contains {mark}, so nothing was done. Write only the input, then "
        "stop: you will see its result before the next step.",
    ),
    "two_inputs": Problem(
        "found two inputs, one in the name of the tool and one after it",
        "Invalid Format: Write only the name of the tool as the action, and its input once.",
    ),
    "action_without_tool": Problem(
        "found an action that names no tool, and no final answer",
        "Invalid Format: Name one of the tools as the action. If no tool is needed, give the final"
        " answer.",
    ),
    "open_reasoning": Problem(
        "expected the end of the reasoning, and after it an action or a final answer",
        "Your reasoning was not closed. Close it, then write an action or the final answer.",
    ),
}
"""The problems by name."""
