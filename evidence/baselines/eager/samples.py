"""Samples of calls of an eager interpreter, in one process or in several at once."""

import concurrent.futures
import multiprocessing
import time


def samples_of(run, job):
    """Microseconds of forward and backward calls, of processor time."""
    forward, backward = [], []
    deadline = time.process_time() + job["seconds"]
    while len(forward) < job["most"]:
        if len(forward) >= job["least"] and time.process_time() > deadline:
            break
        value = run.forward()
        forward.append(run.took * 1e6)
        started = time.process_time()
        run.gradients(value)
        backward.append((time.process_time() - started) * 1e6)
    return forward, backward


def samples_apart(kind, program, job):
    """The same in a process of its own, which makes its own run."""
    from eager import make_run

    return samples_of(make_run(kind, program["source"], program["numbers"], program["matrices"]), job)


def samples_together(kind, program, job, processes):
    """Calls that take seconds, in several processes at once, each with its part of the samples."""
    part = {**job, "least": -(-job["least"] // processes), "seconds": 0}
    # Forked children cannot run PyTorch backward.
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(processes, mp_context=context) as pool:
        found = list(pool.map(samples_apart, [kind] * processes, [program] * processes, [part] * processes))
    return [[x for each in found for x in each[side]] for side in (0, 1)]
