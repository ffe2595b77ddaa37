// Memory: live bytes over time, stacked by category or module. ------------------------------------------------------

const CATEGORY_HUES = {parameter: 140, "optimizer state": 45, input: 200, temporary: 275, activation: 5, gradient: 225};

function drawMemory(place, curve) {
  const H = 240, LEFT = 62, RIGHT = 8, TOP = 8, BOTTOM = 22, last = curve.times.length - 1;
  const root = svg(place, "svg", {class: "chart", height: H, role: "img", "aria-label": "Live bytes over time"});
  const legend = html(place, "ul", "key"), color = name => name === "others" || name === "unknown" ? "var(--quiet)" :
    name in CATEGORY_HUES ? `hsl(${CATEGORY_HUES[name]} 58% var(--depth))` : fill(name, "var(--depth)");
  for (const name of curve.names) {
    const item = html(legend, "li");
    html(item, "span", "swatch").style.background = color(name);
    html(item, "span", "", name);
  }
  const totals = curve.times.map((_, i) => curve.bytes.reduce((sum, one) => sum + one[i], 0));
  const high = Math.max(1, ...totals), first = curve.times[0] ?? 0, span = Math.max((curve.times[last] ?? 1) - first, 1);

  function draw() {
    const W = place.clientWidth || 300, X = value => LEFT + (value - first) / span * (W - LEFT - RIGHT);
    const Y = value => H - BOTTOM - value / high * (H - TOP - BOTTOM);
    root.setAttribute("viewBox", `0 0 ${W} ${H}`);
    root.replaceChildren();
    for (const value of ticks(0, high, 5)) {
      svg(root, "line", {x1: LEFT, x2: W - RIGHT, y1: Y(value), y2: Y(value), stroke: "var(--line)"});
      svg(root, "text", {x: LEFT - 6, y: Y(value) + 4, "text-anchor": "end", class: "axis"}, bytes(value));
    }
    for (const value of ticks(first, first + span, Math.max(2, W / 140))) svg(root, "text", {x: X(value), y: H - 6, class: "axis"}, time(value));
    const base = new Float64Array(last + 1);
    curve.bytes.forEach((column, number) => {
      let top = "", bottom = "";
      for (let i = 0; i <= last; i++) {
        const x = X(curve.times[i]).toFixed(1), y = Y(base[i] + column[i]).toFixed(1);
        top += i ? `H${x}V${y}` : `M${x} ${y}`;
        const back = last - i, low = Y(base[back]).toFixed(1);
        bottom += `V${low}H${X(curve.times[back]).toFixed(1)}`;
      }
      svg(root, "path", {d: top + bottom + "Z", fill: color(curve.names[number])});
      for (let i = 0; i <= last; i++) base[i] += column[i];
    });
    const cross = svg(root, "line", {y1: TOP, y2: H - BOTTOM, stroke: "var(--ink)", visibility: "hidden"});
    root.onpointermove = event => {
      const frame = root.getBoundingClientRect(), value = first + ((event.clientX - frame.left) / frame.width * W - LEFT) / (W - LEFT - RIGHT) * span;
      let low = 0, end = last;
      while (low < end) {
        const middle = (low + end + 1) >> 1;
        if (curve.times[middle] <= value) low = middle; else end = middle - 1;
      }
      for (const [key, one] of [["x1", X(curve.times[low])], ["x2", X(curve.times[low])], ["visibility", "visible"]]) cross.setAttribute(key, one);
      const live = curve.names.map((name, i) => [curve.bytes[i][low], name]).filter(([size]) => size).sort((a, b) => b[0] - a[0]).slice(0, 8);
      show(event, [`${bytes(totals[low])} at ${time(curve.times[low])}`, ...live.map(([size, name]) => `${bytes(size)}  ${name}`)].join("\n"));
    };
    root.onpointerleave = () => { cross.setAttribute("visibility", "hidden"); hide(); };
  }
  if (last >= 0) redrawn(place, draw);
}

for (const place of document.querySelectorAll("[data-curve]")) drawMemory(place, data.memory[place.dataset.curve]);
