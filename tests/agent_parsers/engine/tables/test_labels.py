"""A dialect with other labels uses them everywhere: in tables, texts, stop sequences, prompts."""

import re
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agent_parsers import (
    AgentAction,
    AgentFinish,
    Dialect,
    DialectParser,
    OutputParserException,
    get_dialect,
    get_parser,
    list_dialects,
    parse_transcript,
)
from agent_parsers.authoring import Label, Literal, PromptWords, with_labels
from agent_parsers.engine.tables.problems import SHARED_PROBLEMS
from agent_parsers.engine.writing.prompt import instructions

FRENCH = {
    "Question": "Question",
    "Thought": "Réflexion",
    "Action": "Action",
    "Action Input": ("Entrée", "Entrée de l'action"),
    "Observation": "Résultat",
    "Final Answer": "Réponse finale",
}
REACT_FR = with_labels(get_dialect("react"), name="react_fr", labels=FRENCH)
TURN = "Réflexion : je cherche.\nAction: search\nEntrée: le plus vieux pont"
MARKED = {
    name: with_labels(get_dialect(name), name=f"{name}_x", labels={old: f"{old[0]}ж {old}x"})
    for name, old in [
        ("react", "Thought"),
        ("mrkl", "Final Answer"),
        ("haystack", "Tool Input"),
        ("react_crewai", "Action Input"),
        ("react_llamaindex", "Answer"),
        ("react_docstore", "Action"),
        ("react_json", "Action"),
        ("chat", "Final Answer"),
        ("structured_chat", "Observation"),
        ("json", "TOOL RESPONSE"),
        ("conversational_chat", "Thought"),
        ("conversational", "AI"),
        ("self_ask", "Intermediate answer"),
        ("smolagents_code", "Task"),
    ]
}
"""Each dialect that has labels, with one of them changed."""


def read(dialect: Dialect, text: str, *, lenient: bool = False) -> AgentAction | AgentFinish:
    return DialectParser(dialect=dialect, lenient=lenient).parse(text)


# -- a language of one's own ---------------------------------------------------------------------


def test_the_new_labels_are_read() -> None:
    text = TURN.replace(" :", ":")
    expected = AgentAction("search", "le plus vieux pont", text)
    assert read(REACT_FR, text) == read(REACT_FR, text, lenient=True) == expected
    finish = read(REACT_FR, "Réponse finale: 1489")
    assert isinstance(finish, AgentFinish)
    assert finish.return_values == {"output": "1489"}


def test_the_old_labels_are_text() -> None:
    for lenient in (False, True):
        with pytest.raises(OutputParserException, match="expected an Action or a Réponse finale"):
            read(REACT_FR, "Thought: hm\nFinal Answer: 42", lenient=lenient)
        text = "Action: search\nEntrée: a\nObservation: b"
        assert read(REACT_FR, text, lenient=lenient) == AgentAction(
            "search", "a\nObservation: b", text
        )


def test_strict_reading_wants_the_new_labels_at_the_beginning_of_a_line() -> None:
    for text in ("I look. Action: search\nEntrée: pont", "Action: search Entrée: pont"):
        with pytest.raises(OutputParserException):
            read(REACT_FR, text)


def test_an_answer_may_quote_a_new_label_unless_an_input_follows() -> None:
    minutes = "Réponse finale: the minutes\nAction: none was taken"
    assert isinstance(read(REACT_FR, minutes, lenient=True), AgentFinish)
    with pytest.raises(OutputParserException, match="may have only one of them"):
        read(REACT_FR, f"{minutes}\nEntrée: pont", lenient=True)


def test_lenient_reading_knows_other_words_and_blanks() -> None:
    text = "réflexion : hm\nAction : search\nEntrée de l'action : pont"
    turn = DialectParser(dialect=REACT_FR, lenient=True).read(text)
    assert turn.result == AgentAction("search", "pont", text)
    assert [repair.kind for repair in turn.repairs] == ["label"] * 3
    with pytest.raises(OutputParserException):
        read(REACT_FR, text)


def test_the_new_labels_are_written() -> None:
    parser = DialectParser(dialect=REACT_FR)
    action = AgentAction("search", "pont", "")
    text = parser.render((action, "1489"), thought="je cherche")
    assert text == (
        "Réflexion: je cherche\nAction: search\nEntrée: pont\nRésultat: 1489\nRéflexion:"
    )
    assert parser.stop == ["\nRésultat:"]
    assert REACT_FR.generation_prompt(2) == "Réflexion:"


def test_the_new_labels_are_in_the_instructions() -> None:
    prompt = instructions(REACT_FR, ["search"])
    assert "stop after the Entrée: the Résultat is given to you" in prompt
    assert "\nRéponse finale: the answer to the question\n" in prompt
    assert not re.search("Thought|Input|Observation|Final Answer", prompt)
    with pytest.raises(OutputParserException) as caught:
        read(REACT_FR, "Action: search")
    assert caught.value.observation == "Invalid Format: Missing 'Entrée:' after 'Action:'"


