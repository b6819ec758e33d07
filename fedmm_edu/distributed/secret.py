"""The secret that server and nodes of a deployment share, by which they know each other's messages (HMAC-SHA-256).

It is a file of random bytes on each host, which only its owner may read; the environment variable `FEDMM_SECRET_FILE`
says where. Nodes that share it can sign for each other: who is which node is for the engine to know (node keys).
"""

from __future__ import annotations

import os
import secrets
import stat
import sys
from pathlib import Path

from fedmm_edu.errors import InvalidInput
from fedmm_edu.files import write_bytes

SECRET_AT = "FEDMM_SECRET_FILE"
LEAST = 32
"""Bytes that a secret has at least."""


def deployment_secret() -> bytes:
    """The content of the file that `FEDMM_SECRET_FILE` names; empty where the variable is not set.

    `InvalidInput` for a file that is not there, too short, or that others than its owner may read.
    """
    name = os.environ.get(SECRET_AT, "")
    if not name:
        return b""
    content = read_private(name, SECRET_AT)
    if len(content) < LEAST:
        raise InvalidInput(f"{SECRET_AT} = {name} has {len(content)} bytes: a secret has at least {LEAST}, all random.")
    return content


def read_private(name: str, what: str) -> bytes:
    """The content of a file that only its owner may read; `InvalidInput` where others may, or there is none."""
    try:
        with open(name, "rb") as file:
            mode, content = os.fstat(file.fileno()).st_mode, file.read()
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{what} = {name} cannot be read ({error}): name a file that is there.") from error
    if sys.platform != "win32" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise InvalidInput(f"{what} = {name} may be read or changed by others: chmod 600 it, and replace it.")
    return content


def write_secret(path: Path) -> Path:
    """Draw a secret, and write it where only its owner can read it; one that is there stays."""
    return path if path.exists() else write_bytes(path, secrets.token_bytes(LEAST), private=True)
