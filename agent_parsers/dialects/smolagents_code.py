"""Code as the action, as smolagents' CodeAgent writes it: a thought, then a block of Python.

The code is the input of the tool ``python_interpreter``. A block that contains only
``final_answer(…)`` with a literal is the answer; a computed answer requires running the code. The
stop sequence removes ``</code>``, so a block without its end is the usual case. Older versions
prompt for a fence instead, which the stop sequence does not remove: an open fence was cut.

Source: smolagents' prompts and ``parse_code_blobs``.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import Any, Final

from agent_parsers.engine.calls.raw_values import RawValue, held_size
from agent_parsers.engine.calls.reader import Call, CallReader
from agent_parsers.engine.grammar.dialect import Dialect, Written
from agent_parsers.engine.grammar.problems import Problem
from agent_parsers.engine.grammar.table import Go, Part, Table
from agent_parsers.engine.grammar.words import PromptWords
from agent_parsers.engine.markers.kinds import Label, Literal
from agent_parsers.engine.writing.tool_lists import list_functions
from agent_parsers.events import Event, InputDelta, MarkerSeen, Repair, SkippedDelta, ToolNamed
from agent_parsers.families.step_writer import StepWriter
from agent_parsers.families.steps import Steps

__all__ = ["DIALECT", "TOOL"]

SAMPLE: Final = """\
Task: How old is the oldest bridge of Bern?
Thought: I need to know which bridge that is.
<code>
print(search("oldest bridge in Bern"))
</code>
Observation: The Untertorbrücke was built from 1461 to 1489.
Thought: I now know the answer.
<code>
final_answer('The Untertorbrücke has stood since 1489.')
</code>"""

TOOL: Final = "python_interpreter"
"""The only tool; other tools are functions that the code calls."""
_END: Final = "</code>"
_MOST_ANSWER: Final = 10_000
"""Longest code that is searched for an answer, in characters."""


def is_python(code: str) -> bool:
    """Return whether the syntax of *code* is valid. Nothing is evaluated."""
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def read_answer(code: str) -> tuple[Any] | None:
    """Return the answer if *code* is only an answer, else `None`. Nothing is evaluated."""
    if not code.startswith("final_answer") or len(code) > _MOST_ANSWER:
        return None
    try:
        call = ast.parse(code, mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            return None
        values = [*call.args, *(keyword.value for keyword in call.keywords)]
        if call.func.id != "final_answer" or len(values) != 1:
            return None
        return (ast.literal_eval(values[0]),)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None


class CodeCall(CallReader):
    """Reads a block of code after ``<code`` or, in lenient mode, ````` ```py `````.

    The reader takes the rest of the opening mark too, since it distinguishes the two. Code whose
    end is missing must be complete Python, since either the stop sequence or a limit removed it.

    Args:
        lenient: Whether to leave out half of a closing mark.
    """

    problems = frozenset({"no_call", "open_call", "after_call"})

    __slots__ = (
        "_after", "_at", "_code", "_end", "_head", "_is_block", "_is_fence", "_is_inline", "_lead",
        "_lenient", "_raw", "_start",
    )  # fmt: skip

    def __init__(self, *, lenient: bool = False) -> None:
        self._lenient = lenient
        self._start = self._at = self._end = self._after = -1
        self._head = ""
        self._lead: str | None = ""  # the rest of the opening mark, and the white space after it
        self._raw: RawValue | None = None
        self._is_fence = False
        self._is_block = True
        self._is_inline = False  # no line break before the code, or between its end and other text
        self._code: list[str] = []

    def feed(self, text: str, at: int) -> list[Event]:
        """Take *text* at offset *at* and return the events it completes."""
        if self._start < 0:
            self._start = self._at = at
        events: list[Event] = []
        if self._raw is None:
            text = self._open(self._head + text)
        if self._raw is not None:
            self._read(text, events)
        return events

    def _open(self, head: str) -> str:
        """Determine the kind of block from the *head* of its text, and return the rest."""
        self._head = head
        mark = ">" if head[0] == ">" else "thon"
        if head != mark and mark.startswith(head):
            return ""
        self._is_fence = mark != ">"
        self._raw = RawValue("\n```" if self._is_fence else _END)
        self._lead = mark if head.startswith(mark) else ""
        return head.removeprefix(mark)

    def _read(self, text: str, events: list[Event]) -> None:
        assert self._raw is not None, "the block is open"
        if not self._raw.is_closed:
            code, text = self._raw.feed(text)
            self._take(code, events)
            if self._raw.is_closed:
                self._close(text, events)
            return
        self._skip(text, events)

    def _take(self, code: str, events: list[Event]) -> None:
        if self._lead is not None:
            begun = code.lstrip()
            self._lead += code[: len(code) - len(begun)]
            if not begun:
                return
            self._emit_lead(events)
            self._start = self._at
            code = begun
        self._code.append(code)
        self._emit(code, InputDelta, events)

    def _emit_lead(self, events: list[Event]) -> None:
        lead, self._lead = self._lead or "", None
        self._emit(lead, MarkerSeen, events)
        # Strict mode has no fences, and no letter may follow "```python".
        self._is_block = not self._is_fence or (self._lenient and lead != "thon")
        self._is_inline = not self._is_fence and "\n" not in lead

    def _close(self, text: str, events: list[Event]) -> None:
        """Skip the closing mark at the beginning of *text*."""
        if self._lead is not None:
            self._emit_lead(events)
        size = len("\n```" if self._is_fence else _END)
        self._emit(text[:size], MarkerSeen, events)
        self._end = self._at
        self._skip(text[size:], events)

    def _skip(self, text: str, events: list[Event]) -> None:
        if self._after < 0:
            blank = text[: len(text) - len(text.lstrip())]
            self._is_inline = self._is_inline and "\n" not in blank
            if len(blank) < len(text):
                self._after = self._at + len(blank)
        self._emit(text, SkippedDelta, events)

    def close(self) -> tuple[list[Event], Call]:
        """End the text of the call; return the events that were held back, and the call."""
        events: list[Event] = []
        if self._raw is None:
            self._emit(self._head, SkippedDelta, events)
            return events, Call(TOOL, "", (self._start, max(self._at, 0)), problem="no_call")
        if not self._raw.is_closed:
            code, rest = self._raw.close()
            half = self._half_mark(code)
            self._take(code[: len(code) - half], events)
            if half:
                span = (self._at, self._at + half)
                self._emit(code[len(code) - half :], MarkerSeen, events)
                events.append(Repair("unclosed", span, "left out half of a closing tag"))
            if self._raw.is_closed:
                self._close(rest, events)
        if self._lead is not None:
            self._emit_lead(events)
        code = "".join(self._code).strip()
        problem = "" if code and self._is_block else "no_call"
        is_open = self._end < 0
        may_be_less = is_open or "<code>" in code or "</code>" in code
        if self._is_block and (
            (is_open and self._is_fence) or (code and may_be_less and not is_python(code))
        ):
            problem = "open_call"
        elif self._is_inline and self._after >= 0 and not problem:
            problem = "after_call"  # a sentence quotes it
        if self._is_fence and not problem:
            span = (self._start, self._end)
            events.append(Repair("fence", span, "read a fence as a block of code"))
        answer = read_answer(code)
        if answer is None and not problem:
            events.insert(0, ToolNamed(TOOL, (self._start, self._start)))
        call = Call(
            tool=TOOL,
            tool_input=code if answer is None else answer[0],
            span=(self._start, self._at if self._end < 0 else self._end),
            tool_span=(self._start, self._start),
            is_answer=answer is not None,
            problem=problem,
            after=(self._after, self._at) if self._after >= 0 else None,
            lacks="closer" if self._end < 0 else "",
        )
        return events, call

    def _half_mark(self, code: str) -> int:
        """Return how many characters of the closing mark *code* ends with, at least two."""
        size = held_size(code, _END) if self._lenient and not self._is_fence else 0
        return size if size > 1 else 0

    def _emit(
        self, text: str, kind: type[InputDelta | SkippedDelta | MarkerSeen], events: list[Event]
    ) -> None:
        """Append the event for *text*, which is read next."""
        if text:
            span = (self._at, self._at + len(text))
            self._at = span[1]
            events.append(kind(text, span))


