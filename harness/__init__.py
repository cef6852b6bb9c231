"""What runs outside the nodes: the two worlds, scripts, histories, checks, verdicts and reports."""


def version() -> str:
    from importlib.metadata import version as installed

    return installed("shaketable")
