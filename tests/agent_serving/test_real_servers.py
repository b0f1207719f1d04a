"""The plugins in the servers themselves, if installed; `tools.conformance.stand_ins` says how."""

import os
import re
import subprocess
import sys

import pytest

from tools.conformance import stand_ins

from ..helpers.samples import ROOT

DIALECTS = ["hermes", "kimi_k2", "pythonic", "qwen3_coder", "react"]


@pytest.mark.parametrize("server", ["vllm", "sglang", "verl"])
def test_the_plugin_reads_the_vectors_in_the_server(server: str) -> None:
    if stand_ins.find(server) is None:
        pytest.skip(f"{server} is not installed, nor in the folder AGENT_PARSERS_SERVERS")
    command = [sys.executable, "-m", "tools.conformance", "--adapter", f"{server}-plugin"]
    command += [f"--dialect={name}" for name in DIALECTS]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split("|")[1:-1] for line in done.stdout.splitlines() if line.startswith("| ")]
    heads, total = [head.strip() for head in rows[0]], rows[-1]
    assert "Not driven" not in done.stdout
    for head in ("strict: calls", "broken: no call"):
        numbers = [int(number) for number in re.findall(r"\d+", total[heads.index(head)])]
        assert len({*numbers}) == 1, f"{head}: {numbers}"
        assert numbers[0] > 50


STOPS = """
from tools.conformance import stand_ins

stand_ins.provide("verl")
import agent_serving.verl
from verl.experimental.agent_loop.tool_parser import ToolParser

MARKS = ["<|user|>", "<|observation|>", "<|im_end|>", "<tool_call|>", "<|tool_response>", "<turn|>"]


class Tokens:
    unk_token_id = None

    def convert_tokens_to_ids(self, token):
        return MARKS.index(token) if token in MARKS else None


for own, ours in (("glm", "ap_glm47"), ("kimi", "ap_kimi_k2"), ("gemma4", "ap_gemma4")):
    for name in (own, ours):
        ids = ToolParser.get_tool_parser(name, Tokens()).stop_token_ids
        print(name, *(MARKS[each] for each in ids))
"""


def test_verl_stops_where_its_own_parsers_do() -> None:
    if stand_ins.find("verl") is None:
        pytest.skip("verl is not installed, nor in the folder AGENT_PARSERS_SERVERS")
    done = subprocess.run(
        [sys.executable, "-c", STOPS], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    stops = dict(line.partition(" ")[::2] for line in done.stdout.splitlines())
    assert stops["glm"] in stops["ap_glm47"].split()
    assert stops["kimi"] in stops["ap_kimi_k2"].split()
    # verl's parser of Gemma 4 takes one call of a turn, ours all of them
    assert stops["ap_gemma4"] == "<turn|> <|tool_response>"
