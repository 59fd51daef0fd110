// SPDX-License-Identifier: Apache-2.0
// What happened to a job, as steps with their times, and the spans of its runs for a time line.
import type { EventBody, FoundRun } from "../api/types";
import { fromTimestamp } from "./time";

/// What held other jobs of the job's queue back, which is no obstacle of the job itself.
export function stopText(stop: { sentence: string; jobs?: number }): string {
  const jobs = stop.jobs === 1 ? "1 job was" : `${stop.jobs ?? 0} jobs were`;
  return `Of its queue, ${jobs} not started: ${stop.sentence}`;
}

export interface Step {
  kind: string;
  at: number;
  text: string;
}

const words: Record<string, string> = {
  submitted: "submitted",
  queued: "waits in its queue",
  leased: "a round gave it room",
  leaseReturned: "the cluster gave it back",
  leaseExpired: "the lease ran out",
  pending: "the cluster is about to start it",
  running: "runs",
  failed: "failed",
  succeeded: "succeeded",
  reprioritizing: "is being given another priority",
  reprioritized: "has another priority",
  cancelling: "is being cancelled",
  cancelled: "cancelled",
  preempting: "is being preempted",
  preempted: "preempted",
  utilisation: "told its use of resources",
  ingressInfo: "told its addresses",
};

const told: [string, string][] = [
  ["clusterId", "cluster"],
  ["nodeName", "node"],
  ["pool", "pool"],
  ["requestor", "by"],
  ["preemptiveJobId", "for job"],
  ["reason", "reason"],
];

export function steps(history: { [kind: string]: EventBody }[] | undefined): Step[] {
  return (history ?? []).flatMap((event) =>
    Object.entries(event).map(([kind, body]) => {
      const more = told
        .map(([field, name]) => [name, body[field]] as const)
        .filter(([, value]) => typeof value === "string" && value !== "")
        .map(([name, value]) => `${name} ${String(value)}`);
      return {
        kind,
        at: fromTimestamp(body.created),
        text: [words[kind] ?? kind, ...more].join(", "),
      };
    }),
  );
}

export interface Phase {
  name: "queued" | "leased" | "pending" | "running";
  from: number;
  to: number;
}

/// How long a job waited and what its runs did, one after the other. `end` is the end of the last
/// phase: now, or when the job ended.
export function phases(submitted: number, runs: FoundRun[], end: number): Phase[] {
  const out: Phase[] = [];
  let at = submitted;
  const add = (name: Phase["name"], to: number): void => {
    if (to > at) out.push({ name, from: at, to });
    at = Math.max(at, to);
  };
  for (const run of runs) {
    if (!run.leasedNs) continue;
    const over = run.finishedNs ?? end;
    add("queued", run.leasedNs);
    add("leased", Math.min(run.pendingNs ?? run.startedNs ?? over, over));
    add("pending", Math.min(run.startedNs ?? over, over));
    if (run.startedNs) add("running", over);
  }
  if (end > at) add("queued", end);
  return out;
}
