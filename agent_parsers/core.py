"""What the applications of this library use of its core, beyond what users are promised.

The applications (`agent_runs`, `agent_serving`, `agent_laws`, and here `testing` and `cli`) import
from the core only promised names and these, so what is behind them can change. They are not
promised to users. The shorter this list the better: `tests/test_house.py` counts it.
"""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from agent_parsers.actions.agent import (
        as_data,
        as_text,
        make_action,
        make_finish,
        pair_of,
    )
    from agent_parsers.actions.tool_action import make_message, make_tool_call
    from agent_parsers.constrain.export import write_grammar
    from agent_parsers.constrain.parts.options import TurnKind, TurnOptions
    from agent_parsers.constrain.parts.slots import SLOTS, Slot
    from agent_parsers.constrain.turns.shapes import Parameters, Shapes, ToolShape
    from agent_parsers.detecting.detection import Detection, DialectCandidate, detection_of
    from agent_parsers.detecting.signs import has_telling_marker
    from agent_parsers.detecting.trial import DialectTrial, try_reply
    from agent_parsers.engine.calls.marks import Before
    from agent_parsers.engine.calls.tags.marks import CallStart
    from agent_parsers.engine.markers.kinds import label_words, spelt_texts
    from agent_parsers.engine.markers.patterns import Patterns
    from agent_parsers.engine.reading.matching.clean_runs import run_matcher
    from agent_parsers.engine.reading.message_text import MessageText, text_and_end
    from agent_parsers.engine.reading.rules.known_tools import known_tools, with_called
    from agent_parsers.engine.reading.rules.machine import machine
    from agent_parsers.engine.reading.turn import PlainCall, PlainTurn, turn_of
    from agent_parsers.engine.tables.problems import too_long
    from agent_parsers.engine.tables.reasoning import REASONING
    from agent_parsers.engine.tables.rewritings import END_TOKENS
    from agent_parsers.engine.whole import whole_reader
    from agent_parsers.engine.writing.advice import advice_on_call
    from agent_parsers.engine.writing.prompt import asked_in
    from agent_parsers.engine.writing.render import Rendered, Step, render
    from agent_parsers.explain.following import Following
    from agent_parsers.explain.screen import draw_outcome
    from agent_parsers.foreign.shapes import find_nameless
    from agent_parsers.html.runs import badges_of, run_html
    from agent_parsers.html.turn_pages import badges_html, messages_html
    from agent_parsers.messages.reading.arguments import ARGUMENT, as_input, read_lenient
    from agent_parsers.messages.reading.pieces import (
        CallPiece,
        as_json,
        function_pieces,
        tool_pieces,
    )
    from agent_parsers.messages.reading.problems import BadCall
    from agent_parsers.messages.reading.said import said_in
    from agent_parsers.parsers.auto_parser import AutoParser
    from agent_parsers.parsers.dialect_parser import AnyDialectParser
    from agent_parsers.parsers.event_parser import EventParser
    from agent_parsers.parsers.turn_parser import TurnParser
    from agent_parsers.reports import LISTENERS
    from agent_parsers.toolset.listed import listed_tools
    from agent_parsers.toolset.problems.input_problem import shown
    from agent_parsers.toolset.problems.names import did_you_mean
    from agent_parsers.transcripts.facts import FACTS, facts_of, first_line_of, form_of
    from agent_parsers.transcripts.transcript import (
        NoticeKind,
        OpenSource,
        OpenStep,
        OpenTranscript,
    )
    from agent_parsers.transcripts.transcript_parser import read_output

