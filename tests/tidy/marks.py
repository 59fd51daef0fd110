# SPDX-License-Identifier: Apache-2.0
"""What every file must and must not say: licence, guards, words, places of one machine."""

import re

from tree import Finding

LICENCE = "SPDX-License-Identifier: Apache-2.0"
LICENSED = {".hpp", ".cpp", ".py", ".cmake", ".ts", ".tsx", ".mjs", ".css"}
# npm's lock files name no registry, so that the one that is configured is asked.
LOCK = "package-lock.json"
RESOLVED = re.compile(r'"resolved":')

# The texts are put together, so that this file passes its own test.
HOSTS = (r"docker\.i" r"o", r"ghcr\.i" r"o", r"gcr\.i" r"o", r"quay\.i" r"o", r"pypi\.o" r"rg",
         r"registry\.npm" r"js", r"deb\.debian\.o" r"rg", r"crates\.i" r"o",
         r"proxy\.golang\.o" r"rg")
BANNED = (
    (r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b",
     "a mark of unfinished work; finish it or leave it out"),
    (r"(?<![\w.$}{~-])/(wo" r"rk|ho" r"me|ro" r"ot)/", "a path of one machine"),
    (r"\b(" + "|".join(HOSTS) + r")\b",
     "the host of a registry; only the distribution's package manager fetches anything"),
    (r"\b[Ii]ssu" r"e #?\d+\b", "the tracker's numbers mean nothing to a reader"),
)
# A comment that begins so leaves out what it is about: "Of the log." does not say whether it is the
# position, the size or the end of the log.
HEADLESS = re.compile(r"(?:^|\s)//+<?\s+Of\b")
WHOLE_LINE = re.compile(r"\s*//")
PROSE_FOLDERS = ("actors", "messages", "runtime", "bins", "tests")
BANNED_NAMES = re.compile(r"(^|[_/-])(utils?|misc|helpers?|manager|stuff)([_./-]|$)")


def licence_line(source):
    return 1 if source.is_script else 0


def check_licence(source):
    if source.suffix not in LICENSED and not source.is_script:
        return
    line = licence_line(source)
    if len(source.lines) <= line or LICENCE not in source.lines[line]:
        yield Finding(source.path, line + 1, f"this line must say {LICENCE}")


def check_guard(source):
    if source.suffix == ".hpp" and "#pragma once" not in source.lines:
        yield Finding(source.path, 1, "a header needs #pragma once")


def check_words(source):
    if source.path == "LICENSE":
        return
    if source.path.endswith("/" + LOCK):
        for match in RESOLVED.finditer(source.text):
            yield Finding(source.path, source.line_of(match.start()),
                          "where a package comes from; set omit-lockfile-registry-resolved")
    for pattern, reason in BANNED:
        for match in re.finditer(pattern, source.text):
            line = source.line_of(match.start())
            yield Finding(source.path, line, f"'{match.group(0)}': {reason}")


def check_comments(source):
    if not (source.is_code or source.suffix == ".proto") or not source.under(*PROSE_FOLDERS):
        return
    before = ""
    for number, line in enumerate(source.lines, 1):
        goes_on = WHOLE_LINE.match(line) and WHOLE_LINE.match(before)
        if HEADLESS.search(line) and not goes_on:
            yield Finding(source.path, number,
                          "a comment begins with 'Of': name what it is about, in a sentence")
        before = line


def check_name(source):
    match = BANNED_NAMES.search(source.path)
    if match:
        yield Finding(source.path, 1, f"'{match.group(2)}' says nothing; name the concept")


def needs_readme(folder):
    parts = folder.split("/")
    return len(parts) == 1 or (len(parts) == 2 and parts[0] in ("runtime", "messages"))


def check_readmes(sources):
    """Each top folder, and each folder right below runtime/ or messages/ that has code."""
    present = {source.path for source in sources}
    folders = set()
    for source in sources:
        if source.is_code or source.suffix == ".proto":
            parts = source.folder.split("/")
            folders.update("/".join(parts[:depth]) for depth in (1, 2) if len(parts) >= depth)
    for folder in sorted(filter(needs_readme, folders)):
        if f"{folder}/README.md" not in present:
            yield Finding(folder, 1, "no README.md: what lives here, what may not, and, each with "
                          "a beginning in bold, the decisions that bind whoever changes it")


def check(sources):
    for source in sources:
        yield from check_licence(source)
        yield from check_guard(source)
        yield from check_words(source)
        yield from check_comments(source)
        yield from check_name(source)
    yield from check_readmes(sources)
