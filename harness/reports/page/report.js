// Draws the pictures of runs, and shows what each node believed where somebody points. All texts are set as texts.
"use strict";
(() => {
  const SIGNS = {
    starting: "○", member: "─", master: "═", merging: "»", paused: "‖", held: "■", crashed: "✗", left: "–", refused: "⊘",
  };
  const GONE = ["crashed", "left", "refused"];
  const KINDS = {
    list: "list", table: "list", notification: "list", "most recent table": "list", commit: "list",
    claim: "claim", answer: "claim",
    "explicit suspicion": "doubt", complaint: "doubt", trigger: "doubt", "report of suspicions": "doubt",
    "suspect report": "doubt",
  };
  const [TIME, STATE, FOLLOWS, VERSION, OWN, AUTHOR, MEMBERS, SUSPECTS, CLAIMS] = [0, 1, 2, 3, 4, 5, 6, 7, 8];

  const seconds = (micros, digits = 3) => `${(micros / 1e6).toFixed(digits)} s`;
  const naturally = new Intl.Collator("en", { numeric: true }).compare;

  function html(name, className, ...inside) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...inside);
    return made;
  }

  class Drawing {
    constructor(figure) {
      this.figure = figure;
      this.data = JSON.parse(figure.querySelector("script").textContent);
      this.data.lanes.sort((one, two) => naturally(one.node, two.node));
      this.svg = figure.querySelector("svg");
      this.panel = figure.querySelector(".beliefs");
      this.even = true;
      this.whole = [0, Math.max(this.data.end, 1)];
      [this.begin, this.end] = this.data.focus[1] > this.data.focus[0] ? this.data.focus : this.whole;
      const { lanes, arrows, bands, steps, marks } = this.data;
      this.moments = [...new Set([
        ...lanes.flatMap((lane) => lane.beliefs.map((belief) => belief[TIME])),
        ...arrows.flatMap((arrow) => [arrow[3], arrow[4] ?? arrow[3]]),
        ...bands.flatMap((band) => [band.began, band.ended ?? band.began]),
        ...steps.map((step) => step[0]), ...marks.map((mark) => mark.time),
      ])].sort((one, two) => one - two);
      this.cursor = marks.length ? marks[marks.length - 1].time : this.lastIn(this.end);
      this.lane = marks.length ? marks[marks.length - 1].node : "";
      this.buttons();
      this.svg.addEventListener("click", (event) => this.pointed(event));
      this.svg.addEventListener("keydown", (event) => {
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (by) { event.preventDefault(); this.step(by); }
      });
      const canvas = figure.querySelector(".canvas");
      new ResizeObserver(() => requestAnimationFrame(() => {
        if (Math.floor(canvas.clientWidth) !== this.wide) this.draw();
      })).observe(canvas);
    }

    lastIn(time) {
      return this.moments.filter((moment) => moment <= time).pop() ?? 0;
    }

    buttons() {
      const bar = this.figure.querySelector(".tools");
      const add = (words, does, told) => {
        const button = html("button", "", words);
        button.type = "button";
        if (told) button.setAttribute("aria-label", told);
        button.addEventListener("click", () => { does(button); this.draw(); });
        bar.append(button);
        return button;
      };
      add("◀", () => this.step(-1), "to the moment before");
      add("▶", () => this.step(1), "to the next moment");
      add("closer", () => this.zoom(0.4));
      add("wider", () => this.zoom(2.5));
      if (this.data.marks.length) add("the proof", () => { [this.begin, this.end] = this.data.focus; });
      add("whole run", () => { [this.begin, this.end] = this.whole; });
      const scale = add("true to scale", () => {
        this.even = !this.even;
        scale.setAttribute("aria-pressed", String(!this.even));
      });
      scale.setAttribute("aria-pressed", "false");
    }

    step(by) {
      const at = this.moments.findIndex((moment) => moment >= this.cursor);
      const next = at < 0 ? this.moments.length - 1 : at + by;
      this.cursor = this.moments[Math.max(0, Math.min(this.moments.length - 1, next))] ?? 0;
      if (this.cursor < this.begin || this.cursor > this.end) {
        const half = (this.end - this.begin) / 2;
        this.window(this.cursor - half, this.cursor + half);
      }
      this.draw();
    }

    zoom(by) {
      const centre = Math.max(this.begin, Math.min(this.end, this.cursor));
      this.window(centre - (centre - this.begin) * by - 1000, centre + (this.end - centre) * by + 1000);
    }

    window(begin, end) {
      this.begin = Math.max(this.whole[0], Math.round(begin));
      this.end = Math.min(this.whole[1], Math.round(end));
    }

    // Where a time is drawn. Even: long times in which nothing happens take little room, so that messages can be seen.
    scale(left, right) {
      const inside = this.moments.filter((moment) => moment > this.begin && moment < this.end);
      const stops = [this.begin, ...inside, this.end];
      const places = [0];
      for (let at = 1; at < stops.length; at++) {
        const apart = stops[at] - stops[at - 1];
        places.push(places[at - 1] + (this.even ? 0.25 + Math.log10(1 + apart / 150) : apart));
      }
      const most = places[places.length - 1] || 1;
      this.x = (time) => {
        if (time <= this.begin) return left;
        if (time >= this.end) return right;
        let low = 0, high = stops.length - 1;
        while (high - low > 1) {
          const middle = (low + high) >> 1;
          if (stops[middle] <= time) low = middle; else high = middle;
        }
        const share = (time - stops[low]) / Math.max(1, stops[high] - stops[low]);
        return left + ((places[low] + share * (places[high] - places[low])) / most) * (right - left);
      };
      this.stops = stops;
    }

    shape(name, attributes, said, parent = this.svg) {
      const made = document.createElementNS(this.svg.namespaceURI, name);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      if (said !== undefined) made.textContent = said;
      parent.append(made);
      return made;
    }

    title(shape, said) {
      this.shape("title", {}, said, shape);
    }

    draw() {
      const wide = Math.floor(this.figure.querySelector(".canvas").clientWidth);
      if (wide < 40) return; // it is folded
      this.svg.replaceChildren();
      const { lanes, bands } = this.data;
      const longest = Math.max(4, ...lanes.map((lane) => lane.node.length));
      const left = Math.min(wide * 0.3, 18 + longest * 8), right = wide - 14;
      this.left = left; this.right = right; this.wide = wide;
      this.scale(left, right);
      let top = this.axis(8);
      top = this.steps(top);
      top = this.bands(bands, top);
      this.laneTop = top + 14;
      this.laneHigh = wide < 560 ? 50 : 58;
      this.places = new Map(lanes.map((lane, at) => [lane.node, this.laneTop + at * this.laneHigh + 16]));
      const bottom = this.laneTop + lanes.length * this.laneHigh + 6;
      for (const lane of lanes) this.drawLane(lane);
      for (const arrow of this.data.arrows) this.drawArrow(arrow);
      this.drawn = new Map();
      for (const mark of this.data.marks) this.drawMark(mark, bottom);
      if (this.cursor >= this.begin && this.cursor <= this.end) {
        const at = this.x(this.cursor);
        this.shape("line", { x1: at, x2: at, y1: 4, y2: bottom, class: "cursor" });
      }
      this.svg.setAttribute("viewBox", `0 0 ${wide} ${bottom}`);
      this.svg.setAttribute("height", bottom);
      this.beliefs();
    }

    axis(top) {
      const digits = this.even || this.end - this.begin < 2e6 ? 3 : this.end - this.begin < 2e7 ? 2 : 1;
      let last = -1e9;
      const places = this.even ? this.stops : Array.from({ length: 9 }, (_, at) => this.begin + ((this.end - this.begin) * at) / 8);
      for (const time of places) {
        const at = this.x(time);
        if (at - last < 76 || at > this.right - 30) continue;
        last = at;
        this.shape("line", { x1: at, x2: at, y1: top + 16, y2: top + 21, class: "tick" });
        this.shape("text", { x: at, y: top + 11, class: "scale" }, seconds(time, digits));
      }
      this.shape("line", { x1: this.left, x2: this.right, y1: top + 21, y2: top + 21, class: "tick" });
      return top + 26;
    }

    seen(time) {
      return time >= this.begin && time <= this.end;
    }

    // As far as words reach, whatever the font: a letter of a wide script takes the place of two.
    width(words, letter = 6.6) {
      return [...words].reduce((sum, each) => sum + (each.codePointAt(0) > 0x2e7f ? 2 : 1) * letter, 0);
    }

    fitting(words, room) {
      if (this.width(words, 6.4) <= room) return words;
      const kept = [];
      for (const each of words) if (this.width([...kept, each, "…"], 6.4) <= room) kept.push(each); else break;
      return kept.length > 4 ? `${kept.join("")}…` : "";
    }

    steps(top) {
      const shown = this.data.steps.filter(([time]) => this.seen(time));
      if (!shown.length) return top;
      this.shape("text", { x: 4, y: top + 13, class: "label dim" }, "steps");
      shown.forEach(([time, words], number) => {
        const at = this.x(time);
        const next = number + 1 < shown.length ? this.x(shown[number + 1][0]) : this.right;
        const sign = this.shape("text", { x: at, y: top + 13, class: "step" }, `▸ ${this.fitting(words, next - at - 16)}`);
        this.title(sign, `${seconds(time)} ${words}`);
      });
      return top + 20;
    }

    // Each in a row in which nothing stands in its way. A band that finds none is drawn below them, without its words.
    bands(bands, top) {
      const taken = [], crowded = [], most = this.wide < 560 ? 6 : 10;
      for (const band of bands) {
        const stop = band.ended ?? (band.lasts && !band.without_effect ? this.whole[1] : band.began);
        if (stop < this.begin || band.began > this.end) continue;
        const from = this.x(band.began), to = Math.max(this.x(stop), from + 3);
        const words = `${band.lasts ? "" : "▼ "}${band.words}${band.without_effect ? " (took no effect)" : ""}`;
        const long = this.width(words) + 10;
        const rooms = [to - from, this.right - to, from - this.left]; // inside it, after it, before it
        const fits = rooms.findIndex((room) => room > long);
        const where = fits < 0 ? rooms.indexOf(Math.max(...rooms)) : fits;
        const at = [from + 6, to + 5, Math.max(this.left, from - long)][where];
        const [begins, needs] = [[from, to + 2], [from, Math.min(this.right, to + long)], [at, to + 4]][where];
        let row = taken.findIndex((spans) => spans.every(([left, right]) => right <= begins || needs <= left));
        if (row < 0 && taken.length === most) {
          crowded.push([band, words, from, to]);
          continue;
        }
        if (row < 0) row = taken.push([]) - 1;
        taken[row].push([begins, needs]);
        const y = top + 2 + row * 21;
        const lasting = this.band(band, words, from, to, y, 17);
        const before = !lasting && where === 2; // its words stand before it, and so does its sign
        const said = this.fitting(before ? `${band.words} ▼` : words, rooms[where] - 8);
        const text = this.shape("text", { x: lasting || before ? at : from - 4, y: y + 13, class: "fault" }, said);
        this.title(text, this.bandSaid(band, words));
      }
      if (!taken.length) return top;
      this.shape("text", { x: 4, y: top + 15, class: "label dim" }, "faults");
      let below = top + taken.length * 21;
      if (crowded.length) {
        const more = this.shape("text", { x: 4, y: below + 11, class: "label dim" }, `${crowded.length} more`);
        this.title(more, "Come closer, or point at them: there is no room for their words.");
        for (const [band, words, from, to] of crowded) this.band(band, words, from, to, below + 3, 9, true);
        below += 15;
      }
      return below + 6;
    }

    band(band, words, from, to, y, height, always = false) {
      const lasting = band.lasts || band.ended !== null;
      if (lasting || always) {
        const kind = `band${band.without_effect ? " none" : ""}`;
        const bar = this.shape("rect", { x: from, y, width: to - from, height, rx: 2, class: kind });
        this.title(bar, this.bandSaid(band, words));
      }
      return lasting;
    }

    bandSaid(band, words) {
      return `${words}, from ${seconds(band.began)}${band.ended === null ? "" : ` to ${seconds(band.ended)}`}`;
    }

    drawLane(lane) {
      const y = this.places.get(lane.node);
      const name = this.shape("text", { x: 4, y: y + 4, class: `label${lane.node === this.lane ? " chosen" : ""}` },
        this.fitting(lane.node, this.left));
      this.title(name, lane.node);
      let versionUntil = -1e9;
      lane.beliefs.forEach((belief, number) => {
        const stop = lane.beliefs[number + 1]?.[TIME] ?? this.whole[1];
        if (stop < this.begin || belief[TIME] > this.end) return;
        const before = lane.beliefs[number - 1];
        const from = this.x(belief[TIME]), to = this.x(stop), state = belief[STATE];
        if (!GONE.includes(state)) {
          this.shape("line", { x1: from, x2: to, y1: y, y2: y, class: `life ${state}` });
          if (state === "master") this.shape("line", { x1: from, x2: to, y1: y + 4, y2: y + 4, class: "life master" });
        }
        if (belief[SUSPECTS].length) this.doubts(belief, before, from, to, y);
        if (belief[CLAIMS]) {
          this.shape("rect", { x: from, y: y - 11, width: Math.max(2, to - from), height: 7, class: "claiming" });
        }
        if (!this.seen(belief[TIME])) return;
        if (belief[VERSION] && (belief[VERSION] !== before?.[VERSION] || belief[AUTHOR] !== before?.[AUTHOR])) {
          const mark = this.shape("text", { x: from, y: y + 5, class: belief[OWN] ? "made" : "has" }, belief[OWN] ? "◆" : "┼");
          this.title(mark, `${seconds(belief[TIME])} ${lane.node} ${belief[OWN] ? "made" : "has"} v${belief[VERSION]} [${belief[MEMBERS].join(" ")}] by ${belief[AUTHOR]}`);
          const said = `v${belief[VERSION]}`;
          if (from > versionUntil) {
            const proof = this.data.marks.some((each) => each.node === lane.node && each.time === belief[TIME]);
            const edge = from > this.right - 30;
            const x = edge ? from - (proof ? 12 : 6) : from + (proof ? 11 : 6);
            this.shape("text", { x, y: y - 6, class: edge ? "version before" : "version" }, said);
            versionUntil = from + 6 + said.length * 7;
          }
        }
        if (state !== before?.[STATE] && !["member", "master"].includes(state)) {
          const sign = this.shape("text", { x: from, y: y + 5, class: `sign ${state}` }, SIGNS[state]);
          this.title(sign, `${seconds(belief[TIME])} ${lane.node} ${state}`);
          const next = lane.beliefs[number + 1] ? to : this.right;
          if (next - from > 60 && state !== "starting") this.shape("text", { x: from + 9, y: y + 4, class: "version" }, state);
        }
      });
    }

    doubts(belief, before, from, to, y) {
      const bar = this.shape("rect", { x: from, y: y + 9, width: Math.max(2, to - from), height: 13, class: "doubt" });
      const said = `! ${belief[SUSPECTS].join(" ")}`;
      this.title(bar, `suspects ${belief[SUSPECTS].join(" ")}`);
      if (String(before?.[SUSPECTS] ?? "") !== String(belief[SUSPECTS]) || from <= this.left) {
        this.shape("text", { x: from + 3, y: y + 20, class: "doubts" }, this.fitting(said, to - from - 2));
      }
    }

    drawArrow([what, sender, receiver, sent, arrived, good, words]) {
      const y1 = this.places.get(sender), y2 = this.places.get(receiver);
      if (y1 === undefined || y2 === undefined || !(this.seen(sent) || (arrived !== null && this.seen(arrived)))) return;
      const lost = arrived === null;
      const share = lost ? 0.55 : 1;
      const x1 = this.x(sent), full = lost ? x1 + Math.min(26, this.right - x1) : this.x(arrived);
      const x2 = x1 + (full - x1) * share, end = y1 + (y2 - y1) * share - (lost ? 0 : Math.sign(y2 - y1) * 3);
      const group = this.shape("g", { class: `arrow ${KINDS[what] ?? "other"}${good ? "" : " bad"}` });
      this.shape("line", { x1, x2, y1, y2: end }, undefined, group);
      this.shape("line", { x1, x2, y1, y2: end, class: "wide" }, undefined, group);
      const angle = Math.atan2(end - y1, x2 - x1);
      const at = (away, turn) => `${x2 - away * Math.cos(angle + turn)},${end - away * Math.sin(angle + turn)}`;
      if (good) this.shape("path", { d: `M${at(0, 0)}L${at(7, 0.4)}L${at(7, -0.4)}Z`, class: "tip" }, undefined, group);
      else this.shape("text", { x: x2, y: end + 4, class: "cross" }, "×", group);
      this.title(group, this.arrowSaid([what, sender, receiver, sent, arrived, good, words]));
    }

    arrowSaid([what, sender, receiver, sent, arrived, good, words]) {
      const said = `${what}${words ? ` (${words})` : ""}, ${sender} → ${receiver}`;
      if (arrived === null) return `${seconds(sent)} ${said}: ${words === "caught" ? "caught on its way" : "nobody told of its coming"}`;
      const took = arrived > sent ? ` after ${seconds(arrived - sent)}` : "";
      return `${seconds(arrived)} ${said}${took}${good ? "" : ", not taken"}`;
    }

    drawMark(mark, bottom) {
      if (!this.seen(mark.time)) return;
      const at = this.x(mark.time), [last, height] = this.drawn.get(mark.node) ?? [-1e9, 0];
      const above = at - last < 19 ? (height + 1) % 3 : 0; // of several at one place each is to be read
      this.drawn.set(mark.node, [at, above]);
      const y = (this.places.get(mark.node) ?? this.laneTop - 8) - above * 16;
      const group = this.shape("g", { class: "proof" });
      this.shape("circle", { cx: at, cy: y, r: 9 }, undefined, group);
      this.shape("text", { x: at, y: y + 4 }, String(mark.number), group);
      this.title(group, `proof ${mark.number}: ${seconds(mark.time)} ${mark.told}`);
    }

    pointed(event) {
      const box = this.svg.getBoundingClientRect();
      const x = ((event.clientX - box.left) * this.wide) / box.width;
      const y = event.clientY - box.top;
      const near = (time) => Math.abs(this.x(time) - x);
      const inside = this.moments.filter((moment) => this.seen(moment));
      if (!inside.length) return;
      this.cursor = inside.reduce((one, two) => (near(two) < near(one) ? two : one));
      for (const [node, place] of this.places) if (Math.abs(place - y) < this.laneHigh / 2) this.lane = node;
      this.draw();
    }

    beliefs() {
      const rows = this.data.lanes.map((lane) => {
        const belief = lane.beliefs.filter((each) => each[TIME] <= this.cursor).pop();
        const row = html("tr", lane.node === this.lane ? "chosen" : "", html("th", "", lane.node));
        if (!belief) {
          row.append(this.cell("is", "not there yet"));
          row.lastChild.colSpan = 4;
          return row;
        }
        const changed = belief[TIME] === this.cursor;
        row.append(this.cell("is", `${SIGNS[belief[STATE]]} ${belief[STATE]}${changed ? ", since just now" : ""}`, belief[STATE]));
        if (GONE.includes(belief[STATE])) {
          row.lastChild.colSpan = 4;
          return row;
        }
        row.append(
          this.cell("follows", belief[FOLLOWS] || "nobody"),
          this.cell("holds", belief[VERSION] ? `v${belief[VERSION]} [${belief[MEMBERS].join(" ")}] by ${belief[AUTHOR]}` : "no list"),
          this.cell("suspects", `${belief[SUSPECTS].join(" ") || "nobody"}${belief[CLAIMS] ? ", claims the mastership" : ""}`),
        );
        return row;
      });
      const head = html("tr", "", ...["node", "is", "follows", "holds", "suspects"].map((word) => html("th", "", word)));
      const table = html("table", "", html("thead", "", head), html("tbody", "", ...rows));
      const told = this.told().map((said) => html("li", "", said));
      this.panel.replaceChildren(
        html("p", "at", html("strong", "", `At ${seconds(this.cursor)}`), " each node believed:"), table,
        ...(told.length ? [html("ul", "", ...told)] : []),
      );
    }

    cell(label, said, className = "") {
      const cell = html("td", className, said);
      cell.dataset.label = label;
      return cell;
    }

    told() {
      const at = this.cursor, { steps, bands, arrows, marks } = this.data;
      return [
        ...steps.filter((step) => step[0] === at).map((step) => `▸ ${step[1]}`),
        ...bands.filter((band) => band.began === at).map((band) => `▓ ${band.words}`),
        ...bands.filter((band) => band.ended === at).map((band) => `▓ ${band.words}: over`),
        ...marks.filter((mark) => mark.time === at).map((mark) => `proof ${mark.number}: ${mark.told}`),
        ...arrows.filter((arrow) => (arrow[4] ?? arrow[3]) === at).map((arrow) => `→ ${this.arrowSaid(arrow)}`),
      ];
    }
  }

  for (const figure of document.querySelectorAll("figure.picture")) new Drawing(figure); // drawn when they are unfolded

  for (const button of document.querySelectorAll("button.copy")) {
    button.hidden = !navigator.clipboard;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.previousElementSibling.textContent).catch(() => {});
      button.textContent = "copied";
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    });
  }

  const open = () => {
    const aim = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (aim) for (let each = aim; each; each = each.parentElement) if (each.tagName === "DETAILS") each.open = true;
    if (aim) aim.scrollIntoView();
  };
  window.addEventListener("hashchange", open);
  open();
})();
