"""``snapshot_prompt``: a prompt format in one file."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from agent_parsers import get_parser, list_dialects
from agent_parsers.testing.snapshots.pages import output_page, prompt_page
from output_parsers import JsonOutputParser
from outputs import AIMessage

from ....helpers.project import Project

pytestmark = pytest.mark.one_in(2)  # each starts a process or more

pytest_plugins = ["pytester"]

HEAD = """
from agent_parsers import AgentAction, get_dialect, get_parser
from agent_parsers.testing import SnapshotPrompt

def search(query: str) -> str:
    "Looks up a name."

def sell(item: str, price: float) -> str:
    "Sells."

TOOLS = [search, sell]
"""


def snapshot_of(project: Project, *lines: str, head: str = HEAD, name: str = "a/prompt.txt") -> str:
    """Return what the lines of a test write."""
    write(project, lines, head)
    assert "1 snapshot generated" in project.run("--snapshot-update")
    assert "1 snapshot passed" in project.run()
    return project.files()[name]


def write(project: Project, lines: Sequence[str], head: str = HEAD) -> None:
    body = "".join(f"\n    {line}" for line in lines)
    project.write("test_a.py", f"{head}\ndef test_prompt(snapshot_prompt: SnapshotPrompt):{body}\n")


def titles(page: str) -> list[str]:
    pairs = pairwise(page.split("\n"))
    return [line for line, mark in pairs if line and mark == "-" * len(line)]


def section(page: str, title: str) -> str:
    _, _, text = page.partition(f"{title}\n{'-' * len(title)}\n")
    (*_, end) = [None, *titles(text)[:1]]
    return text if end is None else text.partition(f"\n{end}\n---")[0]


def test_the_file_has_the_prompt_the_stops_and_replies_with_what_they_parse_to(
    project: Project,
) -> None:
    page = snapshot_of(project, "snapshot_prompt('react', tools=TOOLS)")
    assert titles(page) == [
        "the prompt after 2 steps",
        "stop sequences",
        "an action",
        "an answer",
        "text without the required form",
        "an unknown tool",
    ]
    prompt = section(page, "the prompt after 2 steps")
    assert "search(query: string): Looks up a name." in prompt
    assert "\nQuestion: How old is the oldest bridge of Bern?\n" in prompt
    assert "\nObservation: what search returned\n" in prompt
    assert "\nObservation: what sell returned\n" in prompt
    assert section(page, "stop sequences") == '["\\nObservation:"]\n'
    action = section(page, "an action")
    assert "| Action: search\n" in action
    assert '\ntool: "search"\ninput:\n  "query": ' in action
    assert '\noutput: "It is so."\n' in section(page, "an answer")
    wrong = section(page, "an unknown tool")
    assert "\n'no_such_tool' is not one of the tools\n  --> line 2, column 9\n" in wrong
    assert "There is no tool 'no_such_tool'. The tools are: search, sell." in wrong


def test_it_does_so_for_every_dialect(project: Project) -> None:
    head = f"{HEAD}\nimport pytest\n\n@pytest.mark.parametrize('name', {list_dialects()})"
    code = f"{head}\ndef test_of(name, snapshot_prompt): snapshot_prompt(name, tools=TOOLS)\n"
    project.write("test_a.py", code)
    assert f"{len(list_dialects())} snapshots generated" in project.run("--snapshot-update")
    assert f"{len(list_dialects())} snapshots passed" in project.run()
    for name in list_dialects():
        page = project.files()[f"a/of[{name}].txt"]
        assert {"stop sequences", "an action", "an answer"} <= set(titles(page)), name
        for title in ("an action", "an answer"):
            assert "\n  --> line" not in section(page, title), name


@pytest.mark.parametrize("name", ["tools", "openai_functions"])
def test_it_does_so_for_messages(project: Project, name: str) -> None:
    page = snapshot_of(project, f"snapshot_prompt({name!r}, tools=TOOLS)")
    assert titles(page)[:3] == [
        "the prompt after 2 steps",
        "the tools, as OpenAI takes them",
        "stop sequences",
    ]
    assert "what search returned" in section(page, "the prompt after 2 steps")
    assert '"name": "sell"' in section(page, "the tools, as OpenAI takes them")
    assert '\ntool: "search"\ninput:\n  "query": ' in section(page, "an action")
    assert "'no_such_tool' is not one of the tools" in section(page, "an unknown tool")


@pytest.mark.parametrize(
    "parser", ["get_parser('react', tools=TOOLS)", "get_dialect('react'), tools=TOOLS"]
)
def test_a_parser_or_a_dialect_does_as_well_as_a_name(project: Project, parser: str) -> None:
    write(project, ["snapshot_prompt('react', tools=TOOLS)"])
    project.run("--snapshot-update")
    write(project, [f"snapshot_prompt({parser})"])
    assert "1 snapshot passed" in project.run()


def test_a_strict_parser_reads_strictly(project: Project) -> None:
    page = snapshot_of(
        project,
        "parser = get_parser('react', tools=TOOLS, lenient=False)",
        "snapshot_prompt(parser, replies=['action: search\\naction input: x'])",
    )
    assert "Could not parse LLM output" in section(page, "reply 1")


def test_tools_beside_a_parser_are_refused(project: Project) -> None:
    write(project, ["snapshot_prompt(get_parser('react'), tools=TOOLS)"])
    out = project.run("--snapshot-update")
    assert "TypeError: this parser has its own tools" in out
    assert project.files() == {}


def test_without_tools_the_dialect_has_an_example(project: Project) -> None:
    page = snapshot_of(project, "snapshot_prompt('react')")
    assert titles(page)[0] == "the prompt after 1 step"
    assert "an unknown tool" not in page


def test_question_steps_and_replies_may_be_given(project: Project) -> None:
    page = snapshot_of(
        project,
        "log = 'Action: search\\nAction Input: Bern'",
        "steps = [(AgentAction('search', 'Bern', log), 'a town')]",
        "replies = {",
        "    'emphasis': '**Final Answer:** 42',",
        "    'both': 'Action: search\\nAction Input: x\\nFinal Answer: y',",
        "}",
        "snapshot_prompt(",
        "    'react', tools=TOOLS, question='What is Bern?', steps=steps, replies=replies",
        ")",
    )
    assert titles(page) == ["the prompt after 1 step", "stop sequences", "emphasis", "both"]
    prompt = section(page, "the prompt after 1 step")
    assert prompt.endswith(
        "Question: What is Bern?\n"
        "Action: search\nAction Input: Bern\nObservation: a town\nThought:\n"
    )
    assert section(page, "emphasis") == (
        "| **Final Answer:** 42\n\n"
        'output: "42"\n'
        "repaired: \"read '**Final Answer:**' as the label 'answer'\"\n"
    )
    assert "\n| Write either an Action with its Action Input or a Final Answer" in section(
        page, "both"
    )


def test_what_is_left_out_of_a_reply_shows_in_its_log(project: Project) -> None:
    page = snapshot_of(
        project,
        "reply = 'Action: search\\nAction Input: x\\nObservation: made up'",
        "snapshot_prompt('react', replies=[reply])",
    )
    assert 'log:\n  "Action: search\\n"\n  "Action Input: x"\n' in section(page, "reply 1")


def test_no_steps_and_no_replies_are_possible(project: Project) -> None:
    page = snapshot_of(project, "snapshot_prompt('react', steps=[], replies=[])")
    assert titles(page) == ["the prompt after 0 steps", "stop sequences"]


def test_the_caller_may_name_the_file(project: Project) -> None:
    snapshot_of(project, "snapshot_prompt('react', name='agent/format')", name="agent/format.txt")


def test_a_second_snapshot_in_a_test_has_a_file_of_its_own(project: Project) -> None:
    write(project, ["snapshot_prompt('react')", "snapshot_prompt('xml')"])
    project.run("--snapshot-update")
    assert list(project.files()) == ["a/prompt.2.txt", "a/prompt.txt"]


def test_a_missing_file_says_what_to_do(project: Project) -> None:
    write(project, ["snapshot_prompt('react')"])
    out = project.run()
    assert (
        "there is no snapshot in snapshots/a/prompt.txt yet:"
        " write it with pytest --snapshot-update, and review it"
    ) in out
    assert project.files() == {}


CHANGED = f"""{HEAD}
from dataclasses import replace

