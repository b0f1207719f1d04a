"""What a grammar allows is read, and what `render` writes is allowed: laws of all dialects."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any, Never, get_args

import pytest

from agent_parsers import (
    AgentAction,
    AgentFinish,
    OutputParserException,
    get_dialect,
    get_parser,
    list_dialects,
)
from agent_parsers.authoring import Written
from agent_parsers.constrain.forms.rules import write_gbnf, write_lark, write_structural_tag
from agent_parsers.constrain.parts import markless
from agent_parsers.constrain.parts.automaton import Nfa
from agent_parsers.constrain.parts.options import TurnKind, TurnOptions
from agent_parsers.constrain.turns.grammar import turn_grammar
from agent_parsers.constrain.values.strings import Strings
from agent_parsers.toolset import ToolInputError, ToolSet

from ...helpers.effort import DEEP, THOROUGH
from ...helpers.grammar_engines import Llguidance, Xgrammar, needs
from ...helpers.grammar_samples import PIECES, Sampler, literals, near_misses, own_calls
from ...helpers.grammar_tools import SETS, draw_tools, inputs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agent_parsers.constrain.parts.tree import Grammar
    from agent_parsers.parsers.dialect_parser import AnyDialectParser

CODE = {"smolagents_code"}
"""The dialects whose calls are code."""
DIALECTS = [name for name in list_dialects() if name not in CODE]
MESSAGES = {"beam", "functionary_v32", "harmony", "inkling", "muse_glimmer", "muse_spark"}
"""The dialects whose content stands in messages."""
ONE_CALL = {"json_toolcall", "harmony"}
"""Dialects that write several calls in another way than one, or end one call in a stop sequence; a
grammar has one."""
MANY_MARKS = {
    *("apriel", "command_r", "deepseek_v3", "firefunction", "gigachat3", "granite", "harmony"),
    *("hunyuan_a13b", "json_toolcall", "minimax_m3", "phi4_mini"),
}
"""Dialects whose grammar has no sentence that ends in a colon before calls."""
COUNT = 3000 if DEEP else 100 if THOROUGH else 15
"""How many sentences of each dialect are tried."""
TURN_KINDS = get_args(TurnKind)
SEEDS = (*SETS, *range(5 if DEEP else 2 if THOROUGH else 1))


def parser_of(dialect: str, seed: int | str) -> AnyDialectParser:
    return get_parser(get_dialect(dialect), tools=draw_tools(seed, dialect), lenient=False)


@cache
def grammar_of(dialect: str, seed: int | str = 0) -> Grammar:
    parser = parser_of(dialect, seed)
    return turn_grammar(parser.dialect, parser.tools, TurnOptions())


def sampler_of(dialect: str, seed: int | str = 0) -> Sampler:
    return Sampler(get_dialect(dialect), grammar_of(dialect, seed), seed)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_marks_of_a_turn_are_its_own(dialect: str) -> None:
    """Such as one that begins the message of another role only if the name of a role follows."""
    marks = markless.marks_of(get_dialect(dialect))
    written = get_dialect(dialect).write(Written("It is so.", "search", {"query": "fog"}))
    end = marks.follow(marks.begin, written).state
    assert not marks.table.ends.get(end, "").startswith("invented"), end


@pytest.mark.parametrize("dialect", sorted(MESSAGES))
def test_no_answer_ends_in_half_a_mark(dialect: str) -> None:
    """Even if no mark closes it: the end of a message that is cut would be half of it."""
    known = get_dialect(dialect)
    assert known.form is not None
    open_answer = replace(known, form=replace(known.form, answer=(known.form.answer[0], "")))
    parser = get_parser(open_answer, lenient=False)
    grammar = turn_grammar(open_answer, None, TurnOptions(turn="answer"))
    sampler = Sampler(open_answer, grammar, 0)
    for sentence in [sampler.sentence() for _ in range(300)]:
        assert not misread(parser, sentence), (misread(parser, sentence), sentence)


def is_noted(error: Exception, dialect: str, seed: int | str) -> bool:
    """Return whether *error* is about an input in which only what is left out does not fit."""
    if not isinstance(error, ToolInputError):
        return False
    notes = [note for note in grammar_of(dialect, seed).notes if note.tool == error.tool]
    paths = ["".join(f".{p}" if isinstance(p, str) else "[]" for p in problem.path)[1:]
             for problem in error.problems]  # fmt: skip
    return all(any(note.path and path.startswith(note.path) for note in notes) for path in paths)


def misread(parser: AnyDialectParser, sentence: str) -> str:
    """Return why *sentence* is not read as calls of the tools or an answer; ``""`` if it is.

    A server that stops the model at a stop sequence has to return the same turn, but for white
    space at its end. Half a mark before that is no text, so such a turn is only read as a whole.
    """
    cut = min((at for each in parser.stop if (at := sentence.find(each)) >= 0), default=None)
    stopped = sentence[:cut]
    tail = stopped[stopped.rfind("<") :]
    if any(mark.startswith(tail) for mark in near_misses(parser.dialect)):
        stopped = sentence
    try:
        whole = calls_in(parser.parse(sentence))
        shorter = calls_in(parser.parse(stopped, ended="stop"))
    except OutputParserException as error:
        return str(error)
    if [*map(meant, whole)] != [*map(meant, shorter)]:
        return f"{whole}, and {shorter} up to the stop sequence"
    known = all(isinstance(each, AgentFinish) or each.tool in parser.tools for each in whole)
    return "" if known else f"calls of other tools: {whole}"


def calls_in(result: Any) -> list[AgentAction | AgentFinish]:
    return result if isinstance(result, list) else [result]


def meant(result: AgentAction | AgentFinish) -> object:
    """Return what a result says, without its text."""
    if isinstance(result, AgentFinish):
        return result.return_values["output"].rstrip()
    given = {"": result.tool_input} if isinstance(result.tool_input, str) else result.tool_input
    trimmed = ((key, v.rstrip() if isinstance(v, str) else v) for key, v in given.items())
    return result.tool, dict(trimmed)


@pytest.mark.one_in(40)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_a_grammar_allows_is_read(dialect: str, seed: int | str) -> None:
    """But for what the schema says that the grammar leaves out, which is noted."""
    parser, sampler = parser_of(dialect, seed), sampler_of(dialect, seed)
    kinds = set()
    for tried in range(COUNT * 10):
        if tried >= COUNT and len(kinds) == 2:
            break
        sentence = sampler.sentence()
        error = parser.explain(sentence).error
        if error is not None and is_noted(error, dialect, seed):
            continue
        assert not misread(parser, sentence), (misread(parser, sentence), sentence)
        kinds.add(isinstance(parser.parse(sentence), AgentFinish))
    assert kinds == {True, False}


@pytest.mark.one_in(40)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_short_thought_and_short_content_are_read(dialect: str) -> None:
    parser = parser_of(dialect, 0)
    for turn in TURN_KINDS:
        options = TurnOptions(turn=turn, max_thought=30, max_content=20)
        sampler = Sampler(parser.dialect, turn_grammar(parser.dialect, parser.tools, options), 0)
        for _ in range(COUNT // 2):
            sentence = sampler.sentence()
            assert not misread(parser, sentence), (misread(parser, sentence), sentence)
            read = parser.read(sentence)
            assert len(read.thought) <= 30
            assert len(read.content) <= 20 or isinstance(read.result, AgentFinish)


@pytest.mark.parametrize("dialect", ["react", "hermes", "harmony", "glm45"])
def test_a_call_has_no_content_unless_it_is_asked_for(dialect: str) -> None:
    parser = parser_of(dialect, 0)
    for most in (None, 0):
        options = TurnOptions(turn="call", max_content=most)
        sampler = Sampler(parser.dialect, turn_grammar(parser.dialect, parser.tools, options), 0)
        assert not any(parser.read(sampler.sentence()).content for _ in range(40))


@pytest.mark.one_in(40)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_turn_that_has_to_call_is_no_answer_wherever_it_was_cut(dialect: str) -> None:
    """Half a mark is content as well, so the parser has to know that no turn is an answer."""
    tools = draw_tools(0, dialect)
    parser = get_parser(get_dialect(dialect), tools=tools, output_type=Never)
    options = TurnOptions(turn="call", max_thought=30, max_content=20)
    sampler = Sampler(parser.dialect, turn_grammar(parser.dialect, parser.tools, options), 0)
    for _ in range(COUNT // 5):
        sentence = sampler.sentence()
        for stop in (*range(min(len(sentence), 12)), *range(12, len(sentence), 40)):
            with suppress(OutputParserException):
                read = parser.parse(sentence[:stop], ended="length")
                assert not isinstance(read, AgentFinish), sentence[:stop]


WRITERS: dict[str, Callable[[Grammar], Any]] = {
    "gbnf": write_gbnf, "lark": write_lark, "structural_tag": write_structural_tag,
}  # fmt: skip


def engines(dialect: str, seed: int | str = 0) -> Iterator[Any]:
    grammar = grammar_of(dialect, seed)
    needs("llguidance")
    yield Llguidance("lark", write_lark(grammar))
    needs("xgrammar")
    for form in WRITERS if THOROUGH else ("gbnf",):
        yield Xgrammar(form, WRITERS[form](grammar))


@pytest.mark.one_in(10)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_llama_cpp_knows_every_escape_in_gbnf(dialect: str) -> None:
    """It refuses the whole grammar for any other, as for a hyphen or a caret in a class."""
    texts = {"type": "string", "pattern": "^[a-z^-]+$"}
    words = {"type": "string", "enum": ["a-b", "^c", "[d]", 'e"f', "g\\h", "\u0007", "😀"]}
    schema = {"type": "object", "properties": {"a": texts, "b": words}, "required": ["a"]}
    name = "Intermediate Answer" if dialect == "self_ask" else "find-it"
    gbnf = get_parser(dialect, tools=[{"name": name, "parameters": schema}]).grammar("gbnf")
    known = re.compile(r'\\(?:[trn\\"\[\]]|u[0-9a-f]{4}|U[0-9a-f]{8})')
    bare = known.sub("x", gbnf)
    assert "\\" not in bare
    classes = [*filter(None, re.findall(r'"[^"]*"|\[\^?([^\]]*)\]', bare))]
    assert classes
    assert [each for each in classes if not re.fullmatch("(?:[^-^](?:-[^-^])?)*", each)] == []


@pytest.mark.one_in(40)
@pytest.mark.parametrize("seed", [0, *SETS])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_engines_allow_each_sentence(dialect: str, seed: int | str) -> None:
    sampler = sampler_of(dialect, seed)
    sentences = [sampler.sentence() for _ in range(COUNT // 2)]
    for engine in engines(dialect, seed):
        for sentence in sentences:
            assert engine.accepts(sentence), (type(engine).__name__, sentence)


@pytest.mark.parametrize("dialect", ["llama3_function_tag", "mistral"])
def test_llguidance_follows_a_turn_whatever_the_number_of_tools(dialect: str) -> None:
    """It gives up if a character may begin more than 2,000 parts of the grammar, as of calls."""
    needs("llguidance")
    parser = get_parser(dialect, tools=[f"tool_{number}" for number in range(500)], lenient=False)
    engine = Llguidance("lark", parser.grammar("lark"))
    assert engine.accepts(parser.render(AgentFinish({"output": "Écoutez."}, "")))
    assert engine.accepts(parser.render(AgentAction("tool_77", {"a": 1}, "")))


@pytest.mark.one_in(40)
@pytest.mark.parametrize("seed", [0, "keywords"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_llguidance_lets_a_model_write_is_read(dialect: str, seed: int | str) -> None:
    """The engine itself is walked, so that a mistake of a writer cannot hide."""
    needs("llguidance")
    parser, grammar = parser_of(dialect, seed), grammar_of(dialect, seed)
    engine, random = Llguidance("lark", write_lark(grammar)), Random(dialect)
    pieces = [*PIECES, *near_misses(parser.dialect), *own_calls(parser.dialect)]
    ends = [*literals(grammar), "1", "a"]
    sentences: list[str] = []
    for tried in range(COUNT * 30):
        if tried >= COUNT and sentences:  # few walks find the end of some dialects' turns
            break
        sentence = engine.walk([*pieces, *ends * 3], ends, random)
        sentences += [sentence] if sentence is not None else []
    assert sentences
    for sentence in sentences:
        error = parser.explain(sentence).error
        if error is None or not is_noted(error, dialect, seed):
            assert not misread(parser, sentence), (misread(parser, sentence), sentence)


THOUGHTS = ("", "I look it up.", 'a <b> c & 5 > 3: "雪"\n\n- x')
CONTENTS = ("", "Let me see, it's `code` & 5 > 3:\n\nok")
ANSWERS = ("42", "It's 5 > 3: «雪», `code`.")


def turns(parser: AnyDialectParser, seed: int) -> Iterator[str]:
    """Yield what `render` writes, without what the dialect cannot express."""
    random, tools = Random(seed), parser.tools
    steps: list[Any] = [AgentFinish({"output": answer}, "") for answer in ANSWERS]
    for tool in tools.names:
        calls = [
            AgentAction(tool=tool, tool_input=i, log="") for i in inputs_of(tools, tool, random)
        ]
        steps += calls
        if parser.dialect.several and parser.dialect.name not in ONE_CALL:
            steps.append(calls)
    for step in steps:
        for thought in THOUGHTS:
            for content in (
                CONTENTS if parser.dialect.name not in MANY_MARKS else ("", "Let me see.")
            ):
                try:
                    yield parser.render(step, thought=thought, content=content)
                except ValueError:
                    continue


@pytest.mark.one_in(40)
@pytest.mark.parametrize("seed", [0, *SETS])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_render_writes_is_allowed(dialect: str, seed: int | str) -> None:
    parser = parser_of(dialect, seed)
    many = None if DEEP else 100 if THOROUGH else 16
    written = list(islice(turns(parser, 0), 16 if seed == "hundred" else many))
    assert len(written) > 5
    for engine in engines(dialect, seed):
        for turn in written:
            assert engine.accepts(turn), (type(engine).__name__, turn)


@pytest.mark.parametrize("name", ["call", "answer"])
@pytest.mark.parametrize("dialect", ["react", "hermes"])
def test_a_grammar_has_just_the_turns_that_are_asked_for(dialect: str, name: Any) -> None:
    parser = parser_of(dialect, 0)
    options = TurnOptions(turn=name, max_calls=2)
    sampler = Sampler(parser.dialect, turn_grammar(parser.dialect, parser.tools, options), 1)
    for _ in range(COUNT):
        result = parser.parse(sampler.sentence())
        assert isinstance(result, AgentFinish) is (name == "answer")
        assert not isinstance(result, list) or len(result) <= 2


@pytest.mark.parametrize("dialect", ["react", "react_json", "hermes"])
def test_without_tools_any_are_called(dialect: str) -> None:
    """Objects without declared keys may have one twice, which no grammar can rule out."""
    parser = get_parser(get_dialect(dialect), lenient=False)
    sampler = Sampler(parser.dialect, turn_grammar(parser.dialect, None, TurnOptions()), 1)
    for _ in range(COUNT):
        explained = parser.explain(sampler.sentence())
        assert explained.error is None or "twice" in str(explained.error), explained.text


def test_a_turn_that_continues_a_thought() -> None:
    tools = draw_tools(0, "hermes")
    parser = get_parser("hermes", tools=tools, lenient=False, start="thought")
    options = TurnOptions(start="thought")
    sampler = Sampler(parser.dialect, turn_grammar(parser.dialect, tools, options), 1)
    for _ in range(COUNT):
        sentence = sampler.sentence()
        assert "<think>" not in sentence.partition("</think>")[0]
        assert not misread(parser, sentence), sentence


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_may_stand_in_texts_is_computed_once(
    dialect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither another tool nor another parser needs another automaton, but a small one of names."""
    made = Nfa.automaton
    computed: list[str] = []

    def automaton(nfa: Nfa, *args: Any, **options: Any) -> Any:
        if len(nfa.edges) > 50:
            computed.append(dialect)
        return made(nfa, *args, **options)

    def grammar_with(*names: str) -> str:
        names = ("Intermediate Answer",) if dialect == "self_ask" else names
        schema = {"type": "object", "properties": {"query": {"type": "string"}}}
        tools = [{"name": name, "parameters": schema} for name in names]
        return get_parser(dialect, tools=tools).grammar("gbnf")

    grammar_with("search", "plan")
    monkeypatch.setattr(Nfa, "automaton", automaton)
    assert len(grammar_with("find", "book", "ask")) > 0
    assert computed == []


