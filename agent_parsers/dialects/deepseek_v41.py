"""DeepSeek V4.1: like `deepseek_dsml`, with a space after the bars, and ``calls`` around the calls.

Source: the parser of that name in vllm-project/vllm.
"""

from __future__ import annotations

from typing import Final

from agent_parsers.dialects.deepseek_dsml import dsml

__all__ = ["DIALECT"]

DIALECT: Final = dsml("deepseek_v41", "DeepSeek V4.1", mark="｜DSML｜ ", wrapper="calls")
