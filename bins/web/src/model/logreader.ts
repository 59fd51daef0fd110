// SPDX-License-Identifier: Apache-2.0
// How the output of a run is read on. The answer of a pod's agent names a position that outlives a
// rotation of the kubelet and a restart of the agent, and says what is missing; output of a process
// goes on by its offset.

import type { LogChunk } from "../api/types";

export interface LogQuery {
  offset: number;
  mark: string;
  position: string;
  size_max: number;
  tail_lines: number;
}

export class LogReader {
  /// Goes with each question, so that an answer about another run is refused.
  mark = "";
  private position = "";

  constructor(public offset = 0) {}

  /// `tailLines` counts in the first question alone, and only for pods.
  query(most: number, tailLines = 0): LogQuery {
    return { offset: this.offset, mark: this.mark, position: this.position, size_max: most, tail_lines: tailLines };
  }

  /// Goes on behind this answer. Returns whether that has a position.
  take(got: LogChunk): boolean {
    this.offset = got.nextOffset ?? this.offset;
    this.mark = got.mark ?? "";
    this.position = got.position ?? "";
    return this.position !== "";
  }
}

/// What is missing before an answer's data, as a line of its own.
export const gapBefore = (got: LogChunk): string => (got.lost ? `\n[${got.lost}]\n` : "");
