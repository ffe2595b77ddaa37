// Nothing here writes markup: names reach the page through textContent and canvas text alone.
const data = JSON.parse(document.getElementById("data").textContent);
const tip = document.getElementById("tip");

function svg(parent, name, attributes, text) {
  const one = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) one.setAttribute(key, attributes[key]);
  if (text !== undefined) one.textContent = text;
  return parent.appendChild(one);
}

function html(parent, name, className, text) {
  const one = document.createElement(name);
  if (className) one.className = className;
  if (text !== undefined) one.textContent = text;
  return parent.appendChild(one);
}

function scaled(value, units) {
  for (const [factor, unit] of units) if (Math.abs(value) >= factor) return `${+(value / factor).toPrecision(3)} ${unit}`;
  return `${+value.toPrecision(3)} ${units.at(-1)[1]}`;
}

const time = nanoseconds => scaled(nanoseconds, [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]]);
const bytes = count => scaled(count, [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]]);
const amount = count => scaled(count, [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]]);

function style(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

/** A stable hue for a name: equal names have equal colours in all drawings. */
function hue(name) {
  let hash = 7;
  for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) | 0;
  return (hash * 137.508 % 360 + 360) % 360;
}

function fill(name, lightness) { return `hsl(${hue(name).toFixed(0)} 58% ${lightness})`; }

function show(event, text) {
  tip.textContent = text;
  tip.style.display = "block";
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8)) + "px";
  tip.style.top = Math.max(4, event.clientY + 18 + box.height > innerHeight ? event.clientY - box.height - 12 : event.clientY + 18) + "px";
}

function hide() { tip.style.display = "none"; }

/** Draws now, after each change of the window's width, and after a change of the colour scheme. */
function redrawn(place, draw) {
  let width = -1;
  new ResizeObserver(() => { if (place.clientWidth && place.clientWidth !== width) { width = place.clientWidth; draw(); } }).observe(place);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
}

/** The steps of an axis: round values, at most `count` of them. */
function ticks(from, to, count) {
  const raw = (to - from) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(one => one * power).find(one => one >= raw) ?? raw;
  const found = [];
  for (let at = Math.ceil(from / step) * step; at <= to && found.length <= count; at += step) found.push(at);
  return found;
}
