"""Muse Spark: like `muse_glimmer`, but a message without a recipient is a thought.

     to=self<|message|>I have to look it up.<|eom|>\
<|start|>assistant to=user<|message|>Let me see.<|eom|>\
<|start|>assistant to=search<|message|><atem:function_calls>
    <atem:invoke name="search">
    <atem:parameter name="query">Lake Thun</atem:parameter>
    </atem:invoke>
    </atem:function_calls><|eom|><|start|>assistant to=ping<|message|><atem:function_calls>
    <atem:invoke name="ping">
    </atem:invoke>
    </atem:function_calls>

The model writes both. A message to ``developer`` is for neither the user nor a
tool, so it is left out.

Source: the parsers ``muse`` and ``musespark1x`` of vllm-project/vllm.
"""

from dataclasses import replace

from agent_parsers.dialects import muse_glimmer
from agent_parsers.events import SkippedDelta, ThoughtDelta

KINDS = {**muse_glimmer.KINDS, "": ThoughtDelta, "developer": SkippedDelta}

DIALECT = replace(
    muse_glimmer.DIALECT,
    name="muse_spark",
    aliases=("musespark1x",),
    summary="as muse_glimmer, where messages without a recipient are thoughts (Muse Spark)",
    strict=muse_glimmer.table(KINDS, lenient=False),
    lenient=muse_glimmer.table(KINDS, lenient=True),
)
