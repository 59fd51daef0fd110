// SPDX-License-Identifier: Apache-2.0
// Changes of many jobs: finds the jobs of a selection page by page, sends the change in batches, and
// counts what became of it.
import type { Condition, FindJobsResponse, FoundJob, GroupJobsResponse } from "../../api/types";
import { count, several } from "../../model/quantity";
import { conditionsOf, type Selection } from "../../model/selection";

export type Kind = "cancel" | "preempt" | "reprioritize" | "hold" | "release";

export interface Change {
  kind: Kind;
  reason: string;
  priority: number;
}

export interface Outcome {
  found: number;
  done: number;
  /// Jobs that were not changed, with the reason; at most `failuresMax` are kept.
  failures: { id: string; why: string }[];
  failed: number;
  /// Jobs of which nobody knows, since no answer came.
  unsure: number;
  /// Why the rest was not tried.
  stopped?: string;
}

export const untouched: Outcome = { found: 0, done: 0, failures: [], failed: 0, unsure: 0 };

export type Call = <T>(path: string, body: unknown, signal?: AbortSignal) => Promise<T>;

export const failuresMax = 200;
const batch = 500;

/// The states in which a change means something.
export const statesFor: Record<Kind, string[]> = {
  cancel: ["QUEUED", "LEASED", "PENDING", "RUNNING"],
  preempt: ["LEASED", "PENDING", "RUNNING"],
  reprioritize: ["QUEUED", "LEASED", "PENDING", "RUNNING"],
  hold: ["QUEUED"],
  release: ["QUEUED"],
};

const stateCondition = (kind: Kind): Condition => ({ field: "state", match: "anyOf", values: statesFor[kind] });

export interface Of {
  selection: Selection;
  where: string;
  activeSets: boolean;
}

/// Counts by state of all that is selected. Those with other states stay as they are.
export async function preview(of: Of, call: Call, signal?: AbortSignal): Promise<Record<string, number>> {
  const out: Record<string, number> = {};
  const add = (found: GroupJobsResponse): void => {
    for (const group of found.groups ?? []) {
      const name = (group.name ?? "").toUpperCase();
      out[name] = (out[name] ?? 0) + (group.count ?? 0);
    }
  };
  for (const group of of.selection.groups)
    add(await call("v1/jobs/group", { where: of.where, activeJobSets: of.activeSets, conditions: conditionsOf(group.path), groupBy: "state", limit: 20 }, signal));
  for (let at = 0; at < of.selection.jobs.length; at += batch)
    add(await call("v1/jobs/group", { conditions: [{ field: "jobId", match: "anyOf", values: of.selection.jobs.slice(at, at + batch) }], groupBy: "state", limit: 20 }, signal));
  return out;
}

export interface Target {
  id: string;
  queue: string;
  jobSet: string;
}

const targetOf = ({ summary }: FoundJob): Target => ({ id: summary.jobId, queue: summary.queue, jobSet: summary.jobSet });
/// The server wants to know of which queue and job set the jobs are.
const isBySet = (kind: Kind): boolean => kind === "preempt" || kind === "reprioritize";

/// Single jobs, of which only the ids are known. One that the server does not know has no queue.
async function named(ids: string[], kind: Kind, call: Call, signal?: AbortSignal): Promise<Target[]> {
  if (!isBySet(kind)) return ids.map((id) => ({ id, queue: "", jobSet: "" }));
  const condition: Condition = { field: "jobId", match: "anyOf", values: ids };
  const found: FindJobsResponse = await call("v1/jobs/find", { conditions: [condition], limit: ids.length }, signal);
  const known = new Map((found.jobs ?? []).map((job) => [job.summary.jobId, targetOf(job)]));
  return ids.map((id) => known.get(id) ?? { id, queue: "", jobSet: "" });
}

/// The jobs, in batches. A job that is selected twice comes once.
export async function* targets(of: Of, kind: Kind, call: Call, signal?: AbortSignal): AsyncGenerator<Target[]> {
  const seen = new Set<string>();
  for (const group of of.selection.groups) {
    const without = new Set(group.without);
    let cursor = "";
    do {
      const found: FindJobsResponse = await call(
        "v1/jobs/find",
        { where: of.where, activeJobSets: of.activeSets, conditions: [...conditionsOf(group.path), stateCondition(kind)], limit: batch, cursor },
        signal,
      );
      const jobs = (found.jobs ?? []).map(targetOf).filter(({ id }) => !without.has(id) && !seen.has(id));
      for (const { id } of jobs) seen.add(id);
      if (jobs.length > 0) yield jobs;
      cursor = found.cursor ?? "";
    } while (cursor !== "");
  }
  const rest = of.selection.jobs.filter((id) => !seen.has(id));
  for (let at = 0; at < rest.length; at += batch) yield named(rest.slice(at, at + batch), kind, call, signal);
}

