// SPDX-License-Identifier: Apache-2.0
// The states of jobs. Each has a sign, so that none is told by its colour alone.
import type { Hold } from "../api/types";

export type StateName =
  | "QUEUED"
  | "PENDING"
  | "RUNNING"
  | "SUCCEEDED"
  | "FAILED"
  | "UNKNOWN"
  | "SUBMITTED"
  | "LEASED"
  | "PREEMPTED"
  | "CANCELLED"
  | "REJECTED";

const byNumber: StateName[] = [
  "QUEUED",
  "PENDING",
  "RUNNING",
  "SUCCEEDED",
  "FAILED",
  "UNKNOWN",
  "SUBMITTED",
  "LEASED",
  "PREEMPTED",
  "CANCELLED",
  "REJECTED",
];

/// The number of a state is left out if it is 0, which is QUEUED.
export function stateName(number: number | undefined): StateName {
  return byNumber[number ?? 0] ?? "UNKNOWN";
}

/// What keeps a waiting job out of rounds, for its state's chip.
export function holdWord(hold: Hold | undefined): string | undefined {
  if (!hold) return undefined;
  return hold.blocked ? "blocked" : hold.waits ? "waits for jobs" : "held";
}

/// In the order of a job's life, as chips and bars show them.
export const shown: StateName[] = [
  "QUEUED",
  "LEASED",
  "PENDING",
  "RUNNING",
  "SUCCEEDED",
  "FAILED",
  "CANCELLED",
  "PREEMPTED",
  "REJECTED",
];

export const active: StateName[] = ["QUEUED", "LEASED", "PENDING", "RUNNING"];
export const isActive = (state: StateName): boolean => active.includes(state);

export const sign: Record<StateName, string> = {
  QUEUED: "◌",
  SUBMITTED: "◌",
  LEASED: "◔",
  PENDING: "◑",
  RUNNING: "▶",
  SUCCEEDED: "✓",
  FAILED: "✗",
  CANCELLED: "⊘",
  PREEMPTED: "⇤",
  REJECTED: "⨯",
  UNKNOWN: "?",
};

export const label = (state: StateName): string => state.toLowerCase();

/// Counts by name, in the order of `shown`, without those that are 0.
export function countsInOrder(counts: Record<string, number> | undefined): [StateName, number][] {
  return shown
    .map((state): [StateName, number] => [state, counts?.[state] ?? 0])
    .filter(([, count]) => count > 0);
}
