// The timeline: a lane for each thread or stream, with bars that enclose those below them. ---------------------------

function drawLanes(card, all) {
  const ROW = 16, LABEL = 17, AXIS = 20;
  const place = card.querySelector(".lanes"), details = card.querySelector(".details");
  const canvas = html(place, "canvas"), pen = canvas.getContext("2d");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "Timeline of the trace");
  const count = all.start.length, rows = [], tops = [];
  let height = AXIS, end = 1;
  for (let i = 0; i < count; i++) {
    end = Math.max(end, all.start[i] + all.length[i]);
    const last = rows.at(-1);
    if (last && last.lane === all.lane[i] && last.depth === all.depth[i]) { last.to = i + 1; continue; }
    if (!last || last.lane !== all.lane[i]) { tops.push([all.lane[i], height]); height += LABEL; }
    // Rows of a lane without bars in between do not occur: an enclosing event is drawn above.
    rows.push({lane: all.lane[i], depth: all.depth[i], from: i, to: i + 1, y: height});
    height += ROW;
  }
  height += 6;
  const effects = new Map();
  all.link.forEach((cause, i) => { if (cause >= 0) effects.has(cause) ? effects.get(cause).push(i) : effects.set(cause, [i]); });
  let from = 0, to = end, chosen = -1, wanted = "", pending = false;
  const colors = new Map();

  function color(name) {
    if (!colors.has(name)) colors.set(name, fill(name, style("--tone")));
    return colors.get(name);
  }

  const width = () => place.clientWidth || 300;
  const X = value => (value - from) / (to - from) * width();

  /** The first bar of a row that ends after a time. Bars of a row do not overlap. */
  function firstAt(row, value) {
    let low = row.from, high = row.to;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (all.start[middle] + all.length[middle] < value) low = middle + 1; else high = middle;
    }
    return low;
  }

  function draw() {
    pending = false;
    const scale = devicePixelRatio || 1, W = width();
    canvas.width = W * scale;
    canvas.height = height * scale;
    canvas.style.height = height + "px";
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.font = "11px system-ui, sans-serif";
    pen.textBaseline = "middle";
    const ink = style("--ink"), quiet = style("--quiet"), line = style("--line"), strong = style("--strong"), marked = style("--found");
    pen.fillStyle = quiet;
    for (const at of ticks(from, to, Math.max(2, W / 110))) {
      pen.fillStyle = line;
      pen.fillRect(X(at), 0, 1, height);
      pen.fillStyle = quiet;
      pen.fillText(time(at), X(at) + 3, AXIS / 2);
    }
    for (const [lane, y] of tops) {
      pen.fillStyle = line;
      pen.fillRect(0, y, W, 1);
      pen.fillStyle = quiet;
      const [kind, label] = all.lanes[lane];
      pen.fillText(kind === label ? label : `${kind}: ${label}`, 4, y + LABEL / 2 + 1);
    }
    for (const row of rows) {
      let covered = -1;
      for (let i = firstAt(row, from); i < row.to && all.start[i] <= to; i++) {
        const right = X(all.start[i] + all.length[i]), name = all.names[all.name[i]];
        const found = wanted && name.toLowerCase().includes(wanted);
        if (right < covered && !found && i !== chosen) continue; // within a pixel that is drawn
        const left = Math.max(X(all.start[i]), -1), wide = Math.max(Math.min(right, W + 1) - left, 1);
        covered = Math.floor(left + wide) + .5;
        pen.globalAlpha = wanted && !found ? .25 : 1;
        pen.fillStyle = found ? marked : color(name);
        pen.fillRect(left, row.y, wide - (wide > 3 ? .6 : 0), ROW - 1);
        if (wide > 26) {
          pen.fillStyle = ink;
          const label = all.count[i] > 1 ? `${all.count[i]} events` : name;
          pen.fillText(label.slice(0, Math.floor((wide - 6) / 5.6)), Math.max(left, 0) + 3, row.y + ROW / 2);
        }
        pen.globalAlpha = 1;
        if (i === chosen) { pen.strokeStyle = strong; pen.lineWidth = 2; pen.strokeRect(left, row.y, wide, ROW - 1); }
      }
    }
    if (chosen >= 0) {
      const related = [...(all.link[chosen] >= 0 ? [[all.link[chosen], chosen]] : []), ...(effects.get(chosen) ?? []).slice(0, 200).map(i => [chosen, i])];
      for (const [cause, effect] of related) arrow(cause, effect, strong);
    }
  }

  const rowOf = i => rows.find(row => i >= row.from && i < row.to);

  function arrow(cause, effect, ink) {
    const leaves = Math.min(Math.max(all.start[effect], all.start[cause]), all.start[cause] + all.length[cause]);
    const x1 = X(leaves), y1 = rowOf(cause).y + ROW / 2, x2 = X(all.start[effect]), y2 = rowOf(effect).y + ROW / 2;
    const bend = Math.max(12, Math.abs(x2 - x1) / 3);
    pen.strokeStyle = pen.fillStyle = ink;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
    pen.stroke();
    pen.beginPath();
    pen.moveTo(x2, y2);
    pen.lineTo(x2 - 7, y2 - 4);
    pen.lineTo(x2 - 7, y2 + 4);
    pen.fill();
  }

  function later() { if (!pending) { pending = true; requestAnimationFrame(draw); } }

  function view(start, stop) {
    const span = Math.min(Math.max(stop - start, 20), end);
    from = Math.min(Math.max(start, 0), end - span);
    to = from + span;
    hide();
    later();
  }

  function zoom(factor, at = .5) {
    const middle = from + (to - from) * at, span = (to - from) / factor;
    view(middle - span * at, middle + span * (1 - at));
  }

  function under(event) {
    const box = canvas.getBoundingClientRect(), y = event.clientY - box.top;
    const row = rows.find(one => y >= one.y && y < one.y + ROW);
    if (!row) return -1;
    const at = from + (event.clientX - box.left) / box.width * (to - from), slack = (to - from) / box.width * 2;
    const i = firstAt(row, at - slack);
    return i < row.to && all.start[i] <= at + slack ? i : -1;
  }

  function described(i, long) {
    const name = all.names[all.name[i]], length = all.length[i], lines = [];
    lines.push(all.count[i] > 1 ? `${all.count[i]} short events; the longest: ${name}` : name);
    lines.push(`${all.kinds[all.kind[i]] ?? "event"}, ${time(length)} at ${time(all.start[i])}` + (all.count[i] > 1 ? "" : `, ${time(all.own[i])} itself`));
    if (all.signatures[all.signature[i]]) lines.push(all.signatures[all.signature[i]]);
    const rates = [];
    if (all.flops[i]) rates.push(`${amount(all.flops[i])}FLOP, ${amount(all.flops[i] / all.own[i] * 1e9)}FLOP/s`);
    if (all.bytes[i]) rates.push(`${bytes(all.bytes[i])}, ${bytes(all.bytes[i] / all.own[i] * 1e9)}/s`);
    if (rates.length && all.count[i] === 1 && all.own[i]) lines.push(rates.join("; "));
    if (all.module[i] >= 0) lines.push(`module ${all.names[all.module[i]]}`);
    if (long) {
      if (all.link[i] >= 0) lines.push(`caused by ${all.names[all.name[all.link[i]]]} at ${time(all.start[all.link[i]])}`);
      const caused = effects.get(i) ?? [];
      if (caused.length) lines.push(`causes ${caused.slice(0, 5).map(one => all.names[all.name[one]]).join(", ")}${caused.length > 5 ? ` and ${caused.length - 5} more` : ""}`);
      if (all.stack[i] >= 0) lines.push("", ...all.stacks[all.stack[i]]);
    }
    return lines.join("\n");
  }

  function select(i) {
    chosen = i;
    details.hidden = i < 0;
    details.textContent = i < 0 ? "" : described(i, true);
    later();
  }

  const fingers = new Map();
  let moved = 0;
  canvas.onpointerdown = event => { fingers.set(event.pointerId, event.clientX); moved = 0; canvas.setPointerCapture(event.pointerId); };
  canvas.onpointermove = event => {
    if (!fingers.has(event.pointerId)) {
      const i = under(event);
      return i < 0 ? hide() : show(event, described(i, false));
    }
    const before = [...fingers.values()];
    moved += Math.abs(event.clientX - fingers.get(event.pointerId));
    fingers.set(event.pointerId, event.clientX);
    const after = [...fingers.values()], box = canvas.getBoundingClientRect();
    if (after.length === 1) {
      const shift = (before[0] - after[0]) / box.width * (to - from);
      if (moved > 3) view(from + shift, to + shift);
    } else {
      const spread = Math.max(Math.abs(after[0] - after[1]), 8) / Math.max(Math.abs(before[0] - before[1]), 8);
      zoom(spread, ((after[0] + after[1]) / 2 - box.left) / box.width);
    }
  };
  canvas.onpointerup = event => { fingers.delete(event.pointerId); if (moved <= 3) select(under(event)); };
  canvas.onpointercancel = event => { fingers.delete(event.pointerId); };
  canvas.onpointerleave = hide;
  canvas.ondblclick = event => {
    const i = under(event);
    if (i >= 0) view(all.start[i] - all.length[i] * .1, all.start[i] + all.length[i] * 1.1);
  };
  canvas.addEventListener("wheel", event => {
    const box = canvas.getBoundingClientRect();
    if (event.ctrlKey || event.metaKey) zoom(Math.exp(-event.deltaY / 300), (event.clientX - box.left) / box.width);
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
      const shift = (event.deltaX || event.deltaY) / box.width * (to - from);
      view(from + shift, to + shift);
    } else return;
    event.preventDefault();
  }, {passive: false});
  place.onkeydown = event => {
    const step = (to - from) / 5, key = event.key.toLowerCase();
    if (key === "w" || key === "+") zoom(1.5);
    else if (key === "s" || key === "-") zoom(1 / 1.5);
    else if (key === "a" || key === "arrowleft") view(from - step, to - step);
    else if (key === "d" || key === "arrowright") view(from + step, to + step);
    else if (key === "escape") select(-1);
    else return;
    event.preventDefault();
  };
  for (const button of card.querySelectorAll("[data-zoom]")) {
    const factor = +button.dataset.zoom;
    button.onclick = () => factor ? zoom(factor) : view(0, end);
  }
  card.querySelector("input").oninput = event => { wanted = event.target.value.trim().toLowerCase(); later(); };
  redrawn(place, () => { colors.clear(); draw(); });
}

if (data.timeline) drawLanes(document.querySelector(".lanes").parentElement, data.timeline);
