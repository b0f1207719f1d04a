"""GigaChat 3: a call in JSON is a turn of the role ``function call``, which follows the content.

    Let me see.<|message_sep|>

    function call<|role_sep|>
    {"name": "search", "arguments": {"query": "Lake Thun"}}

The mark that ends each turn, ``<|message_sep|>``, also stands between content and call, even if the
content is empty. It ends the turn only if no call follows, so it is no stop sequence; a result that
the model invents is one. In lenient mode this mark may be missing, and the call may follow the mark
of `gigachat31`. The chat template writes one call in a turn, and so does `render`.

Source: the chat template of ai-sage/GigaChat3-10B-A1.8B (ggml-org/llama.cpp:
models/templates/GigaChat3-10B-A1.8B.jinja), and the parser gigachat3 of vllm-project/vllm.
"""

import re
from dataclasses import replace

from agent_parsers.authoring import Ahead, CallFormat, Go, JsonPayload, Literal, Table, role_frame
from agent_parsers.engine.calls.marks import Before, one_of

END, EOS = "<|message_sep|>", "</s>"
ROLE, TURN = "<|role_sep|>", "\n\n"
CALL, RESULT = f"function call{ROLE}", f"function result{ROLE}"
TOKEN = "<|function_call|>"
NO_CALL = Ahead(f"(?!{re.escape(TURN + CALL)})", pending=one_of(TURN + CALL).pending, sample="")


def with_eos(table: Table) -> Table:
    """Return *table* with a token that may follow the end of the turn."""
    return replace(table, transitions={**table.transitions, ("over", f"end {EOS}"): Go("over")})


def with_turns(table: Table) -> Table:
    """Return *table* with an end of the turn that no call follows."""
    table = with_eos(table)
    markers = {"end of turn": Before(END, ahead=NO_CALL), "result": Literal(RESULT)}
    rows = {(state, "end of turn"): Go("over") for state in table.parts if state != "over"}
    return replace(
        table,
        markers={**table.markers, **markers},
        transitions={**table.transitions, **rows, ("over", "result"): Go("over")},
    )


FORMAT = CallFormat(
    name="gigachat3",
    summary="a turn of the role 'function call' with JSON (GigaChat 3)",
    payload=JsonPayload(),
    call=(f"{END}{TURN}{CALL}\n", ""),
    is_single=True,
    thought=None,
    ends=(EOS,),
    turn_frame=role_frame((f"{END}{TURN}", f"{ROLE}\n"), "function result"),
    also={"call": (CALL, TOKEN)},
    adapt=with_turns,
)
DIALECT = FORMAT.dialect(stop=(RESULT, EOS))
