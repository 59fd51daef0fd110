// SPDX-License-Identifier: Apache-2.0
// The columns of the table of jobs.
import type { FoundJob } from "../api/types";
import { amountOf, bytes, cores } from "./quantity";
import { stateName } from "./states";
import { ago, duration, exact } from "./time";

export interface Column {
  id: string;
  title: string;
  /// In pixels; the first wide one takes what is left.
  width: number;
  /// The text of a cell; `now` is in nanoseconds.
  text: (job: FoundJob, now: number) => string;
  /// What is shown when the pointer stays on it, if that is more.
  hint?: (job: FoundJob) => string;
  /// The order of the server that sorts by it.
  order?: string;
  /// The field of a condition that a click on a value adds.
  field?: string;
  numeric?: boolean;
}

const request = (job: FoundJob, resource: string): number =>
  amountOf(job.summary.requests, resource);
const orDash = (text: string | undefined): string => (text === undefined || text === "" ? "–" : text);

/// How long a job ran, or has been running.
export function runtime(job: FoundJob, now: number): number {
  const { startedNs, finishedNs, state } = job.summary;
  if (!startedNs) return 0;
  if (finishedNs) return finishedNs - startedNs;
  return stateName(state) === "RUNNING" ? now - startedNs : 0;
}

const lastRun = (job: FoundJob) => job.runs?.[job.runs.length - 1];

export const columns: Column[] = [
  { id: "name", title: "Name", width: 120, field: "name", text: (job) => orDash(job.summary.name), hint: (job) => job.summary.name ?? "" },
  { id: "id", title: "Job", width: 262, order: "jobId", text: (job) => job.summary.jobId },
  { id: "queue", title: "Queue", width: 130, order: "queue", field: "queue", text: (job) => job.summary.queue },
  { id: "set", title: "Job set", width: 150, order: "jobSet", field: "jobset", text: (job) => job.summary.jobSet },
  { id: "state", title: "State", width: 136, order: "state", field: "state", text: (job) => stateName(job.summary.state).toLowerCase() },
  { id: "in_state", title: "In state", width: 90, order: "changed", numeric: true, text: (job, now) => ago(job.summary.changedNs, now), hint: (job) => exact(job.summary.changedNs) },
  { id: "age", title: "Age", width: 80, order: "submitted", numeric: true, text: (job, now) => ago(job.summary.submittedNs, now), hint: (job) => exact(job.summary.submittedNs) },
  { id: "reason", title: "Reason", width: 220, text: (job) => orDash(job.summary.reason), hint: (job) => job.summary.reason ?? "" },
  { id: "node", title: "Node", width: 130, field: "node", text: (job) => orDash(job.summary.node) },
  { id: "cluster", title: "Cluster", width: 110, field: "cluster", text: (job) => orDash(job.summary.cluster) },
  { id: "pool", title: "Pool", width: 100, field: "pool", text: (job) => orDash(job.summary.pool) },
  { id: "namespace", title: "Namespace", width: 110, field: "namespace", text: (job) => orDash(job.summary.nameSpace) },
  { id: "owner", title: "Owner", width: 110, field: "owner", text: (job) => orDash(job.summary.owner) },
  { id: "priority", title: "Priority", width: 80, numeric: true, text: (job) => String(job.summary.priority ?? 0) },
  { id: "class", title: "Priority class", width: 150, field: "class", text: (job) => orDash(job.summary.priorityClass) },
  { id: "cpu", title: "CPU", width: 70, numeric: true, text: (job) => cores(request(job, "cpu")) },
  { id: "memory", title: "Memory", width: 90, numeric: true, text: (job) => bytes(request(job, "memory")) },
  { id: "storage", title: "Storage", width: 90, numeric: true, text: (job) => bytes(request(job, "ephemeral-storage")) },
  { id: "gpu", title: "GPU", width: 60, numeric: true, text: (job) => String(request(job, "nvidia.com/gpu")) },
  { id: "submitted", title: "Submitted", width: 230, order: "submitted", text: (job) => exact(job.summary.submittedNs) },
  { id: "changed", title: "Last change", width: 230, order: "changed", text: (job) => exact(job.summary.changedNs) },
  { id: "exit", title: "Exit code", width: 90, field: "exit", numeric: true, text: (job) => (job.summary.hasExitCode ? String(job.summary.exitCode ?? 0) : "–") },
  { id: "runtime", title: "Run time", width: 90, numeric: true, text: (job, now) => (runtime(job, now) > 0 ? duration(runtime(job, now)) : "–") },
  { id: "runs", title: "Runs", width: 70, numeric: true, text: (job) => String(job.runs?.length ?? 0) },
  { id: "failure", title: "Failure category", width: 150, text: (job) => orDash(lastRun(job)?.failureCategory) },
  { id: "subcategory", title: "Failure subcategory", width: 170, text: (job) => orDash(lastRun(job)?.failureSubcategory) },
  { id: "gang", title: "Gang", width: 130, field: "gang", text: (job) => orDash(job.summary.gang) },
];

export const usual = ["name", "id", "queue", "set", "state", "in_state", "age", "reason", "node"];

/// A column of an annotation: its id is "@" and the key.
export function annotation(key: string): Column {
  return {
    id: `@${key}`,
    title: key,
    width: 150,
    field: `annotation.${key}`,
    text: (job) => orDash(job.annotations?.[key]),
    hint: (job) => job.annotations?.[key] ?? "",
  };
}

/// The columns of these ids; ids that are not known are passed over.
export function chosen(ids: string[]): Column[] {
  const found = ids
    .map((id) =>
      id.startsWith("@") && id.length > 1
        ? annotation(id.slice(1))
        : columns.find((column) => column.id === id),
    )
    .filter((column): column is Column => column !== undefined);
  return found.length > 0 ? found : chosen(usual);
}

/// An address that a cell may lead to: of the web alone, since others could execute something.
export function webAddress(text: string): string | null {
  return /^https?:\/\/[^\s"'<>]+$/i.test(text) ? text : null;
}
