"""The Node process: threads, forks, kills, timeouts, Ctrl-C, and computers without Node."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import child_of_service

import ndvm

ENDLESS = "(loop ((i 0)) (recur (+ i x)))"


def test_threads_take_turns(decay):
    wrong = []

    def work(number):
        for _ in range(25):
            if decay.evaluate(a=number, k=0, t=[1, 2]).values.tolist() != [number, number]:
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert wrong == []


def test_a_killed_process_is_an_error_and_the_next_call_works(decay):
    os.kill(child_of_service(), signal.SIGKILL)
    try:
        decay.evaluate(a=1, k=0, t=0)
    except ndvm.NdvmError as error:
        assert error.code == "E-WORKER"
        assert error.facts["reason"] == "died"
    assert decay.evaluate(a=5, k=0, t=0).values == 5


def test_a_process_killed_in_the_middle_of_a_call(machine, decay):
    program = machine.load(ENDLESS)
    child = child_of_service()
    killer = threading.Timer(0.5, os.kill, (child, signal.SIGKILL))
    killer.start()
    with pytest.raises(ndvm.NdvmError) as caught:
        program.evaluate(x=1, steps_max=10**15)
    killer.join()
    assert caught.value.code == "E-WORKER"
    assert decay.evaluate(a=6, k=0, t=0).values == 6


def test_a_timeout_ends_a_call_and_keeps_the_process(machine, decay):
    program = machine.load(ENDLESS)
    child = child_of_service()
    with pytest.raises(ndvm.NdvmError) as caught:
        program.evaluate(x=1, steps_max=10**15, timeout=0.3)
    assert caught.value.code == "E-TIME"
    assert decay.evaluate(a=7, k=0, t=0).values == 7
    assert child_of_service() == child


def test_ctrl_c_ends_a_call(machine, decay):
    program = machine.load(ENDLESS)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        program.evaluate(x=1, steps_max=10**15)
    timer.join()
    assert decay.evaluate(a=8, k=0, t=0).values == 8


def test_ctrl_c_ends_a_search():
    x = np.linspace(0, 3, 40)
    timer = threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        ndvm.search({"x": x, "y": np.sin(3 * x) * x}, "y", candidates=10**9, workers=0)
    timer.join()


def _in_child(source, queue):
    program = ndvm.Machine().load(source)
    queue.put((child_of_service(), float(program.evaluate(a=2, k=0, t=0).values)))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_child_processes_start_their_own(decay, method):
    mine = child_of_service()
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(decay.source, queue))
    child.start()
    theirs, value = queue.get()
    child.join()
    assert value == 2 and theirs != mine
    assert child_of_service() == mine
    assert decay.evaluate(a=9, k=0, t=0).values == 9


def test_a_forked_child_can_use_a_program_of_its_parent(decay):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, str(float(decay.evaluate(a=4, k=0, t=0).values)).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 100) == b"4.0"
    assert decay.evaluate(a=3, k=0, t=0).values == 3


def run_python(code, **env):
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **env},
    )


def test_without_node_there_is_a_clear_error():
    said = run_python("import ndvm; ndvm.Machine().load('1')", PATH="/nowhere", NDVM_NODE="")
    assert "there is no node to run" in said.stderr
    assert "install Node.js 20" in said.stderr


def test_an_old_node_is_named(tmp_path):
    old = tmp_path / "node"
    old.write_text("#!/bin/sh\necho v16.3.0\n")
    old.chmod(0o755)
    said = run_python("import ndvm; ndvm.Machine().load('1')", NDVM_NODE=str(old))
    assert "v16.3.0" in said.stderr and "too old" in said.stderr


def test_the_process_ends_with_python():
    code = (
        "import ndvm; ndvm.Machine().load('1');"
        "from ndvm._process import service; print(service.connect().process_id)"
    )
    child = int(run_python(code).stdout)
    for _ in range(200):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError("the Node process outlived Python")


def test_programs_that_nobody_holds_are_freed(machine):
    start = machine.load("x").evaluate(x=1, stats=True).stats["memoryBytes"]
    for index in range(3000):
        machine.load(f"(+ x {index} {' '.join(['x'] * 200)})")
    gc.collect()
    assert machine.load("x").evaluate(x=1, stats=True).stats["memoryBytes"] <= start + 4 * 2**20


def _memory(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc to see memory")
def test_memory_stays_flat_over_many_calls(decay):
    """10,000 calls here; NDVM_PYTHON_CALLS=100000 for the long run."""
    calls = int(os.environ.get("NDVM_PYTHON_CALLS", "10000"))
    child = child_of_service()

    def burst(count):
        for _ in range(count):
            decay.gradient(a=2.0, k=-0.5, t=[0.0, 1.0, 2.0])

    burst(calls // 2)
    before = (_memory(os.getpid()), _memory(child))
    burst(calls // 2)
    after = (_memory(os.getpid()), _memory(child))
    assert after[0] - before[0] < 20_000
    assert after[1] - before[1] < 60_000


def test_a_large_array_comes_back_right(machine):
    """16 MB each way here; NDVM_PYTHON_LARGE=268435456 for 2 GB."""
    lanes = int(os.environ.get("NDVM_PYTHON_LARGE", str(2**21)))
    x = np.arange(lanes, dtype=np.float64)
    values = machine.load("(* 2 x)").evaluate(x=x).values
    assert values[-1] == 2.0 * (lanes - 1) and len(values) == lanes
