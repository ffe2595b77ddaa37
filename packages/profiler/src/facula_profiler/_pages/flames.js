// Flame graphs: the width of a box is its share of the time; select a box to enlarge it, the top one to go back. -----

function drawFlame(place, tree) {
  const ROW = 18, count = tree.parents.length, children = tree.parents.map(() => []);
  for (let i = 1; i < count; i++) children[tree.parents[i]].push(i);
  for (const list of children) list.sort((a, b) => tree.total[b] - tree.total[a]);
  const root = svg(place, "svg", {class: "chart", role: "img", "aria-label": "Flame graph"});
  html(place, "p", "legend", "Select a box to enlarge it, and a box above it to return." +
    (tree.dropped ? ` ${tree.dropped} small boxes are left out.` : ""));
  let focus = 0;

  function described(i) {
    return `${tree.names[i]}\n${time(tree.total[i])}, ${(100 * tree.total[i] / Math.max(tree.total[0], 1)).toFixed(1)}% of all` +
      `\n${time(tree.own[i])} itself${tree.calls[i] ? `, ${tree.calls[i].toLocaleString("en")} calls` : ""}`;
  }

  function box(i, x, wide, depth) {
    const one = svg(root, "rect", {x: x.toFixed(2), y: depth * ROW, width: Math.max(wide, .5).toFixed(2), height: ROW - 1, rx: 2,
      fill: i ? fill(tree.names[i], "var(--tone)") : "var(--faint)", "data-node": i});
    one.onpointermove = event => show(event, described(i));
    one.onpointerleave = hide;
    one.onclick = () => { focus = i; hide(); draw(); };
    const outer = (tree.names[tree.parents[i]] ?? "") + ".", name = tree.names[i];
    const label = name.startsWith(outer) ? name.slice(outer.length - 1) : name; // of a module within another
    if (wide > 16) svg(root, "text", {x: (x + 3).toFixed(1), y: depth * ROW + 12.5}, label.slice(0, Math.floor((wide - 4) / 6)));
  }

  function draw() {
    const W = place.clientWidth || 300;
    root.replaceChildren();
    const above = [];
    for (let i = tree.parents[focus]; i >= 0; i = tree.parents[i]) above.unshift(i);
    above.forEach((i, depth) => box(i, 0, W, depth));
    let deepest = above.length;
    const waiting = [[focus, 0, W, above.length]];
    while (waiting.length) {
      const [i, x, wide, depth] = waiting.pop();
      box(i, x, wide, depth);
      deepest = Math.max(deepest, depth);
      let at = x;
      for (const one of children[i]) {
        const part = tree.total[i] ? wide * tree.total[one] / tree.total[i] : 0;
        if (part >= .4) waiting.push([one, at, part, depth + 1]);
        at += part;
      }
    }
    const H = (deepest + 1) * ROW;
    root.setAttribute("viewBox", `0 0 ${W} ${H}`);
    root.setAttribute("height", H);
  }
  redrawn(place, draw);
}

for (const place of document.querySelectorAll("[data-flame]")) drawFlame(place, data.flames[place.dataset.flame]);
