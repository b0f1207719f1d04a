"""Renders chat templates within limits."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from agent_parsers.templates.chat import child
from agent_parsers.templates.problems import TemplateError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["TIMEOUT_S", "Rendering", "render_all"]

TIMEOUT_S: Final = 20.0
"""How long a template may take for all renderings, in seconds."""
_MOST_TEMPLATE_CHARS: Final = 1 << 19
_MOST_CHARS: Final = 1 << 24
_MOST_BYTES: Final = 1 << 30


class Rendering(NamedTuple):
    """What a template wrote, or why it did not."""

    text: str = ""
    error: str = ""


def render_all(
    template: str, renderings: Sequence[Mapping[str, Any]], *, timeout_s: float = TIMEOUT_S
) -> list[Rendering]:
    """Render *template* once with each of the variables, in a process that ends in time.

    The process is ended after *timeout_s*. It writes no more than 16 Mi characters, and where the
    system can limit memory (Linux), it has 1 GiB.

    Args:
        template: A chat template, in Jinja.
        renderings: The variables of each rendering.
        timeout_s: Limit for all of them, in seconds.

    Raises:
        ImportError: Jinja2 is not installed.
        TemplateError: The template is not valid, or too long, or it takes too long.
    """
    if find_spec("jinja2") is None:
        raise ImportError(
            'chat templates need jinja2: pip install "agent-parsers[templates]"', name="jinja2"
        )
    if len(template) > _MOST_TEMPLATE_CHARS:
        raise TemplateError(f"the template has more than {_MOST_TEMPLATE_CHARS:,} characters")
    request = {
        "path": sys.path,
        "template": template,
        "renderings": renderings,
        "max_chars": _MOST_CHARS,
        "max_bytes": _MOST_BYTES,
    }
    try:
        done = subprocess.run(
            [sys.executable, "-P", child.__file__],
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise TemplateError(
            f"the template takes longer than {timeout_s:g} seconds, so it was stopped"
        ) from None
    if done.returncode:
        *_, last = done.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
        raise TemplateError(f"the process that renders the template ended early: {last}")
    answer = json.loads(done.stdout)
    if "error" in answer:
        raise TemplateError(f"this is no valid chat template: {answer['error']}")
    return [Rendering(**each) for each in answer["renderings"]]