def test_the_sample_has_the_new_labels() -> None:
    run = parse_transcript(REACT_FR.sample, dialect=REACT_FR)
    assert run.question == "How old is the oldest bridge of Bern?"
    assert len(run.steps) == 2
    assert not run.repairs
    assert "Thought" not in REACT_FR.sample


def test_all_texts_for_the_model_can_be_put_in_other_words() -> None:
    mine = with_labels(
        REACT_FR,
        name="mine",
        labels={},
        summary="à moi",
        aliases=("le_mien",),
        sample="Question: q\nRéponse finale: 42",
        prompt="Outils: {tools}\n{form}\n{action}",
        prompt_words=replace(PromptWords(), thought="ce que tu sais"),
        observations={"no_action_or_answer": "Écris.", "cut_input": "Coupé."},
        example=replace(REACT_FR.example, tool_input="quoi"),
    )
    assert (mine.name, mine.aliases, mine.summary) == ("mine", ("le_mien",), "à moi")
    assert instructions(mine, ["pont"]).startswith("Outils: pont\nRéflexion: ce que tu sais\n")
    assert instructions(mine).endswith("Action: search\nEntrée: quoi")
    for text, said in (("?", "Écris."), ('Action: a\nEntrée: {"b": "c', "Coupé.")):
        with pytest.raises(OutputParserException) as caught:
            read(mine, text, lenient=True)
        assert str(caught.value.observation).startswith(said)
    assert mine.problems["cut_input"].reason == SHARED_PROBLEMS["cut_input"].reason


def test_an_unknown_label_or_problem_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"^dialect 'react' has no label \['Answer', 'Task'\]"
    ) as e:
        with_labels(get_dialect("react"), name="x", labels={"Task": "a", "Answer": "b"})
    assert str(e.value).endswith(
        "; it has ['Action', 'Action Input', 'Final Answer', 'Observation', 'Question', 'Thought']"
    )
    with pytest.raises(ValueError, match=r"^dialect 'react' has no problem \['oops'\]; it has \['"):
        with_labels(get_dialect("react"), name="x", labels={}, observations={"oops": "a"})


WORDS = ["Action Input", "Input", "Tool Input", "Arguments", "Parameters", "Params", "arguments"]


@pytest.mark.parametrize("name", ["react", "mrkl", "haystack", "conversational"])
@pytest.mark.parametrize("word", WORDS)
def test_a_word_for_the_input_may_be_its_label(name: str, word: str) -> None:
    old = "Tool Input" if name == "haystack" else "Action Input"
    dialect = with_labels(get_dialect(name), name="x", labels={old: word})
    text = DialectParser(dialect=dialect).render(AgentAction("search", "pont", ""), thought="hm")
    assert f"\n{word}: pont" in text
    for lenient in (False, True):
        turn = DialectParser(dialect=dialect, lenient=lenient).read(text)
        assert turn.result == AgentAction("search", "pont", text)
        assert not turn.repairs
    for other in {each.title() for each in WORDS} - {word.title(), old, "Action Input"}:
        mixed = text.replace(f"{word}: ", f"{other}: ")
        assert read(dialect, mixed, lenient=True) == AgentAction("search", "pont", mixed)


def test_such_a_word_may_be_another_label() -> None:
    dialect = with_labels(get_dialect("react"), name="x", labels={"Question": "Input"})
    run = parse_transcript(dialect.sample, dialect=dialect)
    assert run.question == "How old is the oldest bridge of Bern?"
    assert len(run.steps) == 2
    assert not run.repairs


def test_such_a_word_stands_for_the_label_that_is_replaced() -> None:
    for word in ("Input", "Tool Input", "Arguments"):
        dialect = with_labels(get_dialect("react"), name="x", labels={word: "With"})
        text = DialectParser(dialect=dialect).render(AgentAction("a", "b", ""))
        assert text.endswith("\nWith: b")
    with pytest.raises(ValueError, match="names the same label twice"):
        with_labels(get_dialect("react"), name="x", labels={"Input": "a", "Action Input": "b"})


@pytest.mark.parametrize(
    ("word", "right"),
    [("Reading", "a Reading"), ("Outcome", "an Outcome"), ("Übersicht", "an Übersicht"),
     ("User said", "a User said"), ("Unknown", "an Unknown")],
)  # fmt: skip
def test_the_article_goes_with_the_new_word(word: str, right: str) -> None:
    for name in ("react", "react_docstore"):
        dialect = with_labels(get_dialect(name), name="x", labels={"Action": word})
        with pytest.raises(OutputParserException, match=f"^expected {right}"):
            read(dialect, "no idea", lenient=True)
        assert not re.search(rf"\ban? {word}", instructions(dialect).replace(right, ""))


