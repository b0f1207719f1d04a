"""The run that produced a result."""

from typing import ClassVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict

__all__ = ["RunInfo"]


class RunInfo(BaseModel):
    """The run that produced a result."""

    model_config: ClassVar[ConfigDict] = ConfigDict(defer_build=True)

    run_id: UUID
    """The run's id."""
