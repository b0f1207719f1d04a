"""How frameworks and models spell what stands around the name of a tool that they call.

Each row is a pattern. A framework that writes calls in another way needs another alternative in one
of them, and hardly ever code.
"""

from __future__ import annotations

import re
from typing import Final

_CALLING: Final = (
    r"(?:act(?:ion)?(?: \d{1,3})?|tool|function|us(?:e|ing)|invok(?:e|ing)|execut(?:e|ing)"
    r"|run(?:ning)?|call(?:ing)?|request(?:ing)?)"
    r"(?:[ _-](?:the|call|tool|function|action|name|to use))*"
)
"""Words that say that what follows is called."""

# -- before a name on its line ---------------------------------------------------------------------

bullet: Final = re.compile(r"[ \t]*(?:[>•-]+[ \t]*|#(?!#)[ \t]*|\*[ \t]+)*").match
leads_to_name: Final = re.compile(
    r"(?:assistant:[ \t]*|\[/?[A-Z_]{3,20}\][ \t]*|<\|\w{1,30}\|?>"
    r"|<\w*(?:_end|tool|call|func|invoke|exec|action|code)\w*>)?[^\w\s\"']{0,4}[ \t]?"
    rf"(?:[\w ]*\bto=|(?:\w{{1,9}}_)?{_CALLING}[^\w\s:=\"']{{0,4}}[ \t]*[:=]?[`*]{{0,3}}[ \t]*)?"
    r"[^\w\s.,;\"']{0,4}[ \t]?(?:print\()?(?:\w+\.)*",
    re.IGNORECASE,
).fullmatch
"""Matches nothing but signs, a role and words for calling."""
says_it_calls: Final = re.compile(
    rf".{{0,200}}\b{_CALLING}:?[ \t]+[`*]{{0,3}}(?:\w+\.)*", re.IGNORECASE
).fullmatch
"""Matches a sentence that calls: ``I will use the``."""
leads_in_code: Final = re.compile(
    r"\s*(?:(?:const|let|var)\s+)?(?:\w+\s*=\s*)?(?:(?:await|return)\s+)?(?:\w+\.)*"
).fullmatch
opens_helper: Final = re.compile(
    r"(?:(?:await\s|return\s|print\()*[\w.]*(?:call|tool|invoke|exec|run|func|action)\w*\(|\[+)\s*"
    r"(?:\w+\s*=\s*)?[\"']?|\"",
    re.IGNORECASE,
).fullmatch
"""Matches code that calls a tool by its name, a list that begins with one, or a key."""
named_by_key: Final = re.compile(r".*\b(\w+)\s*=\s*[\"']").fullmatch
opens_member: Final = re.compile(r"\{[ \t]*(\w+)[ \t]*[:=][ \t]*").fullmatch
opens_mark: Final = re.compile(r"[ \t]*[<\[{|][^\s\w]{0,2}\w{0,20}[^\s\w]{0,3}[ \t]*").fullmatch
is_role: Final = re.compile(r"\s*(?:assistant)?(?:function|tool_call|commentary)").fullmatch
"""Matches what remains before an element when special tokens are left out."""
ends_sentence: Final = re.compile(r"[.!?]\[*\Z").search

# -- between a name and its input ------------------------------------------------------------------

to_object: Final = re.compile(
    r"(?: ?json|\d{6,})?(?::\d{1,4}\b)?\s?(?:<\W[^<>]{1,40}\W>|\[[A-Z_]{3,20}\])?"
    r"[\s*`'\"|>,\]]{0,6}(?:[:=(-]>?|→)?[\s*`✿]{0,6}(?:(?:tool|function)\b[\s:]{0,3})?"
    r"(?:(?:with|using|and)?[ _]?(?:the )?(?:following )?(?:tool|action)?[ _]?"
    r"(?:args?|arguments?|inputs?|parameters?|params)?[\s*`✿]{0,4}[:=]?[\s*`]{0,6})?"
    r"(?:```\w*\s*)?(?=\{)",
    re.IGNORECASE,
).match
to_parenthesis: Final = re.compile(r"(?:\.call)?[ \t]?[(（]").match
to_second: Final = re.compile(r"[\"']?\s*,\s*(?:\w+\s*=\s*)?(?=\{)").match
"""Match what stands before the input, also where it is the second argument of a helper."""
to_value: Final = re.compile(r"\"\s*:\s*(?=\{)").match
to_elements: Final = re.compile(r"\s*<(?:arg|param)\w*[>=\s]").match

# -- behind a call ---------------------------------------------------------------------------------

closes_mark: Final = re.compile(r"\s*[<\[{|][/|]?[^\s\w]{0,2}\w{0,40}[^\s\w]{0,2}[>\]}|]").match
trail: Final = re.compile(r"(?:<\|?/?[\w ]{1,40}\|?>|[ \t]?[.…!;%>}\])]|[ \t]?(?:->|→))*").match

# -- lines with a label, as in YAML ----------------------------------------------------------------

labels_name: Final = re.compile(
    r"[\s>#*`|_-]*([\w ]{2,30}?)[\s*`_]*[:=：][\s`*\"'_]{0,6}(?:\w+\.)*"
).fullmatch
ends_label: Final = re.compile(r"[`*\"'_]{0,3}[ \t]*[,;]?[ \t]*(?:\n|\Z)").match
ends_lines: Final = re.compile(r"\n[ \t]*(?:\n|[`~]{3})").search
pair: Final = re.compile(
    r"[\s>#*`|_\"-]*(?:BEGIN_ARG:\s*(?=[\w.-]+\s*\Z))?([\w .-]{1,40}?)[\s*`_\"]*"
    r"(?:[:=：]|(?<=\w)\Z)"
).match
"""Matches a line with a key, or the key of one of Continue's arguments."""
is_input: Final = re.compile(
    r"(?:with|tool|action|function)?[ _]*(?:args?|arguments?|inputs?|param(?:eter)?s?)",
    re.IGNORECASE,
).fullmatch
is_report: Final = re.compile(
    r".*(?:result|output|found|outcome|status|description|purpose|returns?|example|observation).*",
    re.IGNORECASE,
).fullmatch
"""Matches a key of what was called, or of what describes a tool."""
is_action: Final = re.compile(
    r"(?:next[ _])?action|(?:tool|function)[ _]call", re.IGNORECASE
).fullmatch
