"""The command `shaketable`, and `python -m shaketable`."""

import sys

UNKNOWN = 2
GUARDED = frozenset({"run", "check-node"})
"""they start programs of which nothing may be left"""


def main() -> int:
    if not GUARDED.intersection(sys.argv[1:2]):
        return _main()
    from shaketable.harness.command.guard import guarded

    return guarded(_main)


def _main() -> int:
    """Exit code 1 means that a guarantee was broken: a fault of ours ends with 2, also while the command is loaded."""
    try:
        from shaketable.harness.cli import main as command

        return command()
    except KeyboardInterrupt:
        said = "interrupted"
    except SystemExit:
        raise
    except BaseException as error:  # whatever its kind: a user's own code runs in here
        from shaketable.harness.errors import fault_of_ours

        said = fault_of_ours(error)
    print(f"shaketable: {said}", file=sys.stderr)
    return UNKNOWN


if __name__ == "__main__":  # a process that multiprocess has spawned imports this file as well
    sys.exit(main())
