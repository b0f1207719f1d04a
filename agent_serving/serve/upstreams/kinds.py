"""What is known of each kind of server: its paths, and what it takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from agent_parsers.constrain import Server


@dataclass(frozen=True, slots=True)
class UpstreamKind:
    """A kind of upstream server."""

    name: str
    title: str
    """How it calls itself."""
    probe: str = ""
    """The path by which it is recognised."""
    sign: str = ""
    """A field of what stands there."""
    chat_path: str = "/v1/chat/completions"
    text_path: str = "/v1/completions"
    grammar: Server | None = None
    """The form of the grammars that it takes; `None` if it takes none."""
    raw: Mapping[str, Any] = field(default_factory=dict)
    """Fields with which special tokens, such as the marks of calls, stay in the text."""
    preserves: bool = False
    """Whether it has to be told these marks."""
    continues: Mapping[str, Any] | None = None
    """Fields with which it continues the last message; `None` if it cannot."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Its names of settings that have others in what a client asks."""
    counts: str = ""
    """The path at which it counts tokens."""

    @property
    def is_ollama(self) -> bool:
        """Whether it speaks Ollama's own API."""
        return self.name == "ollama"


KINDS: Final[Mapping[str, UpstreamKind]] = {
    kind.name: kind
    for kind in (
        UpstreamKind(
            "llama_cpp", "llama.cpp", "/props", "default_generation_settings",
            grammar="llama_cpp", raw={"reasoning_format": "none"}, preserves=True, continues={},
            counts="/tokenize",
        ),
        UpstreamKind(
            "ollama", "Ollama", "/api/version", "version",
            chat_path="/api/chat", text_path="/api/generate",
        ),
        UpstreamKind(
            "sglang", "SGLang", "/get_model_info", "model_path",
            grammar="sglang", raw={"skip_special_tokens": False},
            continues={"continue_final_message": True},
        ),
        UpstreamKind(
            "vllm", "vLLM", "/version", "version",
            grammar="vllm", raw={"skip_special_tokens": False}, counts="/tokenize",
            names={"thinking_budget_tokens": "thinking_token_budget"},
            continues={"continue_final_message": True, "add_generation_prompt": False},
        ),
        UpstreamKind("lm_studio", "LM Studio", "/api/v0/models", "data"),
        UpstreamKind("openai", "another server with OpenAI's API", "/v1/models", "data"),
    )
}  # fmt: skip
"""The kinds by name, in the order in which they are tried."""