react = get_dialect("react")
"""


def test_a_difference_is_shown_line_by_line_below_the_test(project: Project) -> None:
    write(project, ["snapshot_prompt(react)"], CHANGED)
    project.run("--snapshot-update")
    before = project.files()
    write(project, ["snapshot_prompt(replace(react, stop=('\\nObs:', 'Q ')))"], CHANGED)
    out = [line.removeprefix("E").strip() for line in project.run().splitlines()]
    start = out.index(
        "Failed: this differs from the snapshot in snapshots/a/prompt.txt (- snapshot, + now)"
    )
    end = out.index("If the change is intended, run pytest --snapshot-update")
    assert ">       snapshot_prompt(replace(react, stop=('\\nObs:', 'Q ')))" in out
    shown = out[start + 2 : end - 1]
    assert shown[0].startswith("line ")
    assert [line for line in shown if line[:1] in "-+" and line.strip("-")] == [
        '- ["\\nObservation:"]',
        '+ ["\\nObs:", "Q "]',
    ]
    assert not any("fixtures.py" in line for line in out)
    assert project.files() == before


def test_an_error_is_not_a_difference(project: Project) -> None:
    write(project, ["snapshot_prompt('react', name='broken')"])
    project.run("--snapshot-update")
    (project.root / "snapshots" / "broken.txt").write_bytes(b"\xff")
    assert "UnicodeDecodeError: " in project.run()
    write(project, ["snapshot_prompt('react', name='../x')"])
    out = project.run("--snapshot-update")
    assert "ValueError: a snapshot's name is a path below its folder" in out
    write(project, ["snapshot_prompt('raect')"])
    out = project.run("--snapshot-update")
    assert "Did you mean 'react' or 'react_zh'?" in out


PERSON = (
    "from pydantic import create_model; from agent_parsers import get_parser; "
    "from output_parsers import CommaSeparatedListOutputParser, PydanticOutputParser; "
    "person = create_model('Person', name=(str, ...), age=(int, ...)); "
    "parser = PydanticOutputParser(pydantic_object=person); "
)


def pages_of(project: Project, *given: str, more: str = "") -> list[str]:
    """Return the pages of several parsers, each *given* as code."""
    return [
        snapshot_of(
            project,
            f"{PERSON}snapshot_prompt({parser}, name='{number}'{more})",
            name=f"{number}.txt",
        )
        for number, parser in enumerate(given)
    ]


def test_an_output_parser_is_shown_by_its_instructions_and_what_it_makes_of_replies(
    project: Project,
) -> None:
    more = ', replies={"whole": \'{"name": "Ada", "age": 36}\', "half": \'{"name": "Ada"}\'}'
    pages = pages_of(project, "parser", "parser.as_langchain()", more=more)
    assert pages[0] == pages[1]
    assert titles(pages[0]) == ["the instructions", "whole", "half"]
    assert '"properties"' in section(pages[0], "the instructions")
    assert "36" in section(pages[0], "whole").partition("Ada")[2]
    assert "age" in section(pages[0], "half").partition("Ada")[2]
    page = snapshot_of(project, f"{PERSON}snapshot_prompt(CommaSeparatedListOutputParser())")
    assert titles(page) == ["the instructions", "words"]


def test_an_agent_parser_for_langchain_is_shown_as_itself(project: Project) -> None:
    parser = "get_parser('react', tools=['area'])"
    pages = pages_of(project, parser, f"{parser}.as_langchain()")
    assert pages[0] == pages[1]


RUN = f"""{HEAD}
from agent_parsers import parse_transcript, run_agent
from agent_parsers.testing import ScriptedModel

