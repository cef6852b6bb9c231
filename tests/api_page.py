"""docs/api.md, made of the docstrings of what a script can name: nothing in it is written by hand but the headings."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import shaketable
from shaketable import Bounds, GroupBounds, NodeSeen, Observed, Seen, That
from shaketable.harness.scripting.calls import TIMES, in_units
from shaketable.harness.scripting.cluster import Cluster
from shaketable.harness.scripting.verbs.base import Verbs
from shaketable.harness.scripting.verbs.nodes import EVENT_NAMES, MESSAGE_KINDS
from shaketable.harness.scripting.verbs.where import values_that_can_be_named
from shaketable.harness.seen.claims import ClaimsSeen
from shaketable.harness.seen.group import GroupSeen
from shaketable.harness.seen.merging import MergingSeen
from shaketable.harness.seen.nodes import FaultSeen
from shaketable.harness.seen.partitions import ClientSeen, MigrationSeen, PartitionsSeen, StreamSeen
from shaketable.node import events, messages

HEAD: Final = """\
# What a script can name

Here you look up each name that a script can use: verbs, conditions, looks and bounds. [Writing a chaos
script](writing-scripts.md) shows them in use. Times are whole microseconds.

<!-- made of the docstrings by `pytest tests/test_public_face.py --rewrite` -->

    from shaketable import Cluster, script
"""
VALUES: Final = {
    "`SECOND`, `MILLISECOND`": "of `Micros`, whole microseconds",
    "`Body`": "an async function of the cluster: what a script does",
    "`Script`": "what `script` makes of it",
    "`Settings`": "of the nodes: [all of them](settings.md)",
    "`Observed`, `NodeSeen`": "what a script looks at, and a `Condition` of one's own, [below](#what-is-seen)",
    "`Bounds`, `GroupBounds`": "of `cluster.bounds`, [below](#bounds)",
    "`That`": "of `cluster.that`, [below](#conditions)",
    "`Seen`": "of `cluster.seen`, [below](#looking)",
    "`Why`": "of `where` of a hold: the [kinds of reasons](kinds.md#reasons)",
    "`Member`": "an `address` and a `uuid`, and whether it is `lite`",
    "`History`, `Check`": "what a [check of one's own](own-check.md) reads, and what it is, [below](#checks)",
    "`ClusterMember`, `GroupMember`": "what a [member of one's own](own-member.md) is made of",
    "`events`, `messages`": "the modules of [all kinds](kinds.md)",
    "`__version__`": "of the installed package",
}
GIVEN: Final[tuple[type, ...]] = (
    *(shaketable.Injected, shaketable.Work, shaketable.Result, shaketable.Reading, shaketable.StockTaken),
    *(shaketable.Answer, shaketable.Migration, shaketable.Slices),
)
SEEN: Final[tuple[type, ...]] = (
    Observed,
    NodeSeen,
    PartitionsSeen,
    MigrationSeen,
    StreamSeen,
    ClientSeen,
    MergingSeen,
    GroupSeen,
    ClaimsSeen,
    FaultSeen,
)
CHECKING: Final[tuple[type, ...]] = (shaketable.Check, shaketable.CheckResult, shaketable.Record)
PLUGGED: Final[tuple[type, ...]] = (shaketable.MergeEntry, shaketable.PartitionMigrationEvent)
UNSAID: Final = ("None", "Condition")
"""what most verbs give, and each condition"""
FOLDING: Final = ("apply", "copy", "is_former", "next_identity")
"""methods that are for the harness"""
PLAIN: Final = {
    "settings": "`Settings` of the run; a script computes its times of them",
    "bounds": "how long things may take by these settings, [below](#bounds)",
    "that": "what can be waited for, [below](#conditions)",
    "seen": "what can be looked at, [below](#looking)",
    "rng": "draws by the run's seed",
    "seed": "that seed",
    "world": '"real" or "sim"',
}

LETTERS: Final = """\
H is the heartbeat interval, T the heartbeat timeout, C the claim timeout, P the publish interval, G the connection
grace, and D the smaller of H x `partial_disconnection_heartbeat_count` and T."""

KINDS_HEAD: Final = """\
# Kinds of events, messages and reasons

