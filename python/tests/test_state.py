"""What the package keeps between calls: requests, programs, numbers to let go. None of it is stale."""

import json
import os
import signal
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import child_of_service

import ndvm
from ndvm import _process
from ndvm._frames import PREFIX, frame_head, frame_parts, read_arrays
from ndvm._process import Service, read_answer, service


def test_calls_that_differ_in_one_option_only_are_different_calls(machine):
    program = machine.load("(* a b)")
    inputs = {"a": 2.0, "b": np.array([3.0, 4.0])}
    assert set(program.gradient(inputs, wrt=["a"]).gradients) == {"a"}
    assert set(program.gradient(inputs, wrt=["b"]).gradients) == {"b"}
    assert set(program.gradient(inputs).gradients) == {"a", "b"}
    assert program.gradient(inputs, reduce=True).gradients["a"] == 7
    assert program.gradient(inputs, reduce=False).gradients["a"].tolist() == [3, 4]
    assert program.gradient(inputs, seed=2.0).gradients["a"].tolist() == [6, 8]
    assert program.gradient(inputs, seed=1.0).gradients["a"].tolist() == [3, 4]
    assert program.evaluate(inputs, stats=True).stats["lanes"] == 2
    assert program.evaluate(inputs).stats == {}
    with pytest.raises(ndvm.NdvmError, match="E-STEPS"):
        program.evaluate(inputs, steps_max=1)
    assert program.evaluate(inputs).values.tolist() == [6, 8]


def test_calls_that_differ_in_kinds_or_integers_are_different_calls(machine):
    program = machine.load("(loop ((i 0) (s 0)) (if (= i n) s (recur (+ i 1) (+ s x))))")
    for n in (3, 5, 3):
        assert program.evaluate(n=ndvm.int_(n), x=2.0).values == 2 * n
    double = machine.load("(* 2 v)")
    pair = np.array([1.0, 2.0])
    assert double.evaluate(v=pair).lanes == 2
    assert double.evaluate(v=ndvm.vec(pair)).lanes == 1
    assert double.evaluate(v=pair.astype(np.float32)).values.tolist() == [2, 4]


def test_more_kinds_of_calls_than_are_kept(machine):
    program = machine.load("(* 2 x)")
    for _ in range(2):
        for lanes in range(1, 80):
            x = np.arange(float(lanes))
            assert program.evaluate(x=x).values.tolist() == (2 * x).tolist()
    assert len(program._requests) <= 64


def test_a_new_process_knows_programs_by_their_new_numbers(machine):
    unused = [machine.load(f"(+ x {n})") for n in range(5)]
    program = machine.load("(* 3 x)")
    other = machine.load("(* 5 x)")
    assert (program.evaluate(x=2.0).values, other.evaluate(x=2.0).values) == (6, 10)
    os.kill(child_of_service(), signal.SIGKILL)
    try:
        other.evaluate(x=2.0)
    except ndvm.NdvmError as error:
        assert error.code == "E-WORKER"
    # In another order than before, so that every number is another program's.
    assert other.evaluate(x=2.0).values == 10
    assert program.evaluate(x=2.0).values == 6
    assert [one.evaluate(x=2.0).values for one in unused] == [2, 3, 4, 5, 6]


def test_what_is_let_go_is_told_once_and_to_the_process_that_has_it():
    one = Service()
    one.generation = 3
    assert one.released() == {}
    one.release(3, 7)
    one.release(2, 8)
    one.release(3, 9)
    assert one.released() == {"release": [7, 9]}
    assert one.released() == {}
    one.release(3, 10)
    one.after_fork()
    assert one.released() == {}


def test_a_program_of_a_process_that_died_lets_go_of_nothing_in_the_next(machine):
    lost = machine.load("(* 7 x)")
    with service.lock:
        service.connect().kill()
    kept = machine.load("(* 2 x)")
    generation, number = kept._generation, kept._number
    # As if the first had had the number that the second has now.
    service.release(generation - 1, number)
    del lost
    assert kept.evaluate(x=4.0).values == 8
    assert kept.evaluate(x=5.0).values == 10


