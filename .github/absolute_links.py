"""Before a package is built: the README's links and the project's addresses lead to the repository at a commit.

A package index shows the README without the files beside it. `python .github/absolute_links.py ADDRESS COMMIT` rewrites
README.md and pyproject.toml of a checkout that is used for building alone.
"""

import re
import sys
from pathlib import Path


def absolute(text: str, address: str, commit: str) -> str:
    """The Markdown with each link to a file of the repository as an address, pictures as the file itself."""

    def link(found: re.Match[str]) -> str:
        kind = "raw" if found[1] == "!" else "blob"
        return f"{found[1]}[{found[2]}]({address}/{kind}/{commit}/{found[3]})"

    return re.sub(r"(!?)\[([^\]]*)\]\((?!\w+:|#)([^)]+)\)", link, text)


def with_addresses(project: str, address: str) -> str:
    """The text of pyproject.toml with the addresses of source, changes and issues."""
    urls = {"Source": address, "Changelog": f"{address}/blob/main/CHANGELOG.md", "Issues": f"{address}/issues"}
    table = "[project.urls]\n" + "".join(f'{name} = "{url}"\n' for name, url in urls.items())
    return project.replace("[project.scripts]", f"{table}\n[project.scripts]", 1)


def main(root: Path, address: str, commit: str) -> None:
    """Rewrite both files below `root`."""
    readme, project = root / "README.md", root / "pyproject.toml"
    readme.write_text(absolute(readme.read_text(encoding="utf-8"), address, commit), encoding="utf-8")
    project.write_text(with_addresses(project.read_text(encoding="utf-8"), address), encoding="utf-8")


if __name__ == "__main__":
    main(Path.cwd(), *sys.argv[1:])
