"""Writes the page of releases: the changelogs of all packages, with the news that are not in them yet."""

import re

from reference import ROOT

SECTION = re.compile(r"^## (\S+) \(([^)]*)\)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def sections(folder):
    """Return the sections of a package's changelog as version, date and text; news go into one that is not dated."""
    found = [list(match.groups()) for match in SECTION.finditer((folder / "CHANGELOG.md").read_text())]
    news = "".join(f"* {path.read_text().strip()}\n" for path in sorted(folder.glob("changes/*.md")))
    news = news.replace("\n", "\n  ").replace("\n  * ", "\n* ").rstrip() + "\n" if news else ""
    if news and (not found or found[0][1] != "unreleased"):
        found.insert(0, ["next release", "unreleased", ""])
    if news:
        found[0][2] = f"{found[0][2].strip()}\n{news}"
    # Some lists are written with dashes, others with stars; Markdown would separate them.
    return [(version, date, re.sub(r"^- ", "* ", text.strip(), flags=re.MULTILINE)) for version, date, text in found]


def page():
    """Return the Markdown of the page, after its introduction."""
    text = ""
    for folder in sorted(path.parent for path in ROOT.glob("packages/*/CHANGELOG.md")):
        text += f"\n## {folder.name}\n"
        for version, date, items in sections(folder):
            text += f"\n### {folder.name} {version} ({date})\n\n{items}\n"
    return text
