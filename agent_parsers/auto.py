"""The parser for models whose format is not known: it finds the dialect of each turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from typing_extensions import override

from agent_parsers.actions.agent import T
from agent_parsers.detecting.detection import detect_reply
from agent_parsers.detecting.signs import SHARED, telling_markers
from agent_parsers.detecting.trial import DialectTrial, try_reply
from agent_parsers.forms.form import Written
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
    "Your reply can be read in two ways, so nothing was done. Write it again in the required"
    " format, and nothing else."
)


def dialect_of(text: str) -> Dialect | None:
    """Return the dialect of *text*, or the one that reads plain text; `None` if it is unclear."""
    name, error = AutoOutputParser()._find_dialect(text)
    return None if error else get_dialect(name or _PLAIN)


class AutoOutputParser(AutoParser[T]):
    """Reads each turn in the dialect that `detect` finds in it; see `AutoParser`."""

    @override
    def _find_parser(self, text: str) -> tuple[AnyDialectParser, str, OutputParserException | None]:
        check_text(text)
        name, error = "", None
        if len(text) <= self.max_chars:  # else it is refused when it is read
            name, error = self._find_dialect(text)
        parser = dialect_parser(
            get_dialect(name or _PLAIN),
            lenient=self.lenient,
            tools=self.tools,
            max_chars=self.max_chars,
        )
        return parser, name, error

    def _find_dialect(self, text: str) -> tuple[str, OutputParserException | None]:
        """Return the likeliest dialect of *text*, and why it is not certain.

        The name is empty if there is no sign of a dialect.
        """
        found = detect_reply(text, self.tools)
        if not found.candidates:
            labelled = try_reply(get_dialect(_LABELS), text, self.tools)
            if labelled.markers and labelled.errors:
                return _LABELS, labelled.errors[0]
            return "", None
        name = found.candidates[0].dialect
        if not found.is_ambiguous:
            if is_signed(try_reply(get_dialect(name), text, self.tools), text):
                return name, None
            said = f"{found}, unless it is plain text"
        else:
            said = str(found)
        return name, OutputParserException(
            f"{said}: name the dialect, as in get_parser({name!r})",
            llm_output=text,
            observation=_TWO_WAYS,
            send_to_llm=True,
        )

    @override
    def _tools_parser(self) -> ToolsAgentOutputParser:
        return ToolsAgentOutputParser(
            lenient=self.lenient, tools=self.tools, max_chars=self.max_chars
        )


def is_signed(trial: DialectTrial, text: str) -> bool:
    """Return whether *text* has marks of its dialect that plain text would not have by chance.

    A fence is Markdown, so it is not such a mark. Nor is a label that follows words, unless the
    dialect writes this answer like that when the prompt begins the thought.
    """
    if trial.actions:
        telling = telling_markers(trial.dialect) & trial.markers.keys()
        return not telling or any(trial.markers[name][:3] != "```" for name in telling)
    if trial.opening or not trial.answers:
        return True
    (answer,) = trial.texts["answers"]
    try:
        written = trial.dialect.write(Written("\n".join(trial.thoughts), answer=answer))
    except ValueError:  # it cannot write this
        return False
    return _letters_of(written).endswith(_letters_of(text))


def _letters_of(text: str) -> str:
    """Return *text* without white space, and without marks that all dialects read."""
    for mark in SHARED:
        text = text.replace(mark, "")
    return "".join(text.split())
