"""The examples print what they say they print."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_the_output_is_what_the_comments_say(file):
    expected = [line[5:] for line in file.read_text().splitlines() if line.startswith("# -> ")]
    env = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    said = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, env=env)
    assert said.stderr == ""
    assert said.stdout.splitlines() == expected
    assert expected


def test_a_bench_runs_and_its_bits_agree():
    bench = Path(__file__).parent.parent / "bench" / "boundary.py"
    env = {key: one for key, one in os.environ.items() if key != "NDVM_CORPUS"}
    said = subprocess.run([sys.executable, str(bench), "--quick"], capture_output=True, text=True,
                          env=env)
    assert said.returncode == 0, said.stderr
    assert "Kalman T=80" in said.stdout
