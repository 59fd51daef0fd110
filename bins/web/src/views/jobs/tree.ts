// SPDX-License-Identifier: Apache-2.0
// The jobs in sight: groups within groups, and at the ends pages of jobs. It knows how to load a
// part, and gives what it has as a flat list of rows.
import type { Condition, FindJobsRequest, FindJobsResponse, FoundJob, GroupJobsRequest, GroupJobsResponse, JobGroup } from "../../api/types";
import { empty, items, next, withPage, type Paged } from "../../model/paged";
import { several } from "../../model/quantity";
import { conditionsOf, keyOf, type GroupPath } from "../../model/selection";

export interface GroupField {
  field: string;
  key?: string;
}

export interface Asked {
  where: string;
  activeSets: boolean;
  groupBy: GroupField[];
  order: string;
  ascending: boolean;
}

export interface Source {
  find: (request: FindJobsRequest, signal: AbortSignal) => Promise<FindJobsResponse>;
  group: (request: GroupJobsRequest, signal: AbortSignal) => Promise<GroupJobsResponse>;
}

/// An old row was not loaded again when those in sight were.
export type Row =
  | { kind: "group"; key: string; level: number; path: GroupPath; group: JobGroup; open: boolean; old: boolean }
  | { kind: "job"; key: string; level: number; path: GroupPath; job: FoundJob; page: string; old: boolean }
  | { kind: "more"; key: string; level: number; path: GroupPath; text: string; loading: boolean };

interface Branch {
  path: GroupPath;
  groups: JobGroup[] | null;
  groupsWanted: number;
  groupsInAll: number;
  groupsTurn: number;
  jobs: Paged<FoundJob>;
  loading: boolean;
  error: string | null;
}

/// So many jobs are in sight on most screens. In other orders than that of ids the server looks at all jobs
/// for a page, so that fewer pages are better.
const jobsInPage = 50;
const jobsInSortedPage = 100;
const groupsInPage = 200;
/// How many pages without a job are passed over until the reader is asked.
const emptyMax = 20;

export class JobTree {
  private readonly branches = new Map<string, Branch>();
  private readonly stop = new AbortController();
  /// Whether the server had no time to look at all jobs.
  incomplete = false;
  loaded = false;
  /// How long the first load took, in milliseconds.
  took = 0;
  private readonly begun = performance.now();
  private turn = 0;
  private refreshing = 0;
  error: string | null = null;

  constructor(
    readonly asked: Asked,
    private readonly source: Source,
    private readonly changed: () => void,
  ) {
    this.open([]);
  }

  end(): void {
    this.stop.abort();
  }

  /// Ends with the tree. What was loaded first was loaded with it.
  get signal(): AbortSignal {
    return this.stop.signal;
  }

  /// Whether a part could not be loaded.
  get lacks(): boolean {
    return [...this.branches.values()].some((branch) => branch.error !== null);
  }

  /// Whether there is something to show.
  get finds(): boolean {
    return this.error === null && [...this.branches.values()].some((branch) => (branch.groups?.length ?? 0) > 0 || items(branch.jobs).length > 0);
  }

  isOpen(path: GroupPath): boolean {
    return this.branches.has(keyOf(path));
  }

  open(path: GroupPath): void {
    if (this.isOpen(path)) return;
    const made: Branch = { path, groups: null, groupsWanted: groupsInPage, groupsInAll: 0, groupsTurn: this.turn, jobs: empty(), loading: false, error: null };
    this.branches.set(keyOf(path), made);
    void this.load(made, "");
  }

  close(path: GroupPath): void {
    const inner = JSON.stringify(keyOf(path));
    for (const [key, branch] of this.branches)
      if (branch.path.length >= path.length && JSON.stringify(keyOf(branch.path.slice(0, path.length))) === inner)
        this.branches.delete(key);
    this.changed();
  }

  more(path: GroupPath): void {
    const branch = this.branches.get(keyOf(path));
    if (!branch || branch.loading) return;
    if (this.groupOf(branch)) {
      if (branch.groups) branch.groupsWanted += groupsInPage;
      void this.load(branch, "");
      return;
    }
    const cursor = next(branch.jobs);
    if (cursor !== null) void this.load(branch, cursor);
  }

  /// Loads again what an old row shows, which has come into sight.
  renew(row: Row): void {
    if (row.kind === "more" || !row.old || this.refreshing > 0) return;
    const branch = this.branches.get(keyOf(row.kind === "job" ? row.path : row.path.slice(0, -1)));
    if (branch && !branch.loading && branch.error === null) void this.load(branch, row.kind === "job" ? row.page : "");
  }

