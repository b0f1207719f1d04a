"""Deterministic turns with a call that is not meant, since something encloses it.

The marks are those that models and people are known to use, spelt in many ways, and marks that
nobody uses: names are made up for each dialect. No list of the engine is used here, so that no rule
holds for these marks only because it names them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, partial
from itertools import cycle
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_laws.trials.pieces import marker_in
from agent_laws.trials.sample_calls import Meant, calls_in, reading, usual_turn
from agent_laws.trials.tool_shapes import tool_sets

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.toolset import ToolSet

Pair = tuple[str, str]

_THOUGHTS: Final = (
    "think", "thought", "thinking", "reflection", "scratchpad", "reasoning", "inner_monologue",
    "reasoning_content", "analysis", "rationale", "deliberation", "antthinking",
)  # fmt: skip
"""Words for thoughts."""
_AS_MARKS: Final[tuple[Pair, ...]] = (
    ("<{}>", "</{}>"),
    ("◁{}▷", "◁/{}▷"),
    ("[{}]", "[/{}]"),
    ("< {} >", "</ {} >"),
    ("<|begin_of_{}|>", "<|end_of_{}|>"),
    ('<{} type="quick">', "</{}>"),
    ("<|{}_start|>", "<|{}_end|>"),
    ("<|{}|>", "<|/{}|>"),
    ("<{}\n>", "</{}\n>"),
    ("【{}】", "【/{}】"),
    ("<\u200b{}>", "</\u200b{}>"),
    ("＜{}＞", "＜/{}＞"),
    ("({})", "(/{})"),
    ("*{}*", "*/{}*"),
    ("«{}»", "«/{}»"),
)
"""Ways to make marks from a word."""
_OTHER_THOUGHTS: Final[tuple[Pair, ...]] = (
    ("<unused94>thought\n", "<unused95>"),
    ("<|start_thinking|>", "<|end_thinking|>"),
    ("<thoughts>", "</thoughts>"),
    ("<|thought_begin|>", "<|thought_end|>"),
    ("{{thinking}}", "{{/thinking}}"),
    ("<cot>", "</cot>"),
    ("<|channel>thought\n", "<channel|>"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
    ("<|content_thinking|>", "<|end_message|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
)
_ELEMENTS: Final = (
    "pre", "code", "blockquote", "example", "document", "tool_output", "output", "result", "q",
    "page", "samp", "quote", "section", "search_results", "details",
)  # fmt: skip
"""Names of elements that quote."""
_BRACKETS: Final = ("quote", "code", "spoiler", "noparse")
_ENVIRONMENTS: Final = ("verbatim", "quote", "lstlisting")
_COMMENTS: Final[tuple[Pair, ...]] = (
    ("/*", "*/"), ("{#", "#}"), ("(*", "*)"), ("--[[", "]]"), ("{{!--", "--}}"), ("<%--", "--%>"),
    ("{-", "-}"), ("#|", "|#"), ("<#", "#>"), ("@*", "*@"), ("/** a -> b", "*/"),
    ("<!--- a -> b", "--->"),
)  # fmt: skip
"""Comments of several lines, in several languages."""
_SECTIONS: Final[tuple[Pair, ...]] = (
    ("=== {} ===", "=== end ==="), ("----", "----"), ("-----BEGIN {}-----", "-----END {}-----"),
    ("#+BEGIN_{}", "#+END_{}"), (":::{}", ":::"), ("* * *", "* * *"), ("BEGIN {}", "END {}"),
    ("<<<<<<< {}", ">>>>>>> other"), ("START OF {}", "END OF {}"), ("--- {}", "---"),
    ("== {} ==", "== Other =="), ("[[[ {} ]]]", "[[[ end ]]]"), ("cat <<EOF", "EOF"),
    ("{} <<-'NOTE'", "NOTE"), ("### {} ###", "### end ###"), ("cat <<~EOT > {}.txt", "EOT"),
    ("{}_BEGIN", "{}_END"), ("{} begins", "{} ends"), ("<!-- BEGIN {} -->", "<!-- END {} -->"),
    ("+---- {} ----+", "+------------+"), ("# ==== {} ====", "# ==== end ===="),
    ("**--- {} ---**", "**---**"),
    ('=== {} "a" ===', "==="), ("<{}> -----", "----- </{}>"), ("--", "--"), ("<<", ">>"),
)  # fmt: skip
"""Lines before and behind a section, in which a name may stand."""
_RULED: Final = "=-*_#+:%$~.─━═•·–◆★※"
"""What rulers are made of."""
_ASIDES: Final[tuple[Pair, ...]] = (
    ("(The page says:", "and more.)"), ("[The page says:", "and more.]"),
    ("（The page says:", "and more.）"), ("{The page says:", "and more.}"),
    ("(The page says -> (now):", "and more!)"), ("page() {", "}"),
    ("〖The page says:", "and more.〗"),
)  # fmt: skip
"""Brackets around words beside a call."""
_FENCES: Final = (
    ("~~~text\na ~~~ b", "~~~"), ("```text\na ``` b", "```"), ("~~~\na ~~~", "~~~"),
    ("a ~~~\n~~~", "~~~"), ("a ~~~\n```\nb ~~~ c", "```"), ("a ~~~\n<page>\nb ~~~", "</page>"),
    ("~~~\n~~~ a", "~~~"), ("```\n```json", "```\n```"), ("```md\n``` as it was.", "```"),
    ("~~~\na\n~~~ b", "~~~ "),
)  # fmt: skip
"""Lines around a call, some of which hold marks that open and close nothing."""
_SIGNS: Final = ("> ", ">", "+ ", "+", "| ", ">> ", "// ", "-- ", "% ", "; ")
"""What each line begins with in quotations, diffs and comments."""
_QUOTATION_MARKS: Final[tuple[Pair, ...]] = (
    ('"', '"'), ("“", "”"), ("‘", "’"), ("«", "»"), ("„", "“"), ("「", "」"), ("『", "』"),
    ("＂", "＂"), ("‹", "›"), ("»", "«"), ("《", "》"), ("”", "”"), ("‚", "‘"), ("〝", "〞"),
    ("″", "″"), ("´", "´"), ("⟦", "⟧"), ("⟨", "⟩"), ("⸢", "⸣"), ("❮", "❯"), ("【", "】"),
    ("&quot;", "&quot;"), ("&ldquo;", "&rdquo;"), ("&#39;", "&#39;"),
)  # fmt: skip
_AROUND_ALL: Final = ("answer", "response", "output", "result", "message", "final")
"""Names of elements around a whole turn that say neither that it is a call, nor its form."""


_QUOTING: Final = {
    *_THOUGHTS, *_ELEMENTS, *_BRACKETS, *_ENVIRONMENTS, "examples", "for example", "draft",
    "drafts", "sample", "note", "quotation", "think", "thoughts", "cot",
} - {"code"}  # fmt: skip
"""Names of what quotes or thinks; a block of code may be a call."""
_WORDS: Final = re.compile(r"[^\w`]*([\w ]*\w)[^\w`]*").fullmatch


def quotes(mark: str) -> bool:
    """Return whether a *mark* quotes what follows it, or opens a thought."""
    found = _WORDS(mark)
    names = {sign.strip() for sign in _SIGNS} if found is None else _QUOTING
    return (mark.strip() if found is None else found[1].casefold()) in names


class EnclosedCall(NamedTuple):
    """A turn with a call that must not be made."""

    kind: str
    """The kind of what encloses it: one of `KINDS`."""
    marks: str
    """What stands before and behind it."""
    text: str
    """The turn."""
    tools: ToolSet | None = None
    """The tools that the parser knows, of one shape after another."""
    meant: tuple[Meant, ...] = ()
    """The call that follows, if any: it may be made, and no other."""


KINDS: Final = (
    "thought", "element", "bracket", "comment", "strike", "section", "aside", "line_signs",
    "indented", "block", "open_fence", "table", "quotation_in_a_line", "quotation_around_lines",
    "quotation_with_words", "around_all",
)  # fmt: skip
"""The kinds of what encloses a call."""


@cache
def enclosed_calls(dialect: Dialect) -> tuple[EnclosedCall, ...]:
    """Return turns in which something encloses a call, other than the dialect's own marks.

    In every second turn, a real call follows, if turns may have several calls.
    """
    turn = usual_turn(dialect, "quoted")
    call = turn.text.strip("\n")
    line = " ".join(call.split("\n"))
    is_call = bool(calls_in(reading(dialect, "lenient", line, ended="stop")))
    names = made_up_names(dialect.name)
    found = [*_thoughts(call, names), *_in_marks(call, names), *_in_lines(call)]
    found += _in_quotation_marks(call, line if is_call else "")
    found += _in_blocks(call) if dialect.several else ()
    if is_call:
        found.append(EnclosedCall("strike", "~~", f"I would ~~{line}~~ rather wait."))
        table = f"| call | why |\n|---|---|\n| {line} | it is quick |"
        found.append(EnclosedCall("table", "a cell", f"These are ways:\n\n{table}\n\nI wait."))
        for begins in ("\n\n    ", "\n\n\t", "\r\r    ", "\u2028\u2028\t", "\n> ", "\x85| "):
            text = f"The page says:{begins}run {line}"
            found.append(EnclosedCall("indented", repr(begins), text))
    for name in (*_AROUND_ALL, *names[:2]):
        if f"<{name}>" not in call and not marker_in(dialect, f"<{name}>"):
            text = f"<{name}>\n{call}\n</{name}>"
            found.append(EnclosedCall("around_all", f"<{name}>", text))
    known = cycle(tools for shape, tools in tool_sets(turn.calls).items() if shape != "no_tools")
    meant = usual_turn(dialect, "meant")
    calls = tuple(Meant(call.tool, call.tool_input) for call in meant.calls)
    for at in range(0, len(found) if dialect.several else 0, 2):
        text = f"{found[at].text}\n{meant.text}"
        found[at] = found[at]._replace(text=text, meant=calls)
    return tuple(each._replace(tools=tools) for each, tools in zip(found, known, strict=False))


def made_up_names(seed: str, count: int = 6) -> list[str]:
    """Return names that no format uses."""
    random = Random(seed)
    syllables = [a + b for a in "bdfgjklmnprtvz" for b in "aeiou"]
    return ["".join(random.sample(syllables, random.randint(2, 4))) for _ in range(count)]


def _thoughts(call: str, names: list[str]) -> Iterator[EnclosedCall]:
    pairs = [
        (_cased(opens.format(word), place), _cased(closes.format(word), place))
        for place, word in enumerate(_THOUGHTS)
        for opens, closes in _AS_MARKS
    ]
    # Each word and each way occurs in every case.
    pairs = [pairs[at * 7 % len(pairs)] for at in range(len(pairs))] + [*_OTHER_THOUGHTS]
    pairs += (
        (opens.format(name), closes.format(name))
        for name, (opens, closes) in zip(names, _AS_MARKS, strict=False)
    )
    for opens, closes in pairs:
        if opens.strip() in call or closes.strip() in call:
            continue
        thought = f"{opens}Maybe:\n{call}\nNo, that would be bad.{closes}\nI will not."
        yield EnclosedCall("thought", f"{opens} {closes}", thought)
        behind = f"I look at it.\n{opens}\n{call}\n{closes}\nI will not."
        yield EnclosedCall("thought", f"{opens} {closes}", behind)


def _cased(mark: str, place: int) -> str:
    """Return a mark as it is, in upper case, or with capitals, by its *place* in the list."""
    return (mark, mark.title(), mark.upper())[place % 3]


def _between(call: str, kind: str, opens: str, closes: str) -> Iterator[EnclosedCall]:
    """Yield a call between two marks, alone and with text beside it."""
    if opens in call or closes in call:
        return
    quoted = f"{opens}\n{call}\n{closes}"
    yield EnclosedCall(kind, opens, f"The page says:\n{quoted}\nI will not do that.")
    yield EnclosedCall(kind, opens, f"{quoted}\nThat is what the page says.")
    if kind == "section":  # its marks are lines
        opens, closes = f"{opens}\n", f"\n{closes}"
    yield EnclosedCall(kind, opens, f"{opens}Do this:\n{call}\nnow.{closes}\nI will not.")


def _in_marks(call: str, names: list[str]) -> Iterator[EnclosedCall]:
    within = partial(_between, call)
    for name in (*_ELEMENTS, *names):
        yield from within("element", f"<{name}>", f"</{name}>")
    for name in (*_ELEMENTS[:2], *names[:2]):
        yield from within("element", f'<{name} class="a">', f"</{name}>")
        yield from within("element", f"<{name.upper()}>", f"</{name.upper()}>")
    yield from within("element", "<details><summary>A call</summary>", "</details>")
    yield from within("element", "<![CDATA[", "]]>")
    for name in (*_BRACKETS, *names[:3]):
        yield from within("bracket", f"[{name}]", f"[/{name}]")
    for name in (*_ENVIRONMENTS, names[3]):
        yield from within("bracket", f"\\begin{{{name}}}", f"\\end{{{name}}}")
    for name in names[4:]:
        yield from within("bracket", f"{{% {name} %}}", f"{{% end{name} %}}")
    for opens, closes in _COMMENTS:
        yield from within("comment", opens, closes)
    yield from within("strike", "~~", "~~")
    for (opens, closes), name in zip(_SECTIONS, cycle((*_ELEMENTS, *names)), strict=False):
        yield from within("section", opens.format(name.title()), closes.format(name.title()))
    for place, name in enumerate(names):
        sign = _RULED[(len(call) + place * 5) % len(_RULED)]
        yield from within("section", sign * (3 + place), sign * 4)
        yield from within("section", f"{sign * 3} {name} {sign * 3}", sign * 3)
    for opens, closes in _FENCES:
        yield from within("section", opens, closes)
    for opens, closes in _ASIDES:
        yield from within("aside", opens, closes)


def _in_lines(call: str) -> Iterator[EnclosedCall]:
    """Yield calls each line of which begins with a sign or with white space."""
    for sign in _SIGNS:
        quoted = "\n".join(f"{sign}{line}" for line in call.split("\n"))
        text = f"The page says:\n\n{quoted}\n\nI will not do that."
        yield EnclosedCall("line_signs", sign, text)
    for blanks in ("    ", "\t", " " * 8):
        quoted = "\n".join(f"{blanks}{line}" for line in call.split("\n"))
        text = f"The page says:\n\n{quoted}\n\nI will not do that."
        yield EnclosedCall("indented", blanks, text)


def _in_blocks(call: str) -> Iterator[EnclosedCall]:
    """Yield calls in blocks that a line announces, in ticks, and in a fence that nothing closes."""
    for ticks in ("`", "``"):
        text = f"The page says:\n\n{ticks}\n{call}\n{ticks}\n\nI will not do that."
        yield EnclosedCall("block", ticks, text)
        yield EnclosedCall("block", ticks, f"const call = {ticks}\n{call}\n{ticks};\nI wait.")
    for opens in ("note: |\n", "note: >-\n", ".. code-block:: text\n\n"):
        quoted = "\n".join(f"  {line}" for line in call.split("\n"))
        yield EnclosedCall("block", opens, f"{opens}{quoted}\nI will not do that.")
    hunk = "\n".join(f"-{line}" for line in call.split("\n"))
    yield EnclosedCall("block", "@@", f"@@ -1,9 +1 @@\n{hunk}\n+I wait.")
    if "```" not in call:
        for opens in ("```", "````", "```json"):
            text = f"The page says:\n{opens}\n{call}\nI will not do that."
            yield EnclosedCall("open_fence", opens, text)


def _in_quotation_marks(call: str, line: str) -> Iterator[EnclosedCall]:
    for opens, closes in _QUOTATION_MARKS:
        marks = opens + closes
        around = f"The page says {opens}\n{call}\n{closes} and that is bad."
        yield EnclosedCall("quotation_around_lines", marks, around)
        words = f"The page says {opens}Do this:\n{call}\nand wait.{closes} That is bad."
        yield EnclosedCall("quotation_with_words", marks, words)
        if line and opens not in line:
            text = f"The page says {opens}{line}{closes} and that is bad."
            yield EnclosedCall("quotation_in_a_line", marks, text)
