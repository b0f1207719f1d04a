"""What programs print around runs: rulers, titles, counters, time stamps, lines of loggers.

::

    ======== RUN 2 (seed: 7) ========       a ruler with a title: certain
    [2/10] next question                    a counter: certain
    INFO:httpx:HTTP Request: POST …         a line of a known logger: certain
    Score: 1.0                              a key with its value: an answer may end in one, too
    ## Sources                              a title: likewise
"""

from __future__ import annotations

import re
from typing import Final

_DRAWN: Final = "\u2010-\u2015\u2500-\u259f\u2e3a\u2e3b\u25a0-\u25ff\u2022\u2043\u00b7\u2219"
_MARKS: Final = rf"=*_~+#<>.:/\\^%&@|{_DRAWN}-"
_RULER: Final = re.compile(rf"[{_MARKS}]*|<hr ?/?>", re.IGNORECASE).fullmatch
_EMOJI: Final = re.compile(
    r"[\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u2600-\u27bf\u2b00-\u2bff\u3030\u303d"
    r"\U0001f000-\U0001faff\ufe0f\u200d\u20e3]+"
).match
_SIDE: Final = rf"(?:[=<>+~{_DRAWN}-]{{2,}}|[*_#~]{{3,}}[ ]|[*_#~]{{8,}})"
_TITLED: Final = re.compile(
    rf"{_SIDE}[ ]*+(?=[^\s{_DRAWN}=-]).{{0,200}}?"
    rf"(?:[=<>+~{_DRAWN}-]{{2,}}|[ ][*_#~]{{3,}}|[*_#~]{{8,}})"
).fullmatch
_HALF_TITLED: Final = re.compile(rf"[=_~{_DRAWN}-]{{3,}}[ ]*+[^\s|].{{0,100}}").fullmatch
_PROGRAM_RULER: Final = 8
"""How long a ruler is that only a program writes; people and models write three to five marks."""

