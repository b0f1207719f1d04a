"""Logs of agent runs, in and out: consoles and files of frameworks, data sets, reports, tables.

`read_runs` recognises the form of a log and reads its runs as `agent_parsers.Transcript`; what it
reads is written again by `to_text`, `to_sharegpt` and `to_atif`, and shown by `report_html`. Tables
of replies are parsed by `agent_runs.bulk`.

A line of a log goes this way:

==================  ==============================================================================
``sources``         opens a file, a folder, an archive or a URL, and yields the logs in it
``recognition``     looks at the beginning of a log: which form is it? ``detecting/`` finds the
                    dialect of plain text, ``readers/shipped`` has the signs of the others
``readers/``        reads one form each: most are rows of the tables in ``readers/data/tables`` and
                    ``readers/text/tables``, which ``tables/`` gives their meaning
``splitting/``      splits plain text into runs
``reading/``        builds the runs: messages, parts of messages, steps
``writers/``        write runs as text or as records
``reader_report``   tries each reader on a log, to say where it stops
``cli/``            the commands ``parse``, ``convert``, ``report``, ``readers``, ``detect``, …
==================  ==============================================================================
"""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from agent_parsers.core import Detection as Detection
    from agent_parsers.core import DialectCandidate as DialectCandidate
    from agent_runs.detecting.detect import detect as detect
    from agent_runs.read_log import read_runs as read_runs
    from agent_runs.readers.known import list_readers as list_readers
    from agent_runs.readers.known import register_reader as register_reader
    from agent_runs.readers.known import unregister_reader as unregister_reader
    from agent_runs.recognition import LogForm as LogForm
    from agent_runs.recognition import detect_log as detect_log
    from agent_runs.report import report_html as report_html
    from agent_runs.tables.console import Console as Console
    from agent_runs.tables.messages import Messages as Messages
    from agent_runs.tables.part import MessagePart as MessagePart
    from agent_runs.tables.piece import ConsolePiece as ConsolePiece
    from agent_runs.writers.chats import to_atif as to_atif
    from agent_runs.writers.chats import to_sharegpt as to_sharegpt
    from agent_runs.writers.known import get_writer as get_writer
    from agent_runs.writers.known import list_writers as list_writers
    from agent_runs.writers.text import to_text as to_text

_MODULES = modules_of(
    {
        "agent_parsers.detecting.detection": "Detection DialectCandidate",
        "agent_runs.detecting.detect": "detect",
        "agent_runs.read_log": "read_runs",
        "agent_runs.readers.known": "list_readers register_reader unregister_reader",
        "agent_runs.recognition": "LogForm detect_log",
        "agent_runs.report": "report_html",
        "agent_runs.tables.console": "Console",
        "agent_runs.tables.messages": "Messages",
        "agent_runs.tables.part": "MessagePart",
        "agent_runs.tables.piece": "ConsolePiece",
        "agent_runs.writers.chats": "to_atif to_sharegpt",
        "agent_runs.writers.known": "get_writer list_writers",
        "agent_runs.writers.text": "to_text",
    }
)
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__, __all__ = late_names(__name__, globals(), _MODULES)
