"""Whole pages, and parts for the pages of others."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256

from outputs.html.styles import STYLES
from outputs.html.text import html_line

__all__ = ["fragment", "page"]


def page(body: str, *, title: str, script: str = "") -> str:
    """Return a page with *body*, which loads nothing and runs nothing but *script*.

    Its policy (``Content-Security-Policy``) names its own styles and script by their hashes, and
    forbids every other style, script, picture, font, frame, form and request.

    Args:
        body: HTML, in which every text went through `html_text` or `html_line`.
        title: The title, as text.
        script: JavaScript that belongs to the page.
    """
    policy = [
        "default-src 'none'",
        f"style-src {_hash(STYLES)}",
        f"script-src {_hash(script)}" if script else "script-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    end = f"<script>{script}</script>\n" if script else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{"; ".join(policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{html_line(title)}</title>\n<style>{STYLES}</style>\n</head>\n"
        f'<body class="ap-page">\n<main class="ap">\n{body}\n</main>\n{end}</body>\n</html>\n'
    )


def fragment(body: str) -> str:
    """Return *body* with its styles, for a page of somebody else, such as a notebook."""
    return f'<div class="ap"><style>{STYLES}</style>{body}</div>'


def _hash(source: str) -> str:
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"
