"""Laws that every dialect and every reader of logs keeps, for those who write their own.

`check_dialect` tries a dialect, and `check_reader` a reader, on texts that are made from it: from
its sample, its marks and its tools. ``laws/`` has the laws, functions that raise `BrokenLawError`;
``trials/`` makes the texts; ``plan`` says which law is tried on which text, and ``smallest`` cuts
down what breaks one. `texts`, `turns` and `cuts` are strategies of Hypothesis for tests of one's
own.
"""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from agent_laws.check import DialectReport as DialectReport
    from agent_laws.check import check_dialect as check_dialect
    from agent_laws.check import dialect_laws as dialect_laws
    from agent_laws.laws.broken import BrokenLawError as BrokenLawError
    from agent_laws.readers import ReaderReport as ReaderReport
    from agent_laws.readers import check_reader as check_reader
    from agent_laws.trials.stories import every_cut as every_cut
    from agent_laws.trials.strategies import cuts as cuts
    from agent_laws.trials.strategies import texts as texts
    from agent_laws.trials.strategies import turns as turns

_MODULES = modules_of(
    {
        "agent_laws.check": "DialectReport check_dialect dialect_laws",
        "agent_laws.laws.broken": "BrokenLawError",
        "agent_laws.readers": "ReaderReport check_reader",
        "agent_laws.trials.stories": "every_cut",
        "agent_laws.trials.strategies": "cuts texts turns",
    }
)
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__, __all__ = late_names(__name__, globals(), _MODULES)
