"""The planted bugs of these tests, for `shaketable museum --also tests/harness/exhibits.py`."""

from tests.harness.test_planted_bugs import CASES

EXHIBITS = CASES
