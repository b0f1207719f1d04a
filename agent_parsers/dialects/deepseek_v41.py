"""As `deepseek_dsml`, with a space behind the bars, and ``calls`` around all: DeepSeek V4.1.

Source: vllm-project/vllm, its parser of that name.
"""

from __future__ import annotations

from typing import Final

from agent_parsers.dialects.deepseek_dsml import dsml

__all__ = ["DIALECT"]

DIALECT: Final = dsml("deepseek_v41", "DeepSeek V4.1", mark="｜DSML｜ ", wrapper="calls")
