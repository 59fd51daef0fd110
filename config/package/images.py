# SPDX-License-Identifier: Apache-2.0
"""OCI images without a shell, of the tree that the tarball is made of. Neither needs to write to
its root, and neither runs as root."""

import shutil
import subprocess

import tarball

USER = 65532
PROGRAMS = {"argosyd": ("argosyd", "argosyctl"), "argosy-agent": ("argosy-agent",)}


def umoci(*words):
    subprocess.run(("umoci", "--log", "error", *map(str, words)), check=True)


def root_of(tree, programs, folder):
    """Where the programs and their libraries find each other without wrappers."""
    places = {name: folder / name for name in ("usr/bin", "lib64", "usr/lib/x86_64-linux-gnu",
                                               "etc/ssl/certs", "usr/lib/ssl")}
    for place in places.values():
        place.mkdir(parents=True)
    loader = tarball.loader_of(tree)
    shutil.copy(loader, places["lib64"])
    for name in programs:
        program = tree / "libexec" / name
        shutil.copy(program, places["usr/bin"])
        for library in tarball.libraries(program):
            if library.name != loader.name:
                shutil.copy(tree / "lib" / library.name, places["usr/lib/x86_64-linux-gnu"])
    shutil.copy(tarball.CERTIFICATES, places["etc/ssl/certs"])
    (places["usr/lib/ssl"] / "cert.pem").symlink_to(tarball.CERTIFICATES)
    (folder / "etc/passwd").write_text(f"root:x:0:0::/:\nargosy:x:{USER}:{USER}::/nonexistent:\n")
    (folder / "etc/group").write_text(f"root:x:0:\nargosy:x:{USER}:\n")
    shutil.copytree(tree / "share/licences", folder / "usr/share/licences")


def make(tree, version, scratch, target):
    target.mkdir()
    # No tag has a plus in it.
    tag = version.replace("+", "-")
    for name, programs in PROGRAMS.items():
        root = scratch / "images" / name / "root"
        root_of(tree, programs, root)
        layout = root.parent / "layout"
        image = f"{layout}:{tag}"
        umoci("init", "--layout", layout)
        umoci("new", "--image", image)
        umoci("insert", "--rootless", "--image", image, root, "/")
        umoci("config", "--image", image, "--config.user", f"{USER}:{USER}",
              "--config.entrypoint", f"/usr/bin/{name}", "--config.cmd", "--config",
              "--config.cmd", f"/etc/argosy/{name.removeprefix('argosy-')}.yaml",
              "--config.env", "PATH=/usr/bin",
              "--config.label", f"org.opencontainers.image.version={version}",
              "--config.label", "org.opencontainers.image.licenses=Apache-2.0")
        subprocess.run(("skopeo", "copy", "--quiet", f"oci:{image}",
                        f"oci-archive:{target / f'{name}-{tag}.tar'}:{name}:{tag}"), check=True)
