# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel of the package `argosy`: make_wheel.py [FOLDER], or `pip wheel bins/python`.

It needs Python and protoc. The messages of the API become one file of descriptors in the wheel,
and no code is generated: clients of other packages, such as Armada's, define the same names, and
two definitions of one name cannot live in the one pool that generated code uses."""

import base64
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROTOS = [f"messages/proto/{name}.proto" for name in
          ("api/submit", "api/event", "api/job", "argosy/v1", "argosy/explain", "argosy/access")]
METADATA = """Metadata-Version: 2.1
Name: argosy
Version: {version}
Summary: Submits and follows jobs of Argosy, and maps functions over its machines
License: Apache-2.0
Requires-Python: >=3.10
Requires-Dist: grpcio >=1.51
Requires-Dist: protobuf >=4.21
Requires-Dist: cloudpickle >=2.2
Requires-Dist: PyYAML >=6.0
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: argosy\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def version():
    """The version of the whole project."""
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(argosy VERSION ([0-9.]+)", text).group(1)


def descriptors():
    """The messages of the API, with all that they are made of."""
    if not shutil.which("protoc"):
        raise SystemExit("protoc is not there; install it (Debian: protobuf-compiler)")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "api"
        subprocess.run(["protoc", f"--proto_path={ROOT}", "--include_imports",
                        f"--descriptor_set_out={out}", *PROTOS], cwd=ROOT, check=True)
        return out.read_bytes()


def content():
    """The files of the wheel by their names."""
    about = f"argosy-{version()}.dist-info"
    files = {f"argosy/{path.name}": path.read_bytes()
             for path in sorted((HERE / "argosy").iterdir()) if path.is_file()}
    files["argosy/api.descriptors"] = descriptors()
    files[f"{about}/METADATA"] = METADATA.format(version=version()).encode()
    files[f"{about}/WHEEL"] = WHEEL.encode()
    lines = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    record = f"{about}/RECORD"
    files[record] = "".join([*lines, f"{record},,\n"]).encode()
    return files


def make(folder):
    """Writes the wheel into the folder; the same files make the same bytes."""
    path = Path(folder) / f"argosy-{version()}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in content().items():
            about = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            about.external_attr = 0o644 << 16
            about.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(about, data)
    return path


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """What pip calls (PEP 517)."""
    return make(wheel_directory).name


if __name__ == "__main__":
    print(make(sys.argv[1] if sys.argv[1:] else "."))