def test_inputs_by_keyword_with_the_names_of_options(machine):
    program = machine.load("(+ lanes (* 10 timeout) (* 100 seed))",
                           inputs=["lanes", "timeout", "seed"])
    assert program.evaluate(lanes=1, timeout=2, seed=3).values == 321
    assert program.gradient(lanes=1, timeout=2, seed=3, wrt=["seed"]).gradients["seed"] == 100
    with pytest.raises(ndvm.NdvmError, match="wrt is one text"):
        program.gradient(lanes=1, timeout=2, seed=3, wrt="seed")


def test_a_lane_has_the_same_bits_whatever_the_other_lanes_return(machine):
    program = machine.load("(if (< x 2) (* -1 (- x 1)) (list x (vec (* -1 (- x 3)))))")
    mixed = program.evaluate(x=[1.0, 0.0, 3.0])
    alone = [program.evaluate(x=[x]).datum() for x in (1.0, 0.0)]
    for lane, value in enumerate(alone):
        assert type(mixed.datum(lane)) is type(value) is float
        assert np.float64(mixed.datum(lane)).tobytes() == np.float64(value).tobytes()
    assert np.signbit(mixed.datum(2)[1][0])


def test_one_datum_for_each_lane_and_none_beyond(machine):
    numbers = machine.load("(* 2 x)").evaluate(x=[1.0, 2.0, 3.0])
    assert [numbers.datum(lane) for lane in range(3)] == [2, 4, 6]
    assert machine.load("(vec x 1)").evaluate(x=[1.0, 2.0]).datum(1).tolist() == [2, 1]
    lists = machine.load("(list x)").evaluate(x=[1.0, 2.0])
    assert [lists.datum(lane) for lane in range(2)] == [[1], [2]]
    assert machine.load("(* 2 x)").evaluate(x=4.0).datum() == 8
    for result in (numbers, lists):
        for lane in (-1, result.lanes):
            with pytest.raises(ndvm.NdvmError, match=f"there is no lane {lane}"):
                result.datum(lane)


def test_vectors_and_infinities_inside_dotted_pairs_came_as_records(machine):
    found = machine.load("(cons (cons (vec x (/ 1 0)) 'a) (/ 0 0))").evaluate(x=2.0).datum()
    assert set(found) == {"list", "tail"} and np.isnan(found["tail"])
    [inner] = found["list"]
    assert inner["list"][0].tolist() == [2, np.inf] and inner["tail"] == "a"


def test_lists_in_lists_without_end_were_an_internal_error(machine):
    nested = machine.load("(loop ((i 0) (all 1)) (if (= i n) all (recur (+ i 1) (list all))))")
    found = nested.evaluate(n=ndvm.int_(200)).datum()
    for _ in range(200):
        [found] = found
    assert found == 1
    with pytest.raises(ndvm.NdvmError, match="more than 200 levels") as refused:
        nested.evaluate(n=ndvm.int_(100_000))
    assert refused.value.code == "E-RESULT"
    dotted = machine.load("(loop ((i 0) (all 1)) (if (= i n) all (recur (+ i 1) (cons all 2))))")
    found = dotted.evaluate(n=ndvm.int_(200)).datum()
    for _ in range(200):
        assert found["tail"] == 2
        [found] = found["list"]
    assert found == 1
    with pytest.raises(ndvm.NdvmError, match="more than 200 levels"):
        dotted.evaluate(n=ndvm.int_(201))