_COUNTED: Final = (
    "run|example|question|task|episode|trial|test(?:[ _-]?case)?|sample|query|problem|iteration"
    "|iter|round|step|attempt|instance|prompt|conversation|dialogue|dialog|session|experiment|epoch"
    "|batch|seed|idx|index|scenario|puzzle|turn"
)
_STATE: Final = (
    "start(?:s|ed|ing)?|begin(?:s|ning)?|end(?:s|ed|ing)?|finish(?:ed|ing)?|complete(?:d)?|done"
    "|over|next|processing|running|now"
)
_COUNTER: Final = re.compile(
    rf"(?:(?:{_STATE})(?: of)?[ :]+)?(?:{_COUNTED})[ _-]?(?:id|idx|no\.?|number|nr\.?)?"
    rf"[^\w\n]{{0,3}}\d+(?:[ ]?(?:/|of|out of)[ ]?\d+)?(?:[ ]\([^()\n]{{0,60}}\))?"
    rf"(?:[ :-]+(?:{_STATE}))?"
    r"|#[ ]?\d+",
    re.IGNORECASE,
).fullmatch
_BRACKETED: Final = re.compile(
    r"[\[(][ ]?\d+[ ]?(?:/|of)[ ]?\d+[ ]?[\])].{0,120}|\(\d{1,4}\)|\[\d{1,4}\]"
).fullmatch
_decoration: Final = re.compile(rf"[ \t\[\]()!?,;{_MARKS}]").match
_DECORATION: Final = "".join(filter(_decoration, map(chr, range(0x3000))))
_LONGEST: Final = 500
"""How long a line between runs may be, rulers aside: a longer one is text."""
_LONGEST_LOGGED: Final = 2_000
"""How much of a line is looked at, to see whether a logger wrote it."""
DAY: Final = (
    r"(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.](?:\d\d?|[A-Z][a-z]{2})[-/.]\d{2,4}"
    r"|(?:[A-Z][a-z]{2},? )?(?:[A-Z][a-z]{2} [ \d]?\d|\d\d? [A-Z][a-z]{2})(?:,? \d{4})?)"
)
_CLOCK: Final = (
    r"\d\d?:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?: ?(?:[AP]M|(?:Z|UTC|GMT)?(?:[+-]\d\d:?\d\d)?))?"
)
_TIME: Final = re.compile(
    rf"(?:(?:time(?:stamp)?|date|started|finished)(?: at)?[ ]?[:=][ ]?)?"
    rf"(?:[\[(]?{DAY}[T ,:]{{1,2}}{_CLOCK}(?: \d{{4}})?[\])]?|[\[(]{_CLOCK}[\])])",
    re.IGNORECASE,
).fullmatch
_LEVEL: Final = r"(?:TRACE|DEBUG|INFO|NOTICE|SUCCESS|WARN(?:ING)?|ERROR|CRITICAL|FATAL)"
_STAMPED: Final = re.compile(
    rf"[\[(]?{DAY}[T ,:]{{1,2}}{_CLOCK}[\])]?[ |:-]+(?:[\[(]?{_LEVEL}\b|[\w.]+[ |:-]+{_LEVEL}\b)"
    rf"|[\[(]?{_LEVEL}[\])]?[ |:-]+[\[(]?{DAY}[T ,:]{{1,2}}{_CLOCK}"
    rf"|{_LEVEL}:[A-Za-z_][\w.-]*:"
).match
"""Matches a line of a logger: one behind a time and a level, or in logging's own form."""
_LOGGERS: Final = (
    "httpx|httpcore|openai|anthropic|urllib3|requests|aiohttp|botocore|boto3|langsmith|langchain"
    "|litellm|LiteLLM|backoff|tenacity|asyncio|google_genai|chromadb|faiss|sentence_transformers"
    "|transformers|huggingface_hub|uvicorn|werkzeug|autogen_core|llama_index|primp"
)
_KNOWN: Final = re.compile(
    rf"[ \t]*(?:.{{0,80}}?\b{_LEVEL}[\])]?[ \t|:-]+\[?(?:{_LOGGERS})(?:\.[\w.]+)?(?::\d+)?\]?"
    rf"[ \t]*[:|-]+[ \t]*\S"
    rf"|.{{0,80}}?\b(?:{_LOGGERS})(?:\.[\w.]+)?\]?[ \t|:-]+\[?{_LEVEL}[\])]?[ \t|:-]+\S"
    rf"|(?:.{{0,80}}?\b{_LEVEL}\b.{{0,60}}?)?(?:"
    r"HTTP Request: [A-Z]+ \S+ \"HTTP/[\d.]+ \d{3}"
    r"|Retrying request to \S+ in [\d.]+ seconds"
    r"|[\d.]+:\d+ - \"[A-Z]+ \S+ HTTP/[\d.]+\" \d{3}))"
    r"|.{0,60}?\d{1,3}%\|[^|\n]{0,200}\|[ ]*[\d.]+\w?/[\d.?]+\w?[ ]\["
).match
_HALT: Final = re.compile(
    r"(?:the )?(?:agent|run|loop|chain)?[ ]?(?:(?:was |has )?(?:stopped|halted|ended)(?: early)?"
    r"(?: due to)?[ :]*)?(?:the )?(?:max(?:imum)?|limit)[ _](?:number of )?"
    r"(?:iterations?|steps?|turns?|time|calls?)(?: limit)?(?: or time limit)?"
    r"(?: (?:was |were |has been |have been )?(?:reached|exceeded|hit))?[.!]?"
    r"|agent stopped due to (?:iteration limit or time limit|max iterations)\.?",
    re.IGNORECASE,
).fullmatch
_LABELLED: Final = re.compile(
    r"\b(?:question|thought|action|action input|observation|answer)[ \t\d]{0,9}[:：]", re.IGNORECASE
).search
_ROLES: Final = re.compile(
    r"(?:from|to|cc|subject|reply-to|content|accept|host|user|human|assistant|ai|agent|tool|system"
    r"|q|obs|observe|observation|result|output|answer|final|response|customer|bot|function)\b",
    re.IGNORECASE,
).match
_KEY: Final = re.compile(r"[^\W\d_][\w .()/@#%&'-]{0,40}?[ \t]*[:=：][ \t]*\S.{0,300}").fullmatch
_TITLE: Final = re.compile(
    r"#{1,6}[ \t]+\S.{0,100}|\*\*[^*\n]{1,80}\*\*:?|[^.!?:\n]{1,60}:|\[[^\]\n]{1,60}\].{0,100}"
    r"|[>$][ \t>]*\S.{0,100}|[A-Z][A-Z \d_-]{2,60}[.!]?|[-+\d][\d.,eE%+ \t-]*"
    rf"|{_LEVEL}[ ]?[|:-]+[ ].{{0,200}}|[=-]{{1,2}}>[ ].{{0,100}}|[Nn]ext[.!]?"
    r"|\{.{2,}\}|(?:next|end of|new|start of) (?:the )?\w+[.!]?"
    r"|\w+ (?:finished|done|started)[.!]?",
).fullmatch
_MEASURED: Final = re.compile(
    r"[ \t]*\{?['\"]?(?:(?:final[ _]|total[ _]|avg[ _]|mean[ _])?"
    r"(?:score|reward|em|f1|acc(?:uracy)?|correct|is[ _]correct"
    r"|success|passed|elapsed|duration|latency|time|runtime|cost|tokens|steps"
    r"|usage|seed|status)(?:[ _](?:taken|used|elapsed|s|sec|ms|usd))?"
    r"|(?:correct|gold|true|expected|reference|target|ground[ _]truth)[ _]?(?:answer|label)?"
    r"|gold|ground[ _]truth|gt)['\"]?[ \t]*[:=]",
    re.IGNORECASE,
).match


