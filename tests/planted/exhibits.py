"""The planted bugs of these tests, for `shaketable museum --also tests/planted/exhibits.py`."""

from tests.planted.test_planted_bugs import CASES

EXHIBITS = CASES