Here you look up the names that a script gives: of events where it holds a node (`hold`), of messages that it loses,
delays or holds back (`drop`, `delay`, `hold_back`), and of reasons.

<!-- made of docstrings by `pytest tests/test_public_face.py --rewrite` -->
"""


def page() -> str:
    return "\n".join([HEAD, *_sections()]).rstrip() + "\n"


def kinds_page() -> str:
    return "\n".join([KINDS_HEAD, *_kinds()]).rstrip() + "\n"


def _kinds() -> Iterator[str]:
    """Of what happens in a node, what it sends, and why."""
    yield from _section("Events", ["A node can `hold` at each of these. `where` can name the values behind the colon."])
    yield from _table("event", ((_event(name), _own(vars(events)[name])) for name in EVENT_NAMES))
    yield from _section("Messages", ["Each of these can be dropped, held back and delayed."])
    kinds = {str(kind.__struct_config__.tag): kind for kind in messages.KINDS}
    yield from _table("message", ((f"`{name}`", _own(kinds[name])) for name in MESSAGE_KINDS))
    yield from _section(
        "Reasons", ['`where={"why": ...}` of a hold names one of these. `list(shaketable.Why)` has them too.']
    )
    yield from _table("reason", ((f"`{why}`", why.words.replace("{}", "…")) for why in shaketable.Why))


def _sections() -> Iterator[str]:
    yield from _table("name", VALUES.items())
    paragraphs = (inspect.getdoc(shaketable.script) or "").split("\n\n")
    yield from _section("script", [f"`@{_call(shaketable.script, gives=False)}`", *map(_one_line, paragraphs)])
    yield from _section(
        "Cluster", ["The one thing that a script sees. Each call that it awaits is one step of the script."]
    )
    yield from _table("attribute", ((f"`{name}`", told) for name, told in PLAIN.items()))
    for verbs in [kind for kind in Cluster.__mro__[1:] if issubclass(kind, Verbs) and kind is not Verbs]:
        yield from (f"**{_first_line(inspect.getmodule(verbs))}**", "")
        yield from _table("verb", _methods(verbs))
    yield from _section("Looking", ["`cluster.seen` has it: `cluster.seen.members()`. None of it is a step."])
    yield from _table("what", _methods(Seen))
    waited = "`await cluster.until(cluster.that.settled(), within=SECOND)`"
    yield from _section("Conditions", [f"`cluster.that` has them, each is a `Condition`: {waited}."])
    yield from _table("condition", _methods(That))
    yield from _section("Condition", [_told(shaketable.Condition)])
    yield from _table("field", _fields(shaketable.Condition))
    yield from _section("Bounds", ["`cluster.bounds`, and of a group `cluster.bounds.group`.", LETTERS])
    yield from _table("bound", [*_methods(Bounds), *_methods(GroupBounds, "group.")])
    yield from _section("What is seen", [])
    for kind in SEEN:
        yield from (f"**`{kind.__name__}`** {_told(kind)}", "")
        yield from _table("field", _fields(kind, defaults=False))
    yield from _section("What verbs give and take", [])
    for kind in GIVEN:
        yield from (f"**`{kind.__name__}`** {_told(kind)}", "")
        yield from _table("field", _fields(kind))
    yield from _section(
        "Random faults", ["They are drawn and played ([how](shrinking.md)).", _told(shaketable.Climate)]
    )
    yield from _table("field of `Climate`", _fields(shaketable.Climate))
    yield from _table("function", [_row(shaketable.draw), _row(shaketable.play)])
    yield from _section("endings", [_one_line(shaketable.endings.__doc__)])
    endings = inspect.getmembers(shaketable.endings, inspect.iscoroutinefunction)
    yield from _table("ending", [_row(function) for _, function in endings])
    yield from _section("crash_points", [_one_line(shaketable.crash_points.__doc__)])
    named = [(name, value) for name, value in vars(shaketable.crash_points).items() if isinstance(value, str)]
    yield from _table("name", ((f"`{name}`", value) for name, value in named if name.isupper()))
    yield from _section("Checks", ["What a [check of one's own](own-check.md) is given and gives."])
    yield from _table("of `Findings`", _methods(shaketable.Findings))
    for kind in CHECKING:
        yield from (f"**`{kind.__name__}`** {_told(kind)}", "")
        yield from _table("field", _fields(kind))
    given = "What [merge policies](merge-policies.md) and [services](partition-services.md) of one's own are given."
    yield from _section("Plug-ins", [given])
    for kind in PLUGGED:
        yield from (f"**`{kind.__name__}`** {_told(kind)}", "")
        yield from _table("field", _fields(kind))


def _event(name: str) -> str:
    fields = ", ".join(f"`{field}`" for field in values_that_can_be_named(name))
    return f"`{name}`" + f": {fields}" * bool(fields)


def _own(kind: type) -> str:
    """Its own docstring, and none that it has of others."""
    return _one_line(vars(kind).get("__doc__"))


def _section(name: str, paragraphs: Iterable[str]) -> Iterator[str]:
    yield from (f"## {name}", "")
    for paragraph in paragraphs:
        yield from (paragraph, "")


def _table(what: str, rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield from (f"| {what} | |", "|---|---|")
    yield from ("| {} | {} |".format(*(cell.replace("|", r"\|") for cell in row)) for row in rows)
    yield ""


def _methods(kind: type, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Those of this class itself, in the order of its lines."""
    for name, value in vars(kind).items():
        if name.startswith("_"):
            continue
        if isinstance(value, property):
            yield f"`{prefix}{name}`", _told(value)
        elif inspect.isfunction(value):
            yield _row(value, prefix)