RUN = run_agent(
    ScriptedModel(["Action: serch\\nAction Input: Bern", "Action: search\\nAction Input: Bern",
                   "Final Answer: old"]), "How old?", "react", TOOLS)
LOG = parse_transcript(
    "Question: How old?\\nAction: search\\nAction Input: Bern\\nObservation: 1191\\n"
    "Final Answer: old", dialect="react")
TURN = '<tool_call>\\n{{"name": "search", "arguments": {{"query": "Bern"}}}}\\n</tool_call>'
SEVERAL = run_agent(ScriptedModel([f"{{TURN}}\\n{{TURN}}", "old"]), "How old?", "hermes", TOOLS)
"""


def test_a_run_is_shown_by_the_prompt_of_one_of_its_steps(project: Project) -> None:
    page = snapshot_of(project, "snapshot_prompt('react', tools=TOOLS, run=RUN, step=2)", head=RUN)
    assert titles(page) == [
        "the prompt that led to step 2 of the run",
        "stop sequences",
        "what the model wrote",
    ]
    prompt = section(page, "the prompt that led to step 2 of the run")
    assert "Did you mean 'search'?" in prompt
    assert prompt.count("Action Input: Bern") == 2  # what it wrote, and an example
    assert 'input:\n  "query": "Bern"' in section(page, "what the model wrote")


@pytest.mark.parametrize(
    ("run", "step", "told"),
    [
        ("RUN", 1, "Did you mean 'search'?"),
        ("RUN", 3, '"old"'),
        ("LOG", 1, '"Bern"'),
        ("LOG", 2, '"old"'),
    ],
)
def test_so_is_an_answer_or_an_error_also_of_a_log(
    project: Project, run: str, step: int, told: str
) -> None:
    line = f"snapshot_prompt('react', tools=TOOLS, run={run}, step={step})"
    page = snapshot_of(project, line, head=RUN)
    assert told in section(page, "what the model wrote")
    assert "Question: How old?" in page


@pytest.mark.parametrize(
    "more", ["tools=TOOLS", "tools=TOOLS, run=RUN, step=2", "tools=TOOLS, run=LOG"]
)
def test_the_text_before_the_instructions_is_shown(project: Project, more: str) -> None:
    line = f"snapshot_prompt('react', {more}, system='You know bridges.')"
    page = snapshot_of(project, line, head=RUN)
    assert "You know bridges.\n\nAnswer" in page


def test_a_chain_takes_no_text_before_its_own(project: Project) -> None:
    parser = "CommaSeparatedListOutputParser()"
    write(project, [f"{PERSON}snapshot_prompt({parser}, system='Be brief.')"], RUN)
    assert "TypeError: system= is for the prompt of an agent" in project.run("--snapshot-update")


def test_a_turn_of_several_calls_has_one_prompt(project: Project) -> None:
    lines = [f"snapshot_prompt('hermes', tools=TOOLS, run=SEVERAL, step={n})" for n in (1, 2)]
    write(project, lines, RUN)
    project.run("--snapshot-update")
    first, second = (page for name, page in project.files().items() if name.endswith(".txt"))
    assert first == second
    assert "the prompt that led to step 1 of the run" in first


def test_a_step_that_there_is_not_is_told(project: Project) -> None:
    write(project, ["snapshot_prompt('react', tools=TOOLS, run=RUN, step=4)"], RUN)
    assert "ValueError: the run has 2 steps, and no step 4" in project.run("--snapshot-update")


CHAIN = f"""{HEAD}
from langchain_core.language_models import FakeListChatModel
from langchain_core.prompts import ChatPromptTemplate
from output_parsers import JsonOutputParser, PromptTemplate, RunnableSequence

