// Tables are sorted by their heads; tabs show one pane each. ---------------------------------------------------------

for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = html(head, "button", "", head.textContent);
    head.replaceChildren(button);
    button.onclick = () => {
      const named = head.classList.contains("name"), before = head.getAttribute("aria-sort");
      const down = before ? before === "ascending" : !named;
      for (const one of heads) one.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = row => named ? row.cells[column].textContent : +row.cells[column].dataset.value;
      const rows = [...table.tBodies[0].rows].sort((a, b) => (named ? key(a).localeCompare(key(b)) : key(a) - key(b)) * (down ? -1 : 1));
      table.tBodies[0].append(...rows);
    };
  });
}

for (const group of document.querySelectorAll("[data-tabs]")) {
  const tabs = [...group.querySelectorAll("[role=tab]")], panes = [...group.querySelectorAll("[role=tabpanel]")];
  const choose = chosen => tabs.forEach((tab, i) => {
    tab.setAttribute("aria-selected", i === chosen);
    panes[i].hidden = i !== chosen;
  });
  tabs.forEach((tab, i) => { tab.onclick = () => choose(i); });
  choose(0);
}
