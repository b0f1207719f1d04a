"""The base class of values that can be shown as HTML."""

from __future__ import annotations

from importlib import import_module
from typing import ClassVar, Protocol, cast


class View(Protocol):
    """A module that renders the values of a class as HTML."""

    def draw(self, value: object) -> str:
        """Return the HTML of *value*, for a page that has the `STYLES`."""
        ...

    def title(self, value: object) -> str:
        """Return the title of a page that shows only this value."""
        ...


class Viewable:
    """A value that can be shown as HTML, as a page or in a notebook."""

    __slots__ = ()

    _view: ClassVar[str]
    """The `View` of the class: the name of a module, which is imported when a value is shown."""

    def to_html(self) -> str:
        """Return a page of HTML that shows the value.

        It is one file that loads nothing, for light and dark screens of any size. It shows every
        character of the texts: those that HTML cannot hold, or that nobody would see, as an
        element with the code point in ``data-char``, as in ``<span data-char="0">NUL</span>``. Lone
        surrogates are among them, so the page can be encoded as UTF-8.
        """
        from outputs.html.pages import page  # imported lazily: few values are shown

        view = cast("View", import_module(self._view))
        return page(view.draw(self), title=view.title(self))

    def _repr_html_(self) -> str:
        """Return the value as HTML for a notebook; its styles apply to nothing else there."""
        from outputs.html.pages import fragment  # imported lazily: few values are shown

        view = cast("View", import_module(self._view))
        return fragment(view.draw(self))
