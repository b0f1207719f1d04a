"""The marks of quotations: what opens one and what closes it, in any markup and any script.

These are rules and no list. An element or a bracket is closed by its own name with a slash, or with
"end" in the place of "begin"; case, white space and characters that nobody sees do not count. A
comment is closed by what opens it, read backwards. A quotation mark is closed by one of its kind. A
ruler, which is a line of signs, with or without words, is closed by the next one of the same sign.
A line that begins with "begin" is closed by one that begins with "end". What a mark may be closed
by is its key.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Final
from unicodedata import normalize

from agent_parsers.engine.reading.quoting.watch import TRIPLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from re import Match

    from agent_parsers.events import Span

HOLE: Final = "\x1c"
"""Stands for each character of a call. It is white space, but neither a blank nor a line break."""
_KINDS: Final = (
    '"“”„‟＂〝〞〟″', "'‘’‚‛＇´", "«»", "‹›", "「」", "『』", "《》", "〈〉", "｢｣", "﹁﹂", "﹃﹄",
    "❝❞",
)  # fmt: skip
"""The quotation marks of all scripts, by kind."""
_KIND: Final = {mark: kind[0] for kind in _KINDS for mark in kind} | {"`": "`"}
_QUOTES: Final = "".join(_KINDS)
_ENTITY: Final = "&(?:quot|apos|[lr](?:[ds]|a)quo|#3[49]);"
_EITHER: Final = frozenset("\"'＂＇’”»›")
"""Quotation marks that open none behind a letter: some languages close with them."""
_BRACKETS: Final = (
    "<>", "[]", "【】", "◁▷", "{}", "＜＞", "⟨⟩", "〔〕", "［］", "｛｝", "⟦⟧", "⟪⟫", "〖〗",
    "〘〙", "〚〛", "❨❩", "❪❫", "❲❳", "❴❵", "❮❯", "﹛﹜", "﹝﹞", "⦅⦆",
)  # fmt: skip
"""The brackets of tags, in any script."""
_OPENS: Final = re.escape("".join(pair[0] for pair in _BRACKETS))
_CLOSES: Final = re.escape("".join(pair[1] for pair in _BRACKETS))
_SLASH: Final = r"[/\\／⁄∕]{1,2}+"
"""What closes a tag: a slash, one that leans the other way, or both, as JSON escapes one."""
_SIGNS: Final = r"!#%*|@?~"
_RUN: Final = "{1,8}+"
"""How many signs a mark has; a run without end would be looked through from each of its signs."""
_COMMENTS: Final = (
    rf"<!\[CDATA\[|[{{(\[]{{1,2}}[{_SIGNS}-]{_RUN}|<[{_SIGNS}](?>(?:[{_SIGNS}-]{_RUN})?)|/\*{_RUN}|@\*"
    rf"|\#\||-{{2,8}}\[\[|\]\]>|[{_SIGNS}-]{_RUN}(?:[}})\]]{{1,2}}|>)|\*{_RUN}/|\*@|\|\#|\]\]"
)
_PAIRED: Final = ("()", "（）", "﹙﹚", "﴾﴿", "⁅⁆", "⸢⸣", "⸨⸩", "⦃⦄", *_BRACKETS[1:])
_PARENS: Final = re.escape("".join(_PAIRED))
_TAGS: Final = "|".join(
    f"{'<(?!!)' if opens == '<' else re.escape(opens)}"
    f"[^{re.escape(opens + closes)}{HOLE}]{{1,400}}+{re.escape(closes)}"
    for opens, closes in _BRACKETS
)
_NAMED_LINE: Final = (
    r"[^\n\x1c]{0,30}(?<![^\W_])(?i:begin|start|open|end|stop|close)[a-z]{0,4}(?![^\W_])"
    r"[^\n\x1c]{0,60}|\w{1,40}+;?+"
)
"""A line that speaks of a beginning or an end, or of one word, which may end a document."""
_named_line: Final = re.compile(rf"[ \t]*+(?P<named>{_NAMED_LINE})[ \t\r]*+$", re.MULTILINE).match
_ruler: Final = re.compile(
    rf"[^\S\n{HOLE}]*+(?P<ruler>(?:[^\w\s{HOLE}]|_)[^\n{HOLE}]{{1,1999}}+)$", re.MULTILINE
).match
_at_line_start: Final = re.compile(
    r"[ \t>]*+(?P<fence>`{3}`*+|~{3}~*+)|[ \t]*+\w{1,3}[)）](?=[ \t]++\S)"
).match
_sign: Final = re.compile(rf"[\n`~«‹〈《{_PARENS}{_OPENS}{_QUOTES}*|%#$@_=+^&\\/!?-]").search
"""Finds a character that a mark may begin with."""
_at_sign: Final = re.compile(
    rf"(?P<line>\n)|(?P<run>`{{1,2}})(?!`)[^`\n{HOLE}]++(?P=run)(?!`)|(?P<ticks>`++)"
    r"|(?P<tildes>~~~++)|(?P<strike>~~(?!~))"
    r"|(?P<signed>[«‹〈《「]/?\w{1,40}+[»›〉》」]|\(/?\w{1,40}+\)"
    r"|(?P<sign>[*|%#$@_~=+^&-]{1,3})/?\w{1,40}(?P=sign)(?![^\w\s.,:]))"
    rf"|(?P<triple>{'|'.join(TRIPLE)})|(?P<quote>[{_QUOTES}]|{_ENTITY})"
    rf"|(?P<tag>(?:\\(?:begin|end))?(?:{_TAGS}))"
    rf"|(?P<comment>{_COMMENTS})"
    r"|(?P<heredoc><<[~-]?[ \t]?+[\"']?[^\W\d]\w{0,39}+)"
    rf"|(?P<bracket>[{_PARENS}])(?<![:;].)(?<![:;]-.)",
    re.MULTILINE,
).match


def marks_in(text: str) -> Iterator[Match[str]]:
    """Yield the marks in *text* that may open or close a quotation, and line breaks.

    The name of the group that matched is the kind of the mark. Line breaks close backticks. Code on
    a line is left out, and so are the numbers of lists.
    """
    at, begins_line = 0, True
    while True:
        found = None
        if begins_line:
            begins_line = False
            yield from filter(None, (_ruler(text, at), _named_line(text, at)))
            found = _at_line_start(text, at)
        if found is None:
            if (sign := _sign(text, at)) is None:
                return
            at = sign.start()
            if (found := _at_sign(text, at)) is None:
                at += 1
                continue
            begins_line = found.lastgroup == "line"
        if found.lastgroup not in (None, "run"):
            yield found
        at = found.end()


_may_open: Final = re.compile(rf"[`~#*|%$@_=+^&{_PARENS}{_OPENS}{_QUOTES}-]").search
_may_close: Final = re.compile(rf"[`~*/@#&|{_PARENS}{_CLOSES}{_QUOTES}]").search
_may_begin: Final = re.compile(
    r"^[ \t]*+(?:[^\w\s\"'`]|_)|^[^\n]{0,30}(?i:begin|start|open)", re.MULTILINE
).search
_may_end: Final = re.compile(
    r"^[ \t]*+(?:[^\w\s\"'`]|_|\w++[ \t]*+$)|^[^\n]{0,30}(?i:end|stop|close)", re.MULTILINE
).search


def may_quote(text: str, stop: int) -> bool:
    """Return whether a character before offset *stop* in *text* may belong to an opening mark."""
    at = 0
    while (found := _may_open(text, at, stop)) is not None:
        at = found.end()
        before, sign, after = text[at - 2 : at - 1], found[0], text[at : at + 1]
        is_apostrophe = sign in "'’" and before.isalpha() and after.isalpha()
        is_hyphen = sign == "-" and (after == " " or (before.isalpha() and after.isalpha()))
        if not (is_apostrophe or is_hyphen):
            return True
    return False


def may_enclose(text: str, start: int, stop: int) -> bool:
    """Return whether marks in *text* before *start* and from *stop* on may form a pair."""
    if _may_close(text, stop) is not None and may_quote(text, start):
        return True
    if _may_end(text, stop) is None:
        return False
    return may_quote(text, start) or _may_begin(text, 0, start) is not None


_UNSEEN: Final = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_TAG: Final = re.compile(
    r"(?P<end>\\end)?(?:\\begin)?(?P<kind>.)[\s|｜%!?]*+(?P<slash>/?)[\s|｜]*+"
    r"(?P<name>[^\W\d](?:[\w.:|｜▁-]*[^\W_])?|[^\s/>\]}]{1,40})"
).match
_BEGINS: Final = frozenset(("begin", "start", "open", "prefix"))
_ENDS: Final = frozenset(("end", "stop", "close", "suffix"))
_PARTS: Final = re.compile(r"[^\W_▁]+").findall
_LEAD: Final = re.compile(r"^(?:[>#*-][ \t]+(?=([^\w\s])\1)|\*\*(?=[^\w\s*]))").sub
_TAKES: Final = re.compile(
    r"(?:[#%;]|//|--)\W*+\w|[\s\S]*(?:[\w\])]\(|\breturn$|[=,({\[\"'`]$)"
).match
_EDGES: Final = re.compile(
    r"((?>(?:[^\w\s]|_)*))(\s*[^\W_].*?|)((?:[^\w\s]|_|\s)*)", re.DOTALL
).fullmatch
_RUNS: Final = re.compile(r"(--)-+|([!#%*|@?~])\2+").sub
_ARTICLE: Final = re.compile(r"(?<!of )(?<!OF )\b(?:the|an?|my|your|this|it|by|with)[ \t]").search
_NUMBERED: Final = re.compile(r"(unused)(\d+)").fullmatch
_TO_LEFT: Final = str.maketrans({pair[1]: pair[0] for pair in (*_PAIRED, "<>")})
_MIRROR: Final = str.maketrans("<>()[]{}", "><)(][}{", "!")


_OF_THOUGHTS: Final = (
    "think", "thought", "reason", "reflect", "scratch", "monolog", "analys", "rational",
    "deliberat", "inner", "raisonn", "pensée", "razonam", "pensam", "ragion", "gedank", "überleg",
    "рассужд", "мысл", "思考", "思维", "推理",
)  # fmt: skip
"""How the names of thoughts begin."""


def _begun(words: Iterable[str], least: int) -> str:
    """Return a pattern of the beginnings of *words*, of at *least* so many letters."""
    return "|".join(word[:size] for word in words for size in range(len(word), least - 1, -1))


_ENDED: Final = ("ended", "stopped", "closed", "finished", "completed", "done")
_STEMS: Final = rf"(?:{'|'.join(_OF_THOUGHTS)}|cot\b)"
_IN_TAG: Final = rf"[^{_OPENS}{_CLOSES}\n\"',:]"
_THOUGHT: Final = re.compile(rf"[{_OPENS}|][^{_OPENS}{_CLOSES}\n\"',]{{0,40}}(?i:{_STEMS})").search
_CLOSER: Final = (
    rf"[{_OPENS}](?>[ \t|｜]{{0,2}}+{_SLASH}[^{_OPENS}{_CLOSES}\n]{{1,60}}+"
    rf"|(?!\s){_IN_TAG}{{1,60}}+)"
)
_may_be_closer: Final = re.compile(
    rf"[{_OPENS}](?>[ \t|｜]{{0,2}}+{_SLASH}|{_IN_TAG}{{0,40}}(?i:en|st|cl|fi|co|do))"
).search
"""Finds a tag that may close, with a slash, or with the beginning of a word of `_ENDED`."""
_LAST_CLOSER: Final = re.compile(rf"{_CLOSER}(?P<end>[{_CLOSES}]|)\s*+\Z").search
_LINE_CLOSERS: Final = re.compile(rf"^[ \t]*+({_CLOSER}[{_CLOSES}])", re.MULTILINE).finditer
_MOST_CLOSER: Final = 80
"""How many characters at the end of a text are looked at."""
_has_thought: Final = re.compile(_STEMS).search
_HAS_SLASH: Final = rf"\A[^\w\s]{{0,3}}[\s|]*+{_SLASH}"
_END_OF: Final = "(?:end|stop|close)(?:of)?"
_BEGUN: Final = _begun(_OF_THOUGHTS, 3) + "|cot"
_HAS_END: Final = (
    r"(?<![^\W_])(?:(?:end|finish)(?:s|ed|ing)?|stop(?:s|ped|ping)?|(?:close|complete)[sd]?|closing"
    rf"|done)(?![^\W_])|{_END_OF}{_STEMS}|{_STEMS}[a-z]{{0,4}}?(?:end|stop)(?![^\W_])"
)
_has_end: Final = re.compile(rf"{_HAS_SLASH}|{_HAS_END}|{_SLASH}\W{{0,2}}\Z").search
_has_begun_end: Final = re.compile(
    rf"{_HAS_SLASH}|{_HAS_END}|(?<![^\W_])(?:en|{_begun(_ENDED, 3)})\Z|{_END_OF}(?:{_BEGUN})\Z"
).search
_has_begun_thought: Final = re.compile(rf"{_STEMS}|(?<![^\W_])(?:{_END_OF})?(?:{_BEGUN})\Z").search


def may_have_mark(text: str) -> bool:
    """Return whether *text* has what a mark may begin with; `in` is the quickest way to look."""
    return not text.isascii() or "<" in text or "[" in text or "{" in text or "|" in text


def speaks_of_thoughts(text: str) -> bool:
    """Return whether *text* may contain a mark of a thought, of any family of models."""
    seen = text if text.isascii() else _UNSEEN.sub("", text)
    return may_have_mark(seen) and _THOUGHT(seen) is not None


def ends_thought(mark: str, *, is_cut: bool = False) -> bool:
    """Return whether a *mark* ends a thought: by a slash, as in ``</think>``, or by its words.

    It is an element or a line, such as ``[end of thinking]``, and may be cut off (*is_cut*).
    """
    said = normalize("NFKC", _UNSEEN.sub("", mark)).casefold()
    if is_cut:
        return _has_begun_thought(said) is not None and _has_begun_end(said) is not None
    return _has_thought(said) is not None and _has_end(said) is not None


def _is_tag(text: str) -> bool:
    """Return whether the first and the last sign of *text* are a pair of brackets."""
    return text[0] + text[-1] in _BRACKETS


def last_closer(text: str) -> Match[str] | None:
    """Return the tag at the end of *text* that closes a thought; it may be incomplete.

    The group "end" is empty if the tag is incomplete.
    """
    found = _LAST_CLOSER(text, max(0, len(text) - _MOST_CLOSER))
    if found is None or (found["end"] and not _is_tag(found[0].rstrip())):
        return None
    return found if ends_thought(found[0].rstrip(), is_cut=not found["end"]) else None


def unopened_end(text: str) -> Span | None:
    """Return the span of a tag that closes a thought that *text* does not open.

    The tag counts only at the beginning of a line or at the end of the text.
    """
    if not may_have_mark(text) or _may_be_closer(text) is None:
        return None
    whole = (found for found in _LINE_CLOSERS(text) if _is_tag(found[1]))
    tags = (found.span(1) for found in whole if ends_thought(found[1]))
    last = last_closer(text)
    span = next(tags, last and last.span())
    return None if span is None or speaks_of_thoughts(text[: span[0]]) else span


def _tag_keys(tag: str) -> tuple[str, str]:
    """Return what a *tag* may open and what it may close; empty if it does not."""
    tag = _UNSEEN.sub("", tag)
    found = _TAG(tag)
    if found is None or tag[-2] == "/":
        return "", ""
    name, kind = normalize("NFKC", found["name"]).casefold(), found["kind"]
    if (numbered := _NUMBERED(name)) is not None:
        key = f"{kind}{numbered[1]}{int(numbered[2]) // 2}"
        return ("", key) if int(numbered[2]) % 2 else (key, "")
    if "%" in tag and name.startswith("end"):  # {% endname %}
        return "", kind + name[3:]
    parts = _PARTS(name)
    if name in _BEGINS | _ENDS:  # [end of page]
        parts = [part for part in _PARTS(tag.casefold()) if part not in ("of", "the")]
    own = kind + " ".join(part for part in parts if part not in _BEGINS)
    if found["slash"] or found["end"]:
        return "", own
    if kind == "{" and tag == f"{{{found['name']}}}":  # it may be closed by itself
        return own, own
    others = [part for part in parts if part not in _ENDS]
    return own, kind + " ".join(others) if len(others) < len(parts) else ""


def name_of(tag: str) -> str:
    """Return the name in a *tag* as it is written; empty if the tag has no name."""
    found = _TAG(_UNSEEN.sub("", tag))
    return "" if found is None else found["name"]


def _signed_keys(tag: str) -> tuple[str, str]:
    """Return what a *tag* of any signs, such as ``*aside*``, may open and what it may close."""
    key = tag.replace("/", "", 1).casefold()
    return (key, "") if "/" not in tag else ("", key)


def _line_keys(line: str) -> tuple[str, str]:
    """Return what a *line* of words may open and what it may close.

    A sentence, with an article or a full stop, is no mark.
    """
    words = _PARTS(line.casefold())
    begins = {word for word in words if word.removesuffix("s").removesuffix("ning") in _BEGINS}
    ends = {word for word in words if word.removesuffix("s").removesuffix("ing") in _ENDS}
    if bool(begins) is bool(ends):
        return "", f"<<{line.rstrip(';')}"
    is_word = line.isalpha() and line != line.upper()
    is_sentence = line[-1] in ".!?," or (_ARTICLE(line) is not None and line != line.upper())
    if is_word or is_sentence or len(words) > 9:
        return "", ""
    others = [word for word in words if word not in begins | ends and word not in ("of", "the")]
    key = "line " + "".join(others[:1])
    return (key, "") if begins else ("", key)


def _document_keys(opener: str) -> tuple[str, str]:
    """Return what an *opener* such as ``<<EOF`` opens, which is ended by a line of its word."""
    word = opener.strip("<-~ \t\"'")
    return "line " if word.casefold() in _ENDS else f"<<{word}", ""


def bracket_keys(bracket: str) -> tuple[str, str]:
    """Return the kind of quotation that a *bracket* may open, and the kind it may close."""
    key = bracket.translate(_TO_LEFT)
    return (key, "") if bracket == key else ("", key)


def ruler_key(line: str) -> str:
    """Return the kind of quotation that a *line* of signs opens and closes; ``""`` if none.

    Such a line consists of mostly equal signs (``-----``); or of words between two or more of them
    on each side; or of words after three or more.
    """
    found = _EDGES(_LEAD("", line.rstrip()).translate(_TO_LEFT))
    if found is None or found[0].startswith(("<!", "/*")):
        return ""
    lead, said, tail = found.groups()
    signs = lead if said else "".join(found[0].split())
    sign = max(dict.fromkeys(signs), key=signs.count, default="")  # each once: lines may be long
    if not said:
        is_short = len(signs) < 2 and sign not in "$%@&^|="
        is_other = sign in f"{_QUOTES}`~([{{" or ("|" in signs and "-" in signs)
        if is_short or is_other or signs.count(sign) * 2 <= len(signs):
            return ""
    else:
        least = 3 if sign in "*~_.!," else 2
        is_between = min(lead.count(sign), tail.count(sign)) >= least
        is_behind = len(lead) > 2 and (sign in "=:+<-" or (sign in "*_~" and said[0] == " "))
        if not (is_between or is_behind or (lead == "--" and " " not in said)):
            return ""
    return f"ruler {sign}"


def is_between_signs(line: str) -> bool:
    """Return whether a *line* consists of words in brackets or emphasis, such as ``(so far)``."""
    found = _EDGES(line.strip())
    return found is not None and found[1] == found[3][::-1].translate(_MIRROR) != ""


def words_of(line: str) -> str:
    """Return the words in a *line*."""
    return " ".join(_PARTS(line.casefold()))


def comment_keys(mark: str) -> tuple[str, str]:
    """Return the kind of quotation that a comment *mark* may open, and the kind it may close."""
    if mark == "<![CDATA[":
        return "comment ]]>", ""
    mark = _RUNS(r"\1\2", mark)
    return "comment " + mark.lstrip("-").translate(_MIRROR)[::-1], f"comment {mark}"


PAIRS: Final[dict[str, tuple[str, Callable[[str], tuple[str, str]]]]] = {
    "tag": ("an element", _tag_keys),
    "signed": ("an element", _signed_keys),
    "bracket": ("brackets", bracket_keys),
    "named": ("lines", _line_keys),
    "heredoc": ("lines", _document_keys),
}
"""By the kind of a mark: what it opens or closes, and what returns the keys of both."""


def quote_keys(text: str, found: Match[str]) -> tuple[str, str]:
    """Return the kind of quotation that the mark *found* in *text* may open, and may close.

    A mark between letters is an apostrophe. A straight one after a digit is a unit, unless a
    sentence or a line ends there.
    """
    mark = unescape(found[0])
    kind = _KIND[mark]
    is_straight = mark in "'’\"＂＇"
    before, after = text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
    is_behind, is_before = _is_letter(before), _is_letter(after)
    if is_straight and is_behind and (is_before or (before.isdigit() and after == " ")):
        return "", ""
    opens = "" if is_behind and (mark in _EITHER or before.isdigit()) else kind
    return opens, "" if is_before and is_straight else kind


def may_nest(text: str, span: tuple[int, int]) -> bool:
    """Return whether the quotation mark at *span* may open a quotation inside another one.

    It must have a direction, and be before a word and not after one.
    """
    before, mark = text[max(0, span[0] - 1) : span[0]], text[span[0]]
    after = text[span[1] : span[1] + 1]
    is_first = before in ("", "(", "[") or before.isspace()
    return mark not in "'\"＂＇" and is_first and _is_letter(after)


def _is_letter(sign: str) -> bool:
    """Return whether a *sign* is a letter or a digit of a script that has spaces between words."""
    return sign.isalnum() and sign < "\u2e80"


def is_quote(sign: str) -> bool:
    """Return whether the character *sign* is a quotation mark or a backtick."""
    return sign in _KIND


def takes_call(text: str, lead: Span) -> bool:
    """Return whether code or a comment takes the call behind *lead*, as in ``x = f({…})``."""
    ends_line = text[lead[1] : lead[1] + 1] in "\r\n"
    line = "" if ends_line else text[slice(*lead)].rpartition("\n")[2].strip()
    return _TAKES(line) is not None


def is_pair(before: str, after: str) -> bool:
    """Return whether the characters *before* and *after* a call are quotes of the same kind."""
    return before != "" and _KIND.get(before, "") == _KIND.get(after, " ")
