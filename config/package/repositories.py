# SPDX-License-Identifier: Apache-2.0
"""What clients of apt and Helm read, and the signatures."""

import datetime
import gzip
import hashlib
import os
import pathlib
import re
import subprocess
import tempfile

import files


class Signer:
    """A key of gpg's keyring, or one that lies beside the target."""

    def __init__(self, key, target):
        self.environment = dict(os.environ)
        if key is None:
            home = target.with_name(target.name + ".key")
            home.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.environment["GNUPGHOME"] = str(home)
            key = "Argosy packages"
            if not self.listed(key):
                self.gpg("--passphrase", "", "--quick-generate-key", key, "default", "sign",
                         "never")
        self.fingerprint = self.listed(key)
        if not self.fingerprint:
            raise SystemExit(f"build: gpg has no secret key '{key}'")

    def gpg(self, *words, **more):
        return subprocess.run(("gpg", "--batch", "--quiet", "--yes", *map(str, words)), check=True,
                              env=self.environment, **more)

    def listed(self, key):
        told = subprocess.run(("gpg", "--batch", "--with-colons", "--list-secret-keys", key),
                              env=self.environment, capture_output=True, text=True)
        found = re.search(r"^fpr:+([0-9A-F]+):", told.stdout, re.MULTILINE)
        return found[1] if found else None

    def sign(self, kind, file, signed):
        self.gpg("--local-user", self.fingerprint, "--output", signed, kind, file)

    def write_public_key(self, file):
        self.gpg("--armor", "--output", file, "--export", self.fingerprint)


def apt(folder, signer):
    """A flat repository: packages, their list, and the signed sums of the list."""
    def archive(*words):
        return subprocess.run(("apt-ftparchive", *words, "."), cwd=folder, check=True,
                              capture_output=True).stdout

    packages = archive("packages")
    (folder / "Packages").write_bytes(packages)
    (folder / "Packages.gz").write_bytes(gzip.compress(packages, mtime=0))
    names = {"Origin": "Argosy", "Label": "Argosy", "Suite": "bookworm", "Codename": "bookworm",
             "Architectures": "amd64", "Description": "the batch scheduler Argosy, for Debian 12"}
    # It would list a file of that name in this folder too.
    release = archive("release", *(word for name, value in names.items()
                                   for word in ("-o", f"APT::FTPArchive::Release::{name}={value}")))
    (folder / "Release").write_bytes(release)
    signer.sign("--clear-sign", folder / "Release", folder / "InRelease")
    signer.write_public_key(folder / "argosy.asc")


def chart(source, folder, seconds):
    """The chart as Helm packs it, and the index that `helm repo add` reads."""
    described = (source / "Chart.yaml").read_text()
    fields = dict(re.findall(r"^(\w+): (.+)$", described, re.MULTILINE))
    archive = folder / f"argosy-{fields['version']}.tgz"
    files.pack(source, archive, "argosy")
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    when = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).isoformat()
    lines = "".join(f"      {key}: {value}\n" for key, value in fields.items())
    (folder / "index.yaml").write_text(
        f'apiVersion: v1\nentries:\n  argosy:\n    - urls: [{archive.name}]\n'
        f'      digest: {digest}\n      created: "{when}"\n{lines}generated: "{when}"\n')


def sums(folder, signer):
    """Signs the sums of all files below the folder."""
    with tempfile.TemporaryDirectory() as scratch:
        listed = pathlib.Path(scratch) / "SHA256SUMS"
        listed.write_text("".join(
            f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n"
            for path in sorted(folder.rglob("*")) if path.is_file()))
        signer.sign("--clear-sign", listed, folder / "SHA256SUMS.asc")
