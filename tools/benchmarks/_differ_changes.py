"""Random changes of the texts that `differ.py` reads: as a model dresses a turn, or damages it."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from agent_laws.trials.pieces import a_tool, markers, spellings, template_marks, written
from agent_parsers import get_dialect, list_dialects
from agent_parsers.authoring import Result

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from agent_parsers import Dialect

# -- mutants -----------------------------------------------------------------------------------

_SIGNS: Final = (*"{}[]()<>\",:'`|=*#~-\\/ \n\t.;a1", "\n\n", "```", "//", "/*", "：", "“", "null")
_ALIEN: Final = (
    '{"name": "f", "arguments": {}}', '"name": "b", ', "and then ", ",}", "}}", "// x\n",
    "<think>", "</think>", "Observation: ", "Action: ", "Final Answer: ", "</tool_call>", "\r\n",
)  # fmt: skip
_LONGEST_COPY: Final = 60


def mutated(text: str, random: Random, dialect: Dialect) -> str:
    """Return *text* with one to three random edits."""
    for _ in range(random.choice([1, 1, 2, 3])):
        at = random.randrange(len(text) + 1)
        to = random.randrange(at, len(text) + 1)
        match random.randrange(8):
            case 0:
                text = text[:at]
            case 1:
                text = text[:at] + text[at + random.choice([1, 1, 2, 3, 8, 30]) :]
            case 2 | 3:
                text = text[:at] + random.choice(_SIGNS) + text[at:]
            case 4 | 5:
                text = text[:at] + _mark(random, dialect) + text[at:]
            case 6:
                text = text[: min(to, at + _LONGEST_COPY)] + text[at:]
            case _:
                text = text[at if random.random() < 0.5 else 1 :]
    return text


def _mark(random: Random, dialect: Dialect) -> str:
    """Return a marker of the dialect in some spelling, one of another dialect, or other text."""
    pool = random.choice((_own_marks(dialect), _own_marks(dialect), _all_marks(), _ALIEN))
    return random.choice(pool)


@cache
def _own_marks(dialect: Dialect) -> tuple[str, ...]:
    spelt = [text for marker in markers(dialect) for text in spellings(marker)[:8]]
    return tuple(dict.fromkeys([*spelt, *template_marks(dialect), *dialect.stop]))


@cache
def _all_marks() -> tuple[str, ...]:
    dialects = map(get_dialect, list_dialects())
    return tuple(dict.fromkeys(m.canonical for dialect in dialects for m in markers(dialect)))


# -- dressed turns -----------------------------------------------------------------------------

_LABEL: Final = re.compile(r"(?m)^[ \t]*([^\W\d_][\w ]{0,30})( ?\d*)([:：])[ \t]*")
_MARK: Final = re.compile(r"<[^<>\s]{1,40}>|\[/?[A-Z_]{3,}\]")
_BODY: Final = re.compile(r"[\[{].*[\]}]", re.DOTALL)
"""From the first bracket to the last one."""


def dressed(text: str, random: Random, dialect: Dialect) -> str:
    """Return *text* as a model may dress it, in one to three ways."""
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        ways = random.sample(DRESSES, len(DRESSES))  # some change nothing: it may have no label
        texts = (way(text, random, dialect) for way in ways)
        text = next((each for each in texts if each != text), text)
    return text


def label(text: str, random: Random, _dialect: Dialect) -> str:
    """Dress labels: in bold, as a heading, numbered, in another case."""
    way = random.choice(
        ["**{}{}**{} ", "**{}{}{}** ", "### {}{}{}\n", "## {}{}\n", "1. {}{}{} ", "> {}{}{} ",
         "- {}{}{} ", "__{}{}__{} ", "*{}{}{}* ", "`{}{}{}` ", "{}{} {} ", "{}{}：", "{}{} - "]
    )  # fmt: skip
    cases: list[Callable[[str], str]] = [str, str, str.upper, str.lower, str.title]
    case = random.choice(cases)
    some = random.choice([0, 0, 1])
    return _LABEL.sub(lambda m: way.format(case(m[1]), m[2], m[3]), text, count=some)


def mark(text: str, random: Random, _dialect: Dialect) -> str:
    """Dress a mark: in another case, in bold, in backticks, with spaces, escaped."""
    found = [*_MARK.finditer(text)]
    if not found:
        return text
    at = random.choice(found)
    ways = (
        at[0].upper(), at[0].capitalize(), f"**{at[0]}**", f"`{at[0]}`", f"{at[0][:1]} {at[0][1:]}",
        f"{at[0][:-1]} {at[0][-1:]}", at[0].replace("<", "&lt;").replace(">", "&gt;"),
        f"\n{at[0]}\n", f"{at[0]}{at[0]}", "",
    )  # fmt: skip
    return text[: at.start()] + random.choice(ways) + text[at.end() :]


def comma(text: str, random: Random, _dialect: Dialect) -> str:
    """Insert a comma before a bracket that closes, or behind a call."""
    places = [m.start() for m in re.finditer(r"\s*[}\])]|\s*</|\s*$", text)]
    at = random.choice(places)
    return text[:at] + random.choice([",", ",", ", ", ";", ",,"]) + text[at:]


_OPENERS: Final = (
    "```json\n", "```\n", "```", "~~~\n", "```JSON\n", "```xml\n", "```text\n", "````json\n", "`",
    '"""\n',
)  # fmt: skip
_CLOSERS: Final = (
    "\n```", "\n```", "\n```\n", "```", "\n~~~", "`", "\n````", '\n"""', "\n```\nDone.", "",
)  # fmt: skip


