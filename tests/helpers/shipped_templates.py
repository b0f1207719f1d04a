"""Response templates of models, in the forms that TRL 1.16 ships nine of."""

from __future__ import annotations

from typing import Any, Final

CALL: Final = {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}
THINK: Final = {"open": "<think>", "close_pattern": r"</think>\s*"}
UNOPENED: Final = {"open_pattern": r"(?=[\s\S]*?</think>)", "close_pattern": r"</think>\s*"}
"""A thought that the prompt opens; without its closer the turn has none."""
CHAT_ML: Final = "<|im_start|>assistant\n"


def _template(anchor: dict[str, str], **fields: dict[str, Any]) -> dict[str, Any]:
    return {"defaults": {"role": "assistant"}, **anchor, "fields": fields}


def _calls(opens: str, closes: str, content: str = "json", **rest: Any) -> dict[str, Any]:
    return {
        "open_pattern": opens, "close_pattern": closes, "repeats": True, "content": content,
        "transform": CALL, **rest,
    }  # fmt: skip


def _tags(pattern: str) -> dict[str, Any]:
    return {"tag_pattern": pattern, "value_parser": {"name": "text"}}


def _until(pattern: str) -> dict[str, Any]:
    return {"close_pattern": pattern, "content": "text"}


_FUNCTION: Final = _calls(
    r"<tool_call>\s*<function=(?P<name>[^>\n]+)>",
    r"</tool_call>\s*",
    "xml-inline",
    content_args=_tags(r"<parameter=(?P<key>[^\n>]+)>\s*(?P<value>.*?)\s*</parameter>"),
)

SHIPPED: Final[dict[str, dict[str, Any]]] = {
    "qwen3": _template(
        {"start_anchor": CHAT_ML},
        reasoning_content=THINK,
        tool_calls={
            "open": "<tool_call>", "close_pattern": r"</tool_call>\s*", "repeats": True,
            "content": "json", "transform": {"type": "function", "function": "{content}"},
        },
        content=_until(r"<\|im_end\|>\s*"),
    ),
    "qwen3_5": _template(
        {"start_anchor": CHAT_ML},
        reasoning_content=THINK,
        tool_calls=_FUNCTION,
        content=_until(r"<\|im_end\|>\s*"),
    ),
    "glm4moe": _template(
        {"start_anchor": "<|assistant|>"},
        reasoning_content=THINK,
        tool_calls=_calls(
            r"<tool_call>(?P<name>\S+)\n?",
            r"</tool_call>\s*",
            "xml-inline",
            content_args=_tags(
                r"<arg_key>(?P<key>[^<]+)</arg_key>\s*<arg_value>(?P<value>.*?)</arg_value>"
            ),
        ),
        content=_until(r"<\|user\|>\s*|$"),
    ),
    "llama3": _template(
        {"start_anchor": "<|start_header_id|>assistant<|end_header_id|>\n\n"},
        tool_calls=_calls(
            r'\{"name":\s*"(?P<name>[^"]+)",\s*"parameters":\s*', r"\}<\|eot_id\|>\s*"
        ),
        content=_until(r"<\|eot_id\|>\s*"),
    ),
    "gptoss": _template(
        {"start_anchor": "<|start|>assistant"},
        thinking={"open": "<|channel|>analysis<|message|>", "close_pattern": r"<\|end\|>\s*"},
        content={"open": "<|channel|>final<|message|>", "close_pattern": r"<\|return\|>\s*"},
        tool_calls=_calls(
            r"to=functions\.(?P<name>\S+?)<\|channel\|>commentary\s+json<\|message\|>",
            r"<\|call\|>\s*",
        ),
    ),
    "lfm2_2_5": _template(
        {"start_anchor": CHAT_ML},
        thinking=THINK,
        tool_calls=_calls(
            r"(?:<\|tool_call_start\|>\[|,\s*)(?P<name>\w+)\(",
            r"\)(?:\]<\|tool_call_end\|>)?\s*",
            "xml-inline",
            content_args={
                "tag_pattern": r"""(?P<key>\w+)=(?P<value>'[^']*'|\[[^\[\]]*\]|[^,)]*)""",
                "value_parser": {
                    "name": "json", "args": {"string_delims": [["'", "'"]], "allow_non_json": True}
                },
            },
        ),
        content=_until(r"<\|im_end\|>\s*"),
    ),
    "nemotron_3": _template(
        {"start_anchor_pattern": r"<\|im_start\|>assistant\n<think>(?:\n|</think>)?"},
        reasoning_content=UNOPENED,
        tool_calls=_FUNCTION,
        content=_until(r"<\|im_end\|>\s*"),
    ),
    "gemma4": _template(
        {"start_anchor_pattern": r"(?:<\|turn>model\n|<tool_response\|>)"},
        reasoning_content={"open": "<|channel>thought\n", "close_pattern": r"<channel\|>\s*"},
        tool_calls=_calls(
            r"<\|tool_call>call:(?P<name>\w+)",
            r"<tool_call\|>\s*",
            content_args={"string_delims": [['<|"|>', '<|"|>']], "unquoted_keys": True},
        ),
        content=_until(r"(?:<turn\|>|<\|tool_response>|<eos>)\s*|$"),
    ),
    "deepseek_r1_distill": _template(
        {"start_anchor": "<｜Assistant｜><think>\n"},
        reasoning_content=UNOPENED,
        content=_until(r"<｜end▁of▁sentence｜>\s*|$"),
    ),
}  # fmt: skip
"""The templates by name."""

TURNS: Final = {
    "llama3": '{"name": "look_up", "parameters": {"q": "rain", "n": 2}}<|eot_id|>',
    "gptoss": "<|channel|>analysis<|message|>I look.<|end|> to=functions.look_up<|channel|>"
    'commentary json<|message|>{"q": "rain"}<|call|>',
    "lfm2_2_5": "<think>I look.</think><|tool_call_start|>[look_up(q='rain, snow', n=[1, 2]),"
    " ping()]<|tool_call_end|>Wait.",
    "nemotron_3": "I look.\n</think>\nWait.\n<tool_call>\n<function=look_up>\n<parameter=q>\nrain\n"
    "</parameter>\n</function>\n</tool_call><|im_end|>",
    "deepseek_r1_distill": "I think.\n</think>\n\nIt rains.<｜end▁of▁sentence｜>",
}
"""Turns for templates that read no dialect whole."""
DIALECTS: Final = {
    "qwen3": "hermes", "qwen3_5": "qwen3_coder", "glm4moe": "glm45", "gemma4": "gemma4",
}  # fmt: skip
"""The dialect that a template reads."""