/// The parts of a batch of which each is one request.
export function requests(jobs: Target[], kind: Kind): Target[][] {
  if (!isBySet(kind)) return [jobs];
  const out = new Map<string, Target[]>();
  for (const job of jobs) {
    const key = JSON.stringify([job.queue, job.jobSet]);
    const part = out.get(key);
    if (part) part.push(job);
    else out.set(key, [job]);
  }
  return [...out.values()];
}

interface Answer {
  cancelledIds?: string[];
  preemptionResults?: Record<string, string>;
  reprioritizationResults?: Record<string, string>;
  changed?: number;
}

/// Sends one batch, and says of each job that was not changed why.
export async function send(change: Change, jobs: Target[], call: Call, signal?: AbortSignal): Promise<{ done: number; failures: { id: string; why: string }[] }> {
  const reason = change.reason;
  const ids = jobs.map(({ id }) => id);
  const { queue = "", jobSet: jobSetId = "" } = jobs[0] ?? {};
  if (isBySet(change.kind) && queue === "")
    return { done: 0, failures: ids.map((id) => ({ id, why: "the server does not know it any more" })) };
  const byResult = (results: Record<string, string> | undefined) => {
    const failures = Object.entries(results ?? {}).filter(([, why]) => why !== "").map(([id, why]) => ({ id, why }));
    return { done: ids.length - failures.length, failures };
  };
  if (change.kind === "cancel") {
    const got = await call<Answer>("v1/job/cancel", { jobIds: ids, reason }, signal);
    const done = new Set(got.cancelledIds ?? []);
    const failures = ids.filter((id) => !done.has(id)).map((id) => ({ id, why: "it has ended already, or is being cancelled" }));
    return { done: done.size, failures };
  }
  if (change.kind === "preempt")
    return byResult((await call<Answer>("v1/job/preempt", { queue, jobSetId, jobIds: ids, reason }, signal)).preemptionResults);
  if (change.kind === "reprioritize")
    return byResult((await call<Answer>("v1/job/reprioritize", { queue, jobSetId, jobIds: ids, newPriority: change.priority }, signal)).reprioritizationResults);
  const got = await call<Answer>(`v1/job/${change.kind}`, change.kind === "hold" ? { jobIds: ids, reason } : { jobIds: ids }, signal);
  return { done: got.changed ?? 0, failures: [] };
}

const words = (reason: unknown): string => (reason instanceof Error ? reason.message : String(reason));
const statusOf = (reason: unknown): number | undefined => (reason as { status?: number } | null)?.status;
/// Whether the change may have been made though no answer says so.
const isUnsure = (status: number | undefined): boolean => status === 0 || status === 502 || status === 503 || status === 504;

/// Does it all. An error of a batch, such as a right that is missing, counts for its jobs and does
/// not end the rest; a reader who is not known any more, or who stops it, does.
export async function apply(of: Of, change: Change, call: Call, told: (so: Outcome) => void, signal?: AbortSignal): Promise<Outcome> {
  const so: Outcome = { ...untouched, failures: [] };
  const note = (failures: { id: string; why: string }[]): void => {
    so.failed += failures.length;
    so.failures.push(...failures.slice(0, Math.max(0, failuresMax - so.failures.length)));
  };
  const one = async (jobs: Target[]): Promise<void> => {
    const ids = jobs.map(({ id }) => id);
    try {
      const got = await send(change, jobs, call, signal);
      so.done += got.done;
      note(got.failures);
      if (got.failures.length === 0) so.failed += ids.length - got.done;
    } catch (reason) {
      const status = statusOf(reason);
      if (signal?.aborted || isUnsure(status)) so.unsure += ids.length;
      if (signal?.aborted || status === 401) throw reason;
      if (!isUnsure(status)) note(ids.map((id) => ({ id, why: words(reason) })));
    }
  };
  try {
    for await (const jobs of targets(of, change.kind, call, signal)) {
      so.found += jobs.length;
      for (const part of requests(jobs, change.kind)) {
        await one(part);
        told({ ...so, failures: [...so.failures] });
      }
    }
  } catch (reason) {
    so.stopped = signal?.aborted ? "You stopped it." : words(reason);
  }
  return so;
}

/// What became of it, in one sentence. `expected` is how many jobs the look beforehand counted.
export function sentence(so: Outcome, expected: number, over: boolean): string {
  const all = Math.max(so.found, over && so.stopped === undefined ? 0 : expected);
  const left = all - so.done - so.failed - so.unsure;
  const parts = [`${count(so.done)} of ${several(all, "job")} changed`];
  if (so.failed > 0) parts.push(`${count(so.failed)} not`);
  if (so.unsure > 0) parts.push(`of ${count(so.unsure)} it is not known, since no answer came`);
  if (over && so.stopped !== undefined && left > 0) parts.push(`${count(left)} not tried`);
  return `${!over ? "At work" : so.stopped === undefined ? "Done" : "Stopped"}: ${parts.join(", ")}.`;
}
