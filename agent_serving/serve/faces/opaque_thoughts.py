"""Thoughts in a field that a client hands back without reading it.

Responses has ``encrypted_content`` for it, and Messages the ``signature`` of a thought that is not
to be shown. Nothing is encrypted: what the model thought is its client's, and has to come back in
the next request, since nothing is stored here.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error
from typing import Final

_MARK: Final = "agent-parsers:"


def seal(text: str) -> str:
    """Return the value of an opaque field for the thought *text*."""
    return _MARK + b64encode(text.encode("utf-8", "surrogatepass")).decode()


def unseal(field: str) -> str | None:
    """Return the thought in an opaque *field*; `None` if another server wrote it."""
    if not field.startswith(_MARK):
        return None
    try:
        written = b64decode(field.removeprefix(_MARK), validate=True)
        return written.decode("utf-8", "surrogatepass")
    except (Error, UnicodeDecodeError):
        return None
