"""Values as HTML, without a dependency: text that cannot break out, styles, and whole pages."""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from outputs.html.pages import STYLES, fragment, page
    from outputs.html.source import anchor_of, notes_html, problem_html, source_html
    from outputs.html.texts import NamedText, fields_html, html_line, html_text
    from outputs.html.viewable import Viewable
    from outputs.pieces import Piece, Remark

__all__ = [
    "STYLES",
    "NamedText",
    "Piece",
    "Remark",
    "Viewable",
    "anchor_of",
    "fields_html",
    "fragment",
    "html_line",
    "html_text",
    "notes_html",
    "page",
    "problem_html",
    "source_html",
]

_MODULES = modules_of(
    {
        "outputs.html.pages": "STYLES fragment page",
        "outputs.html.source": "anchor_of notes_html problem_html source_html",
        "outputs.html.texts": "NamedText fields_html html_line html_text",
        "outputs.html.viewable": "Viewable",
        "outputs.pieces": "Piece Remark",
    }
)
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__ = late_names(__name__, globals(), _MODULES)