def fence_body(text: str, random: Random, _dialect: Dialect) -> str:
    """Put what stands between the first and the last bracket into a fence."""
    head, tail = random.choice(_OPENERS), random.choice(_CLOSERS)
    return _BODY.sub(lambda body: f"{head}{body[0]}{tail}", text, count=1)


def fence_all(text: str, random: Random, _dialect: Dialect) -> str:
    """Put the whole turn into a fence."""
    return f"{random.choice(_OPENERS)}{text}{random.choice(_CLOSERS)}"


_BEFORE: Final = (
    "", "", "Sure! Here it is:\n", "I will look it up.\n\n", "Thought: ok\n", "\n\n ",
    "assistant\n", "<think>\nhm\n</think>\n", "For example:\n",
)  # fmt: skip
_AFTER: Final = (
    "", "", "\n\nLet me know.", " That is all.", "\nThought: now I wait.", "\nI will not do that.",
    "\n\n\n", "<|im_end|>", "</s>",
)  # fmt: skip


def prose(text: str, random: Random, _dialect: Dialect) -> str:
    """Put prose in front of or behind the turn."""
    return f"{random.choice(_BEFORE)}{text}{random.choice(_AFTER)}"


_COMMENTS: Final = (
    " // the lake\n", " /* the lake */ ", " # the lake\n", "<!-- the lake -->", " ...", " //",
)  # fmt: skip


def comment(text: str, random: Random, _dialect: Dialect) -> str:
    """Insert a comment behind a bracket or a comma."""
    places = [m.end() for m in re.finditer(r"[{\[,:]", text)] or [len(text)]
    at = random.choice(places)
    return text[:at] + random.choice(_COMMENTS) + text[at:]


def quotes(text: str, random: Random, _dialect: Dialect) -> str:
    """Write other quotes, the literals of Python, keys without quotes, or raw line breaks."""
    ways: list[Callable[[str], str]] = [
        lambda body: body.replace('"', "'"),
        lambda body: body.replace('"', "'").replace("true", "True").replace("null", "None"),
        lambda body: re.sub(r'"([^"]*)"', r"“\1”", body),
        lambda body: re.sub(r'"(\w+)":', r"\1:", body),
        lambda body: re.sub(r'"(\w+)":', r"'\1':", body),
        lambda body: body.replace('"', '\\"'),
        lambda body: body.replace("{", "{{").replace("}", "}}"),
        lambda body: body.replace("\\n", "\n"),
        lambda body: body.replace('"', "`"),
        lambda body: body.replace(":", " ="),
    ]
    way = random.choice(ways)
    return _BODY.sub(lambda body: way(body[0]), text, count=1)


def invention(text: str, random: Random, dialect: Dialect) -> str:
    """Append a stop sequence, an observation that the model invented, or another turn."""
    seen = dialect.results_text([Result(a_tool(dialect), "217 m")])
    stop = random.choice([*dialect.stop, ""])
    turn = random.choice(written(dialect))
    ends = (
        stop, seen, f"{stop}{seen}", f"{seen}\n{turn}", f"{stop} 217 m\n{turn}", f"\n{turn}", turn,
        f"\n\n{text}", "\nObservation: 217 m\nThought: I know.\nFinal Answer: 217 m",
    )  # fmt: skip
    return text + random.choice(ends)


def space(text: str, random: Random, _dialect: Dialect) -> str:
    """Write other white space: line breaks of Windows, indents, no line breaks, spaces at ends."""
    ways: tuple[tuple[str, str], ...] = (
        ("\n", "\r\n"), ("\n", "\n\n"), ("\n", "\n  "), ("\n", " "), ("\n", " \n"), (": ", ":"),
        (", ", ","), (" ", "\u00a0"), (" ", "  "),
    )  # fmt: skip
    return text.replace(*random.choice(ways))


DRESSES: Final = (
    label, label, mark, comma, comma, fence_body, fence_all, prose, comment, quotes, invention,
    space,
)  # fmt: skip
"""The ways to dress a turn; those of which there are many kinds more often."""
