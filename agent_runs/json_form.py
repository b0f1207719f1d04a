"""The JSON form of the errors of this package."""

from typing import Final

from agent_runs.reading.reader import UnknownLogError
from output_parsers.json_form import error_kind

KINDS: Final = (error_kind(UnknownLogError),)
"""The classes of this package that have a JSON form."""
