"""What `--serve` makes of textual-serve's page: its font comes from here, symbols from a font of the reader's; where
none has them, that is said."""

from __future__ import annotations

import re
from typing import Final

_OUTSIDE: Final = re.compile(r'<link\b[^>]*\bhref="https?://(?!127\.0\.0\.1[:/])[^>]*>')
"""What the page would get from elsewhere: a font, which the server has as well."""
NOTICE: Final = "No font of this browser has the symbols of these screens: install DejaVu Sans Mono, or use a terminal."
_IN_ITS_PLACE: Final = (
    """<style>
@font-face { font-family: "Roboto Mono"; src: url("/static/fonts/RobotoMono-VariableFont_wght.ttf"); }
/* It has no symbols. Those in their place are to be as wide as a letter: else they are cut off, and look alike. */
@font-face {
  font-family: "Roboto Mono"; unicode-range: U+2190-2BFF;
  src: local("DejaVu Sans Mono"), local("Menlo"), local("Cascadia Mono"), local("Noto Sans Mono"), local("FreeMono");
}
#no-symbols { position: fixed; bottom: 0; left: 0; right: 0; z-index: 30; padding: 4px 8px; font: 14px sans-serif;
  color: #000; background: #ffd; }
</style>
<script>
// A symbol that no font has looks like any other that none has.
addEventListener("load", async () => {
  const font = "32px 'Roboto Mono', monospace";
  await document.fonts.load(font, "A\\u25cf").catch(() => []);
  const drawn = (symbol) => {
    const canvas = Object.assign(document.createElement("canvas"), {width: 48, height: 48});
    const on = canvas.getContext("2d");
    on.font = font;
    on.fillText(symbol, 4, 36);
    return on.getImageData(0, 0, 48, 48).data.join();
  };
  if (drawn("\\u25cf") === drawn("\\u25cb")) {
    document.body.append(Object.assign(document.createElement("div"), {id: "no-symbols", textContent: """
    f'"{NOTICE}"'
    """}));
  }
});
</script>"""
)


def with_our_fonts(page: str) -> str:
    return _OUTSIDE.sub(lambda _: _IN_ITS_PLACE, page)
