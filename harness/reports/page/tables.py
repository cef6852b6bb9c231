"""Tables that a phone can show."""

from __future__ import annotations

from shaketable.harness.reports.page.markup import Html, tag


def table(head: list[tuple[str, str]], rows: list[Html]) -> Html:
    """On a phone each row is a block of its own, and its cells say what they are."""
    heads = [tag("th", name, class_=kind or None, scope="col") for name, kind in head]
    inside = [tag("thead", tag("tr", *heads)), tag("tbody", *rows)]
    return tag("div", tag("table", *inside, class_="stack"), class_="wide")
