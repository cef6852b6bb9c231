"""A module of a user that ends the process when it is imported."""

import sys

sys.exit(0)
