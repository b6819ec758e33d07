"""Bad input of every kind, by seeded generators: `python -m tests.campaigns` tells what held and what failed."""

from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

from tests.campaigns import commands, files, inputs, messages, schedules
from tests.campaigns.campaign import Try


class Campaign(NamedTuple):
    """Its tries, how many are the full number, and how many the suite makes."""

    tries: Callable[[Random], Iterator[Try]]
    full: int
    short: int


FULL = {
    "command lines": Campaign(commands.tries, 800, 24),
    "inputs": Campaign(inputs.tries, 2000, 150),
    "files": Campaign(files.tries, 2400, 120),
    "messages": Campaign(messages.tries, 12_000, 400),
    "schedules": Campaign(schedules.tries, 450, 8),
}
