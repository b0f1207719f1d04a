"""Renders chat templates within limits, and finds them in what was passed as a template."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

from agent_serving.templates.chat import child
from agent_serving.templates.template_error import TemplateError
from output_parsers.printable import kind_of

_NAMES = ("tool_use", "default")
"""The named templates that are taken, the first first."""


class ChatTemplate(NamedTuple):
    """A chat template, and the special tokens that it may write."""

    text: str
    special_tokens: Mapping[str, str]


def chat_template(
    given: str | Mapping[str, Any], special_tokens: Mapping[str, str] | None = None
) -> ChatTemplate:
    """Return the chat template in *given*, its text or the configuration of a tokenizer.

    Args:
        given: The text, or what is in ``tokenizer_config.json``. Of several named templates,
            ``tool_use`` is preferred.
        special_tokens: The texts of special tokens, which replace those of the configuration.

    Raises:
        TypeError: It is neither.
        TemplateError: The configuration has no chat template.
    """
    own = dict(special_tokens or {})
    if isinstance(given, str):
        return ChatTemplate(given, own)
    if not isinstance(given, Mapping):
        raise TypeError(
            "expected a chat template as a string, or the object in tokenizer_config.json, not"
            f" {kind_of(given)}"
        )
    tokens = {
        key: text
        for key, value in given.items()
        if key.endswith("_token") and (text := _text_of(value)) is not None
    }
    return ChatTemplate(_chosen(given.get("chat_template")), {**tokens, **own})


def _text_of(token: Any) -> str | None:
    text = token.get("content") if isinstance(token, Mapping) else token
    return text if isinstance(text, str) else None


def _chosen(templates: Any) -> str:
    if isinstance(templates, str):
        return templates
    named: dict[Any, Any] = {}
    if isinstance(templates, list):
        named = {
            each.get("name"): each.get("template")
            for each in templates
            if isinstance(each, Mapping)
        }
    for name in _NAMES:
        if isinstance(named.get(name), str):
            return str(named[name])
    raise TemplateError(
        "there is no chat_template in this tokenizer configuration; newer repositories have it in a"
        " file chat_template.jinja"
    )


# -- rendering -------------------------------------------------------------------------------------

TIMEOUT_S: Final = 20.0
"""How long a template may take for all renderings, in seconds."""
_MOST_TEMPLATE_CHARS: Final = 1 << 19
_MOST_CHARS: Final = 1 << 24
_MOST_BYTES: Final = 1 << 30


class Rendering(NamedTuple):
    """The output of a template, or the error."""

    text: str = ""
    error: str = ""


def render_all(
    template: str, renderings: Sequence[Mapping[str, Any]], *, timeout_s: float = TIMEOUT_S
) -> list[Rendering]:
    """Render *template* once with each of the variables, in a process with a time limit.

    The process is stopped after *timeout_s*. It writes no more than 16 Mi characters, and where the
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
            f"the template took longer than {timeout_s:g} seconds, so it was stopped"
        ) from None
    if done.returncode:
        *_, last = done.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
        raise TemplateError(f"the process that renders the template ended early: {last}")
    answer = json.loads(done.stdout)
    if "error" in answer:
        raise TemplateError(f"this is not a valid chat template: {answer['error']}")
    return [Rendering(**each) for each in answer["renderings"]]
