// Order of search results: exact names of facula, then guides, then the other packages. Sphinx includes this file.

// other words of the pages
const WORDS = {
  custom: "own", jupyter: "notebook", colab: "notebook", torch: "pytorch", huggingface: "hugging face",
  changelog: "release notes", kfold: "k-fold", mac: "macos", m1: "", m2: "", m3: "", m4: "", silicon: "", use: "",
};

// The heading with all words of a question, in any order and form, and at most two more; the question if there is none.
function headingOf(question, terms) {
  const stemmer = new Stemmer();
  const words = (title) => splitQuery(title.toLowerCase()).filter((word) => !stopwords.has(word)).map((word) => stemmer.stemWord(word));
  const isFitting = (found) => new Set(found).size <= terms.size + 2 && [...terms].every((term) => found.includes(term));
  const fitting = terms.size < 2 ? [] : Object.keys(Search._index.alltitles).filter((title) => isFitting(words(title)));
  return fitting.sort((one, other) => words(one).length - words(other).length)[0] || question;
}

function prepareQueries() {
  const parse = Search._parseQuery, perform = Search._performSearch;
  Search._performSearch = (question, terms, ...others) => {
    const query = headingOf(question, terms);
    Scorer.query = query.trim().toLowerCase();
    return perform(query, terms, ...others);
  };
  Search._parseQuery = (query) => {
    query = query.replace(/\btorch\./g, "facula."); // PyTorch's names are names here
    query = query.replace(/\w+/g, (word) => WORDS[word.toLowerCase()] ?? word).trim() || query;
    return parse(query);
  };
}

// The theme decides the order of files; the search begins with the event, after listeners that capture it.
if (typeof Search !== "undefined") prepareQueries();
else document.addEventListener("DOMContentLoaded", prepareQueries, true);

var Scorer = {
  query: "",
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,

  score: ([page, title, anchor, description, score, file, kind]) => {
    const folder = page.split("/")[0], guides = { "how-to": 16, tutorials: 14, packages: 12, index: 18, explanation: 8 };
    if (kind !== "object") {
      const words = Scorer.query.split(/\W+/).filter((word) => title.toLowerCase().includes(word)).length;
      const guide = guides[folder] || (/pytorch-names|glossary/.test(page) ? 10 : 0);
      const exact = title.toLowerCase() === Scorer.query ? 30 : guide && title.toLowerCase().startsWith(Scorer.query) ? 25 : 0;
      return score + exact + (guide ? guide + 6 * words + (kind === "title" ? 10 : 0) : 0);
    }
    const name = title.toLowerCase(), dots = title.split(".").length, last = name.split(".").pop();
    const rank = score - 2 * dots - (title.startsWith("facula.") ? 0 : 14) - (/\.(extend|testing)\./.test(title) ? 10 : 0)
      - (dots > 2 && description.startsWith("Python module") ? 30 : 0);
    if (name === Scorer.query || name === `facula.${Scorer.query}`) return rank + 60;
    return rank + (name.endsWith(`.${Scorer.query}`) || (last === Scorer.query.split(".").pop() && dots < 5) ? 40 : 0);
  },
};
