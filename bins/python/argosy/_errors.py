# SPDX-License-Identifier: Apache-2.0
"""What goes wrong. Every error is a sentence that names the place and, where there is one, the
remedy."""

from __future__ import annotations

__all__ = ["Error", "JobFailed", "ResultLost", "Unreachable", "WrongVersion"]


class Error(Exception):
    """The server refused a call, or what was asked for cannot be. `code` is gRPC's name."""

    def __init__(self, sentence: str, code: str = "INVALID_ARGUMENT") -> None:
        super().__init__(sentence)
        self.code = code


class Unreachable(Error):
    """No server is known, or it did not answer for as long as the client waits."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, "UNAVAILABLE")


class WrongVersion(Error):
    """The server has another version than this package. Nothing was asked of it."""


class JobFailed(Error):
    """A job that was waited for did not succeed: `job_id` says which, and `state` how it ended."""

    def __init__(self, job_id: str, state: str, reason: str) -> None:
        super().__init__(f"job {job_id} {state}" + (f": {reason}" if reason else ""), state.upper())
        self.job_id = job_id
        self.state = state
        self.reason = reason


class ResultLost(Error):
    """There is no result of an item, since its job ended before it, or its output is gone.
    `items` are the places of those that this job should have given."""

    def __init__(self, sentence: str, items: range, job_id: str) -> None:
        super().__init__(sentence, "DATA_LOSS")
        self.items = items
        self.job_id = job_id
