"""What users read is plain English: no phrase stands in it that a reader has to translate."""

from __future__ import annotations

import re

import pytest

from tools.texts import all_texts, texts_of

TEXTS = all_texts()
FOREIGN = re.compile(
    r"""
      \btook\ (?: off \b | .*? \ for\ )  # removed; read as
    | \bleft\ out\b                      # dropped
    | \bmended\b                         # fixed
    | \bcomes\ to\b                      # reaches
    | \bof\ which\b                      # whose
    | \bas\ it\ stands\b                 # unchanged
    | \bwhat\ of\ it\b                   # which parts
    | \bis\ none\b | \bare\ none\b       # is not one
    | \btoo\ many\b\.?$                  # an extra ...
    | \bhas\ not\ the\b                  # does not have the
    | \bno\ answer,\ in\b
    | \bstands?\ (?!for\b)              # is, or appears
    | \bbehind\b                        # after
    | (?<!here\ )\b(?:is|are)\ no\ [A-Za-z]  # is not a
    """,
    re.VERBOSE,
)
"""Phrases that no native writer would use in a message, and what to write instead."""
KNOWN = {"there is none", "there are none"}


@pytest.mark.parametrize("kind", ["error", "message", "help"])
def test_no_message_has_an_odd_phrase(kind: str) -> None:
    odd = [
        str(text)
        for text in TEXTS
        if text.kind == kind and FOREIGN.search(text.text) and not _is_known(text.text)
    ]
    assert odd == []


def _is_known(text: str) -> bool:
    return any(phrase in text for phrase in KNOWN)


@pytest.mark.parametrize(
    "odd",
    [
        "took off the fence around the input",
        "took a call in a fence for text",
        "left out a comment",
        "it is a list that is none",
        "one part, of which more may follow",
        "a key stands twice in it",
        "found text behind the answer",
        "the input is no object",
    ],
)
def test_an_odd_phrase_is_found(odd: str) -> None:
    code = f"def report(add):\n    add(Repair('kind', (0, 1), {odd!r}))\n"
    found = list(texts_of("a.py", code))
    assert [text.text for text in found] == [odd]
    assert FOREIGN.search(found[0].text)


def test_texts_are_found_wherever_users_read_them() -> None:
    code = '''
def read(text: str, tools: list[str]) -> str:
    """Return the first call of *text*.

    More words.
    """
    if not text:
        raise ValueError(f"expected a text with a call, not {text!r}")
    return Option("the name of the tool", help="Write only what has a call.")

def _hidden() -> None:
    """Nobody reads this sentence."""
    re.compile("expected a text of words")
'''
    assert [(text.line, text.kind, text.text) for text in sorted(texts_of("a.py", code))] == [
        (2, "docstring", "Return the first call of *text*."),
        (8, "error", "expected a text with a call, not {}"),
        (9, "help", "Write only what has a call."),
        (9, "help", "the name of the tool"),
    ]


def test_the_list_is_of_all_packages() -> None:
    assert {text.path.partition("/")[0] for text in TEXTS} == {
        "outputs", "output_parsers", "agent_parsers", "agent_runs", "agent_serving", "agent_laws",
    }  # fmt: skip
    assert len(TEXTS) > 3000
