"""The Node process that does the work: one for each Python process, started on first use.

Calls of several threads take turns. Ctrl-C and a timeout cancel the call that runs; a process that does
not answer the cancellation is ended, and the next call starts another. A forked child starts its own.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import shutil
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from ._frames import MAGIC, PREFIX, ArrayList, read_arrays
from .errors import NdvmError, error_of

PROTOCOL = 1
NODE_MIN = 20
#: Seconds that a process may take to answer a cancellation before it is ended.
PATIENCE = 5.0
_BODY_MAX = 8 * 2**30
#: Bytes asked for at once: a small frame comes with one read.
_READ_BYTES = 65_536
#: Room that the pipes get where the system lets us: large arrays then need fewer turns.
_PIPE_BYTES = 2**20

Event = Callable[[Dict[str, Any]], None]


def _find_node() -> str:
    named = os.environ.get("NDVM_NODE")
    found = shutil.which(named or "node")
    if found is None:
        raise NdvmError(
            "E-WORKER",
            f"there is no {named or 'node'} to run",
            help=f"install Node.js {NODE_MIN} or newer, or let NDVM_NODE name its executable",
            facts={"reason": "node"},
        )
    return found


def _check_version(node: str) -> None:
    try:
        said = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30)
        major = int(said.stdout.strip().lstrip("v").split(".")[0])
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise NdvmError(
            "E-WORKER",
            f"{node} does not tell its version",
            help=f"let NDVM_NODE name the executable of Node.js {NODE_MIN} or newer",
            facts={"reason": "node"},
        ) from error
    if major < NODE_MIN:
        raise NdvmError(
            "E-WORKER",
            f"{node} is Node.js {said.stdout.strip()}, which is too old",
            help=f"install Node.js {NODE_MIN} or newer, or let NDVM_NODE name its executable",
            facts={"reason": "node", "expected": f"v{NODE_MIN}", "actual": said.stdout.strip()},
        )


def _widen(pipe: int) -> None:
    """Gives a pipe more room, on systems that can; elsewhere it keeps what it has."""
    try:
        import fcntl

        fcntl.fcntl(pipe, getattr(fcntl, "F_SETPIPE_SZ", 1031), _PIPE_BYTES)
    except (ImportError, OSError):
        pass


def _script() -> str:
    return os.environ.get("NDVM_SERVE") or str(Path(__file__).parent / "js" / "ndvm-serve.mjs")


class Connection:
    """One running Node process and the pipes to it."""

    def __init__(self) -> None:
        node = _find_node()
        self.pid = os.getpid()
        try:
            self._child = subprocess.Popen(
                [node, _script()],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            raise NdvmError(
                "E-WORKER", f"{node} cannot be started: {error}", facts={"reason": "node"}
            ) from error
        assert self._child.stdin and self._child.stdout and self._child.stderr
        self._in = self._child.stdin.fileno()
        self._out = self._child.stdout.fileno()
        for end in (self._in, self._out):
            _widen(end)
        #: Bytes that came with the latest frame and belong to the next.
        self._rest = b""
        self._poll: Any = None
        if hasattr(select, "poll"):
            self._poll = select.poll()
            self._poll.register(self._out, select.POLLIN)
        #: True once the process has ended; asking the system before each call takes longer than one.
        self.has_ended = False
        #: True while a frame is half written or half read: nobody can go on after it.
        self.is_torn = False
        self._said: List[bytes] = []
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self._greet(node)

    def _greet(self, node: str) -> None:
        try:
            raw, _ = self.receive(None)
        except NdvmError:
            _check_version(node)
            raise
        header = json.loads(raw)
        hello = header.get("hello", {})
        if hello.get("protocol") != PROTOCOL:
            self.end()
            raise NdvmError(
                "E-PROTOCOL",
                f"this package speaks protocol {PROTOCOL}, its server {hello.get('protocol')}",
                help="install the package again",
                facts={"limit": PROTOCOL},
            )
        self.hello = hello

    def _listen(self) -> None:
        """Keeps the last words of the process, for the error that tells of its death."""
        stream = self._child.stderr
        assert stream
        while True:
            said = stream.read(4096)
            if not said:
                self.has_ended = True
                break
            self._said.append(said)
            del self._said[:-8]

    @property
    def is_alive(self) -> bool:
        return self._child.poll() is None

    @property
    def process_id(self) -> int:
        return self._child.pid

    def send(self, parts: List[Any]) -> None:
        self.is_torn = True
        try:
            for part in parts:
                written = os.write(self._in, part)
                if written < len(part):
                    view = memoryview(part)[written:]
                    while view:
                        view = view[os.write(self._in, view) :]
        except OSError as error:
            raise self._dead() from error
        self.is_torn = False

    def receive(self, deadline: Optional[float]) -> Tuple[bytes, bytearray]:
        """Header and body of the next frame. Raises TimeoutError if none has begun at the deadline."""
        if not self._rest:
            self._wait(deadline)
        self.is_torn = True
        frame = self._receive()
        self.is_torn = False
        return frame

    def _wait(self, deadline: Optional[float]) -> None:
        """Waits for bytes without taking any, so that Ctrl-C tears no frame."""
        if self._poll is None:
            return
        left = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000
        if not self._poll.poll(left):
            raise TimeoutError

    def _receive(self) -> Tuple[bytes, bytearray]:
        data = self._rest or self._some()
        while len(data) < PREFIX.size:
            data += self._some()
        magic, header_bytes, body_bytes = PREFIX.unpack_from(data)
        if magic != MAGIC or body_bytes > _BODY_MAX:
            self.end()
            raise NdvmError(
                "E-PROTOCOL",
                "the Node process wrote something that is not a frame",
                help="is something else printing to its standard output?",
            )
        begin = PREFIX.size + header_bytes
        end = begin + body_bytes
        while len(data) < begin:
            data += self._some()
        header = data[PREFIX.size : begin]
        if len(data) >= end:
            self._rest = data[end:]
            return header, bytearray(data[begin:end])
        self._rest = b""
        body = bytearray(body_bytes)
        body[: len(data) - begin] = data[begin:]
        self._fill(memoryview(body)[len(data) - begin :])
        return header, body

    def _some(self) -> bytes:
        """Some bytes, at least one."""
        try:
            data = os.read(self._out, _READ_BYTES)
        except OSError as error:
            raise self._dead() from error
        if not data:
            raise self._dead()
        return data

    def _fill(self, view: memoryview) -> None:
        """Reads exactly so many bytes as there is room for."""
        stream = self._child.stdout
        assert stream
        while view:
            try:
                got = stream.readinto(view)  # type: ignore[attr-defined]
            except OSError as error:
                raise self._dead() from error
            if not got:
                raise self._dead()
            view = view[got:]

    def _dead(self) -> NdvmError:
        self.has_ended = True
        try:
            status: Any = self._child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._child.kill()
            status = self._child.wait()
        self._listener.join(1)
        words = b"".join(self._said).decode("utf-8", "replace").strip()
        return NdvmError(
            "E-WORKER",
            f"the Node process ended in the middle of a call (exit status {status})"
            + (f": {words[-600:]}" if words else ""),
            help="the next call starts another one; programs are loaded again by themselves",
            facts={"reason": "died", "value": status},
        )

    def kill(self) -> None:
        self._child.kill()
        self.end()

    def end(self) -> None:
        """Ends the process; it has nothing to save."""
        self.has_ended = True
        for stream in (self._child.stdin, self._child.stdout):
            try:
                if stream:
                    stream.close()
            except OSError:
                pass
        try:
            self._child.wait(1)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()

    def forget(self) -> None:
        """In a forked child: lets go of the parent's pipes and leaves its process alone."""
        for stream in (self._child.stdin, self._child.stdout, self._child.stderr):
            if stream:
                try:
                    os.close(stream.fileno())
                except OSError:
                    pass
        self._child.returncode = 0


