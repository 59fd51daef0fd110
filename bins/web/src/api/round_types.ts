// SPDX-License-Identifier: Apache-2.0
// What the server remembers of rounds, as its answers have it.
import type { Share } from "./types";

/// Rounds of one pool that followed each other.
export interface RoundSpan {
  fromNs?: number;
  toNs?: number;
  rounds?: number;
  durationNs?: number;
  longestNs?: number;
  tried?: number;
  started?: number;
  preempted?: number;
  returned?: number;
  kept?: { code: string; jobs?: number }[];
  shares?: (Share & { queue?: number })[];
}

export interface PoolRounds {
  pool: string;
  queues?: string[];
  spans?: RoundSpan[];
}

export interface ListRoundsResponse {
  pools?: PoolRounds[];
}