@pytest.mark.parametrize("lanes", [1, 3, 16_384, 16_385, 20_001])
def test_arrays_of_odd_lengths_lie_where_the_header_says(lanes):
    given = [np.arange(lanes, dtype="<f4"), np.arange(5, dtype="<i4"),
             np.arange(2.0 * lanes).reshape(lanes, 2), np.arange(6.0).reshape(2, 3).T]
    parts = frame_parts(frame_head({"id": 1}, given), given)
    whole = b"".join(bytes(one) for one in parts)
    _, header_bytes, body_bytes = PREFIX.unpack_from(whole)
    assert len(whole) == 16 + header_bytes + body_bytes
    header = json.loads(whole[16 : 16 + header_bytes])
    found = read_arrays(header, bytearray(whole[16 + header_bytes :]))
    for one, again in zip(given, found):
        np.testing.assert_array_equal(one, again)
        assert one.dtype == again.dtype
    assert [one["offset"] % 8 for one in header["arrays"]] == [0, 0, 0, 0]
    assert (len(parts) == 1) == (sum(one.nbytes for one in given) <= 65_536)


def test_odd_and_transposed_arrays_reach_the_machine_in_every_size(machine):
    program = machine.load("(+ x (dot v w))")
    for lanes in (3, 20_001):
        x = np.arange(lanes, dtype=np.float32)
        v = np.asfortranarray(np.arange(2.0 * lanes).reshape(lanes, 2))
        found = program.evaluate(x=x, v=ndvm.vec(v), w=ndvm.vec([1.0, -1.0])).values
        np.testing.assert_array_equal(found, x + v[:, 0] - v[:, 1])


class _Script:
    """A connection whose frames the test has written."""

    def __init__(self, frames):
        self.frames, self.sent = list(frames), []
        self.is_torn, self.is_alive, self.is_killed = False, True, False

    def send(self, parts):
        self.sent.append(parts)

    def receive(self, deadline):
        frame = self.frames.pop(0)
        if isinstance(frame, BaseException):
            raise frame
        return frame, bytearray()

    def kill(self):
        self.is_killed = True
        self.is_alive = False


def _events(one, frames, timeout=1.0):
    told = []
    script = _Script(frames)
    try:
        answer, _ = one.exchange(script, 5, [b""], timeout, read_answer, told.append)
    except (ndvm.NdvmError, KeyboardInterrupt) as error:
        answer = error
    return script, told, answer


def test_a_call_takes_its_own_frames_only_and_events_before_its_answer():
    frames = [b'{"id": 4, "result": 1}', b'{"id": 5, "progress": 1}', b'{"id": 4, "progress": 2}',
              b'{"id": 5, "progress": 3}', b'{"id": 5, "result": 6}']
    _, told, answer = _events(Service(), frames)
    assert [one["progress"] for one in told] == [1, 3]
    assert answer["result"] == 6


def test_a_cancelled_call_is_waited_for_until_it_has_ended():
    late = [TimeoutError(), b'{"id": 5, "progress": 1}', b'{"id": 4, "result": 1}',
            b'{"id": 5, "error": {"code": "E-ABORTED", "message": "ended"}}', b"left"]
    script, told, error = _events(Service(), late)
    assert error.code == "E-TIME" and told == []
    assert b'"cancel"' in b"".join(script.sent[1]) and b'"of": 5' in b"".join(script.sent[1])
    assert script.frames == [b"left"] and not script.is_killed
    deaf, _, error = _events(Service(), [TimeoutError(), TimeoutError()])
    assert error.code == "E-TIME" and deaf.is_killed
    done = [KeyboardInterrupt(), b'{"id": 5, "result": 6}', b"left"]
    script, _, error = _events(Service(), done)
    assert isinstance(error, KeyboardInterrupt)
    assert script.frames == [b"left"] and not script.is_killed


def test_calls_have_numbers_of_their_own():
    one = Service()
    assert len({one.next_number() for _ in range(10)}) == 10


@pytest.mark.parametrize("step", [1, 7, 16, 17, 40, 100, 65_536])
def test_frames_that_come_together_or_in_pieces_are_read_one_by_one(monkeypatch, step):
    monkeypatch.setattr(_process, "_READ_BYTES", step)
    numbers = [np.arange(3.0), np.arange(40.0), np.array([]), np.arange(5.0)]
    frames = [b"".join(bytes(part) for part in frame_parts(frame_head({"id": i}, [one]), [one]))
              for i, one in enumerate(numbers)]
    read, write = os.pipe()
    os.write(write, b"".join(frames))
    one = _process.Connection.__new__(_process.Connection)
    with os.fdopen(read, "rb", buffering=0) as stream:
        one._child = SimpleNamespace(stdout=stream)
        one._out, one._rest, one._poll, one.is_torn = read, b"", None, False
        for i, expected in enumerate(numbers):
            raw, body = one.receive(None)
            header = json.loads(raw)
            assert header["id"] == i and not one.is_torn
            assert read_arrays(header, body)[0].tolist() == expected.tolist()
    os.close(write)