class _Told:
    """A frame that belongs to a call and is not yet its answer."""

    def __init__(self, header: Dict[str, Any]) -> None:
        self.header = header


def read_answer(raw: bytes, number: int) -> Any:
    """The header of a frame if it is of this call; its error is raised."""
    header = json.loads(raw)
    if header.get("id") != number:
        return None
    if "error" in header:
        raise error_of(header["error"])
    return header if "result" in header else _Told(header)


class Service:
    """The connection of this Python process, and whose turn it is."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._connection: Optional[Connection] = None
        self._next_id = 1
        #: Grows with each process: programs loaded into an earlier one are loaded again.
        self.generation = 0
        self._released: List[Tuple[int, int]] = []

    def after_fork(self) -> None:
        connection, self._connection = self._connection, None
        self._lock = threading.RLock()
        self._released = []
        if connection is not None:
            connection.forget()

    @property
    def lock(self) -> threading.RLock:
        return self._lock

    def connect(self) -> Connection:
        """The running process; a new one if there is none. Call it while holding the lock."""
        connection = self._connection
        if connection is not None and not connection.has_ended:
            return connection
        if connection is not None:
            connection.end()
        self._connection = None
        self._connection = Connection()
        self.generation += 1
        return self._connection

    def release(self, generation: int, program: int) -> None:
        """Notes a program that is no longer used; safe in a finalizer."""
        self._released.append((generation, program))

    def released(self) -> Dict[str, Any]:
        """The field of a call's header that lets programs go which nobody uses."""
        if not self._released:
            return {}
        released, self._released = self._released, []
        return {"release": [one for generation, one in released if generation == self.generation]}

    def call(
        self,
        name: str,
        fields: Dict[str, Any],
        arrays: ArrayList,
        *,
        timeout: Optional[float] = None,
        on_event: Optional[Event] = None,
    ) -> Tuple[Dict[str, Any], List[np.ndarray]]:
        """One call and its answer. ``timeout`` is in seconds."""
        with self._lock:
            connection = self.connect()
            number = self.next_number()
            header = {"id": number, "call": name, **fields, **self.released()}
            answer, body = self.exchange(
                connection, number, arrays.frame(header), timeout, read_answer, on_event)
            return answer["result"], read_arrays(answer, body)

    def next_number(self) -> int:
        """A number for a call, which no other call has."""
        number = self._next_id
        self._next_id += 1
        return number

    def exchange(
        self,
        connection: Connection,
        number: int,
        frame: List[Any],
        timeout: Optional[float],
        read: Callable[[bytes, int], Any],
        on_event: Optional[Event] = None,
    ) -> Tuple[Any, bytearray]:
        """Sends a frame and waits for its answer: what ``read`` makes of the header, and the body.

        The caller holds the lock. ``read`` returns None for frames of other calls, and a ``_Told``
        for what the call tells before its answer.
        """
        try:
            connection.send(frame)
            deadline = None if timeout is None else time.monotonic() + timeout
            while True:
                raw, body = connection.receive(deadline)
                answer = read(raw, number)
                if type(answer) is _Told:
                    if on_event is not None:
                        on_event(answer.header)
                elif answer is not None:
                    return answer, body
        except TimeoutError:
            self._cancel(connection, number)
            raise NdvmError(
                "E-TIME",
                f"the call took longer than its timeout of {timeout} s",
                help="give it more time, or less work",
                facts={"option": "timeout", "limit": timeout},
            ) from None
        except NdvmError:
            raise
        except BaseException:
            # Ctrl-C, or an error of the listener: nobody waits for the answer any more.
            self._cancel(connection, number)
            raise

    def _cancel(self, connection: Connection, number: int) -> None:
        """Ends a call. A process that does not listen is ended with it."""
        try:
            if connection.is_torn:
                raise TimeoutError
            connection.send(ArrayList().frame({"call": "cancel", "of": number}))
            deadline = time.monotonic() + PATIENCE
            while True:
                answer = read_answer(connection.receive(deadline)[0], number)
                if answer is not None and type(answer) is not _Told:
                    break
        except NdvmError:
            pass
        except BaseException:
            connection.kill()
        if not connection.is_alive:
            self._connection = None

    def end(self) -> None:
        with self._lock:
            if self._connection is not None and self._connection.pid == os.getpid():
                self._connection.end()
            self._connection = None


service = Service()
atexit.register(service.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=service.after_fork)