def test_two_labels_cannot_be_spelt_alike() -> None:
    with pytest.raises(ValueError, match="have the same spelling"):
        with_labels(get_dialect("react"), name="x", labels={"Thought": "Final Answer"})


# -- any dialect ---------------------------------------------------------------------------------


def test_every_dialect_with_labels_is_tried() -> None:
    is_label = {
        name
        for name in list_dialects()
        if not get_dialect(name).several  # a model was trained on its words
        for marker in get_dialect(name).strict.markers.values()
        if isinstance(marker, Label) and not marker.words.startswith("Are follow")
    }
    assert is_label - {"react_zh"} <= MARKED.keys()


@pytest.mark.parametrize("name", MARKED)
def test_a_new_label_stands_everywhere(name: str) -> None:
    dialect, base = MARKED[name], get_dialect(name)
    run = parse_transcript(dialect.sample, dialect=dialect)
    expected = parse_transcript(base.sample, dialect=base)
    assert not run.repairs
    assert run.question == expected.question
    assert [(s.thought, s.observation) for s in run.steps] == [
        (s.thought, s.observation) for s in expected.steps
    ]
    parser = DialectParser(dialect=dialect)
    for number, step in enumerate(run.steps, 1):
        assert step.action is not None
        assert parser.render(step.action, thought=step.thought, number=number) == step.action.log
    assert "жи" not in dialect.sample
    prompt = dialect.sample + instructions(dialect) + "".join(dialect.stop)
    assert "ж " in prompt


@given(st.lists(st.sampled_from([*FRENCH, "Entrée", "x", "\U00013000", "\n", "\n", ": "])))
@example(["a\nThought: b"])
@example(["Thought: b"])
@example(["a", "\n", "Final Answer", ": ", "\U00013000"])
def test_no_old_label_in_a_value_is_changed(parts: list[str]) -> None:
    text = "".join(parts)
    parser = DialectParser(dialect=REACT_FR)
    noted = REACT_FR.render_observation(text, 1)
    assert noted == f"\nRésultat: {text}\nRéflexion:"
    try:
        written = parser.render(AgentFinish({"output": text}, ""))
    except ValueError:
        return
    assert written == f"Réponse finale: {text}"


def test_an_observation_that_holds_every_mark_is_refused() -> None:
    hieroglyphs = "".join(map(chr, range(0x13000, 0x13400)))
    assert REACT_FR.render_observation is not None
    with pytest.raises(ValueError, match="the text contains every"):
        REACT_FR.render_observation(hieroglyphs, 1)
    assert hieroglyphs in DialectParser(dialect=REACT_FR).render(
        AgentFinish({"output": hieroglyphs}, "")
    )


# -- Chinese -------------------------------------------------------------------------------------


def test_chinese_labels_end_in_a_colon_of_full_width() -> None:
    strict, lenient = get_parser("react_zh", lenient=False), get_parser("react_zh")
    wide = "思考：想\n行动：search\n行动输入：桥"
    plain = wide.replace("：", ": ")
    for parser in (strict, lenient):
        assert parser.parse(wide) == AgentAction("search", "桥", wide)
        assert not parser.read(wide).repairs
    turn = lenient.read(plain)
    assert turn.result == AgentAction("search", "桥", plain)
    assert [repair.kind for repair in turn.repairs] == ["label"] * 3
    with pytest.raises(OutputParserException):
        strict.parse(plain)


def test_a_chinese_model_stops_at_either_colon() -> None:
    assert get_parser("react_zh").stop == ["\n观察：", "\n观察:"]


def test_the_instructions_for_a_chinese_model_are_chinese() -> None:
    parser = get_parser("react_zh", tools={"查找": "查找一个名称"})
    prompt = parser.render_prompt("桥有多老？", [(AgentAction("查找", "桥", ""), "1489")])
    assert prompt.endswith(
        "\n\n开始。\n\n问题：桥有多老？\n行动：查找\n行动输入：桥\n观察：1489\n思考："
    )
    assert not re.search("[A-Za-z]", prompt.replace("JSON", ""))
    with pytest.raises(OutputParserException) as caught:
        parser.parse("思考：想\n行动：查找\n思考：想")
    assert caught.value.observation == (
        "格式错误：“行动：”之后缺少“行动输入：”。\n你写的是：思考：想\n例如："
        "行动：查找\n行动输入：要查找的内容"
    )


def test_an_old_label_that_is_a_literal_counts_at_the_beginning_of_a_line() -> None:
    table = get_dialect("react_zh").strict
    assert not any(isinstance(marker, Literal) for marker in table.markers.values())
    text = "思考：最终答案：不知道\n最终答案：42"
    result = get_parser("react_zh", lenient=False).parse(text)
    assert result == AgentFinish({"output": "42"}, text)
