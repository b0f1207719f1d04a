"""Tools: their schemas, checks of their inputs, and their descriptions for the model."""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from agent_parsers.toolset.declaring.forms import Tools as Tools
    from agent_parsers.toolset.problems.errors import AnswerError as AnswerError
    from agent_parsers.toolset.problems.errors import CheckedInput as CheckedInput
    from agent_parsers.toolset.problems.errors import ForeignCallError as ForeignCallError
    from agent_parsers.toolset.problems.errors import ToolInputError as ToolInputError
    from agent_parsers.toolset.problems.errors import UnknownToolError as UnknownToolError
    from agent_parsers.toolset.problems.input_problem import InputProblem as InputProblem
    from agent_parsers.toolset.running import ToolException as ToolException
    from agent_parsers.toolset.schemas.spec import ToolSpec as ToolSpec
    from agent_parsers.toolset.set import ToolSet as ToolSet

_MODULES = modules_of(
    {
        "agent_parsers.toolset.declaring.forms": "Tools",
        "agent_parsers.toolset.problems.errors": (
            "AnswerError CheckedInput ForeignCallError ToolInputError UnknownToolError"
        ),
        "agent_parsers.toolset.problems.input_problem": "InputProblem",
        "agent_parsers.toolset.running": "ToolException",
        "agent_parsers.toolset.schemas.spec": "ToolSpec",
        "agent_parsers.toolset.set": "ToolSet",
    }
)
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__, __all__ = late_names(__name__, globals(), _MODULES)
