"""Hunyuan 4: like `hunyuan_v3`, without ``<tool_sep>`` or line breaks, with a suffix in each tag.

    <think:6124c78e>I have to look it up.</think:6124c78e>Let me see.<tool_calls:6124c78e>\
<tool_call:6124c78e>search<arg_key:6124c78e>query</arg_key:6124c78e>\
<arg_value:6124c78e>Lake Thun</arg_value:6124c78e></tool_call:6124c78e>\
<tool_call:6124c78e>ping</tool_call:6124c78e></tool_calls:6124c78e>

The suffix is that of the weights tencent/Hy4-preview. Others may have none; in lenient mode a tag
without it counts as well.

Source: vLLM's ``hy_v4``, which takes the suffix from the tokenizer. It does not show the marks of
turns and results, which are those of `hunyuan_v3`.
"""

import re
from dataclasses import replace

from agent_parsers.authoring import TAGS, Given, TaggedPayload
from agent_parsers.dialects import glm47, hunyuan_v3

SUFFIX = ":6124c78e"


def suffixed(text: str) -> str:
    """Return *text* with the suffix in each of its tags."""
    return re.sub(r"(?<=\w)>", f"{SUFFIX}>", text)


DIALECT = replace(
    hunyuan_v3.FORMAT,
    name="hunyuan_v4",
    aliases=("hy4", "hy_v4"),
    summary="as hunyuan_v3, without <tool_sep> and with a suffix (Hunyuan 4)",
    payload=TaggedPayload(
        call=suffixed("<tool_call>{tool}{parameters}</tool_call>"),
        parameter=suffixed(glm47.PAYLOAD.parameter),
        row=("", "", ""),
        spellings=lambda tag: (tag.replace(SUFFIX, ""),),
    ),
    call=(suffixed("<tool_calls>"), suffixed("</tool_calls>")),
    thought=(suffixed(TAGS[0]), suffixed(TAGS[1])),
    also={"thought": TAGS[:1], "end of thought": TAGS[1:]},
).dialect(given=(Given("<｜hy_User｜>"),))
