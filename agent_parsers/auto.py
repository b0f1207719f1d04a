"""The parser for models whose format is not known: it finds the dialect of each turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from typing_extensions import override

from agent_parsers.actions.agent import T
from agent_parsers.detecting.detection import detect_reply
from agent_parsers.detecting.trial import try_reply
from agent_parsers.parsers.auto_parser import AutoParser
from agent_parsers.parsers.dialect_parser import AnyDialectParser, dialect_parser
from agent_parsers.registry.dialects_by_name import get_dialect
from agent_parsers.tools import ToolsAgentOutputParser
from output_parsers import OutputParserException
from output_parsers.model_output import check_text

if TYPE_CHECKING:
    from agent_parsers.engine.tables.dialect import Dialect

_PLAIN: Final = "hermes"
"""The dialect that reads a text without a sign: its reasoning ends, and the rest is the answer."""
_LABELS: Final = "react"
"""The dialect whose labels show that a text was to be more than an answer."""
_TWO_WAYS: Final = (
    "Your reply can be read in two ways, so nothing was done. Write it again, in the form you were"
    " told, and nothing else."
)


def dialect_of(text: str) -> Dialect | None:
    """Return the dialect of *text*, or the one that reads plain text; `None` if it is not clear."""
    try:
        name = AutoOutputParser()._dialect_of(text)
    except OutputParserException:
        return None
    return get_dialect(name or _PLAIN)


class AutoOutputParser(AutoParser[T]):
    """Reads each turn in the dialect that `detect` finds in it; see `AutoParser`."""

    @override
    def _parser_for(self, text: str) -> tuple[AnyDialectParser, str]:
        check_text(text)
        name = self._dialect_of(text) if len(text) <= self.max_chars else ""  # refused when read
        parser = dialect_parser(
            get_dialect(name or _PLAIN),
            lenient=self.lenient,
            tools=self.tools,
            max_chars=self.max_chars,
        )
        return parser, name

    def _dialect_of(self, text: str) -> str:
        """Return the dialect of *text*; empty if it has no sign of one."""
        found = detect_reply(text, self.tools)
        if found.is_ambiguous:
            raise OutputParserException(
                f"{found}: name the dialect, as in get_parser({found.candidates[0].dialect!r})",
                llm_output=text,
                observation=_TWO_WAYS,
                send_to_llm=True,
            )
        if found.candidates:
            name = found.candidates[0].dialect
            if not try_reply(get_dialect(name), text, self.tools).is_signed(text):
                raise OutputParserException(
                    f"{found}, or plain text: name the dialect, as in get_parser({name!r})",
                    llm_output=text,
                    observation=_TWO_WAYS,
                    send_to_llm=True,
                )
            return name
        labelled = try_reply(get_dialect(_LABELS), text, self.tools)
        if labelled.markers and labelled.errors:
            raise labelled.errors[0]
        return ""

    @override
    def _tools_parser(self) -> ToolsAgentOutputParser:
        return ToolsAgentOutputParser(
            lenient=self.lenient, tools=self.tools, max_chars=self.max_chars
        )
