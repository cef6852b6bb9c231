"""What `shaketable explain` takes on the command line. It stands apart so that --help loads nothing else."""

from __future__ import annotations

import argparse
from typing import Any

_EXPLAIN = "What the algorithms decide for an input of your own, and why. No node is started."

_CLIQUE = """\
Some members of a cluster cannot talk to each other: who stays, who leaves, and why. The fewest leave, so that all who
stay can talk to each other, and the master, the first member, always stays. Of equally large member lists that one is
taken which keeps more data members, then more partition replicas, then the oldest member in which two of them differ.

Without MEMBER, questions are read from standard input, one JSON object a line: members and broken, which is a list of
pairs of names, and if you like lite, a list of names, and replicas, an object of counts by name. A question that
makes no sense gets its one sentence in its place (with --json {"error": ...}), and the others are answered."""

_CLIQUE_EXAMPLES = """\
examples:
  shaketable explain clique n1 n2 n3 n4 --broken n2,n3 n2,n4
  shaketable explain clique n1 n2 n3 --broken n2,n3 --lite n2 --replicas n3=5
  echo '{"members": ["n1", "n2", "n3"], "broken": [["n2", "n3"]]}' |
    shaketable explain clique --json

exit code: 0 answered, 2 some question makes no sense"""


_PLAN = """\
The partition table is to change: which migrations lead from who holds the replicas of a partition to who is to hold
them, in which order, and why. A row names who holds replica 0, the owner, then the backups 1 to 6, with commas between;
nobody is -. The number of copies is not lowered on the way, and hotter replicas are there before colder ones.

Without rows, questions are read from standard input, one JSON object a line: current and target, each a list of names
and nulls. A question that makes no sense gets its one sentence in its place (with --json {"error": ...}), and the
others are answered."""

_PLAN_EXAMPLES = """\
examples:
  shaketable explain plan A,B,C D,B,C
  shaketable explain plan A,-,C D,A,C
  echo '{"current": ["A", null, "C"], "target": ["D", "A", "C"]}' |
    shaketable explain plan --json

exit code: 0 answered, 2 some question makes no sense"""


class _Paragraphs(argparse.RawDescriptionHelpFormatter):
    """Fills each paragraph of the description, and leaves the examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("examples:"):
            return super()._fill_text(text, width, indent)
        paragraphs = [argparse.HelpFormatter._fill_text(self, part, width, indent) for part in text.split("\n\n")]
        return "\n\n".join(paragraphs)


def add_explain(commands: argparse._SubParsersAction[Any]) -> None:
    explain = commands.add_parser(
        "explain", help="what an algorithm decides for an input of your own, and why", description=_EXPLAIN
    )
    subjects = explain.add_subparsers(dest="subject", metavar="SUBJECT", required=True)
    clique = subjects.add_parser(
        "clique", help="who stays when some members cannot talk to each other", description=_CLIQUE,
        epilog=_CLIQUE_EXAMPLES, formatter_class=_Paragraphs,
    )  # fmt: skip
    clique.add_argument("members", nargs="*", metavar="MEMBER", help="the member list, oldest first: the master")
    clique.add_argument(
        "--broken", nargs="+", action="extend", default=[], metavar="A,B",
        help="who cannot talk to whom: two names with a comma between (n2-n3 will do where it is clear)",
    )  # fmt: skip
    clique.add_argument("--lite", nargs="+", action="extend", default=[], metavar="MEMBER", help="members without data")
    clique.add_argument(
        "--replicas", nargs="+", action="extend", default=[], metavar="MEMBER=COUNT",
        help="how many partition replicas a member holds (0 where nothing is said)",
    )  # fmt: skip
    clique.add_argument("--json", action="store_true", help='only {"stay": [...], "leave": [...]}, one a line')
    clique.add_argument(
        "--timeout", type=float, default=5.0, metavar="SECONDS",
        help="in counted work, the same on every machine (default 5); when it runs out nobody leaves",
    )  # fmt: skip
    plan = subjects.add_parser(
        "plan", help="which migrations lead from one row of replicas to another", description=_PLAN,
        epilog=_PLAN_EXAMPLES, formatter_class=_Paragraphs,
    )  # fmt: skip
    plan.add_argument("rows", nargs="*", metavar="ROW", help="the current row and the target, such as A,B,C D,B,C")
    plan.add_argument(
        "--json", action="store_true",
        help='{"migrations": [...], "states": [...], "prioritised": [...]}, one a line',
    )  # fmt: skip
