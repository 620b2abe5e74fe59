"""The Node process that does the work: one for each Python process, started on first use.

Calls of several threads take turns. Ctrl-C and a timeout cancel the call that runs; a process that does
not answer the cancellation is ended, and the next call starts another. A forked child starts its own.
"""

from __future__ import annotations

import atexit
import os
import select
import shutil
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from ._frames import MAGIC, PREFIX, ArrayList, read_arrays, read_header
from .errors import NdvmError, error_of

PROTOCOL = 1
NODE_MIN = 20
#: Seconds that a process may take to answer a cancellation before it is ended.
PATIENCE = 5.0
_BODY_MAX = 8 * 2**30

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
        self._poll: Any = None
        if hasattr(select, "poll"):
            self._poll = select.poll()
            self._poll.register(self._out, select.POLLIN)
        #: True while a frame is half written or half read: nobody can go on after it.
        self.is_torn = False
        self._said: List[bytes] = []
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self._greet(node)

    def _greet(self, node: str) -> None:
        try:
            header, _ = self.receive(None)
        except NdvmError:
            _check_version(node)
            raise
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
                view = memoryview(part)
                while view:
                    view = view[os.write(self._in, view[: 2**20]) :]
        except OSError as error:
            raise self._dead() from error
        self.is_torn = False

    def receive(self, deadline: Optional[float]) -> Tuple[Dict[str, Any], List[np.ndarray]]:
        """The next frame. Raises TimeoutError if none has begun at the deadline."""
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

    def _receive(self) -> Tuple[Dict[str, Any], List[np.ndarray]]:
        prefix = self._read(PREFIX.size)
        magic, header_bytes, body_bytes = PREFIX.unpack(prefix)
        if magic != MAGIC or body_bytes > _BODY_MAX:
            self.end()
            raise NdvmError(
                "E-PROTOCOL",
                "the Node process wrote something that is not a frame",
                help="is something else printing to its standard output?",
            )
        header = read_header(bytes(self._read(header_bytes)))
        return header, read_arrays(header, self._read(body_bytes))

    def _read(self, count: int) -> bytearray:
        """Exactly so many bytes."""
        data = bytearray(count)
        view = memoryview(data)
        stream = self._child.stdout
        assert stream
        at = 0
        while at < count:
            try:
                got = stream.readinto(view[at:])  # type: ignore[attr-defined]
            except OSError as error:
                raise self._dead() from error
            if not got:
                raise self._dead()
            at += got
        return data

    def _dead(self) -> NdvmError:
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
        if self._connection is not None and not self._connection.is_alive:
            self._connection.end()
            self._connection = None
        if self._connection is None:
            self._connection = Connection()
            self.generation += 1
        return self._connection

    def release(self, generation: int, program: int) -> None:
        """Notes a program that is no longer used; safe in a finalizer."""
        self._released.append((generation, program))

    def _take_released(self) -> List[int]:
        released, self._released = self._released, []
        return [program for generation, program in released if generation == self.generation]

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
            number = self._next_id
            self._next_id += 1
            header = {"id": number, "call": name, **fields}
            released = self._take_released()
            if released:
                header["release"] = released
            try:
                connection.send(arrays.frame(header))
                deadline = None if timeout is None else time.monotonic() + timeout
                return self._wait(connection, number, deadline, on_event)
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

    def _wait(
        self,
        connection: Connection,
        number: int,
        deadline: Optional[float],
        on_event: Optional[Event],
    ) -> Tuple[Dict[str, Any], List[np.ndarray]]:
        while True:
            header, arrays = connection.receive(deadline)
            if header.get("id") != number:
                continue
            if "error" in header:
                raise error_of(header["error"])
            if "result" in header:
                return header["result"], arrays
            if on_event is not None:
                on_event(header)

    def _cancel(self, connection: Connection, number: int) -> None:
        """Ends a call. A process that does not listen is ended with it."""
        try:
            if connection.is_torn:
                raise TimeoutError
            connection.send(ArrayList().frame({"call": "cancel", "of": number}))
            self._wait(connection, number, time.monotonic() + PATIENCE, None)
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
