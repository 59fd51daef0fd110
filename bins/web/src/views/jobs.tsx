// SPDX-License-Identifier: Apache-2.0
// The table of jobs.
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { go } from "../api/address";
import { post } from "../api/client";
import { repeatedly } from "../api/live";
import { Empty, ErrorBox, useNow } from "../parts/basics";
import { Virtual } from "../parts/virtual";
import { concernOf } from "../model/freshness";
import { count } from "../model/quantity";
import * as selecting from "../model/selection";
import { Actions } from "./jobs/actions";
import { asked, columnsOf, groupFields } from "./jobs/asked";
import { Filters } from "./jobs/filters";
import { GroupRow, Head, JobRow, rowHeight, widthOf } from "./jobs/rows";
import { JobTree, type Asked, type Row, type Source } from "./jobs/tree";

const source: Source = {
  find: (request, signal) => post("v1/jobs/find", request, signal),
  group: (request, signal) => post("v1/jobs/group", request, signal),
};

/// Nothing found, or an error, is shown after this time, since it may be of a search that is being
/// typed.
const emptyAfter = 300;

/// The tree of what was asked; the one from before stays in sight until the new one has come.
function useTree(of: Asked) {
  const key = JSON.stringify(of);
  const [, redraw] = useState(0);
  const shown = useRef<JobTree | null>(null);
  const coming = useMemo(() => {
    let due = 0;
    return new JobTree(of, source, () => {
      if (due === 0)
        due = requestAnimationFrame(() => {
          due = 0;
          redraw((n) => n + 1);
        });
    });
  }, [key]);
  useEffect(() => () => coming.end(), [coming]);
  const [typed, setTyped] = useState<JobTree | null>(coming);
  useEffect(() => {
    const timer = setTimeout(() => setTyped(coming), emptyAfter);
    return () => clearTimeout(timer);
  }, [coming]);
  if ((coming.loaded && (coming.finds || typed === coming)) || shown.current === null) shown.current = coming;
  return { tree: shown.current, waits: shown.current !== coming || !coming.loaded };
}

/// Loads the rows in sight again as the server's log moves on.
function useRefresh(tree: JobTree, inSight: () => Row[]): void {
  const { loaded } = tree;
  useEffect(() => {
    if (!loaded) return undefined;
    const ends = new AbortController();
    const load = async (signal: AbortSignal): Promise<void> => {
      await tree.refresh(inSight(), signal);
      if (tree.lacks) throw new Error("a part could not be loaded");
    };
    // The log may have moved while the first part was on its way.
    repeatedly(ends.signal, load, tree.signal, concernOf(tree.asked.where)).look();
    return () => ends.abort();
  }, [tree, loaded]);
}

const nameOf = (field: string, key?: string): string =>
  key ?? groupFields.find(([known]) => known === field)?.[1] ?? field;