__all__ = [
    "ARGUMENT",
    "END_TOKENS",
    "FACTS",
    "LISTENERS",
    "REASONING",
    "SLOTS",
    "AnyDialectParser",
    "AutoParser",
    "BadCall",
    "Before",
    "CallPiece",
    "CallStart",
    "Detection",
    "DialectCandidate",
    "DialectTrial",
    "EventParser",
    "Following",
    "MessageText",
    "NoticeKind",
    "OpenSource",
    "OpenStep",
    "OpenTranscript",
    "Parameters",
    "Patterns",
    "PlainCall",
    "PlainTurn",
    "Rendered",
    "Shapes",
    "Slot",
    "Step",
    "ToolShape",
    "TurnKind",
    "TurnOptions",
    "TurnParser",
    "advice_on_call",
    "as_data",
    "as_input",
    "as_json",
    "as_text",
    "asked_in",
    "badges_html",
    "badges_of",
    "detection_of",
    "did_you_mean",
    "draw_outcome",
    "facts_of",
    "find_nameless",
    "first_line_of",
    "form_of",
    "function_pieces",
    "has_telling_marker",
    "known_tools",
    "label_words",
    "listed_tools",
    "machine",
    "make_action",
    "make_finish",
    "make_message",
    "make_tool_call",
    "messages_html",
    "pair_of",
    "read_lenient",
    "read_output",
    "render",
    "run_html",
    "run_matcher",
    "said_in",
    "shown",
    "spelt_texts",
    "text_and_end",
    "too_long",
    "tool_pieces",
    "try_reply",
    "turn_of",
    "whole_reader",
    "with_called",
    "write_grammar",
]

_MODULES = modules_of(
    {
        "agent_parsers.actions.agent": "as_data as_text make_action make_finish pair_of",
        "agent_parsers.actions.tool_action": "make_message make_tool_call",
        "agent_parsers.constrain.export": "write_grammar",
        "agent_parsers.constrain.parts.options": "TurnKind TurnOptions",
        "agent_parsers.constrain.parts.slots": "SLOTS Slot",
        "agent_parsers.constrain.turns.shapes": "Parameters Shapes ToolShape",
        "agent_parsers.detecting.detection": "Detection DialectCandidate detection_of",
        "agent_parsers.detecting.signs": "has_telling_marker",
        "agent_parsers.detecting.trial": "DialectTrial try_reply",
        "agent_parsers.engine.calls.marks": "Before",
        "agent_parsers.engine.calls.tags.marks": "CallStart",
        "agent_parsers.engine.markers.kinds": "label_words spelt_texts",
        "agent_parsers.engine.markers.patterns": "Patterns",
        "agent_parsers.engine.reading.matching.clean_runs": "run_matcher",
        "agent_parsers.engine.reading.message_text": "MessageText text_and_end",
        "agent_parsers.engine.reading.rules.known_tools": "known_tools with_called",
        "agent_parsers.engine.reading.rules.machine": "machine",
        "agent_parsers.engine.reading.turn": "PlainCall PlainTurn turn_of",
        "agent_parsers.engine.tables.problems": "too_long",
        "agent_parsers.engine.tables.reasoning": "REASONING",
        "agent_parsers.engine.tables.rewritings": "END_TOKENS",
        "agent_parsers.engine.whole": "whole_reader",
        "agent_parsers.engine.writing.advice": "advice_on_call",
        "agent_parsers.engine.writing.prompt": "asked_in",
        "agent_parsers.engine.writing.render": "Rendered Step render",
        "agent_parsers.explain.following": "Following",
        "agent_parsers.explain.screen": "draw_outcome",
        "agent_parsers.foreign.shapes": "find_nameless",
        "agent_parsers.html.runs": "badges_of run_html",
        "agent_parsers.html.turn_pages": "badges_html messages_html",
        "agent_parsers.messages.reading.arguments": "ARGUMENT as_input read_lenient",
        "agent_parsers.messages.reading.pieces": "CallPiece as_json function_pieces tool_pieces",
        "agent_parsers.messages.reading.problems": "BadCall",
        "agent_parsers.messages.reading.said": "said_in",
        "agent_parsers.parsers.auto_parser": "AutoParser",
        "agent_parsers.parsers.dialect_parser": "AnyDialectParser",
        "agent_parsers.parsers.event_parser": "EventParser",
        "agent_parsers.parsers.turn_parser": "TurnParser",
        "agent_parsers.reports": "LISTENERS",
        "agent_parsers.toolset.listed": "listed_tools",
        "agent_parsers.toolset.problems.input_problem": "shown",
        "agent_parsers.toolset.problems.names": "did_you_mean",
        "agent_parsers.transcripts.facts": "FACTS facts_of first_line_of form_of",
        "agent_parsers.transcripts.transcript": "NoticeKind OpenSource OpenStep OpenTranscript",
        "agent_parsers.transcripts.transcript_parser": "read_output",
    }
)
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__ = late_names(__name__, globals(), _MODULES)
