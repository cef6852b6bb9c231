"""What went wrong in Spark, in one sentence: its own messages are pages long, and are for those who know its inside."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from shaketable.harness.errors import UserError

LOG: Final = "SHAKETABLE_SPARK_LOG"
"""names a file for what Spark would say on the console"""

KEPT: Final = "what was written before is kept"
_ROOM: Final = f"{KEPT}: make room and give the same command again"
_AGAIN: Final = f"{KEPT}: give the same command again"
_FEWER: Final = "use fewer cores (--spark-master 'local[1]')"
_KNOWN: Final[tuple[tuple[str, str], ...]] = (
    (r"No space left on device", f"the disk is full; {_ROOM}"),
    (r"Disk quota exceeded", f"the quota of the disk is used up; {_ROOM}"),
    (
        r"AccessControlException|Permission denied|Mkdirs failed to create",
        "a folder may not be written to: look at its rights, or give another one",
    ),
    (r"Read-only file system", "the disk is read-only: give another folder"),
    (
        r"PYTHON_VERSION_MISMATCH",
        "the executors have another Python than this one: set PYSPARK_PYTHON to one of the same version there",
    ),
    (
        r"ModuleNotFoundError: No module named '([\w.]+)'",
        "the executors' Python lacks {0}: install shaketable[spark] there, or set PYSPARK_PYTHON to where it is",
    ),
    (
        r"Cannot run program \"([^\"]+)\"",
        "the executors find no {0}: set PYSPARK_PYTHON to a Python that is there",
    ),
    (
        r"All masters are unresponsive|Master removed our application",
        "the master is not there or took the job away: look at its address, --spark-master",
    ),
    (
        r"OutOfMemoryError|exit code 137|MemoryError",
        f"the memory did not suffice: {_FEWER}, or give Spark more (spark.driver.memory in spark-defaults.conf)",
    ),
    (
        r"Python worker exited unexpectedly|PYTHON_WORKER_EXITED",
        f"a worker process was killed again and again, mostly for want of memory: {_FEWER}",
    ),
    (
        r"stopped SparkContext|SparkContext (?:was|has been) (?:shut down|stopped|cancelled)",
        f"Spark was stopped in the middle; {_AGAIN}",
    ),
    (r"file:/*(/\S+?\.parquet)[\s\S]*is not a Parquet file", "{0} is corrupt: take it away, or take it from a copy"),
    (r"FAILED_READ_FILE[\s\S]*?file:/*(/\S+?\.parquet)", "{0} is corrupt: take it away, or take it from a copy"),
)


@contextmanager
def told_in_words(doing: str) -> Iterator[None]:
    """`doing`: what could not be done, as in "the runs of out/store cannot be judged"."""
    from py4j.protocol import Py4JError, Py4JNetworkError
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JNetworkError, ConnectionError):
        raise UserError(f"{doing}: Spark's process was killed in the middle; {_AGAIN}") from None
    except (PySparkException, Py4JError) as error:
        raise UserError(said(doing, str(error))) from None


def said(doing: str, text: str) -> str:
    """The sentence for what Spark said."""
    own = re.findall(r"UserError: (.+)", text)
    if own:
        return str(own[-1]).strip()
    for pattern, sentence in _KNOWN:
        found = re.search(pattern, text)
        if found:
            return f"{doing}: {sentence.format(*(group or '' for group in found.groups()))}"
    causes = re.findall(r"^(?:Caused by: )?[\w.$]*?(\w+(?:Error|Exception|Interrupt|Exit)): *(.+)$", text, re.MULTILINE)
    kind, why = causes[-1] if causes else ("", text.strip().partition("\n")[0])
    short = f"{kind}: {why}" if kind else why
    return f"{doing}: {short.strip()} (set {LOG}=FILE to have there what Spark says)"