export function Jobs({ words }: { words: Record<string, string> }) {
  const of = asked(words);
  const { tree, waits } = useTree(of);
  const columns = columnsOf(words);
  const rows = tree.rows();
  const now = useNow();
  const [here, setHere] = useState(-1);
  const [selection, setSelection] = useState(selecting.nothing);
  const lastPicked = useRef(-1);
  const span = useRef({ first: 0, end: 60 });
  const latest = useRef(rows);
  latest.current = rows;
  useRefresh(tree, () => latest.current.slice(span.current.first, span.current.end));
  useEffect(() => setSelection(selecting.nothing), [of.where, of.activeSets, words.group]);

  const seen = useCallback((first: number, end: number) => {
    span.current = { first, end };
    for (const row of latest.current.slice(first, end))
      if (row.kind !== "more") tree.renew(row);
      else if (!row.loading && row.text === "more jobs") tree.more(row.path);
  }, [tree]);

  // What was passed over while a part was being loaded is asked for as soon as that is there.
  useEffect(() => seen(span.current.first, span.current.end));

  const activate = (row: Row): void => {
    if (row.kind === "job") go({ view: "job", names: [row.job.summary.jobId], words: {} });
    else if (row.kind === "group") {
      if (row.open) tree.close(row.path);
      else tree.open(row.path);
    } else tree.more(row.path);
  };
  const pick = (at: number, range: boolean): void => {
    const from = range && lastPicked.current >= 0 ? Math.min(lastPicked.current, at) : at;
    const to = range && lastPicked.current >= 0 ? Math.max(lastPicked.current, at) : at;
    let next = selection;
    for (const [i, row] of rows.slice(from, to + 1).entries()) {
      const single = from + i === at;
      if (row.kind === "job" && (single || !selecting.hasJob(next, row.job.summary.jobId, row.path)))
        next = selecting.toggledJob(next, row.job.summary.jobId, row.path);
      else if (row.kind === "group" && single) next = selecting.toggledGroup(next, row.path, row.group.count ?? 0);
    }
    lastPicked.current = at;
    setSelection(next);
  };
  const all = selecting.hasGroup(selection, []);
  const toggleAll = async (): Promise<void> => {
    if (all) return setSelection(selecting.nothing);
    setSelection(selecting.toggledGroup(selecting.nothing, [], tree.jobs));
    const found = await source.group({ where: of.where, groupBy: "state", activeJobSets: of.activeSets }, new AbortController().signal);
    const sum = (found.groups ?? []).reduce((n, group) => n + (group.count ?? 0), 0);
    setSelection(selecting.toggledGroup(selecting.nothing, [], sum));
  };
  const press = (event: KeyboardEvent): void => {
    if (event.target instanceof HTMLInputElement && event.target.type !== "checkbox") return;
    const down = event.key === "ArrowDown" || event.key === "j";
    if (down || event.key === "ArrowUp" || event.key === "k") {
      event.preventDefault();
      setHere(Math.max(0, Math.min(rows.length - 1, here + (down ? 1 : -1))));
      return;
    }
    const row = rows[here];
    if (!row) return;
    if (event.key === "Enter" && !(event.target instanceof HTMLButtonElement)) activate(row);
    else if (event.key === "x") pick(here, event.shiftKey);
    else if (event.key === "X") pick(here, true);
  };

  const draw = (at: number) => {
    const row = rows[at]!;
    const chosen =
      row.kind === "job"
        ? selecting.hasJob(selection, row.job.summary.jobId, row.path)
        : row.kind === "group" && selecting.hasGroup(selection, row.path);
    const shared = { columns, now, at, here: at === here, selected: chosen, where: of.where, select: (range: boolean) => pick(at, range), activate: () => { setHere(at); activate(row); } };
    if (row.kind === "job") return <JobRow key={row.key} job={row.job} level={row.level} of={shared} />;
    if (row.kind === "group") {
      const step = row.path[row.path.length - 1]!;
      return <GroupRow key={row.key} row={row} of={shared} name={nameOf(step.field, step.key)} />;
    }
    return (
      <div key={row.key} class="row-of-table more" role="row" style={{ height: `${rowHeight}px` }}>
        <span role="cell">
          <button type="button" class="quiet" disabled={row.loading} onClick={() => tree.more(row.path)}>
            {row.loading ? "loading …" : row.text}
          </button>
        </span>
      </div>
    );
  };

  return (
    <section class={`jobs${waits ? " waits" : ""}`} aria-busy={waits} onKeyDown={press}>
      <h1 class="hidden">Jobs</h1>
      <Filters words={words} took={tree.took} />
      <ErrorBox text={tree.error} />
      {tree.incomplete && <p class="warning" role="status">The server had no time to look at all jobs. What you see is a part; a narrower search finds all.</p>}
      {!selecting.isEmpty(selection) && (
        <div class="selected-bar" role="status">
          <span>about {count(selecting.size(selection))} selected</span>
          <Actions selection={selection} where={of.where} activeSets={of.activeSets} />
          <button type="button" class="quiet" onClick={() => setSelection(selecting.nothing)}>
            select nothing
          </button>
        </div>
      )}
      {tree.loaded && rows.length === 0 && tree.error === null ? (
        <Empty>
          {of.where === "" ? (
            <p>
              There are no jobs yet. Submit some with <code>argosyctl submit FILE</code> or try{" "}
              <code>argosyctl run -q QUEUE -- sleep 10</code>.
            </p>
          ) : (
            <p>No job meets these conditions. Take one away, or look at “how to” beside the search.</p>
          )}
        </Empty>
      ) : (
        <Virtual
          label="Jobs"
          role="table"
          columns={columns.length + 1}
          rows={rows.length}
          height={rowHeight}
          row={draw}
          seen={seen}
          focus={here}
          head={
            <div role="rowgroup" class="head-group" style={{ minWidth: `${widthOf(columns)}px` }}>
              <Head columns={columns} order={of.order} ascending={of.ascending} all={all} toggleAll={() => void toggleAll()} />
            </div>
          }
        />
      )}
    </section>
  );
}