  /// Loads again what these rows show.
  async refresh(inSight: Row[], signal: AbortSignal): Promise<void> {
    ++this.turn;
    const wanted = new Map<Branch, Set<string>>();
    const want = (path: GroupPath, page: string): void => {
      const branch = this.branches.get(keyOf(path));
      if (!branch) return;
      const pages = wanted.get(branch) ?? new Set<string>();
      wanted.set(branch, pages.add(page));
    };
    for (const row of inSight)
      if (row.kind === "job") want(row.path, row.page);
      else if (row.kind === "group") want(row.path.slice(0, -1), "");
    if (inSight.length === 0 || this.error !== null) want([], "");
    ++this.refreshing;
    for (const [branch, pages] of wanted)
      for (const page of pages) await this.load(branch, page, signal);
    --this.refreshing;
  }

  rows(): Row[] {
    const out: Row[] = [];
    this.add([], 0, out);
    return out;
  }

  private groupOf(branch: Branch): GroupField | undefined {
    return this.asked.groupBy[branch.path.length];
  }

  private add(path: GroupPath, level: number, out: Row[]): void {
    const branch = this.branches.get(keyOf(path));
    if (!branch) return;
    const field = this.groupOf(branch);
    let rest: string | null = null;
    if (field) {
      for (const group of branch.groups ?? []) {
        const inner = [...path, { ...field, value: group.name ?? "" }];
        const key = keyOf(inner);
        out.push({ kind: "group", key, level, path: inner, group, open: this.branches.has(key), old: branch.groupsTurn < this.turn });
        this.add(inner, level + 1, out);
      }
      const left = branch.groupsInAll - (branch.groups?.length ?? 0);
      if (left > 0) rest = several(left, "more group");
    } else {
      for (const page of branch.jobs.pages)
        for (const job of page.items)
          out.push({ kind: "job", key: `${job.summary.jobId}/${keyOf(path)}`, level, path, job, page: page.from, old: (page.turn ?? 0) < this.turn });
      if (branch.jobs.pages.length > 0 && next(branch.jobs) !== null) rest = "more jobs";
    }
    const text = branch.error ?? (branch.loading && !rest ? "loading" : rest);
    const isNew = branch.groups === null && branch.jobs.pages.length === 0;
    if (text !== null && (rest !== null || branch.error !== null || (isNew && path.length > 0)))
      out.push({ kind: "more", key: `more ${keyOf(path)}`, level, path, text, loading: branch.loading });
  }

  private async load(branch: Branch, from: string, signal = this.stop.signal): Promise<void> {
    branch.loading = true;
    this.changed();
    try {
      if (this.groupOf(branch)) await this.loadGroups(branch, this.groupOf(branch)!, signal);
      else await this.loadJobs(branch, from, signal);
      branch.error = null;
    } catch (reason) {
      if (this.stop.signal.aborted) return;
      if (from !== "" && (reason as { status?: number }).status === 400) {
        // The server was set back to an older state, in which there is no such page.
        branch.jobs = empty();
        return this.load(branch, "", signal);
      }
      branch.error = reason instanceof Error ? reason.message : String(reason);
    }
    if (this.stop.signal.aborted) return;
    branch.loading = false;
    if (branch.path.length === 0) {
      if (!this.loaded) this.took = performance.now() - this.begun;
      this.loaded = true;
      this.error = branch.error;
    }
    this.changed();
  }

  private async loadGroups(branch: Branch, by: GroupField, signal: AbortSignal): Promise<void> {
    const { turn } = this;
    const found = await this.source.group(
      {
        where: this.asked.where,
        conditions: conditionsOf(branch.path),
        groupBy: by.field,
        key: by.key,
        orderBy: this.asked.order === "submitted" || this.asked.order === "changed" ? this.asked.order : "count",
        ascending: this.asked.ascending,
        limit: branch.groupsWanted,
        ...(this.asked.activeSets ? { activeJobSets: true } : {}),
      },
      signal,
    );
    branch.groups = found.groups ?? [];
    branch.groupsTurn = turn;
    branch.groupsInAll = found.groupsInAll ?? branch.groups.length;
    this.incomplete = found.incomplete ?? false;
  }

  private async loadJobs(branch: Branch, from: string, signal: AbortSignal): Promise<void> {
    const conditions: Condition[] = conditionsOf(branch.path);
    const { turn } = this;
    let cursor = from;
    for (let tries = 0; tries < emptyMax; ++tries) {
      const found = await this.source.find(
        {
          where: this.asked.where,
          conditions,
          orderBy: this.asked.order,
          ascending: this.asked.ascending,
          limit: this.asked.order === "jobId" ? jobsInPage : jobsInSortedPage,
          cursor,
          activeJobSets: this.asked.activeSets,
        },
        signal,
      );
      this.incomplete = found.incomplete ?? false;
      const page = { from, to: found.cursor ?? "", items: found.jobs ?? [], turn };
      if (page.items.length > 0 || page.to === "" || tries + 1 === emptyMax) {
        branch.jobs = withPage(branch.jobs, page);
        return;
      }
      cursor = page.to;
    }
  }

  /// How many jobs are loaded.
  get jobs(): number {
    let sum = 0;
    for (const branch of this.branches.values()) sum += items(branch.jobs).length;
    return sum;
  }
}
