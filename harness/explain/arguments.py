"""What `shaketable explain` takes on the command line. It stands apart so that --help loads nothing else."""

from __future__ import annotations

import argparse
from typing import Any

_EXPLAIN = "Shows what an algorithm decides for your input, and why. It starts no node."

_CLIQUE = """\
Some members of a cluster cannot talk to each other: this shows which members stay, which leave, and why. As few leave
as possible, so that all that stay can talk to each other. The master, which is the first member, always stays. Of
equally large member lists the best one keeps more data members, then more partition replicas, then the oldest member in
which two lists differ.

Without MEMBER, it reads questions from standard input, one JSON object a line: members, and broken, a list of pairs of
names. Optional are lite, a list of names, and replicas, an object of counts by name. A question that makes no sense
gets one sentence as its answer (with --json {"error": ...}), and the others are answered."""

_CLIQUE_EXAMPLES = """\
examples:
  shaketable explain clique n1 n2 n3 n4 --broken n2,n3 n2,n4
  shaketable explain clique n1 n2 n3 --broken n2,n3 --lite n2 --replicas n3=5
  echo '{"members": ["n1", "n2", "n3"], "broken": [["n2", "n3"]]}' |
    shaketable explain clique --json

exit code: 0 answered, 2 some question makes no sense"""


_PLAN = """\
Shows which migrations lead from one row of replicas of a partition to another, in which order, and why. A row names
the holders of replica 0, the owner, and of the backups 1 to 6, with commas between; - means nobody. No step lowers the
number of copies if that can be avoided, and hotter replicas come before colder ones.

Without rows, it reads questions from standard input, one JSON object a line: current and target, each a list of names
and nulls. A question that makes no sense gets one sentence as its answer (with --json {"error": ...}), and the others
are answered."""

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
        "explain", help="show what an algorithm decides for your input, and why", description=_EXPLAIN
    )
    subjects = explain.add_subparsers(dest="subject", metavar="SUBJECT", required=True)
    clique = subjects.add_parser(
        "clique", help="which members stay if some cannot talk to each other", description=_CLIQUE,
        epilog=_CLIQUE_EXAMPLES, formatter_class=_Paragraphs,
    )  # fmt: skip
    clique.add_argument(
        "members", nargs="*", metavar="MEMBER", help="the member list, oldest first; the first is the master"
    )
    clique.add_argument(
        "--broken", nargs="+", action="extend", default=[], metavar="A,B",
        help="a pair that cannot talk: two names with a comma between (or n2-n3, if that is clear)",
    )  # fmt: skip
    clique.add_argument("--lite", nargs="+", action="extend", default=[], metavar="MEMBER", help="members without data")
    clique.add_argument(
        "--replicas", nargs="+", action="extend", default=[], metavar="MEMBER=COUNT",
        help="how many partition replicas a member holds (default 0)",
    )  # fmt: skip
    clique.add_argument("--json", action="store_true", help='print only {"stay": [...], "leave": [...]}, one a line')
    clique.add_argument(
        "--timeout", type=float, default=5.0, metavar="SECONDS",
        help="limit in counted work, the same on every machine (default 5); at the limit nobody leaves",
    )  # fmt: skip
    plan = subjects.add_parser(
        "plan", help="which migrations lead from one row of replicas to another", description=_PLAN,
        epilog=_PLAN_EXAMPLES, formatter_class=_Paragraphs,
    )  # fmt: skip
    plan.add_argument("rows", nargs="*", metavar="ROW", help="the current row and the target, such as A,B,C D,B,C")
    plan.add_argument(
        "--json", action="store_true",
        help='print only {"migrations": [...], "states": [...], "prioritised": [...]}, one a line',
    )  # fmt: skip
