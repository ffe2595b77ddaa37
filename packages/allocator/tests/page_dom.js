// Runs the script of a page over a small stand-in for a browser's document: node page_dom.js TREE.json
// TREE.json is the page as tests/test_pages.py parsed it. Prints what was drawn, and what the events of a pointer show.
"use strict";
const {readFileSync} = require("node:fs");
const vm = require("node:vm");

class Element {
  constructor(tag, attributes = {}, children = []) {
    this.tag = tag;
    this.attributes = {...attributes};
    this.children = [];
    this.text = "";
    this.style = {};
    this.listeners = {};
    for (const one of children) {
      if (typeof one === "string") this.text += one;
      else this.appendChild(new Element(...one));
    }
  }
  get textContent() { return this.text + this.children.map(one => one.textContent).join(""); }
  set textContent(text) { this.children = []; this.text = String(text); }
  setAttribute(name, value) {
    if (/NaN|undefined|Infinity/.test(String(value))) throw new Error(`${this.tag}: ${name}=${value}`);
    this.attributes[name] = String(value);
  }
  getAttribute(name) { return this.attributes[name] ?? null; }
  removeAttribute(name) { delete this.attributes[name]; }
  set className(value) { this.attributes.class = value; }
  get dataset() {
    return Object.fromEntries(Object.entries(this.attributes).filter(([k]) => k.startsWith("data-")).map(([k, v]) => [k.slice(5), v]));
  }
  get classList() {
    const all = () => (this.attributes.class ?? "").split(" ").filter(Boolean);
    return {
      add: name => { this.attributes.class = [...new Set([...all(), name])].join(" "); },
      remove: name => { this.attributes.class = all().filter(one => one !== name).join(" "); },
    };
  }
  appendChild(one) {
    if (one.parent) one.parent.children = one.parent.children.filter(other => other !== one);
    one.parent = this;
    this.children.push(one);
    return one;
  }
  append(...all) { for (const one of all) this.appendChild(one); }
  replaceChildren(...all) { this.children = []; this.text = ""; this.append(...all); }
  get all() { return this.children.flatMap(one => [one, ...one.all]); }
  matches(selector) {
    const [, tag, name, attribute, , value, also] = /^(\w+)?(?:\.(\w+))?(?:\[([\w-]+)(="([^"]*)")?\])?(?:\.(\w+))?$/.exec(selector);
    const classes = (this.attributes.class ?? "").split(" ");
    return (!tag || tag === this.tag) && (!name || classes.includes(name)) && (!also || classes.includes(also)) &&
      (!attribute || (attribute in this.attributes && (value === undefined || this.attributes[attribute] === value)));
  }
  querySelectorAll(selector) { return this.all.filter(one => one.matches(selector)); }
  querySelector(selector) { return this.querySelectorAll(selector)[0] ?? null; }
  getBoundingClientRect() { return {left: 0, top: 0, width: 1160, height: 280}; }
  get tHead() { return this.querySelector("thead"); }
  get tBodies() { return this.querySelectorAll("tbody"); }
  get rows() { return this.querySelectorAll("tr"); }
  get cells() { return this.children; }
}

const root = new Element(...JSON.parse(readFileSync(process.argv[2], "utf8")));
const document = {
  getElementById: id => root.all.find(one => one.attributes.id === id),
  createElement: tag => new Element(tag),
  createElementNS: (_, tag) => new Element(tag),
};
const script = root.all.find(one => one.tag === "script" && !one.attributes.type);
const addEventListener = (name, draw) => draw();
vm.runInNewContext(script.textContent, {document, addEventListener, innerWidth: 1200, innerHeight: 900, JSON, Math, Float64Array, isNaN});

const tip = document.getElementById("tip");
const chart = root.querySelector(".chart");
const bars = root.querySelectorAll(".segment").map(one => one.querySelector("svg"));
const answer = {
  paths: root.querySelectorAll("path").length,
  chartText: chart ? chart.querySelectorAll("text").map(one => one.textContent) : [],
  bars: bars.map(one => one.querySelectorAll("rect").map(rect => [+rect.attributes.x, +rect.attributes["data-site"]])),
  tips: [],
  order: [],
};
if (chart) {
  for (const x of [74, 600, 1152]) {
    chart.onpointermove({clientX: x, clientY: 10});
    answer.tips.push(tip.textContent);
  }
  chart.onpointerdown({clientX: 300, clientY: 10});
  chart.onpointermove({clientX: 700, clientY: 10});
  chart.onpointerup({clientX: 700, clientY: 10});
  answer.zoomed = chart.querySelectorAll("text").map(one => one.textContent).filter(text => text.startsWith("event"));
  chart.ondblclick();
  answer.whole = chart.querySelectorAll("text").map(one => one.textContent).filter(text => text.startsWith("event"));
  chart.onpointerleave();
}
if (bars.length) {
  bars[0].onpointermove({clientX: 1, clientY: 880});
  answer.block = tip.textContent;
}
for (const row of root.querySelectorAll("tr[data-site]")) {
  row.onpointerenter();
  answer.lit = root.querySelectorAll("[data-site].lit").length;
  row.onpointerleave();
}
const table = root.querySelector("table");
for (const column of [0, 3]) {
  const button = table.tHead.rows[0].cells[column].querySelector("button");
  button.onclick();
  answer.order.push(table.tBodies[0].rows.map(row => row.cells[column].textContent));
}
console.log(JSON.stringify(answer));
