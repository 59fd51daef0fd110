// SPDX-License-Identifier: Apache-2.0
// Which jobs are selected: single ones, and whole groups, of which the page need not know the jobs,
// without those that were taken out again.
import type { Condition } from "../api/types";

export interface GroupStep {
  field: string;
  /// Which annotation.
  key?: string;
  value: string;
}

export type GroupPath = GroupStep[];

export interface Selection {
  jobs: string[];
  groups: { path: GroupPath; count: number; without: string[] }[];
}

export const nothing: Selection = { jobs: [], groups: [] };

export const keyOf = (path: GroupPath): string => JSON.stringify(path.map((s) => [s.field, s.key ?? "", s.value]));

/// The conditions that the jobs of a group meet. A job without a value is in the group "".
export function conditionsOf(path: GroupPath): Condition[] {
  return path.map((step) => {
    const of: Condition = { field: step.field };
    if (step.key !== undefined) of.key = step.key;
    return step.value === ""
      ? { ...of, match: "exists", negated: true }
      : { ...of, match: "exact", values: [step.value] };
  });
}

const contains = (outer: GroupPath, inner: GroupPath): boolean =>
  keyOf(outer) === keyOf(inner.slice(0, outer.length));

/// Whether a job, which is shown in the group, is selected.
export function hasJob(selection: Selection, id: string, path: GroupPath): boolean {
  const group = selection.groups.find((one) => contains(one.path, path));
  return group ? !group.without.includes(id) : selection.jobs.includes(id);
}

export function hasGroup(selection: Selection, path: GroupPath): boolean {
  return selection.groups.some((one) => contains(one.path, path));
}

export function toggledJob(selection: Selection, id: string, path: GroupPath): Selection {
  const at = selection.groups.findIndex((one) => contains(one.path, path));
  if (at < 0) {
    const jobs = selection.jobs.includes(id)
      ? selection.jobs.filter((one) => one !== id)
      : [...selection.jobs, id];
    return { ...selection, jobs };
  }
  const group = selection.groups[at]!;
  const without = group.without.includes(id)
    ? group.without.filter((one) => one !== id)
    : [...group.without, id];
  return { ...selection, groups: selection.groups.map((one, i) => (i === at ? { ...group, without } : one)) };
}

/// A group that is within a selected one stays as it is.
export function toggledGroup(selection: Selection, path: GroupPath, count: number): Selection {
  const key = keyOf(path);
  if (selection.groups.some((one) => keyOf(one.path) === key))
    return { ...selection, groups: selection.groups.filter((one) => keyOf(one.path) !== key) };
  if (hasGroup(selection, path)) return selection;
  const others = selection.groups.filter((one) => !contains(path, one.path));
  return { ...selection, groups: [...others, { path, count, without: [] }] };
}

/// About how many jobs are selected: groups change.
export function size(selection: Selection): number {
  return selection.groups.reduce(
    (sum, one) => sum + Math.max(0, one.count - one.without.length),
    selection.jobs.length,
  );
}

export const isEmpty = (selection: Selection): boolean =>
  selection.jobs.length === 0 && selection.groups.length === 0;
