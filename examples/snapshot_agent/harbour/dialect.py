"""The dialect of this agent: ReAct text with the labels of a harbour log."""

from agent_parsers import get_dialect, register
from agent_parsers.authoring import with_labels

LOG = register(
    with_labels(
        get_dialect("react"),
        name="harbour_log",
        summary="ReAct text with the labels of a harbour log",
        labels={
            "Thought": "Note",
            "Action": "Order",
            "Action Input": "Details",
            "Observation": "Echo",
            "Final Answer": "Radio",
        },
    )
)
