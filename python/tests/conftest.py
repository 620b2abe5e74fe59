"""What the suites share."""

import json
import os
import re
from pathlib import Path

import pytest

import ndvm


def corpus_folder():
    named = os.environ.get("NDVM_CORPUS")
    return Path(named) if named else None


@pytest.fixture(scope="session")
def corpus():
    """Reads a JSON file of the external cases, which write NaN and infinities as words."""
    folder = corpus_folder()
    if folder is None:
        pytest.skip("NDVM_CORPUS does not name the external cases")
    return lambda path: json.loads((folder / path).read_text())


@pytest.fixture(scope="session")
def machine():
    return ndvm.Machine()


@pytest.fixture(scope="session")
def decay(machine):
    return machine.load("(* a (exp (* k t)))")


def child_of_service():
    """The process id of the running Node process."""
    from ndvm._process import service

    with service.lock:
        return service.connect().process_id


def words(text):
    return re.sub(r"\s+", " ", text)
