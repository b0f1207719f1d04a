"""Prompts in a log: formats and examples that tell a model how to write are no runs.

A prompt of this library is known by its own words, as each dialect has them. One of another program
is known by its opening, such as ``Answer the following questions as best you can``, and by what
only a format has: placeholders, and a line that says that the steps repeat::

    Question: the input question you must answer
    Thought: you should always think about what to do
    Action: the action to take, should be one of [search]
    Action Input: the input to the action
    Observation: the result of the action
    ... (this Thought/Action/Action Input/Observation can repeat N times)
    Thought: I now know the final answer
    Final Answer: the final answer to the original input question
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from agent_parsers import AgentAction, AgentFinish
from agent_runs.splitting.blocks import Blocks, behind_blanks, is_block_ruler
from agent_runs.splitting.instructions import (
    MOST_LINES,
    Instructions,
    beginnings,
    instructions_at,
    rest_of_instructions,
)
from agent_runs.splitting.labels import begins_answer, begins_any, may_begin_question
from agent_runs.splitting.separators import is_logged

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.transcripts import Transcript

_OPENS: Final = re.compile(
    r"^\s*You are (?:an? |the )?[\w ,-]{1,80}\.|^Your personal goal is:"
    r"|^You are designed to help with a variety of tasks|can use these tools|as well as you can"
    r"|^Solve the task in steps of|请尽力回答问题"
    r"|access to (?:only )?(?:the following|these|a (?:wide )?variety of) tools"
    r"|Answer the following questions? as best|(?:use|in) (?:exactly )?the following format"
    r"|(?:following|this|these) format[:\s]*$|input question you must answer"
    r"|always think about what to do|(?:the )?action to take, |large language model trained by"
    r"|Respond to the human as helpfully|\{agent_scratchpad\}|^\s*Question: ?\{+\w+\}+\s*$",
    re.IGNORECASE,
).search
"""Finds a line with which a prompt may begin; `opens_prompt` has what each has of it."""
_INTRODUCES: Final = re.compile(r"\s*You are (?:an? |the )?[\w ,-]{1,80}\.").match
"""Matches the words to a model with which a prompt may begin."""
_INTRODUCTION: Final = 8
"""How many lines they may have, if a prompt follows."""
_REPEATS: Final = re.compile(
    r"[^\w\n]*(?:\.{3}|…)[ ]*[(（\[]?.{0,120}(?:repeat|重复).{0,60}$", re.IGNORECASE
).match
_TEMPLATE: Final = re.compile(
    r"\{(?:tool_names?|tools?|input|question|query|agent_scratchpad|chat_history|history)\}"
    r"|[\[<](?:your|the) [\w ]{0,30}(?:response|answer|thought|reply|input)\b[^\]>\n]{0,200}[\]>]"
    r"|: ?(?:the )?input question you must answer|always think about what to do"
    r"|: ?(?:the )?(?:action|tool)(?: name)? (?:to (?:take|use)\b.{0,20}?[, ]|\()[^\n]{0,20}?one "
    r"|: ?the input (?:to|of|for) the (?:action|tool)\b|: ?(?:the )?results? of the action\b"
    r"|: ?tool response\s*$|: ?(?:the|your) final answer (?:to the|must be)"
    r"|\$(?:TOOL_NAME|INPUT|JSON_BLOB)\b"
    r"|Begin!|Reminder to ALWAYS|NEVER include|consisting of interleaving human and assistant"
    r"|^\s*Thought:\s*\{",
    re.IGNORECASE,
).search
"""Finds what only the format in a prompt has."""
_VALUE: Final = re.compile(r"<\w+>").fullmatch
"""Matches a placeholder for the value of a parameter."""
_EXAMPLES: Final = re.compile(
    r"(?:here (?:are|is)|below (?:are|is)|following (?:are|is)|for).{0,60}\bexamples?\b.{0,80}"
    r"[:.]?\s*$|^\W*(?:few[- ]?shot )?examples?\W*$",
    re.IGNORECASE,
).search
_EXAMPLES_END: Final = re.compile(r"\W*END OF (?:THE )?EXAMPLES?\W*$", re.IGNORECASE).match
_REST: Final = 15
"""How many lines may follow the last one that is known of a prompt."""

_is_named_in_place: Final = re.compile(
    r"^\{+\w+\}+$|^\$\w+$|^<\w[\w ]*>$|^(?:the )?(?:name of the )?(?:action|tool)(?: name)?"
    r" (?:to (?:take|use)|\()|should be one of|one of \[|the name of the tool$"
    r"|要使用的工具",
    re.IGNORECASE,
).search
"""Finds that the name of a tool is a placeholder for it in a prompt."""


def opens_prompt(line: str) -> bool:
    """Return whether a prompt may begin with *line*."""
    may_open = (
        "tool" in line
        or "ormat" in line
        or "can" in line
        or "best" in line
        or "{" in line
        or "about what" in line
        or "input q" in line
        or "to take" in line
        or "trained by" in line
        or "helpfully" in line
        or "steps of" in line
        or "请" in line
        or "You are" in line
        or "goal is" in line
    )  # few lines have to be searched
    return may_open and _OPENS(line) is not None


def may_begin_prompt(line: str) -> bool:
    """Return whether a prompt may begin with *line*, or the blocks of one.

    Many logs have rulers like those before blocks, so `Prompts` looks at what follows.
    """
    return opens_prompt(line) or is_block_ruler(line)


class Prompts:
    """Finds prompts in lines that are looked at in order.

    Args:
        ahead: Returns a line from the next on, given how far; empty behind the last.
        begins_question: Returns whether a line has a label of questions.
    """

    def __init__(self, ahead: Callable[[int], str], begins_question: Callable[[str], bool]) -> None:
        self._ahead = ahead
        self._begins_question = begins_question
        self._blocks = Blocks(ahead)
        self._plain_until = 0  # no line before this one is one that only a format has

    def size_at(self, index: int) -> int:
        """Return how many lines, from the next one with the number *index*, are a prompt."""
        ahead = self._ahead
        if is_block_ruler(ahead(0)):
            return self._blocks.size_at(index)
        if _INTRODUCES(ahead(0)) and not any(map(_OPENS, map(ahead, range(1, _INTRODUCTION)))):
            return 0
        size = _with_example(instructions_at(ahead), ahead)
        if not size and self._has_format(index):
            size = _size_of_format(ahead)
        if not size:
            return 0
        at = behind_blanks(ahead, size)
        if ahead(at).strip() in beginnings():
            size = at + 1
            at = behind_blanks(ahead, size)
        return _open_question(ahead, at, self._begins_question) or size

    def has_blocks(self, index: int, further: int) -> bool:
        """Return whether the blocks of a prompt begin *further* lines on than the next one.

        Its number is *index*.
        """
        return self._blocks.size_at(index, further) > 0

    def _has_format(self, index: int) -> bool:
        """Return whether a line that only a format has is near; each line is looked at once."""
        at = max(self._plain_until - index, 0)
        while at < MOST_LINES and (line := self._ahead(at)):
            if _REPEATS(line) or _TEMPLATE(line):
                return True
            at += 1
            self._plain_until = index + at
        return False


def without_prompts(text: str) -> str:
    """Return *text*, in any dialect, without prompts and lines of loggers."""
    lines = text.splitlines(keepends=True)
    if not any(may_begin_prompt(line) or is_logged(line) for line in lines):
        return text
    kept: list[str] = []
    at = 0

    def ahead(index: int) -> str:
        return lines[at + index] if at + index < len(lines) else ""

    prompts = Prompts(ahead, may_begin_question)
    while at < len(lines):
        line = lines[at]
        if may_begin_prompt(line) and (size := prompts.size_at(at)):
            at += size
            continue
        if not is_logged(line):
            kept.append(line)
        at += 1
    return "".join(kept)


def _open_question(
    ahead: Callable[[int], str], at: int, begins_question: Callable[[str], bool]
) -> int:
    """Return where a question ends that begins at *at* and that no step follows; 0 if there is one.

    The prompt ends in it; another prompt may follow, or nothing.
    """
    if not begins_question(ahead(at)):
        return 0
    for index in range(at + 1, at + MOST_LINES):
        line = ahead(index)
        if not line or opens_prompt(line):
            return index
        if begins_any(line) and line.rstrip()[-1:] not in (":", "："):
            return index if begins_question(line) else 0
        if line.strip() and begins_any(line):
            following = ahead(behind_blanks(ahead, index + 1))
            if following and not opens_prompt(following) and not begins_question(following):
                return 0
    return 0


# -- prompts of this library -----------------------------------------------------------------------


def size_of_rest(lines: Sequence[str], dialect: Dialect) -> int:
    """Return how many of *lines* at the top of a log are the end of a prompt.

    The log then begins in the middle of the instructions of *dialect*: it has some of their lines,
    but not the first.
    """

    def ahead(index: int) -> str:
        return lines[index] if index < len(lines) else ""

    return _with_example(rest_of_instructions(lines, dialect), ahead)


def _with_example(told: Instructions, ahead: Callable[[int], str]) -> int:
    """Return how many lines *told* are, with the example of a turn in which they may end."""
    if not told.has_example:
        return told.size
    return _end_of_example(ahead, behind_blanks(ahead, told.size))


def _end_of_example(ahead: Callable[[int], str], at: int) -> int:
    """Return where the example of a turn ends that begins at *at*: at an empty line, or a new turn.

    An example has each label once. Another prompt ends it, too.
    """
    seen: set[str] = set()
    start = at
    while (line := ahead(at)).strip() and not (at > start and opens_prompt(line)):
        label = re.match(r"\s*<?[\w ]+?[ \d]*[:：>]", line)
        if label is not None and begins_any(line):
            name = re.sub(r"\d+", "", label[0]).strip()
            if name in seen or may_begin_question(line):
                break
            seen.add(name)
        at += 1
    return at


# -- prompts of other programs ---------------------------------------------------------------------


def _size_of_format(ahead: Callable[[int], str]) -> int:
    """Return how many lines from here on are a format, up to the last that only a format has."""
    end = at = 0
    while at < MOST_LINES and (line := ahead(at)):
        if _REPEATS(line):
            end = at = _end_of_answer(ahead, at + 1)
            continue
        if _TEMPLATE(line):
            end = at + 1
        elif begins_any(line) or may_begin_question(line):
            if not _is_in_format(ahead, at):
                break
        elif end and at - end > _REST:
            break
        at += 1
    while end and ahead(end).strip() and set(ahead(end).strip()) <= set("`}]"):
        end += 1  # what closes a block
    return end


def _is_in_format(ahead: Callable[[int], str], start: int) -> bool:
    """Return whether the paragraph with the label at *start* has what only a format has."""
    for at in range(start, start + _REST):
        line = ahead(at)
        if not line.strip():
            return False
        if _TEMPLATE(line) or _REPEATS(line):
            return True
        if at > start and may_begin_question(line):
            return False
    return False


def _end_of_answer(ahead: Callable[[int], str], start: int) -> int:
    """Return where the paragraph with the answer ends in a format, whose steps end at *start*."""
    is_answered = False
    for at in range(start, start + _REST):
        line = ahead(at)
        if not line.strip():
            if is_answered:
                return at
            if not line:
                break
        elif is_answered and (_TEMPLATE(line) is None and begins_any(line)):
            return at
        is_answered = is_answered or begins_answer(line)
    return start


def shows_format(run: Transcript, dialect: Dialect) -> bool:
    """Return whether *run* is only the format description or the example of a prompt.

    In that case one of its tools, results or answers is a placeholder in the prompt of *dialect*.
    """
    words = dialect.prompt_words
    for step in run.all_steps:
        seen = step.observation or ""
        if seen == words.observation or _REPEATS(seen.rpartition("\n")[2]):
            return True
        match step.action:
            case AgentAction(tool=tool):
                if _is_named_in_place(tool.strip()) or (not seen and _is_example(step.action)):
                    return True
            case AgentFinish(return_values={"output": answer}):
                if answer == words.answer:
                    return True
    return False


def _is_example(action: AgentAction) -> bool:
    """Return whether each value of a call is a placeholder, as in the example of a prompt."""
    given = action.tool_input
    if isinstance(given, str):
        return _VALUE(given.strip()) is not None
    return bool(given) and all(value == f"<{name}>" for name, value in given.items())


# -- examples before an open question --------------------------------------------------------------


def size_of_examples(lines: Sequence[str], begins_question: Callable[[str], bool]) -> int:
    """Return how many of *lines* are examples in a prompt that ends with an open question.

    A line before them announces the examples. A question is open if no answer follows it.
    """
    questions = [at for at, line in enumerate(lines) if begins_question(line)]
    if len(questions) < 2:
        return 0
    told = any(_EXAMPLES(line) for line in lines[: questions[0]])
    ends = [at for at, line in enumerate(lines) if _EXAMPLES_END(line)]
    if told and ends:
        return ends[-1] + 1
    is_answered = any(map(begins_answer, lines[questions[-1] :]))
    return questions[-1] if told and not is_answered else 0


def is_prompt(lines: Sequence[str]) -> bool:
    """Return whether *lines*, one message, begin with text and end in an open question.

    This is how a program logs what it sends: instructions, examples, and the question, perhaps with
    the steps so far.
    """
    labels = [at for at, line in enumerate(lines) if may_begin_question(line)]
    if len(labels) < 2 or not any(each.strip() for each in lines[: labels[0]]):
        return False
    return not any(map(begins_answer, lines[labels[-1] :]))