class TestMistakesAreFound:
    """The laws find grammars that allow too much."""

    @pytest.fixture(autouse=True)
    def _forget_mistakes(self) -> Iterator[None]:
        yield
        markless.marks_of.cache_clear()

    @staticmethod
    def is_misread(dialect: str, most: int = 2000) -> bool:
        markless.marks_of.cache_clear()  # it may have texts from before the mistake
        texts = {"type": "string"}
        schema = {
            "type": "object",
            "properties": {"query": texts, "place": texts},
            "required": ["query", "place"],
        }
        tools = ToolSet([{"name": "search", "parameters": schema}])
        parser = get_parser(get_dialect(dialect), tools=tools, lenient=False)
        grammar = turn_grammar(parser.dialect, tools, TurnOptions())
        sampler = Sampler(parser.dialect, grammar, 1)
        return any(misread(parser, sampler.sentence()) for _ in range(most))

    def test_a_forgotten_spelling(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Labels are taken for texts, so that ``Action 1:`` may stand in a thought."""

        def spelt(marker: Any) -> Iterator[tuple[tuple[str, ...], tuple[()]]]:
            yield tuple(marker.canonical), ()

        assert not self.is_misread("react", 2000 if THOROUGH else 400)
        monkeypatch.setattr(markless, "spellings", spelt)
        assert self.is_misread("react")

    @pytest.mark.parametrize("dialect", ["react", "hermes"])
    def test_a_stop_sequence_in_a_text(self, dialect: str, monkeypatch: pytest.MonkeyPatch) -> None:
        made = markless.CountingMarks.__init__
        monkeypatch.setattr(
            markless.CountingMarks, "__init__", lambda self, of: made(self, replace(of, stop=()))
        )
        assert self.is_misread(dialect)

    def test_labels_in_strings(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Strings in JSON may hold ``Final Answer:``."""
        free = Strings(None, '"\\/bfnrt').text
        monkeypatch.setattr(Strings, "text", property(lambda _self: free))
        assert self.is_misread("react")

    def test_calls_that_content_forbids(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from agent_parsers.constrain.turns import grammar

        anything = markless.text_without(("\u0001",))
        monkeypatch.setattr(grammar, "content_before_calls", lambda *_, **__: anything)
        assert self.is_misread("hermes")
