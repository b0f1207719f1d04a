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
    command = [sys.executable, "-m", "conformance", "--adapter", f"{server}-plugin"]
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
