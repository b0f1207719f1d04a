"""The loop of an agent, and what it is made of: asking a model for its turn, without I/O."""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from agent_parsers.loop.asking import Asking as Asking
    from agent_parsers.loop.asking import AskingOptions as AskingOptions
    from agent_parsers.loop.asking import OnBadCall as OnBadCall
    from agent_parsers.loop.asking import ToolsIn as ToolsIn
    from agent_parsers.loop.replies import SaidPart as SaidPart
    from agent_parsers.loop.replies import atake_turn as atake_turn
    from agent_parsers.loop.replies import take_turn as take_turn
    from agent_parsers.loop.request import ModelRequest as ModelRequest
    from agent_parsers.loop.request import ToolChoice as ToolChoice
    from agent_parsers.loop.request import check_model as check_model
    from agent_parsers.loop.run import AgentRun as AgentRun
    from agent_parsers.loop.run import CutAnswerError as CutAnswerError
    from agent_parsers.loop.run import MaxTurnsError as MaxTurnsError
    from agent_parsers.loop.run import OnCut as OnCut
    from agent_parsers.loop.run import arun_agent as arun_agent
    from agent_parsers.loop.run import run_agent as run_agent

_MODULES = modules_of(
    {
        "agent_parsers.loop.asking": "Asking AskingOptions OnBadCall ToolsIn",
        "agent_parsers.loop.replies": "SaidPart atake_turn take_turn",
        "agent_parsers.loop.request": "ModelRequest ToolChoice check_model",
        "agent_parsers.loop.run": (
            "AgentRun CutAnswerError MaxTurnsError OnCut arun_agent run_agent"
        ),
    }
)
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__, __all__ = late_names(__name__, globals(), _MODULES)
