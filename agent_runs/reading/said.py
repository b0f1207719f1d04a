"""Runs in messages: what every form of messages comes down to, and how its runs are found.

Each reader of messages turns its own form into `Said`; `runs_of_messages` does the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from agent_parsers import AgentFinish, OutputParserException
from agent_parsers.core import make_message, split_content
from agent_parsers.transcripts import TranscriptStep
from agent_runs.reading.building import UNASKED, RunBuilder
from agent_runs.reading.runs_so_far import RunsSoFar, with_more
from agent_runs.reading.spoken import Speech, is_result, unread_call
from output_parsers import ModelRefusalError
from outputs import AIMessage

if TYPE_CHECKING:
    from agent_parsers.events import Repair
    from agent_parsers.transcripts import Notice, Transcript
    from agent_runs.reading.reader import Reading
    from outputs.messages import ToolCall

_MAY_CALL: Final = re.compile(r"[^:]*'[\w. -]*(?:tool|call|function)", re.IGNORECASE).match
"""Matches the words for something left out whose name speaks of a call or a tool."""

_brings_file: Final = re.compile(r"\s*(?:<pyai:tool_result |This is file [0-9a-f]{6,}:)").match
"""Matches how pydantic-ai begins a message with a file that a tool has returned."""
_ANSWERED: Final = "Final result processed."
"""What pydantic-ai says that a tool returned whose arguments are the answer."""

OTHER_OBJECT: Final = "an object of type "
"""How the words begin for an object among the messages that is none."""


class SaidCall(NamedTuple):
    """A call in a message."""

    tool: str
    tool_input: Any
    """Text or an object; JSON text of arguments is read by the reader."""
    call_id: str = ""
    repairs: tuple[Repair, ...] = ()
    """The repairs that were made to read the arguments."""
    error: OutputParserException | None = None
    """Why the call cannot be made."""
    unclear: str = ""
    """The text of arguments that are left out, since the log does not show where they end."""
    is_untyped: bool = False
    """Whether the log shows all arguments as text."""
    has_input: bool = True
    """Whether the log contains the arguments."""
    cut: str = ""
    """What the log shows of arguments that it cuts short, which are left out."""


class SaidResult(NamedTuple):
    """What a tool returned."""

    text: str
    call_id: str = ""
    """Id of the call; empty if the form has none."""
    tool: str = ""
    """Name of the tool, if the form says it."""
    failed: bool = False
    """Whether the form says that the tool failed."""
    cut: str = ""
    """What the log has in place of what it leaves out."""


Border: TypeAlias = Literal["", "begins", "ends"]
"""Whether a turn of the program begins or ends; its end is that of a run, whoever asked."""


@dataclass(slots=True)
class Said:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    """Its text; of an assistant's message with calls, the content beside them."""
    thought: str = ""
    """The reasoning, if the form has a place of its own for it."""
    calls: Sequence[SaidCall] = ()
    results: Sequence[SaidResult] = ()
    line: int = 0
    """The line of the file where it stands, from 1; 0 if it is unknown."""
    left_out: Sequence[str] = ()
    """What it has besides text, such as images, in a word or two each."""
    unowned: str = ""
    """The text of what is left out, if it is text."""
    unread: Sequence[OutputParserException] = field(default=(), compare=False)
    """For what it has that is unknown and may be a call or a result, one error each."""
    error: OutputParserException | None = None
    """Why it cannot be read."""
    signed: Sequence[Mapping[str, Any]] = ()
    """The blocks of its reasoning that the API takes back, as it sent them."""
    then: Said | None = None
    """What the same message says after its tools have run."""
    refused: str = ""
    """The words in which the model refused, which is no answer."""
    errors: Sequence[str] = ()
    """What the program reported that went wrong, which is no answer."""
    about: Mapping[str, Any] | None = field(default=None, compare=False)
    """What it says of its run, such as the model and the time."""
    stated: str = ""
    """The answer of the run, where the log states it once more."""
    asked: str = ""
    """The question of the run, which a message may ask as well."""
    notices: Sequence[Notice] = ()
    """What is to be said about it."""
    is_piece: bool = False
    """Whether its text goes on with that of the message before, if that is a piece as well."""
    cut: str = ""
    """Why the reply before it is cut short."""
    border: Border = ""
    """Whether a turn of the program begins or ends with it."""

    @property
    def says_anything(self) -> bool:
        """Whether it has text, a thought, calls, results, or something that is left out."""
        said = (self.text, self.thought, self.calls, self.results, self.left_out)
        return any((*said, self.signed, self.refused))


