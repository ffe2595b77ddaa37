// Asks the search of a built site: `node ask.js SITE QUESTIONS`; prints each question without the expected answer.

const fs = require("fs"), vm = require("vm");
const [site, questions] = process.argv.slice(2);
const ignored = () => null;
const page = {
  SPHINX_HIGHLIGHT_ENABLED: false, URLSearchParams, _: (text) => text, _ready: ignored,
  document: {
    documentElement: { dataset: { content_root: "" } }, getElementById: ignored, querySelector: ignored,
    addEventListener: ignored,
  },
};
page.window = page;
vm.createContext(page);
const read = (name) => vm.runInContext(fs.readFileSync(`${site}/${name}`, "utf8"), page, { filename: name });
["searchtools", "base-stemmer", "english-stemmer", "language_data"].forEach((name) => read(`_static/${name}.js`));
read("searchindex.js");

for (const line of fs.readFileSync(questions, "utf8").split("\n").filter((text) => text.includes(" -> "))) {
  const [question, expected] = line.split(" -> ");
  const search = `Search._performSearch(...Search._parseQuery(${JSON.stringify(question)}))`;
  const found = vm.runInContext(search, page).reverse().slice(0, 3).map((result) => result[0] + (result[2] || ""));
  if (!found.some((place) => place.includes(expected)))
    console.log(`search: ${question}: expected ${expected} among the first three; found ${found.join(", ")}`);
}
