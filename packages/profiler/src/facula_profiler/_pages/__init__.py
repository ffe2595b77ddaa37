"""HTML pages: self-contained files that open in any browser, offline.

In order of use: `timeline` (bars, fewer than the events), `flames` (trees of calls), `markup` (tables and totals),
`page` (the whole file), `memory_timeline` (files in PyTorch's formats). `page.html` is the frame; the `.css` and `.js`
files are put into it. Names from traces reach the page only escaped, or as JSON that scripts write with `textContent`.
"""
