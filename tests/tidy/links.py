# SPDX-License-Identifier: Apache-2.0
"""Pages point at what is there: relative links, their anchors, and paths named in code spans."""

import posixpath
import re
from functools import cache

from tree import Finding

FENCE = re.compile(r"^ {0,3}(```|~~~).*?^ {0,3}\1[^\n]*$", re.DOTALL | re.MULTILINE)
SPAN = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?)[ #]*$", re.MULTILINE)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:")
# A path from the root, as a page names it; the file may lack its ending.
PATH = re.compile(r"(?:actors|bins|config|messages|runtime|tests)/[\w./-]*\w/?")
ENDINGS = ("", ".hpp", ".cpp")


def spaces(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def without_blocks(text):
    return FENCE.sub(spaces, text)


def anchor_of(heading):
    """As the usual renderers of Markdown make it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


@cache
def anchors_of(text):
    found = set()
    for match in HEADING.finditer(without_blocks(text)):
        anchor, number = anchor_of(match.group(1)), 0
        while (anchor if number == 0 else f"{anchor}-{number}") in found:
            number += 1
        found.add(anchor if number == 0 else f"{anchor}-{number}")
    return found


def check_link(source, target, present, texts):
    """What is wrong with a link; nothing if it leads somewhere."""
    path, _, anchor = target.partition("#")
    full = posixpath.normpath(posixpath.join(source.folder, path)) if path else source.path
    if full not in present:
        return f"the link '{target}' leads nowhere: there is no {full}"
    if anchor and anchor not in anchors_of(texts.get(full, "")):
        return f"the link '{target}' leads nowhere: {full} has no heading '#{anchor}'"
    return None


def check(sources):
    texts = {source.path: source.text for source in sources}
    present = set(texts) | {"."}
    for path in texts:
        while path := posixpath.dirname(path):
            present.add(path)
    for source in sources:
        if source.suffix != ".md":
            continue
        text = without_blocks(source.text)
        for match in LINK.finditer(SPAN.sub(spaces, text)):
            if ELSEWHERE.match(match.group(1)):
                continue
            wrong = check_link(source, match.group(1), present, texts)
            if wrong:
                yield Finding(source.path, source.line_of(match.start()), wrong)
        for match in SPAN.finditer(text):
            path = match.group(0).strip("`")
            if PATH.fullmatch(path) and not any(path.rstrip("/") + end in present
                                                for end in ENDINGS):
                yield Finding(source.path, source.line_of(match.start()),
                              f"there is no {path}")
