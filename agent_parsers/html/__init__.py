"""What was read, as HTML: pages of one file that load nothing, parts of pages, and notebooks.

`Explanation`, `Turn`, `Transcript` and `OutputParserException` have `to_html`, a whole page. The
functions with the suffix ``_html`` return parts for a page of your own, whose styles are `STYLES`;
put them into an element of the class ``ap``, as `fragment` does.
"""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from agent_parsers.html.explanations import explanation_html as explanation_html
    from agent_parsers.html.live import ashow as ashow
    from agent_parsers.html.live import show as show
    from agent_parsers.html.live import stream_html as stream_html
    from agent_parsers.html.runs import transcript_html as transcript_html
    from agent_parsers.html.turn_pages import turn_html as turn_html
    from outputs.html import STYLES as STYLES
    from outputs.html import fragment as fragment
    from outputs.html import html_line as html_line
    from outputs.html import html_text as html_text
    from outputs.html import page as page
    from outputs.html import problem_html as problem_html

_MODULES = modules_of(
    {
        "agent_parsers.html.explanations": "explanation_html",
        "agent_parsers.html.live": "ashow show stream_html",
        "agent_parsers.html.runs": "transcript_html",
        "agent_parsers.html.turn_pages": "turn_html",
        "outputs.html": "fragment page",
        "outputs.html.pages": "STYLES",
        "outputs.html.source": "problem_html",
        "outputs.html.texts": "html_line html_text",
    }
)
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__, __all__ = late_names(__name__, globals(), _MODULES)
