"""The pattern for the steps of a dialect with one action, as its form spells them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.markers.kinds import Label, Literal
from agent_parsers.engine.reading.matching.plain_text import UNSEEN, WORD
from agent_parsers.engine.reading.quoting.spans import trimmed
from agent_parsers.engine.repairs.inputs import repair_input
from agent_parsers.engine.tables.table import Part
from agent_parsers.forms.form import NUMBER, WrittenCall
from agent_parsers.forms.templates import BLANK, NAME, pattern, templates_of

if TYPE_CHECKING:
    from re import Match

    from agent_parsers.engine.reading.matching.plain_text import KnownMarks
    from agent_parsers.engine.reading.rules.machine import Machine
    from agent_parsers.events import Span
    from agent_parsers.forms.form import Form

LONGEST: Final = 400
"""Up to how many characters one match is faster than a search for each character."""
_FENCE: Final = "```json\n"
"""What opens the fence of an object."""
_STRING: Final = r'"(?P<text>(?>(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt])*))"'


class StepPattern:
    """Matches steps with one action, or an answer, that are spelt exactly as in their *form*."""

    def __init__(self, machine: Machine, form: Form, known: KnownMarks) -> None:
        self._machine = machine
        self.has_json = '{"tool"}' in form.call.text
        """Whether calls are objects in JSON."""
        self.keeps_input_end = machine.table.keeps_input_end
        opens = [f"{form.calls[0]}{form.call.text}".partition("{")[0]]
        if isinstance(form.answer, tuple):
            opens.append(form.answer[0])
        self._begins = [f"{form.thought[1]}{each}" for each in opens] if form.thought else []
        self._may_lack_label = self.has_json and opens[0].endswith(_FENCE)
        if self._may_lack_label:
            opens.append("```")
        markers = machine.table.markers.values()
        colons = {":", "：", *(each.colon for each in markers if isinstance(each, Label))}
        self._colons = "".join(sorted(colons))
        self._escapes = form.escape is not None
        self._odd = self._odd_in(known)
        stops = "|".join(escaped(each[:WORD]) for each in opens)
        ends_lines = any(type(each) is Literal and each.canonical == "\n" for each in markers)
        self._break = "" if ends_lines else rf"\n(?![{{]|{stops})"
        self._others = self._not_odd(known)
        text = said = self._lines(self._odd, self._break, has_fences=True)
        self._never_thought = ["\n{"]
        self._lead, self._closer = form.thought or ("", "")
        if self._closer == " ":  # a result begins behind the thought, on the same line
            self._lead = self._lead.rstrip()
            self._never_thought += (each[:WORD] for each in opens)
            first = {each[0] for each in opens}
            begun = rf"\ (?!{stops})|(?!{stops})[{re.escape(''.join(sorted(first)))}]"
            said = rf"(?=\ ){self._lines((*self._odd, ' ', *first), begun, self._break)}"
        self._may_lack_lead = self._lacks_lead(form)
        thought = ""
        if form.thought is not None:
            lead = f"(?:{escaped(self._lead)}){'?+' if self._may_lack_lead else ''}"
            said = f"(?!```){said}" if self._may_lack_label else said
            thought = f"{lead}(?P<thought>{said}){escaped(self._closer)}"
        results = [self._call(form)]
        if isinstance(form.answer, tuple):
            before, after = map(escaped, form.answer)
            results.append(rf"{before}(?P<answer>{text}){after}\Z")
        before = f"(?>(?:{thought})?)" if thought else ""
        if form.no_thought:
            before = f"(?:{escaped(form.no_thought)}|{thought})"
        result = f"(?:{'|'.join(results)})"
        self.begins_step = "|".join(escaped(each) for each in (self._lead, *opens) if each)
        """Pattern for what a step begins with."""
        self.before_step = self._lines(self._odd, rf"\n(?!{self.begins_step})")
        """Pattern for the text before a step, on one line or more, that holds no marker."""
        self._whole = re.compile(f"{before}{result}").match
        empty = "(?P<thought>)" if thought else ""  # so that all have the same groups
        self._after = re.compile(f"{empty}{result}").match

    def match(self, text: str) -> Match[str] | None:
        """Return the match of a step with this *text*; `None` if it is spelt differently.

        Its groups are ``thought``, ``tool``, ``answer``, and ``input``, or ``text`` if the input is
        a JSON string. The match of a long step has no thought: see `thought`.
        """
        if len(text) > LONGEST and (at := self._begin(text)) >= 0:
            return self._after(text, at)
        return self._whole(text)

    def thought(self, text: str, found: Match[str]) -> str:
        """Return the thought of a step, given its match."""
        if not self._begins:
            return ""
        if not (end := found.start()):
            return (found["thought"] or "").strip()
        start = len(self._lead) if text.startswith(self._lead) else 0
        return text[start : end - len(self._closer)].strip()

    def spans(self, text: str, found: Match[str]) -> tuple[Span, Span]:
        """Return the spans of the thought, and of the action or answer, given a step's match."""
        if not self._begins:
            thought = (0, 0)
        elif not found.start():
            thought = found.span("thought")
        else:
            start = len(self._lead) if text.startswith(self._lead) else 0
            thought = (start, found.start() - len(self._closer))
        last = "answer" if found.lastgroup == "answer" else "input"
        begin = found.start(last if last == "answer" else "tool")
        return trimmed(text, *thought), trimmed(text, begin, found.end(last))

    def _begin(self, text: str) -> int:
        """Return where the action or answer of a long step begins, after its thought; or -1."""
        end = len(text) - LONGEST
        at = max((text.rfind(each, end) for each in self._begins), default=-1)
        if at < 0 and self._may_lack_label:
            at = text.rfind(f"{self._closer}{_FENCE}", end)
        has_lead = text.startswith(self._lead)
        if at < 0 or not (has_lead or self._may_lack_lead):
            return -1
        thought = text[len(self._lead) * has_lead : at]
        if any(map(thought.__contains__, self._odd)):
            return -1
        # A search for one character takes a hundredth of the time of a search for several.
        is_odd = any(
            each[-1] in thought
            and thought.count(each[-1]) >= each.count(each[-1])
            and each in thought
            for each in self._never_thought
        )
        return -1 if is_odd else at + len(self._closer)

    def _call(self, form: Form) -> str:
        """Return a pattern for a call, whose input may be an object in JSON if there are braces."""
        if (call := self._json_call(form)) is not None:
            return rf"{call}\Z"
        head, _, tail = f"{form.calls[0]}{form.call.text}".partition("{input}")
        end = escaped(tail)
        if tail and tail == self._machine.dialect.closer:
            end = f"(?>(?:{end})?)"  # a stop sequence may have removed it
        tool = rf"(?P<tool>[^{_class(self._odd)}\n\[]++)"
        head = escaped(head).replace(r"\{tool\}", tool)
        value = self._lines((*self._odd, *tail[:1]))
        if not tail and self._break and self._machine.read_input is repair_input:
            inside = self._in_fence(rf"[^{_class(self._odd)}\n]*+")
            value = rf"```(?:json)?\n(?=\{{){inside}\n```{BLANK}|{value}"
        return rf"{head}(?P<input>{value}){end}\Z"

    def _json_call(self, form: Form) -> str | None:
        """Return a pattern for a call with JSON."""
        templates = templates_of(form) if self.has_json else None
        if templates is None:
            return None
        value = rf"(?:{_STRING}|(?P<input>\{{(?s:.*)\}}))"
        head = pattern(form.calls[0] + templates.head)
        if self._may_lack_label:  # as may the tag of the fence
            label, _, head = head.partition("```json")
            head = f"(?>(?:{label})?)```(?>(?:json)?){head}"
        if isinstance(form.answer, str):
            head = head.replace(NAME, f"(?:{re.escape(form.answer)}|{NAME})")
        return f"{head}{value}{pattern(templates.tail)}{BLANK}"

    # -- what no marker looks like -----------------------------------------------------------------

    def _odd_in(self, known: KnownMarks) -> tuple[str, ...]:
        """Return characters of which every marker has at least one, apart from the form's own."""
        odd = {*known.first, *UNSEEN, *self._colons} - {"\n"}
        if self._machine.lenient:
            odd |= {*"`~#"}
        if self._escapes:
            odd.add("[")  # tags that are text are written in brackets
        return tuple(sorted(odd | {*"{["} if self.has_json else odd))

    def _not_odd(self, known: KnownMarks) -> list[str]:
        """Return patterns for odd characters where they are part of no marker, and hide none."""
        others = [known.no_label(self._colons)]
        if "<" in self._odd:
            others.append(rf"{known.no_tag}(?![\s/]{{0,3}}\w{{0,16}}\Z)")  # nor half of one
        if "`" in self._odd:
            others.append(rf"`[^`\n{_class(self._odd)}]++`(?!`)")
        if "#" in self._odd:
            others.append(r"#(?<=[^\n]#)")
        if "~" in self._odd:
            others.append("~(?<!~~)(?!~)")
        if self.has_json:
            others += [r"\[[\d ,x]*+\]", r'"[^"{}\[\]:\n]*+"(?!\s*+:)']
        elif "[" in self._odd and not self._escapes:
            others.append(known.no_bracket)
        return others

    def _lines(self, odd: tuple[str, ...], *breaks: str, has_fences: bool = False) -> str:
        """Return a pattern for text on one line, or on more if there are *breaks*."""
        line = rf"[^{_class(odd)}\n]*+"
        others = "|".join(self._others)
        between = "|".join(filter(None, (others, *breaks)))
        if has_fences and self._break:
            fence = rf"\n```(?<=\S\n```)[a-z]*+(?=\n){self._in_fence(line)}\n```(?=\n|\Z)"
            between = f"{others}|{fence}|{self._break}"
        return rf"(?>{line}(?:(?:{between}){line})*)"

    def _in_fence(self, line: str) -> str:
        """Return a pattern for lines in a fence."""
        break_ = self._break.replace("(?!", "(?!```|", 1)
        return rf"(?>{line}(?:(?:{'|'.join(self._others)}|{break_}){line})*)"

    def _lacks_lead(self, form: Form) -> bool:
        """Return whether a reply may go on with a thought whose label ends its prompt."""
        if form.thought is None or form.no_thought or form.thought[1] != "\n":
            return False
        initial = self._machine.initial
        return initial.part in (Part.THOUGHT, Part.CALL) and any(
            isinstance(crossing.marker, Label)
            and form.thought[0].startswith(crossing.marker.canonical)
            for crossing in initial.crossings
        )


def is_called_answer(machine: Machine, form: Form, tool: str) -> bool:
    """Return whether a call to a *tool* with this name is an answer."""
    if '{"tool"}' not in form.call.text:
        return isinstance(form.answer, str) and tool.casefold() == form.answer.casefold()
    written = form.call(WrittenCall(tool, ""))
    return machine.new_call().read(written[written.find("```") :], 0).is_answer


def _class(characters: tuple[str, ...]) -> str:
    return re.escape("".join(characters))


def escaped(text: str) -> str:
    """Return a pattern that matches a *text* of a form, with any number in place of `NUMBER`."""
    return re.escape(text).replace(re.escape(NUMBER), r"\d{1,4}+")