STEPS: Final = Steps(
    parts={
        "thought": Part.THOUGHT,
        "call": Part.CALL,
        "observation": Part.OBSERVATION,
        "task": Part.QUESTION,
    },
    markers={
        "task": Label("Task"),
        "thought": Label("Thought"),
        "label": Label("Code"),
        "code": Literal("<code"),
        "fence": Literal("```py"),
        "observation": Label("Observation"),
    },
    begins={"code": "call", "fence": "call"},
    rows={
        # Older prompts have this label before the fence.
        ("thought", "label"): Go("thought"),
        # Code may have such marks in its strings.
        ("call", "code"): None,
        ("call", "fence"): None,
    },
)
WRITER: Final = StepWriter(STEPS.markers)
STRICT: Final = Table(
    new_call=CodeCall,
    markers={name: STEPS.markers[name] for name in ("thought", "code")},
    parts={"thought": Part.THOUGHT, "call": Part.CALL},
    transitions={("thought", "thought"): Go("thought"), ("thought", "code"): Go("call")},
)
LENIENT: Final = STEPS.table(new_call=partial(CodeCall, lenient=True))

PROBLEMS: Final = {
    "nothing": Problem(
        "expected a block of code",
        "Invalid Format: Write a Thought, then one block of code from <code> to </code>.",
    ),
    "early": Problem(
        "found an Observation before any code; it is not the model's to write",
        "Invalid Format: Do not write an Observation. Write code from <code> to </code>.",
    ),
    "no_call": Problem(
        "expected code in the block",
        "Invalid Format: Write one block of code from <code> to </code>.",
    ),
    "open_call": Problem(
        "expected the end of the block of code",
        "The block of code is not closed, so nothing was run. Write it again, whole.",
    ),
    "after_call": Problem(
        "found text after the block of code",
        "Invalid Format: Write nothing after </code>.",
    ),
}


