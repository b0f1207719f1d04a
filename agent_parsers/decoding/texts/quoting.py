"""Content that may stand before calls without quoting or forbidding them.

A call is only text behind ``>`` on its line, in a fence that the text before it opens, and after a
sentence such as "Do not do this:". Pairs of quotes matter only if text follows the call, which a
grammar has not.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from agent_parsers.decoding.texts.automaton import Nfa
from agent_parsers.decoding.texts.charsets import ANY, SPACES, chars, minus, union

if TYPE_CHECKING:
    from agent_parsers.decoding.texts.automaton import Automaton

__all__ = ["content_before_calls"]

_LINE: Final = chars("\n")
_WORD: Final = union([chars("_0123456789"), ((65, 90), (97, 122))])
_NOT_WORD: Final = minus(ANY, _WORD)
_COLON: Final = chars(":：")
_ENDS: Final = union([chars(".!?。！？\n"), _COLON])
_BLANKS: Final = union([SPACES, chars("[](),;}\ufeff\u200b")])
"""Characters between a sentence and a call, all that the reader skips."""
_TICKS: Final = chars("`~")
_TAG: Final = union([_WORD, chars("+#.-")])
_LEADS: Final = ("please", "you", "should", "must", "may")
_FORBIDS: Final = ("do not", "don't", "don’t", "not", "never", "avoid")


@cache
def content_before_calls(gap: str, *, has_fence: bool, brief: bool = False) -> Automaton:
    """Return the automaton of texts after which calls count.

    Args:
        gap: What stands between the content and the calls.
        has_fence: Whether calls are in a fence, with which a fence before them would pair.
        brief: Whether to refuse all texts that end in a colon, which takes far fewer states.
    """
    nfa = Nfa()
    home, line = nfa.state(), nfa.state()
    nfa.edge(home, ANY, home)
    nfa.edge(home, _LINE, line)
    bad, bad_ends = set(), set()
    if "\n" not in gap:
        quoted = nfa.state()  # on earlier lines it does no harm, but to allow it doubles the states
        nfa.edge(line, SPACES, line)
        nfa.edge(line, chars(">"), quoted)
        bad.add(quoted)
    if has_fence:
        bad |= {_word(nfa, home, "```"), _word(nfa, home, "~~~")}
    sentence = nfa.state()
    nfa.edge(home, _ENDS, sentence)
    if brief:
        colon = nfa.state()
        nfa.edge(home, _COLON, colon)
        nfa.edge(colon, union([_BLANKS, _TICKS, _TAG]), colon)
        bad_ends.add(colon)
    else:
        bad_ends |= _denial(nfa, sentence)
    made, _ = nfa.automaton([home, line, sentence], bad=bad, bad_ends=bad_ends)
    return made.smallest


def _denial(nfa: Nfa, sentence: int) -> set[int]:
    """Add sentences that forbid what follows them; return the states in which one ends."""
    nfa.edge(sentence, minus(_NOT_WORD, _ENDS), sentence)
    for word in _LEADS:
        gap = nfa.state()
        nfa.edge(_word(nfa, sentence, word), _NOT_WORD, gap)
        nfa.skip(gap, sentence)
    forbidden, ended, ticks, tag = (nfa.state() for _ in range(4))
    for word in _FORBIDS:
        end = _word(nfa, sentence, word)
        nfa.edge(end, minus(_NOT_WORD, _ENDS), forbidden)
        nfa.edge(end, _COLON, ended)
    nfa.edge(forbidden, minus(ANY, _ENDS), forbidden)
    nfa.edge(forbidden, _COLON, ended)
    for state in (ended, tag):
        nfa.edge(state, _BLANKS, ended)
    nfa.edge(ended, _TICKS, ticks)
    nfa.edge(ticks, _TICKS, ticks)
    nfa.skip(ticks, tag)
    nfa.edge(tag, _TAG, tag)
    return {ended, tag}


def _word(nfa: Nfa, start: int, word: str) -> int:
    """Add *word* in upper and lower case, and return its last state."""
    for char in word:
        after = nfa.state()
        nfa.edge(start, chars(char.lower() + char.upper()), after)
        start = after
    return start
