# SPDX-License-Identifier: Apache-2.0
"""The project's files as the rules see them."""

import os
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

# In a further working tree of git, .git is a file.
SKIPPED = {".git", "build", ".cache", "__pycache__", "node_modules"}
CODE = {".hpp", ".cpp"}


@dataclass(frozen=True)
class Finding:
    """One place that breaks a rule; a warning is listed but does not fail the test."""

    path: str
    line: int
    message: str
    warning: bool = False

    def __str__(self):
        kind = "warning" if self.warning else "error"
        return f"{self.path}:{self.line}: {kind}: {self.message}"


@dataclass
class Source:
    """A text file. `path` is relative to the project's root, with forward slashes."""

    path: str
    text: str
    executable: bool = False
    folder: str = field(init=False)

    def __post_init__(self):
        self.folder = os.path.dirname(self.path)

    @property
    def suffix(self):
        return Path(self.path).suffix

    @property
    def is_code(self):
        return self.suffix in CODE

    @property
    def is_script(self):
        return self.text.startswith("#!")

    @cached_property
    def lines(self):
        return self.text.splitlines()

    @cached_property
    def code(self):
        """The text with comments and literals blanked, line breaks kept."""
        return blank(self.text)

    @cached_property
    def includes(self):
        """(line, header) of every #include, without quotes or angle brackets."""
        found = []
        for number, line in enumerate(self.lines, 1):
            match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
            if match:
                found.append((number, match.group(1)))
        return found

    def line_of(self, offset):
        return self.text.count("\n", 0, offset) + 1

    def under(self, *folders):
        return any(self.path == folder or self.path.startswith(folder + "/") for folder in folders)


LITERALS = re.compile(
    r'//[^\n]*'
    r'|/\*.*?\*/'
    r'|R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-FxX])'(?:\\.|[^'\\\n])+'",
    re.DOTALL)


def blank(text):
    def spaces(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    return LITERALS.sub(spaces, text)


def load(root):
    """Every text file below `root`, sorted by path."""
    sources = []
    for folder, names, files in os.walk(root):
        names[:] = sorted(set(names) - SKIPPED)
        for name in sorted(set(files) - SKIPPED):
            full = os.path.join(folder, name)
            try:
                with open(full, encoding="utf-8") as stream:
                    text = stream.read()
            except (UnicodeDecodeError, FileNotFoundError):
                continue
            path = os.path.relpath(full, root).replace(os.sep, "/")
            sources.append(Source(path, text, os.access(full, os.X_OK)))
    return sources