def is_ruler(text: str) -> bool:
    """Return whether *text*, a line, consists of marks only, none of them from a table or code."""
    bare = "".join(text.split())
    if len(bare) < 3:
        return False
    if _RULER(bare):
        dots = bare.strip(".")
        return (bool(dots) or len(bare) >= 5) and not (bare[0] == "|" and bare.strip("|"))
    found = _EMOJI(bare)
    return found is not None and found.end() == len(bare) and len(set(bare)) <= 4


def is_program_ruler(text: str) -> bool:
    """Return whether *text* is a ruler so long that only a program writes it."""
    return len(text) >= _PROGRAM_RULER and is_ruler(text)


LOGGED: Final = "found a line of a logger"
"""The message of the notice about a line of a logger."""


def is_logged(line: str) -> bool:
    """Return whether *line* was written by a known logger, or is a progress bar."""
    may_be = (
        "INFO" in line
        or "HTTP/" in line
        or "%|" in line
        or "WARN" in line
        or "DEBUG" in line
        or "ERROR" in line
        or "Retrying" in line
        or "CRITICAL" in line
        or "NOTICE" in line
    )  # few lines have to be matched
    return may_be and _KNOWN(line[:_LONGEST_LOGGED]) is not None


may_be_certain: Final = re.compile(
    rf"\s*(?:[^a-zA-Z\s]|(?:{_STATE}|{_COUNTED}|{_LEVEL}|time|date|agent|the|run|loop|chain|max"
    r"|limit|stopped|halted|ended|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep"
    r"|oct|nov|dec|retrying|http|httpx|was|has)\w*\b)",
    re.IGNORECASE,
).match
"""Matches a line that begins like one that `is_certain` accepts, as few other lines do."""


def is_certain(line: str) -> bool:
    """Return whether *line*, at the end of a value, certainly does not belong to it."""
    text = line.strip()
    if is_ruler(text) or is_logged(text):
        return True
    if len(text) > _LONGEST:
        return _STAMPED(text[:_LONGEST]) is not None and not _LABELLED(text)
    if _TIME(text) or _BRACKETED(text) or _HALT(text):
        return True
    if _STAMPED(text):
        return not _LABELLED(text)
    inner = text.strip(_DECORATION)
    if _TITLED(text) or _HALF_TITLED(text):
        return not _ROLES(inner)
    if (emoji := _EMOJI(inner)) is not None:
        inner = inner[emoji.end() :].strip()
    return _COUNTER(inner) is not None and not text.startswith(("- ", "* ", "+ "))


