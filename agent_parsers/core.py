"""What the applications of this library use of its core, beyond what users are promised.

The applications (`agent_runs`, `agent_serving`, `agent_laws`, and here `testing` and `cli`) import
from the core only promised names and these, so what is behind them can change. They are not
promised to users. The shorter this list the better: `tests/test_house.py` counts it.
"""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from agent_parsers.actions.agent import as_data as as_data
    from agent_parsers.actions.agent import make_action as make_action
    from agent_parsers.actions.agent import make_finish as make_finish
    from agent_parsers.actions.agent import observation_text as observation_text
    from agent_parsers.actions.agent import pair_of as pair_of
    from agent_parsers.actions.tool_action import make_message as make_message
    from agent_parsers.actions.tool_action import make_tool_call as make_tool_call
    from agent_parsers.constrain.export import write_grammar as write_grammar
    from agent_parsers.constrain.parts.options import TurnKind as TurnKind
    from agent_parsers.constrain.parts.options import TurnOptions as TurnOptions
    from agent_parsers.constrain.parts.slots import SLOTS as SLOTS
    from agent_parsers.constrain.parts.slots import Slot as Slot
    from agent_parsers.constrain.turns.shapes import Parameters as Parameters
    from agent_parsers.constrain.turns.shapes import Shapes as Shapes
    from agent_parsers.constrain.turns.shapes import ToolShape as ToolShape
    from agent_parsers.detecting.detection import Detection as Detection
    from agent_parsers.detecting.detection import DialectCandidate as DialectCandidate
    from agent_parsers.detecting.detection import detection_of as detection_of
    from agent_parsers.detecting.signs import has_telling_marker as has_telling_marker
    from agent_parsers.detecting.trial import DialectTrial as DialectTrial
    from agent_parsers.detecting.trial import try_reply as try_reply
    from agent_parsers.engine.calls.marks import Before as Before
    from agent_parsers.engine.calls.tags.marks import CallStart as CallStart
    from agent_parsers.engine.markers.kinds import label_words as label_words
    from agent_parsers.engine.markers.kinds import spelt_texts as spelt_texts
    from agent_parsers.engine.markers.patterns import Patterns as Patterns
    from agent_parsers.engine.reading.matching.clean_runs import run_matcher as run_matcher
    from agent_parsers.engine.reading.message_text import MessageText as MessageText
    from agent_parsers.engine.reading.message_text import text_and_end as text_and_end
    from agent_parsers.engine.reading.rules.known_tools import known_tools as known_tools
    from agent_parsers.engine.reading.rules.known_tools import with_called as with_called
    from agent_parsers.engine.reading.rules.machine import machine as machine
    from agent_parsers.engine.reading.turn import PlainCall as PlainCall
    from agent_parsers.engine.reading.turn import PlainTurn as PlainTurn
    from agent_parsers.engine.reading.turn import turn_of as turn_of
    from agent_parsers.engine.tables.problems import too_long as too_long
    from agent_parsers.engine.tables.reasoning import REASONING as REASONING
    from agent_parsers.engine.tables.rewritings import END_TOKENS as END_TOKENS
    from agent_parsers.engine.whole import whole_reader as whole_reader
    from agent_parsers.engine.writing.advice import advice_on_call as advice_on_call
    from agent_parsers.engine.writing.prompt import asked_in as asked_in
    from agent_parsers.engine.writing.render import Rendered as Rendered
    from agent_parsers.engine.writing.render import Step as Step
    from agent_parsers.engine.writing.render import render as render
    from agent_parsers.explain.following import Following as Following
    from agent_parsers.explain.screen import draw_outcome as draw_outcome
    from agent_parsers.foreign.shapes import find_nameless as find_nameless
    from agent_parsers.html.runs import badges_of as badges_of
    from agent_parsers.html.runs import run_html as run_html
    from agent_parsers.html.turn_pages import badges_html as badges_html
    from agent_parsers.html.turn_pages import messages_html as messages_html
    from agent_parsers.messages.reading.arguments import ARGUMENT as ARGUMENT
    from agent_parsers.messages.reading.arguments import as_input as as_input
    from agent_parsers.messages.reading.arguments import read_lenient as read_lenient
    from agent_parsers.messages.reading.content import split_content as split_content
    from agent_parsers.messages.reading.pieces import CallPiece as CallPiece
    from agent_parsers.messages.reading.pieces import as_json as as_json
    from agent_parsers.messages.reading.pieces import function_pieces as function_pieces
    from agent_parsers.messages.reading.pieces import tool_pieces as tool_pieces
    from agent_parsers.messages.reading.problems import BadCall as BadCall
    from agent_parsers.parsers.auto_parser import AutoParser as AutoParser
    from agent_parsers.parsers.beside_text import ReasoningBeside as ReasoningBeside
    from agent_parsers.parsers.dialect_parser import AnyDialectParser as AnyDialectParser
    from agent_parsers.parsers.event_parser import EventParser as EventParser
    from agent_parsers.parsers.turn_parser import TurnParser as TurnParser
    from agent_parsers.reports import LISTENERS as LISTENERS
    from agent_parsers.toolset.listed import listed_tools as listed_tools
    from agent_parsers.toolset.problems.input_problem import shown as shown
    from agent_parsers.toolset.problems.names import did_you_mean as did_you_mean
    from agent_parsers.transcripts.facts import FACTS as FACTS
    from agent_parsers.transcripts.facts import facts_of as facts_of
    from agent_parsers.transcripts.facts import first_line_of as first_line_of
    from agent_parsers.transcripts.facts import form_of as form_of
    from agent_parsers.transcripts.transcript import NoticeKind as NoticeKind
    from agent_parsers.transcripts.transcript import OpenSource as OpenSource
    from agent_parsers.transcripts.transcript import OpenStep as OpenStep
    from agent_parsers.transcripts.transcript import OpenTranscript as OpenTranscript
    from agent_parsers.transcripts.transcript_parser import read_output as read_output

_MODULES = modules_of(
    {
        "agent_parsers.actions.agent": "as_data make_action make_finish observation_text pair_of",
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
        "agent_parsers.messages.reading.content": "split_content",
        "agent_parsers.messages.reading.pieces": "CallPiece as_json function_pieces tool_pieces",
        "agent_parsers.messages.reading.problems": "BadCall",
        "agent_parsers.parsers.auto_parser": "AutoParser",
        "agent_parsers.parsers.beside_text": "ReasoningBeside",
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
    __getattr__, __dir__, __all__ = late_names(__name__, globals(), _MODULES)