def runs_of_messages(
    messages: Iterable[Said],
    reading: Reading,
    *,
    name: str = "",
    is_one_run: bool = False,
    is_conversation: bool = False,
    about: Mapping[str, Any] | None = None,
    called_by: str = "",
) -> Iterator[Transcript]:
    """Yield the runs in the *messages* of one conversation.

    A run begins with a question. The answer is the last text of the assistant without calls; such
    a text before further calls is part of their content. A thought that a text begins with, such
    as ``<think>…</think>``, is no part of it. Text in a dialect is read by it: the one of
    *reading*, or the one that the text shows.

    Args:
        messages: The messages of one conversation.
        reading: How they are read.
        name: Name of the conversation, if it has one.
        is_one_run: Whether it is one run, in which the user may say something on the way.
        is_conversation: Whether the model knew the runs before when it was asked again.
        about: What the log says of each of its runs.
        called_by: Id of the call of another conversation that this one carried out.
    """
    runs = RunsSoFar(name, about or {}, called_by, is_conversation)
    conversation = OpenConversation(reading, runs, is_one_run)
    for message in _joined(messages):
        said: Said | None = message
        while said is not None:
            if (run := conversation.take(said)) is not None:
                yield run
            said = said.then
    if (run := conversation.end()) is not None:
        yield run


def _joined(messages: Iterable[Said]) -> Iterator[Said]:
    """Yield *messages*, of which the pieces of one text are one."""
    held: Said | None = None
    between: list[Said] = []  # what says nothing
    for message in messages:
        if held is not None and _is_silent(message):
            between.append(message)
            continue
        if held is not None and message.is_piece and message.role == held.role:
            held = replace(
                held,
                text=held.text + message.text,
                thought=held.thought + message.thought,
                about={**(held.about or {}), **(message.about or {})},
            )
            continue
        if held is not None:
            yield held
        yield from between
        between.clear()
        held = message if message.is_piece else None
        if held is None:
            yield message
    if held is not None:
        yield held
    yield from between


def _is_silent(message: Said) -> bool:
    """Return whether a *message* says nothing but what is known about its run."""
    more = (message.error, message.errors, message.stated, message.notices, message.is_piece)
    also = (message.asked, message.border, message.cut, message.unread)
    return not (message.says_anything or any((*more, *also)))


def _speaks(message: Said) -> bool:
    """Return whether a *message* is a question, or says something for the assistant."""
    if message.role == "user" or message.asked:
        return not message.results
    return message.role == "assistant" and _is_turn(message)


def _is_turn(message: Said) -> bool:
    """Return whether a *message* has more than an error, or what is left out."""
    said = (message.text.strip(), message.thought, message.calls, message.signed, message.refused)
    return any(said)


def _has_words(text: str, words: str) -> bool:
    """Return whether *text* contains *words*; white space may differ."""
    return " ".join(words.split()) in " ".join(text.split())


