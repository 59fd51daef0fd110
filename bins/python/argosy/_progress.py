# SPDX-License-Identifier: Apache-2.0
"""Shows how far a map is: as a bar in notebooks, and as a line of text elsewhere."""

from __future__ import annotations

import importlib
import sys
import time
from typing import Any

PERIOD_S = 0.2
WIDTH = 30


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


class Progress:
    """`wanted` True shows it anywhere, None in notebooks and on terminals, False nowhere."""

    def __init__(self, total: int, wanted: bool | None = None) -> None:
        self._total, self._shown_at, self._begun = total, 0.0, time.monotonic()
        self._notebook = wanted is not False and _in_notebook()
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._on = wanted is True or wanted is None and (self._notebook or self._terminal)
        self._display: Any = None

    def text(self, done: int, failed: int) -> str:
        full = WIDTH * done // max(self._total, 1)
        took = time.monotonic() - self._begun
        rest = f", {failed} failed" if failed else ""
        return (f"[{'#' * full}{'.' * (WIDTH - full)}] {done} of {self._total} items{rest}, "
                f"{took:.0f} s")

    def update(self, done: int, failed: int) -> None:
        now, last = time.monotonic(), done == self._total
        if not self._on or (now - self._shown_at < PERIOD_S and not last):
            return
        self._shown_at = now
        text = self.text(done, failed)
        if self._notebook:
            self._show_in_notebook(done, text)
        elif self._terminal:
            print("\r" + text, end="\n" if last else "", file=sys.stderr, flush=True)
        else:
            print(text, file=sys.stderr, flush=True)

    def _show_in_notebook(self, done: int, text: str) -> None:
        notebook: Any = importlib.import_module("IPython.display")
        shown = notebook.HTML(f'<progress value="{done}" max="{self._total}"></progress> '
                              + text.partition("] ")[2])
        if self._display is None:
            self._display = notebook.display(shown, display_id=True)
        else:
            self._display.update(shown)
