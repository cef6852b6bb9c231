"""What Maven says where it fails: the cause, and what mends it. Its words are read here alone."""

from __future__ import annotations

import re
from typing import Final

from shaketable.harness.errors import shortened

GET_COMPILER: Final = "install a JDK 17 or newer (Debian, Ubuntu: apt install openjdk-17-jdk-headless)"
CONNECT: Final = "connect to the network, or fill Maven's store (~/.m2/repository) on a machine that is connected"
_NO_COMPILER: Final = "No compiler is provided in this environment"
_NO_SPACE: Final = "No space left on device"
_CHECKSUM: Final = "Checksum validation failed"
_NOT_FETCHED: Final = (
    re.compile(r"Could not transfer (?:artifact|metadata) .*? from/to \S+ \([^)]*\): (.*)"),
    re.compile(r"(Cannot access .*? in offline mode)"),
    re.compile(r"(This failure was cached in the local repository)"),
)
"""what could not be fetched, and why"""
_HELP: Final = re.compile(r"\s*-> \[Help \d+\].*")


def why_not_built(output: str) -> str:
    """In a clause, with what mends it; "": it names no error."""
    said = [line.removeprefix("[ERROR]").strip() for line in output.split("\n") if line.startswith("[ERROR]")]
    errors = [shown for line in said if (shown := _HELP.sub("", line))]
    whole = " ".join(errors)
    if _NO_COMPILER in whole:
        return f"this Java has no compiler: {GET_COMPILER}"
    if _NO_SPACE in whole:
        return "no space is left on the device: free some in the cache and in Maven's store (~/.m2/repository)"
    if _CHECKSUM in whole:
        return f"what was fetched is not what was published ({_of(errors, _CHECKSUM)}): try again, or ask your mirror"
    for line in errors:
        for pattern in _NOT_FETCHED:
            if found := pattern.search(line):
                return f"it could not fetch what it needs ({shortened(found[1].rstrip('. '))}): {CONNECT}"
    # A line that ends with a colon is the heading of those below it.
    return shortened(next((line for line in errors if not line.endswith(":")), whole))


def _of(errors: list[str], words: str) -> str:
    line = next(line for line in errors if words in line)
    return shortened(line[line.index(words) :])