class OpenConversation:
    """The conversation that is being read, with its current run.

    A result that names neither its call nor its tool belongs to the calls of the last turn, which
    are those since the last message of the assistant or the last result. If *is_paired*, it belongs
    to the last call alone.
    """

    def __init__(
        self,
        reading: Reading,
        runs: RunsSoFar | None = None,
        is_one_run: bool = False,
        is_paired: bool = False,
    ) -> None:
        self._reading = reading
        self._runs = RunsSoFar() if runs is None else runs
        self._is_one_run = is_one_run
        self._is_paired = is_paired
        self._is_between = False  # calls: something was said or returned since
        self._run = RunBuilder(reading, name=self._runs.name)
        self._about: dict[str, Any] = {}
        self._is_over = False  # the turn of the program, whose end is that of the run
        self._about_next: dict[str, Any] = {}  # said behind it
        self._notes: list[str] = []  # what the program said behind an answer
        self._stated = ""
        self._asked = ""  # beside the messages, one of which may ask it as well
        self._has_error = False
        self._left_out: set[str] = set()
        self._speech = Speech(reading)
        self._answer: TranscriptStep | Said | None = None  # unless calls follow
        self._calls_natively = False
        self._has_spoken = False  # the last calls, as text
        self._has_returned = False  # a tool, and nobody has spoken since
        self._signed: list[Mapping[str, Any]] = []  # reasoning of the next calls

    @property
    def is_waiting(self) -> bool:
        """Whether a call waits for its result."""
        return self._run.is_waiting

    def take(self, message: Said) -> Transcript | None:
        """Process the next message, and return the run that ends with it, if there is one."""
        ended = self._end_turn(message)
        self._end_calls(message)
        if message.error is not None:
            self._run.fail(message.error)
        match message.role:
            case "assistant":
                self._take_turn(message)
            case "system" if message.text and (self._answer is not None or self._is_over):
                self._notes.append(message.text)  # before the next question, if one follows
            case "system":
                self._run.introduce(message.text)
            case "user" | "tool":
                ended = self._take_asking(message) or ended
        for result in message.results:
            self._observe(result)
        if message.unread:
            self._take_unread(message)
        if message.left_out or message.calls or message.errors or message.cut:
            self._take_others(message)
        for each in message.notices:
            self._run.notice(each.kind, each.message, text=each.text, line=each.line)
        if message.about and self._is_over:
            self._about_next = with_more(self._about_next, message.about)
        elif message.about:
            self._about = with_more(self._about, message.about)
        self._stated = message.stated or self._stated
        self._is_over = self._is_over or message.border == "ends"
        return ended

    def _end_turn(self, message: Said) -> Transcript | None:
        """Return the run whose turn is over, if *message* begins the next."""
        if message.border == "begins":  # a turn that did not end may have a question only
            is_begun = self._run.is_begun or self._answer is not None or self._has_error
            self._is_over = self._is_over or is_begun
        return self._begin_run(message.line) if self._is_over and _speaks(message) else None

    def _end_calls(self, message: Said) -> None:
        """End the calls of the turn before if *message* has calls of another turn."""
        says = bool(message.text.strip() or message.thought)
        if message.calls and (says or self._is_between or self._is_paired):
            self._run.end_calls()
        goes_on = not message.calls and (self._is_between or says)
        self._is_between = goes_on or bool(message.results)

    def _take_result(self, text: str) -> bool:
        """Take a *text* of the user if it is a result; return whether it is one."""
        if isinstance(self._answer, TranscriptStep) and is_result(text):
            seen = (self._answer.observation, *self._speech.results(text))  # of the environment
            self._answer = replace(self._answer, observation="\n".join(filter(None, seen)))
        elif self._has_spoken and self._run.is_waiting:
            for result in self._speech.results(text):
                self._run.observe(result)
        elif isinstance(self._answer, Said) and is_result(text):
            answer, self._answer = self._answer, None
            self._fail("a result follows text in which no dialect finds a call", answer.text)
            self._run.observe(self._speech.results(text)[0])
        else:
            return False
        return True

    def _observe(self, result: SaidResult) -> None:
        self._has_returned = result.text != _ANSWERED
        texts = self._speech.results(result.text) if self._has_spoken else (result.text,)
        for text in texts:
            step = self._run.observe(
                text, call_id=result.call_id, tool=result.tool, failed=result.failed
            )
            if result.cut:
                reason = "the log leaves out part of what the tool returned"
                self._run.notice("cut_value", reason, text=result.cut, step=step)

    def _take_unread(self, message: Said) -> None:
        """Take what of a *message* may be a call or a result, which was made before its text."""
        if self._answer is not None and not message.says_anything:
            self._think_answer()
        for error in message.unread:
            self._run.fail(error)

    def _take_others(self, message: Said) -> None:
        """Take what of a *message* is no turn and no result."""
        for call in message.calls if message.role != "assistant" else ():
            self._fail(
                f"found a call to {call.tool!r} in a message that the assistant did not write"
            )
        for kind in message.left_out:
            if _MAY_CALL(kind):
                reason = f"found {kind}, which is unknown and may be a call or a result"
                self._fail(reason, message.unowned)
                continue
            if kind not in self._left_out:
                reason = f"dropped {kind}"
                self._run.notice("unowned_text", reason, text=message.unowned, line=message.line)
            if kind.startswith(OTHER_OBJECT):
                self._left_out.add(kind)  # they may be many
        if message.cut:
            reason = f"the reply is cut short: {message.cut}"
            number = self._run.size + (self._answer is not None)
            self._run.notice("cut_value", reason, line=message.line, step=number)
        for text in message.errors:
            reason, self._has_error = "the program reported an error", True
            self._run.notice("unowned_text", reason, text=text, line=message.line)

    def end(self, *, is_last: bool = True) -> Transcript | None:
        """Return the last run, if there is one."""
        if is_last:
            self._introduce_notes()
            self._about = with_more(self._about, self._about_next)
        if isinstance(self._answer, Said):
            self._run.answer(self._answer.text, log=self._answer.text)
        elif self._answer is not None:
            self._run.add(self._answer)
        self._take_stated()
        self._run.end_calls()
        if not (self._run.is_begun or self._run.question or self._has_error):
            return None
        return self._runs.add(self._run.transcript(), self._about, is_last=is_last)

    def _introduce_notes(self) -> None:
        """Add what the program said to what stands before the question of the run."""
        for text in self._notes:
            self._run.introduce(text)
        self._notes.clear()

    def _take_stated(self) -> None:
        """Take the answer that the log states once more: it is the answer if there is none."""
        stated, self._stated = self._stated.strip(), ""
        if not stated:
            return
        if not self._run.is_answered:
            self._run.answer(stated)
        elif str(self._run.answered).strip() != stated:
            reason = "the log also contains a different answer"
            self._run.notice("unowned_text", reason, text=stated)

    def _take_asking(self, message: Said) -> Transcript | None:
        """Process what the user or a program for a tool said; return the run that it ends."""
        if message.asked:
            return self._take_asked(message)
        if message.role != "user":
            return None
        if message.results or (self._has_returned and self._is_of_tool(message)):
            if message.text.strip():
                reason = "found text from the user next to results"
                self._run.notice("unowned_text", reason, text=message.text, line=message.line)
            return None
        self._has_returned = False
        if message.error is not None or self._take_result(message.text):
            return None
        return self._take_question(message)

    def _is_of_tool(self, message: Said) -> bool:
        """Return whether a user message right after results has the files that tools returned.

        APIs whose results are text only have no other place for them.
        """
        is_file = bool(message.left_out) and self._reading.is_scripted
        return is_file or _brings_file(message.text) is not None

    def _take_asked(self, message: Said) -> Transcript | None:
        """Process a question outside the messages, unless a message has just asked it."""
        is_new = self._run.is_begun or self._answer is not None or bool(self._asked)
        if not is_new and _has_words(self._run.question, message.asked):
            return None
        ended = self._take_question(replace(message, text=message.asked))
        self._asked = message.asked
        return ended

    def _take_question(self, message: Said) -> Transcript | None:
        ended = None
        if self._run.is_begun or self._answer:
            if self._is_one_run:
                self._think_answer()
                reason = "found text from the user during the run"
                self._run.notice("unowned_text", reason, text=message.text, line=message.line)
                return None
            ended = self._begin_run(message.line)
        self._introduce_notes()
        is_told = bool(self._asked) and _has_words(message.text, self._asked)
        self._asked = ""
        self._run.ask(message.text, is_same=is_told)
        return ended

    def _begin_run(self, line: int) -> Transcript | None:
        """Begin another run, and return the one before it."""
        ended = self.end(is_last=False)
        self._run = RunBuilder(self._reading.at(line), name=self._runs.name)
        self._signed.clear()
        self._answer = None
        self._about, self._about_next = self._about_next, {}
        self._is_over = self._has_error = False
        self._asked = ""
        self._left_out.clear()
        self._say_dialect()
        return ended

    def _take_turn(self, message: Said) -> None:
        if not _is_turn(message):
            return
        self._has_returned = False
        if self._answer is not None:
            self._think_answer()
        if self._notes:
            self._introduce_notes()  # the run goes on behind them
        if message.thought:
            self._run.think(message.thought)
        self._signed += message.signed
        if message.calls:
            self._calls_natively, self._has_spoken = True, False
            thought, text = self._split(message.text)
            self._run.think(thought)
            self._run.say(text)
            shared = _message_of(text, message.calls, self._signed)
            self._signed.clear()
            for call in message.calls:
                self._make(call, message.line, shared)
        elif message.refused:
            self._run.say(message.text)
        elif message.text.strip():
            self._take_text(message)
        if message.refused:
            self._run.fail(ModelRefusalError.saying(message.refused))

    def _take_text(self, message: Said) -> None:
        """Take the text of a turn without calls, which may call in a dialect."""
        steps = self._read(message.text)
        if not steps and (found := unread_call(message.text)):
            self._fail(f"the text {found}", message.text)
            self._has_spoken = True
            return
        if not steps:
            thought, text = self._split(message.text)
            self._run.think(thought)
            self._answer = replace(message, text=text) if thought else message
        elif isinstance(steps[-1].action, AgentFinish):
            self._answer = steps[-1]
            steps = steps[:-1]
        if steps:
            self._run.end_calls()
        for step in steps:
            self._has_spoken = True
            self._run.add(step)

    def _split(self, text: str) -> tuple[str, str]:
        """Return the thought that *text* begins with, and the rest of it."""
        return split_content("", text) if self._reading.lenient else ("", text)

    def _fail(self, reason: str, text: str = "") -> None:
        """Add a step that could not be read."""
        advice = "Give a log in one of the forms that list_readers() returns."
        self._run.fail(OutputParserException(reason, observation=advice, llm_output=text))

    def _make(self, call: SaidCall, line: int, message: AIMessage) -> None:
        if call.error is not None:
            self._run.fail(call.error, call_id=call.call_id, repairs=call.repairs)
            return
        self._run.call(
            call.tool, call.tool_input,
            call_id=call.call_id, message=message, repairs=call.repairs,
        )  # fmt: skip
        if call.cut:
            reason = f"the log shows only part of the input of {call.tool!r}, which is dropped"
            self._run.notice("cut_value", reason, text=call.cut, line=line)
        elif not call.has_input:
            self._run.notice("no_input", f"the log does not show the input of {call.tool!r}")
        if call.unclear:
            reason = f"the log does not show where the arguments of {call.tool!r} end"
            self._run.notice("unclear_end", reason, text=call.unclear, line=line)
        if call.is_untyped and call.tool_input:
            reason = f"the log shows the arguments of {call.tool!r} without types"
            self._run.notice("untyped_values", reason, line=line)

    def _read(self, text: str) -> list[TranscriptStep]:
        """Return the steps in a *text*; none if it is not in a dialect."""
        if self._calls_natively and self._reading.dialect is None:
            return []  # who calls tools in messages does not do so in text as well
        is_new = self._speech.dialect is None
        steps = self._speech.read(text)
        if is_new:
            self._say_dialect()
        return steps

    def _say_dialect(self) -> None:
        if self._speech.dialect is not None and self._speech.evidence:
            self._run.in_dialect(self._speech.dialect, self._speech.evidence)

    def _think_answer(self) -> None:
        """Make the answer content of the next step, since it is none: something follows it."""
        if self._answer is not None:
            answer, self._answer = self._answer, None
            if isinstance(answer, Said):  # its thought is one already
                self._run.say(answer.text)
            elif isinstance(answer.action, AgentFinish):
                self._run.think(answer.thought)
                self._run.say(answer.content)
                self._run.say(str(answer.action.return_values["output"]))
                if answer.observation is not None:
                    self._run.notice("unowned_text", UNASKED, text=answer.observation)


def _message_of(
    text: str, said: Sequence[SaidCall], signed: Sequence[Mapping[str, Any]]
) -> AIMessage:
    """Return the message that the calls of a turn share, with the *text* beside them.

    The reasoning that led to them is *signed*, as the API takes it back.
    """
    calls: list[ToolCall] = []
    for call in said:
        if call.error is None:
            args = {**call.tool_input} if isinstance(call.tool_input, dict) else {}
            calls.append(
                {"name": call.tool, "args": args, "id": call.call_id or None, "type": "tool_call"}
            )
    if not signed:
        return make_message(text, calls)
    blocks: list[str | dict[Any, Any]] = [{**block} for block in signed]
    if text.strip():
        blocks.append({"type": "text", "text": text})
    return AIMessage(blocks, tool_calls=calls)
