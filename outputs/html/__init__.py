"""Values as HTML, without a dependency: text that cannot break out, styles, and whole pages."""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from outputs.html.pages import STYLES as STYLES
    from outputs.html.pages import fragment as fragment
    from outputs.html.pages import page as page
    from outputs.html.source import anchor_of as anchor_of
    from outputs.html.source import notes_html as notes_html
    from outputs.html.source import problem_html as problem_html
    from outputs.html.source import source_html as source_html
    from outputs.html.texts import NamedText as NamedText
    from outputs.html.texts import fields_html as fields_html
    from outputs.html.texts import html_line as html_line
    from outputs.html.texts import html_text as html_text
    from outputs.html.viewable import Viewable as Viewable
    from outputs.pieces import Piece as Piece
    from outputs.pieces import Remark as Remark

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
    __getattr__, __dir__, __all__ = late_names(__name__, globals(), _MODULES)
