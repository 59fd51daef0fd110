# SPDX-License-Identifier: Apache-2.0
"""Finds the server, in this order: what the caller names, ARGOSY_GRPC, the context of argosyctl's
configuration file, and the server that this user last started with `argosyd --dev`."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import stat
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from ._errors import Error, Unreachable

LOOPBACK = ("127.0.0.1", "localhost", "::1")
FILE_BYTES_MAX = 1 << 20
RENEW_WITHIN_S = 30
_renewing = threading.Lock()


@dataclass(frozen=True)
class Address:
    """Where the server is, and how a caller shows who he is."""

    target: str  # HOST:PORT
    encrypted: bool
    said_by: str
    authorities: bytes | None = None  # certificates that sign the server's; none: the system's
    password: tuple[str, str] | None = field(default=None, repr=False)
    token: str = field(default="", repr=False)
    token_file: Path | None = None
    context: str = ""

    def authorization(self) -> str | None:
        """The header that says who calls; read for every call, since tokens are renewed."""
        if self.token:
            return "Bearer " + self.token
        if self.token_file is not None:
            return "Bearer " + _token(self.token_file, self.context)
        if self.password is not None:
            return "Basic " + base64.b64encode(":".join(self.password).encode()).decode()
        return None


def find_server(server: str | None = None, context: str | None = None) -> Address:
    """`server` is grpc://HOST:PORT, or grpcs:// with TLS, with NAME:PASSWORD@ if it needs one."""
    if server:
        return _of_url(server, "the argument server")
    wanted = context or os.environ.get("ARGOSY_CONTEXT", "")
    if not context and os.environ.get("ARGOSY_GRPC"):
        return _of_url(os.environ["ARGOSY_GRPC"], "ARGOSY_GRPC")
    dev = _folder("XDG_STATE_HOME", ".local/state") / "dev" / "server.url"
    urls = _read(dev).split() if dev.exists() else []
    named = os.environ.get("ARGOSY_SERVER")
    if named and not context and named not in urls:
        raise Error("ARGOSY_SERVER names a server for argosyctl, over NATS; set ARGOSY_GRPC to its "
                    "address for gRPC as well, such as grpcs://HOST:50051")
    if not named or context:
        found = _of_file(_folder("XDG_CONFIG_HOME", ".config") / "config.yaml", wanted)
        if found:
            return found
    for url in urls:
        if url.startswith("grpc"):
            return _of_url(url, f"the last argosyd --dev, in {dev}")
    raise Unreachable("no server is known: give server= or set ARGOSY_GRPC to grpc://HOST:PORT, or "
                      "choose a context with one (argosyctl login URL --grpc grpcs://HOST:PORT), "
                      "or start one: argosyd --dev")


def _folder(variable: str, usual: str) -> Path:
    return Path(os.environ.get(variable) or Path.home() / usual) / "argosy"


def _read(path: Path) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read(FILE_BYTES_MAX)


def _of_url(url: str, said_by: str, **more: Any) -> Address:
    if "://" not in url:
        url = "grpc://" + url
    parts = urlsplit(url)
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if parts.scheme not in ("grpc", "grpcs") or not host or not port:
        raise Error(f"{said_by} is no address for gRPC; give grpc://HOST:PORT, or grpcs:// with "
                    "TLS")
    if parts.username:
        more["password"] = (unquote(parts.username), unquote(parts.password or ""))
    more["token"] = os.environ.get("ARGOSY_TOKEN", "")
    encrypted = parts.scheme == "grpcs"
    secret = more.get("password") or more.get("token_file") or more["token"]
    if secret and not encrypted and host not in LOOPBACK:
        raise Error(f"{said_by}: a password or token would go unencrypted to {host}; use grpcs://")
    target = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return Address(target, encrypted, said_by, **more)


def _of_file(path: Path, wanted: str) -> Address | None:
    if not path.exists():
        if wanted:
            raise Error(f"there is no context '{wanted}': {path} does not exist", "NOT_FOUND")
        return None
    import yaml

    try:
        text = yaml.safe_load(_read(path)) or {}
        contexts, current = text.get("contexts") or {}, text.get("currentContext") or ""
        entry = contexts.get(wanted or current)
    except (yaml.YAMLError, AttributeError) as why:
        raise Error(f"{path} is no configuration of argosyctl: {why}") from None
    name = wanted or current
    if entry is None:
        if name:
            raise Error(f"{path} has no context '{name}' under contexts:", "NOT_FOUND")
        return None
    if not entry.get("grpc"):
        raise Error(f"the context '{name}' in {path} has no address for gRPC; add it: argosyctl "
                    f"config set-context {name} --grpc grpcs://HOST:PORT")
    more: dict[str, Any] = {"context": name}
    if entry.get("caFile"):
        more["authorities"] = Path(entry["caFile"]).read_bytes()
    if entry.get("oidcIssuer"):
        tokens = _folder("XDG_STATE_HOME", ".local/state") / "tokens"
        more["token_file"] = tokens / _file_name(name)
    return _of_url(str(entry["grpc"]), f"context '{name}' in {path}", **more)


def _file_name(context: str) -> str:
    """As argosyctl names the file with the token of a context."""
    plain = b"-_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    return "".join(chr(c) if c in plain else f"%{c:02X}" for c in context.encode())


def _token(path: Path, context: str) -> str:
    """The token that `argosyctl login` keeps. What renews one is argosyctl, and nothing else."""
    token, ends = _kept_token(path, context)
    if not ends or time.time() < ends:
        return token
    with _renewing, contextlib.suppress(OSError, subprocess.SubprocessError):
        if _kept_token(path, context)[1] == ends:  # no other thread was first
            subprocess.run(["argosyctl", "whoami", "--context", context], check=True,
                           stdin=subprocess.DEVNULL, capture_output=True, timeout=RENEW_WITHIN_S)
    token, ends = _kept_token(path, context)
    if ends and ends <= time.time():
        raise Error("your token has ended, and argosyctl did not renew it; log in again: "
                    f"argosyctl login --name '{context}'", "UNAUTHENTICATED")
    return token


def _kept_token(path: Path, context: str) -> tuple[str, int]:
    """The token and the Unix time at which it ends, or 0."""
    try:
        if stat.S_IMODE(os.stat(path).st_mode) & 0o077:
            raise Error(f"'{path}' has a token that others may read; say: chmod 600 {path}")
        kept = json.loads(_read(path))
        return str(kept["token"]), int(kept.get("expiresAt") or 0)
    except (OSError, ValueError, KeyError, TypeError):
        raise Error(f"you are not logged in; log in: argosyctl login --name '{context}'",
                    "UNAUTHENTICATED") from None
