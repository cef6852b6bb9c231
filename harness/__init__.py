"""What runs outside the nodes: worlds, scripts, checks, verdicts and reports."""

from functools import cache


@cache
def version() -> str:
    """It takes milliseconds to find out, and every run's row says it."""
    from importlib.metadata import version as installed

    return installed("shaketable")