def write(step: Written) -> str:
    """Return one step as text."""
    code = step.tool_input if step.tool else f"final_answer({step.answer!r})"
    return f"{WRITER.thought(step)}<code>\n{code}\n{_END}"


PROMPT: Final = """\
Solve the task in steps of Thought, code and Observation.
The code is Python and can call these functions, [{tool_names}]:

{tools}

Write one block of code in a turn, from <code> to </code>, and print what you need to see.
Then stop: what was printed is given to you as the Observation.
When you know the answer, call final_answer with it.

Write in this form. Each label begins a line:

{form}

For example, this turn uses a tool:

{action}"""

WORDS: Final = PromptWords(
    question="the task to solve",
    tool=TOOL,
    tool_input="# Python that prints what you need to see",
    observation="what was printed",
    last_thought="I now know the answer.",
    answer="the answer to the task",
)


def show(name: str, arguments: dict[str, Any] | None) -> Written | None:
    """Return code that prints the result of *name*; `None` if Python cannot express the call."""
    if not all(word.isidentifier() for word in (name, *(arguments or ()))):
        return None
    given = [repr("what to look for")]
    if arguments is not None:
        given = [f"{key}={value!r}" for key, value in arguments.items()]
    return Written(tool=TOOL, tool_input=f"print({name}({', '.join(given)}))")


DIALECT: Final = Dialect(
    name="smolagents_code",
    aliases=("code_agent",),
    summary="a thought and a block of Python code (smolagents)",
    sample=SAMPLE,
    strict=STRICT,
    lenient=LENIENT,
    problems=PROBLEMS,
    stop=(_END, *WRITER.stop),
    closer=_END,
    write=write,
    render_observation=WRITER.render_observation,
    generation_prompt=WRITER.generation_prompt,
    prompt=PROMPT,
    prompt_words=WORDS,
    list_tools=list_functions,
    show=show,
    example=Written(tool=TOOL, tool_input='print(search("what to look for"))'),
)