SAID = [("system", "Be brief."), ("human", "How old is {{city}}?")]
PROMPT = ChatPromptTemplate.from_messages(SAID)
MODEL = FakeListChatModel(responses=["never asked"])

def model(prompt):
    raise AssertionError("it is not asked")
"""


def test_a_chain_is_shown_by_its_prompt_and_what_it_makes_of_replies(project: Project) -> None:
    line = (
        "snapshot_prompt(PROMPT | MODEL.bind(stop=['.']) | JsonOutputParser(),"
        " inputs={'city': 'Bern'}, replies=['{\"age\": 1191}', 'Old.'])"
    )
    page = snapshot_of(project, line, head=CHAIN)
    assert titles(page) == ["the prompt", "what the model is given: stop", "reply 1", "reply 2"]
    prompt = section(page, "the prompt")
    assert "Be brief." in prompt
    assert "How old is Bern?" in prompt
    assert '"age": 1191' in section(page, "reply 1")
    assert "the JSON cannot be read" in section(page, "reply 2")


def test_so_is_one_of_ours_with_an_agent_parser(project: Project) -> None:
    line = (
        "snapshot_prompt(RunnableSequence(PromptTemplate('How old is {city}?'), model,"
        " get_parser('react', tools=TOOLS)), inputs={'city': 'Bern'},"
        " replies={'a call': 'Action: search\\nAction Input: Bern'})"
    )
    page = snapshot_of(project, line, head=CHAIN)
    assert section(page, "the prompt").strip() == "How old is Bern?"
    assert 'tool: "search"' in section(page, "a call")


def test_so_is_one_with_an_agent_parser_for_langchain(project: Project) -> None:
    line = (
        "snapshot_prompt(PROMPT | MODEL | get_parser('react', tools=TOOLS).as_langchain(),"
        " inputs={'city': 'Bern'}, replies=['Action: search\\nAction Input: Bern'])"
    )
    assert 'tool: "search"' in snapshot_of(project, line, head=CHAIN)


def test_a_chain_without_a_prompt_is_told(project: Project) -> None:
    write(project, ["snapshot_prompt(MODEL | JsonOutputParser(), inputs='Bern')"], CHAIN)
    told = "ValueError: expected a chain with a prompt before its model"
    assert told in project.run("--snapshot-update")


@pytest.mark.parametrize("replies", ["Final Answer: 4", AIMessage("Final Answer: 4")])
def test_a_reply_that_is_not_in_a_list_is_an_error(replies: Any) -> None:
    for page in (
        lambda: prompt_page(get_parser("react", tools=[]), "How many?", [], replies, ""),
        lambda: output_page(JsonOutputParser(), replies),
    ):
        with pytest.raises(TypeError, match=r"replies must be a list of replies, .*: pass \[reply"):
            page()
