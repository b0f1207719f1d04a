"""The marks of quotations: what opens one and what closes it, in any markup and any script.

These are rules and no list. An element or a bracket is closed by its own name with a slash, or with
"end" in the place of "begin"; case and white space do not count. A comment is closed by what opens
it, read backwards. A quotation mark is closed by one of its kind. What a mark may be closed by is
its key.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.reading.quoting.watch import TRIPLE

if TYPE_CHECKING:
    from re import Match

HOLE: Final = "\x1c"
"""Stands for each character of a call. It is white space, but neither a blank nor a line break."""
_KINDS: Final = (
    '"“”„‟＂〝〞〟', "'‘’‚‛＇", "«»", "‹›", "「」", "『』", "《》", "〈〉", "｢｣", "﹁﹂", "﹃﹄",
)  # fmt: skip
"""The quotation marks of all scripts, by kind."""
_KIND: Final = {mark: kind[0] for kind in _KINDS for mark in kind} | {"`": "`"}
_QUOTES: Final = "".join(_KINDS)
_EITHER: Final = frozenset("\"'＂＇’”»›")
"""Quotation marks that open none behind a letter: some languages close with them."""
_BRACKETS: Final = "<>\\[\\]【】◁▷{}"
_SIGNS: Final = r"!#%*|@?~"
_RUN: Final = "{1,8}+"
"""How many signs a mark has; a run without end would be looked through from each of its signs."""
_COMMENTS: Final = (
    rf"<!\[CDATA\[|[{{(\[]{{1,2}}[{_SIGNS}-]{_RUN}|<[{_SIGNS}](?>(?:[{_SIGNS}-]{_RUN})?)|/\*{_RUN}|@\*"
    rf"|\#\||-{{2,8}}\[\[|\]\]>|[{_SIGNS}-]{_RUN}(?:[}})\]]{{1,2}}|>)|\*{_RUN}/|\*@|\|\#|\]\]"
)
MARKS: Final = re.compile(
    r"(?P<line>\n)|^[ \t>]*+(?P<fence>`{3}`*+|~{3}~*+)|(?P<ticks>`++)|(?P<strike>~~(?!~))"
    rf"|(?P<triple>{'|'.join(TRIPLE)})|(?P<quote>[{_QUOTES}])"
    rf"|(?P<tag>(?:\\(?:begin|end))?[<\[【◁{{][^{_BRACKETS}{HOLE}]{{1,200}}+[>\]】▷}}])"
    rf"|(?P<comment>{_COMMENTS})",
    re.MULTILINE,
)
"""Finds what may open or close a quotation, and line breaks, which close backticks."""
may_quote: Final = re.compile(rf"[`~<\[【◁{{*{_QUOTES}#-]").search
"""Finds a character of a mark."""
may_close: Final = re.compile(rf"[`~>\])}}】▷*/@#|{_QUOTES}]").search
"""Finds a character without which no mark closes."""
_TAG: Final = re.compile(
    r"(?P<end>\\end)?(?:\\begin)?(?P<kind>.)[\s|｜%!?]*+(?P<slash>/?)[\s|｜]*+"
    r"(?P<name>[^\W\d](?:[\w.:|｜▁-]*[^\W_])?)"
).match
_BEGINS: Final = frozenset(("begin", "start", "open", "prefix"))
_ENDS: Final = frozenset(("end", "stop", "close", "suffix"))
_PARTS: Final = re.compile(r"[^\W_▁]+").findall
_NUMBERED: Final = re.compile(r"(unused)(\d+)").fullmatch
_MIRROR: Final = str.maketrans("<>()[]{}", "><)(][}{", "!")


_THOUGHT: Final = re.compile(
    r"[<\[【◁{|][^<>\[\]【】◁▷{}\n\"',]{0,40}(?i:think|thought|reason|reflect|scratch|monolog|analys|cot\b"
    r"|rational|deliberat|inner)"
).search


def speaks_of_thoughts(text: str) -> bool:
    """Return whether *text* may have a mark of a thought, of any family of models."""
    # to look for one character takes a tenth of the time that it takes to look for several
    is_plain = not ("<" in text or "[" in text or "{" in text or "|" in text)
    if is_plain and (text.isascii() or not ("【" in text or "◁" in text)):
        return False
    return _THOUGHT(text) is not None


def tag_keys(tag: str) -> tuple[str, str]:
    """Return what a *tag* may open and what it may close; empty if it does not."""
    found = _TAG(tag)
    if found is None or tag[-2] == "/":
        return "", ""
    name, kind = found["name"].casefold(), found["kind"]
    if (numbered := _NUMBERED(name)) is not None:
        key = f"{kind}{numbered[1]}{int(numbered[2]) // 2}"
        return ("", key) if int(numbered[2]) % 2 else (key, "")
    if "%" in tag and name.startswith("end"):  # {% endname %}
        return "", kind + name[3:]
    parts = _PARTS(name)
    own = kind + " ".join([part for part in parts if part not in _BEGINS] or parts)
    if found["slash"] or found["end"]:
        return "", own
    others = [part for part in parts if part not in _ENDS]
    return own, kind + " ".join(others) if 0 < len(others) < len(parts) else ""


def name_of(tag: str) -> str:
    """Return the name in a *tag* as it is written; empty if it has none."""
    found = _TAG(tag)
    return "" if found is None else found["name"]


def comment_keys(mark: str) -> tuple[str, str]:
    """Return what the *mark* of a comment may open and what it may close."""
    if mark == "<![CDATA[":
        return "]]>", ""
    return mark.lstrip("-").translate(_MIRROR)[::-1], mark


def quote_keys(text: str, found: Match[str]) -> tuple[str, str]:
    """Return the kind of a quotation mark that was *found* in *text*: to open, and to close.

    A mark between letters is an apostrophe, and one behind a digit a unit.
    """
    mark = found[0]
    kind = _KIND[mark]
    before, after = text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
    is_behind, is_before = _is_letter(before), _is_letter(after)
    if before.isdigit() or (is_behind and is_before and mark in "'’\"＂＇"):
        return "", ""
    opens = "" if is_behind and mark in _EITHER else kind
    return opens, "" if is_before and mark in "\"'＂＇" else kind


def _is_letter(sign: str) -> bool:
    """Return whether a *sign* is a letter or a digit of a script that has spaces between words."""
    return sign.isalnum() and sign < "\u2e80"


def is_quote(sign: str) -> bool:
    """Return whether a *sign* is a quotation mark or a backtick."""
    return sign in _KIND


def is_pair(before: str, after: str) -> bool:
    """Return whether the character *before* a call and that *after* it are one kind of quotes."""
    return before != "" and _KIND.get(before, "") == _KIND.get(after, " ")