def _row(function: Callable[..., Any], prefix: str = "") -> tuple[str, str]:
    awaited = "await " * inspect.iscoroutinefunction(function)
    return f"`{awaited}{prefix}{_call(function)}`", _told(function)


def _call(function: Callable[..., Any], *, gives: bool = True) -> str:
    signature = inspect.signature(function)
    parameters = [p for p in signature.parameters.values() if p.name != "self" and p.kind is not p.POSITIONAL_ONLY]
    said, keywords = [], False
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not keywords and not any(q.kind is q.VAR_POSITIONAL for q in parameters):
            said.append("*")
        keywords = keywords or p.kind is p.KEYWORD_ONLY
        star = "*" * (p.kind is p.VAR_POSITIONAL) + "**" * (p.kind is p.VAR_KEYWORD)
        said.append(f"{star}{p.name}" + ("" if p.default is p.empty else f"={_default(p.name, p.default)}"))
    given = str(signature.return_annotation)
    returned = f" -> {given}" if gives and given not in UNSAID else ""
    return f"{function.__name__}({', '.join(said)}){returned}"


def _default(name: str, value: object) -> str:
    return in_units(value) if name in TIMES and isinstance(value, int) and value else repr(value)


def _fields(kind: type, *, defaults: bool = True) -> Iterator[tuple[str, str]]:
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(tree, ast.ClassDef)
    made = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
    body = [*(node for each in made for node in each.body), *tree.body]
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign):
            name = ast.unparse(node.target).removeprefix("self.")
            said = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            default = f" = {ast.unparse(node.value)}" if defaults and node.value is not None else ""
            what = f"{name}: {ast.unparse(node.annotation)}{default}", _one_line(str(said))
        elif isinstance(node, ast.FunctionDef) and node.name not in FOLDING:
            name, value = node.name, getattr(kind, node.name)
            what = (
                f"{name}: {ast.unparse(node.returns)}" if node.decorator_list and node.returns else _call(value),
                _told(value),
            )
        else:
            continue
        if not name.startswith("_"):
            yield f"`{what[0]}`", what[1]


def _told(what: object) -> str:
    return _one_line(inspect.getdoc(what))


def _first_line(module: object) -> str:
    return _one_line((inspect.getdoc(module) or "").split("\n\n")[0]).removesuffix(".")


def _one_line(docstring: str | None) -> str:
    return re.sub(r"\s+", " ", docstring or "").strip()
