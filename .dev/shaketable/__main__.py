"""`python -m shaketable` is the command `shaketable`."""

import sys

from shaketable.harness.cli import main

if __name__ == "__main__":  # a process that multiprocess has spawned imports this file as well
    sys.exit(main())