@pytest.mark.parametrize("said, words", [("v19.9.9", "too old"), ("v20.0.0", None), ("v100.1.0", None),
                                         ("", "does not tell"), ("node", "does not tell")])
def test_the_version_that_node_tells_decides(tmp_path, said, words):
    node = tmp_path / "node"
    node.write_text(f"#!/bin/sh\necho {said}\n")
    node.chmod(0o755)
    if words is None:
        _process._check_version(str(node))
        return
    with pytest.raises(ndvm.NdvmError, match=words) as caught:
        _process._check_version(str(node))
    assert caught.value.facts["reason"] == "node"


def test_the_last_words_of_a_process_are_kept():
    chunks = [b"%d " % number for number in range(20)] + [b""]
    one = _process.Connection.__new__(_process.Connection)
    one._child = SimpleNamespace(stderr=SimpleNamespace(read=lambda count: chunks.pop(0)))
    one._said, one.has_ended = [], False
    one._listen()
    assert b"".join(one._said) == b"12 13 14 15 16 17 18 19 " and one.has_ended


def test_errors_keep_all_that_they_know_when_they_travel():
    import pickle

    from ndvm.errors import error_of

    told = {"code": "E-TYPE", "message": "m", "help": "h", "facts": {"names": ["a"]}, "source": "(f)",
            "span": {"start": 1, "end": 2}, "text": "all of it"}
    for error in (error_of(told), pickle.loads(pickle.dumps(error_of(told)))):
        known = (error.code, error.message, error.help, error.facts, error.span, error.source)
        assert known == ("E-TYPE", "m", "h", {"names": ["a"]}, (1, 2), "(f)")
        assert str(error) == "all of it"
    assert error_of({"code": "E-TYPE", "message": "m"}).span is None


def test_machines_and_programs_are_made_as_they_were_asked_for(machine):
    clamped = machine.load("(sqrt x)", domain="clamp")
    assert clamped.evaluate(x=-1.0).values == pytest.approx(1e-4)
    assert np.isnan(machine.load("(sqrt x)").evaluate(x=-1.0).values)
    assert machine.load("LOAD x\nPUSH 2\nMUL", language="bytecode").evaluate(x=3.0).values == 6
    small = ndvm.Machine(memory_max=8 * 2**20).load("(* x (trace (eye 1200)))")
    with pytest.raises(ndvm.NdvmError, match="E-MEMORY"):
        small.evaluate(x=1.0)
    assert machine.load(small.source).evaluate(x=1.0).values == 1200
    module = machine.load("(* a x)").export("javascript", {"a": 2}, is_module=True)
    assert "export" in module
    for seed in (float("inf"), float("nan")):
        with pytest.raises(ndvm.NdvmError, match="the seed is"):
            clamped.gradient(x=1.0, seed=seed)
    unused = machine.load("(if (< a 1) x (* 2 x))").gradient(a=0.0, x=3.0)
    assert unused.inactive == ["a"] and machine.load("(* a 2)").gradient(a=1.0).inactive == []


def test_answers_of_more_kinds_than_are_kept(machine):
    sizes = range(1, 13)
    branches = "".join(f"((< x {size + 0.5}) (vec {' '.join(['x'] * size)}))" for size in sizes)
    program = machine.load(f"(cond {branches} (else (vec x)))")
    for _ in range(2):
        for size in sizes:
            assert program.evaluate(x=float(size)).values.tolist() == [size] * size
    (request,) = program._requests.values()
    assert 0 < len(request._answers) <= 8
