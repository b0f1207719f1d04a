"""Calls as Claude wrote them before it had native tool calls: an element for each parameter.

Two forms are read, and mixtures of them: the name and keys as attributes, which is the form that is
written, and ``<tool_name>`` with ``<parameters>``, whose elements are named after the keys. Values
are verbatim text without escapes: a closing tag counts only if another tag or the end of the text
follows it. A block may have several calls, and a turn may have content before them. Calls inside
``<thinking>`` are ignored. The answer is in ``<final_answer>``, as in `xml`, or is the whole text.

In lenient mode the outer element and closing tags may be missing, and a JSON object may replace all
parameters.

Source: Anthropic's guides to legacy tool use; results as there, with the name of each tool.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.calls.tags.form import Attributes, Element, OwnName, TaggedForm, TagPart
from agent_parsers.engine.markers.kinds import Label, Literal
from agent_parsers.engine.repairs.names import repair_tool_name
from agent_parsers.engine.tables.problems import Problem
from agent_parsers.engine.tables.table import EndTurn, Go, Part, Table, Transition
from agent_parsers.engine.writing.prompt import list_schemas
from agent_parsers.families.call_blocks import calls_dialect
from agent_parsers.families.results_writer import ResultsWriter
from agent_parsers.families.steps import Steps, TextElement
from agent_parsers.families.tagged import tagged_table
from agent_parsers.forms.form import CallForm, Form, ParameterForm

if TYPE_CHECKING:
    from agent_parsers.engine.tables.dialect import Result

SAMPLE: Final = """\
<thinking>I have to look it up.</thinking>
Let me see.
<function_calls>
<invoke name="search">
<parameter name="query">Lake Thun</parameter>
</invoke>
<invoke name="ping">
</invoke>
</function_calls>"""

FORM: Final = TaggedForm(
    tags={
        TagPart.WRAP: Element("<function_calls>"),
        TagPart.END_WRAP: Element("</function_calls>"),
        TagPart.CALL: Attributes("<invoke"),
        TagPart.NAME: Element("<tool_name>"),
        TagPart.END_NAME: Element("</tool_name>"),
        TagPart.END_CALL: Element("</invoke>"),
        TagPart.KEY: Attributes("<parameter"),
        TagPart.END_VALUE: Element("</parameter>"),
        TagPart.KEYS: Element("<parameters>"),
        TagPart.END_KEYS: Element("</parameters>"),
        TagPart.OWN_KEY: OwnName("<"),
        TagPart.OWN_NAME: OwnName("</"),
    }
)
LENIENT_FORM: Final = replace(FORM, lenient=True, json_arguments="odd")
BARE: Final = "call without a wrapper"
ELEMENTS: Final = (
    TextElement("final_answer").read_as(Part.ANSWER, "answer", then="answered")
    | TextElement("function_results").read_as(Part.OBSERVATION, "results", then="content")
    | Steps(
        parts={"answered": Part.SKIPPED},
        markers={"end of result": Literal("</result>"), "end of output": Literal("</stdout>")},
        rows={
            ("content", "answer"): Go("answer"),
            ("content", "results"): Go("results", clash="invented_first"),
            ("thought", "results"): Go("results", clash="invented_first"),
            ("results", "end of result"): Go("results"),
            ("results", "end of output"): Go("results"),
        },
    )
)
"""The answer, and what the model must not write."""
ENDED: Final = ("after", "answer", "answered")
"""States after calls, or in an answer, in which the model may write past the end of the turn."""


def _table(form: TaggedForm) -> Table:
    """Return the table for turns with calls, or with an answer in an element of its own."""
    table = tagged_table(form, thought=("<thinking>", "</thinking>"))
    opens = {
        m
        for (state, m), transition in table.transitions.items()
        if state == "content" and m in ("call", BARE)
    }
    transitions: dict[tuple[str, str], Transition] = {
        **table.transitions,
        **ELEMENTS.transitions,
        **{("answered", name): Go("call", clash="action_and_answer") for name in opens},
    }
    for state in ("after", *(name for name in opens if name in table.parts)):
        if state != "call":  # in a call, another tag must end the block first
            transitions[state, "answer"] = Go("answer", clash="action_and_answer")
            transitions[state, "results"] = EndTurn("results")
    if form.lenient:
        transitions |= {(state, "question"): EndTurn("content", firm=True) for state in ENDED}
    return replace(
        table,
        markers={
            **table.markers,
            **ELEMENTS.markers,
            **({"question": Label("Question", loose=True)} if form.lenient else {}),
        },
        parts={**table.parts, **ELEMENTS.parts},
        transitions=transitions,
        read_tool=repair_tool_name if form.lenient else None,
        ends={**table.ends, **({} if form.lenient else {"answer": "open_answer"})},
    )


CALL: Final = CallForm(
    text='<invoke name="{tool}">\n{parameters}</invoke>',
    parameters=ParameterForm(text='<parameter name="{key}">{value}</parameter>\n'),
)


def write_result(result: Result) -> str:
    """Return the result of one call as text."""
    return f"<tool_name>{result.tool}</tool_name>\n<stdout>\n{result.text}\n</stdout>"


PROBLEMS: Final = {
    "open_answer": Problem(
        "expected </final_answer> at the end of the answer",
        "Invalid Format: Write <final_answer>answer</final_answer>.",
    ),
    "action_and_answer": Problem(
        "found both <function_calls> and a <final_answer>; a turn may have only one of them",
        "Write either <function_calls> or a <final_answer>, not both.",
    ),
    "invented_first": Problem(
        "found <function_results> before any call; the model must not write them",
        "Invalid Format: Do not write <function_results>.",
    ),
    "invented_after": Problem(
        "found <function_results>; the model must not write them",
        "Invalid Format: Do not write <function_results>.",
    ),
}

DIALECT: Final = calls_dialect(
    "anthropic_xml",
    SAMPLE,
    aliases=("claude_xml",),
    summary="XML elements for calls and their parameters (Claude's legacy form)",
    strict=_table(FORM),
    lenient=_table(LENIENT_FORM),
    problems=PROBLEMS,
    stop=("</function_calls>",),
    closer="</function_calls>",
    form=Form(
        thought=("<thinking>", "</thinking>\n"),
        content=("", "\n"),
        call=CALL,
        calls=("<function_calls>\n", "\n", "\n</function_calls>"),
        answer=("<final_answer>", "</final_answer>"),
    ),
    render_results=ResultsWriter(
        text=write_result,
        each=("<result>\n", "\n</result>"),
        between="\n",
        around=("<function_results>\n", "\n</function_results>"),
    ),
    turn_frame=("\n", "\n"),
    list_tools=list_schemas,
)
