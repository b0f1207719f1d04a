"""Beam: messages as in `harmony`, whose calls have an element for each parameter.

    <|channel|>analysis<|message|>I have to look it up.<|end|><|start|>assistant\
<|channel|>final<|message|>Let me see.<|end|><|start|>assistant\
 to=search<|channel|>analysis <|constrain|>xml<|message|><rfl:parameter name="query">
    Lake Thun
    </rfl:parameter><|end|><|start|>assistant to=ping<|channel|>analysis \
<|constrain|>xml<|message|><|call|>

Calls are on the channel ``analysis``, and name the tool in the header of the message. A line break
at each end of a value belongs to its tags. ``<|call|>`` stops the model, so it ends the last
message of a turn, be that a call or the answer; where it is missing and nobody says how the text
ended, a call has to have all parameters that its tool takes. In lenient mode a JSON object may
replace the elements.

Source: the response template of Reflection's Beam models, as the tests of lightseekorg/smg quote
it, and the parsers ``beam`` of vllm-project/vllm and sgl-project/sglang. They do not show how
results are written: those are as in `harmony`.
"""

from dataclasses import replace

from agent_parsers.authoring import SAMPLE_TURN, CallForm, Form, Head, Table, TaggedPayload, TagPart
from agent_parsers.dialects import harmony
from agent_parsers.dialects.harmony import ANSWER, CALL, END, MESSAGE, NEXT, RETURN, THOUGHT, TO
from agent_parsers.engine.calls.tags.block import In
from agent_parsers.engine.calls.tags.form import TaggedForm
from agent_parsers.engine.calls.tags.tagged_calls import TaggedCalls
from agent_parsers.events import Event

HEAD = f"{harmony.CHANNEL}{THOUGHT} {harmony.CONSTRAIN}xml{MESSAGE}"
PAYLOAD = TaggedPayload(
    call="{tool}{parameters}",
    parameter='<rfl:parameter name="{key}">\n{value}\n</rfl:parameter>',
    trims=True,
)


class BeamCall(TaggedCalls):
    """Reads a call whose tool is named in the header, and whose body has the parameters.

    Args:
        head: Where the header names the tool.
        size: The length of the header.
        form: How parameters are written.
    """

    def __init__(self, head: Head, size: int, *, form: TaggedForm) -> None:
        super().__init__(form)
        self._head, self._size = head, size

    def feed(self, text: str, at: int) -> list[Event]:
        """Take *text* at offset *at* and return the events it completes."""
        events: list[Event] = []
        if self._start < 0:
            self._start = self._at = at
            self._begin_call(at)
            self._in = In.CALL
            head, written = self._head, text[: self._size]
            self._name(written, head.start, written[head.start : head.stop], "head", events)
            text = text[self._size :]
        return events + super().feed(text, self._at)

    def _leave(self, *, without_end: str = "") -> None:
        is_closed = self._in is In.CALL and (self._is_ended or not self._inputs)
        if without_end != "open_call" or not is_closed or self._tail.strip():
            super()._leave(without_end=without_end)
            return
        call = self._call
        super()._leave()
        # The stop sequence may be what closed it; without parameters, that has to be known.
        call.lacks = "parameters" if self._inputs else "input"


def table(*, lenient: bool) -> Table:
    """Return the table for strict or lenient mode."""
    tags = PAYLOAD.tags(None)
    form = replace(
        PAYLOAD.tagged_form(None, lenient=lenient),
        tags={part: tags[part] for part in (TagPart.KEY, TagPart.END_VALUE)},
    )
    return harmony.table(
        lenient=lenient, new_body=lambda head, size: BeamCall(head, size, form=form)
    )


FORM = Form(
    thought=(harmony.header(THOUGHT), f"{END}{NEXT}"),
    content=(harmony.header(ANSWER), f"{END}{NEXT}"),
    call=CallForm(text=f" {TO}{{tool}}{HEAD}{{parameters}}", parameters=PAYLOAD.form.parameters),
    calls=("", f"{END}{NEXT}", CALL),
    answer=(harmony.header(ANSWER), RETURN),
)
DIALECT = replace(
    harmony.DIALECT,
    name="beam",
    aliases=(),
    summary="messages as in harmony, with <rfl:parameter> (Reflection Beam)",
    sample=FORM(SAMPLE_TURN),
    strict=table(lenient=False),
    lenient=table(lenient=True),
    form=FORM,
    problems={**harmony.DIALECT.problems, **PAYLOAD.problems},
)
