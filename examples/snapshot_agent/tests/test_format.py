"""Snapshots of the prompt, and of parsed replies; the files are in ``snapshots/``."""

from pathlib import Path

from harbour.agent import parser


def test_prompt(snapshot_prompt):
    snapshot_prompt(parser, question="When is high water at Hull?")


def test_run(snapshot_transcript):
    snapshot_transcript(Path("runs/whitby.txt"), dialect=parser.dialect)


def test_events(snapshot_events):
    snapshot_events(
        parser,
        {
            "a turn": "Note: the tide, then.\nOrder: tides\nDetails: Hull",
            "emphasis, and an observation that the model made up": (
                "**Order:** tides\n**Details:** Hull\nEcho: it is high\nRadio: Now."
            ),
            "an answer that quotes a label": 'Radio: write "Order: tides" in the log',
        },
    )