def is_doubtful(line: str) -> bool:
    """Return whether *line* may be between two runs, but also at the end of an answer."""
    text = line.strip()
    if len(text) > _LONGEST:
        return text[0] == "{" and text[-1] == "}" and len(text) <= 2 * _LONGEST
    return bool(_KEY(text) or _TITLE(text) or (_EMOJI(text) and len(text) <= 100))


def is_measured(line: str) -> bool:
    """Return whether *line* says how a run was judged or measured, as ``Score: 1.0`` does."""
    return _MEASURED(line.lstrip()[:_LONGEST]) is not None


_PRINTED: Final = re.compile(
    rf"\[{_LEVEL}\][ ]?\S|{_LEVEL}[: ][ ]?\S|[$#%][ ]+\S|>>>[ ]\S|In \[\d+\]:"
    r"|[\w.-]{1,60}@[\w.-]{1,60}:[^$#%\n]{0,200}[$#%][ ]|PS [A-Z]:\\[^>\n]{0,200}>"
    r"|\S{1,200}\.py:\d+: \w*Warning:|[\u2713\u2714\u2717\u2718\u2705\u274c\u26a0]"
).match


_HINT: Final = re.compile(
    r"(?![-*+•] \d)[^\w\s]{0,3}[ ]?(?:N(?:o|r)\.?[ ]?|Q)?\d{1,6}(?:[ ]?(?:/|of)[ ]?\d{1,6})?"
    r"[ ]?[^\w\s]{0,3}"
    r"|(?:[-=~]{1,3}>|>{2,4}|[→⇒➜➡▶»])[ ]?\S.{0,60}"
    r"|[^\w\s]{0,3}[ ]?(?:(?:and|now|on|to|the)[ ]){0,4}next(?: \w{1,12})?[ ]?[^\w\s]{0,3}",
    re.IGNORECASE,
).fullmatch


def is_hint(line: str) -> bool:
    """Return whether *line* may announce another run: a number alone, an arrow, or "next"."""
    return _HINT(line.strip()) is not None


_CHAINED: Final = (
    "The above exception was the direct cause",
    "During handling of the above exception",
)


def is_printed(line: str) -> bool:
    """Return whether *line* is a shell prompt, a warning or the like, which ends no answer."""
    return _PRINTED(line) is not None or is_traceback(line)


def is_traceback(line: str) -> bool:
    """Return whether *line* begins a Python traceback, at the left edge."""
    return line.startswith("Traceback (most recent call last):")


class Tracebacks:
    """Tells, line by line, which lines belong to a traceback, or join it to the next one."""

    def __init__(self) -> None:
        self._is_inside = False
        self._has_ended = False  # and nothing but such a link and empty lines has followed

    def has(self, line: str) -> bool:
        """Return whether *line*, the next one, belongs to a traceback."""
        if is_traceback(line):
            self._is_inside = True
            return True
        if self._is_inside:
            self._is_inside = not line[:1].strip()  # its last line begins at the left edge
            self._has_ended = not self._is_inside
            return True
        if line.strip():
            self._has_ended = self._has_ended and line.startswith(_CHAINED)
        return self._has_ended and bool(line.strip())


_HEADED: Final = re.compile(rf"\[{_LEVEL}\][ ]?\S|{_LEVEL}[: ]|[$#%][ ]+\S", re.IGNORECASE).match


def is_header(line: str) -> bool:
    """Return whether *line* may be part of the header that a program prints at the top of a log."""
    text = line.strip()
    if _LABELLED(text):
        return False
    if is_certain(text) or _HEADED(text):
        return True
    return _KEY(text) is not None and _ROLES(text) is None


_KEY_OF: Final = re.compile(r"[^\W\d_][^:=：\n]{0,40}[:=：](?=\s)").match
_DIGITS: Final = re.compile(r"\d+").sub


def shape_of(line: str) -> str:
    """Return the shape of a line, which lines share that differ only in numbers or in a value."""
    text = line.strip()
    key = _KEY_OF(text)
    return _DIGITS("0", key[0] if key else text)
