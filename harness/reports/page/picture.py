"""The place of a picture on the page: its data, and what report.js draws them into. The story is there without it."""

from __future__ import annotations

from typing import Final

from shaketable.harness.reports.page.markup import Html, json_in_page, tag
from shaketable.harness.reports.picture import Picture
from shaketable.harness.verdicts.verdict import RunVerdict

KEY: Final = (
    "═ master",
    "─ member",
    "◆ made this list",
    "┼ has it",
    "! suspects",
    "▬ claims the mastership",
    "✗ crashed",
    "‖ paused",
    "■ held",
    "» merges",
    "– left",
    "⊘ refused",
    "→ message",
    "⇢× not taken, or never told of",
    "▓ fault",
    "① record of a proof",
)


def figure(picture: Picture, run: RunVerdict, place: int) -> Html:
    told = f"{run.script}: lanes of {len(picture.lanes)} nodes over time, {len(picture.arrows)} messages"
    svg = tag("svg", role="img", aria_label=told, tabindex="0", height="120")
    hint = "Point anywhere, or use the arrow keys, to see what each node believed at that moment. "
    hint += "Time in which nothing happens is drawn short, unless it is to be true to scale. "
    left_out = f"{picture.left_out[:1].upper()}{picture.left_out[1:]}. " if picture.left_out else ""
    return tag(
        "figure",
        tag("div", class_="tools", role="group", aria_label="what the picture shows"),
        tag("div", svg, class_="canvas"),
        tag("div", class_="beliefs", aria_live="polite"),
        tag("figcaption", hint, left_out, tag("div", *(tag("span", key, class_="key") for key in KEY), class_="keys")),
        tag("script", json_in_page(picture), type="application/json"),
        tag("noscript", tag("p", "The picture needs the script of this page; the story below tells the same.")),
        class_="picture",
        id=f"picture-{place + 1}",
    )
