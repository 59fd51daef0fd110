# SPDX-License-Identifier: Apache-2.0
"""Archives that have the same bytes whenever they are made from the same files."""

import gzip
import os
import tarfile


def pack(folder, archive, name):
    """`folder` as NAME/ in a .tar.gz, owned by root."""
    when = int(os.environ["SOURCE_DATE_EPOCH"])

    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = when
        entry.mode = 0o755 if entry.mode & 0o100 else 0o644
        return entry

    archive.parent.mkdir(parents=True, exist_ok=True)
    with archive.open("wb") as file, gzip.GzipFile("", "wb", 6, file, when) as packed, \
            tarfile.open(fileobj=packed, mode="w") as tar:
        tar.add(folder, name, filter=plain, recursive=True)
