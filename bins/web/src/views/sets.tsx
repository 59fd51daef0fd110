// SPDX-License-Identifier: Apache-2.0
// Job sets with their progress, and the failures of one of them by reason.
import { useState } from "preact/hooks";
import { change } from "../api/address";
import { all, post } from "../api/client";
import { useLoaded } from "../api/live";
import type { GroupJobsResponse, JobSetSummary } from "../api/types";
import { Ago, CountChips, Empty, ErrorBox, Progress, useNow } from "../parts/basics";
import { Dialog } from "../parts/dialog";
import { Virtual } from "../parts/virtual";
import { Actions } from "./jobs/actions";
import { count, several } from "../model/quantity";
import { link } from "../model/route";
import { clause } from "../model/where";

const rowHeight = 58;

const whereOf = (set: JobSetSummary): string => [clause("queue", set.queue), clause("jobset", set.jobSet)].filter(Boolean).join(" ");

function Details({ set, close }: { set: JobSetSummary; close: () => void }) {
  const conditions = [
    { field: "queue", match: "exact", values: [set.queue] },
    { field: "jobSet", match: "exact", values: [set.jobSet] },
  ];
  const { value, error } = useLoaded(`failures ${set.queue} ${set.jobSet}`, (signal) =>
    post<GroupJobsResponse>("v1/jobs/group", { conditions: [...conditions, { field: "state", match: "anyOf", values: ["FAILED", "REJECTED", "PREEMPTED"] }], groupBy: "reason", limit: 50 }, signal));
  const path = [{ field: "queue", value: set.queue }, { field: "jobSet", value: set.jobSet }];
  const jobs = Object.values(set.jobsByState ?? {}).reduce((sum, n) => sum + n, 0);
  return (
    <Dialog title={`${set.queue} / ${set.jobSet}`} close={close} wide>
      <Progress counts={set.jobsByState} />
      <p>
        <CountChips counts={set.jobsByState} /> <a href={link("jobs", [], { where: whereOf(set) })}>all jobs</a>
      </p>
      <Actions selection={{ jobs: [], groups: [{ path, count: jobs, without: [] }] }} where="" activeSets={false} />
      <h3>Failures by reason</h3>
      <ErrorBox text={error} />
      {value && (value.groups ?? []).length === 0 && <p class="note">None of its jobs has failed.</p>}
      <ul class="causes">
        {(value?.groups ?? []).map((group) => (
          <li key={group.name}>
            <span class="number">{count(group.count)}</span> <span>{group.name || "(no reason)"}</span>{" "}
            {clause("reason", group.name ?? "") && group.name && (
              <a href={link("jobs", [], { where: `${whereOf(set)} ${clause("reason", group.name)}` })}>jobs</a>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

export function Sets({ words }: { words: Record<string, string> }) {
  const active = words.all !== "yes";
  const { value, error, loading, reload } = useLoaded(`sets ${active}`, (signal) =>
    all<JobSetSummary>("v1/job-sets", "jobSets", { active_only: active }, signal));
  const now = useNow();
  const [open, setOpen] = useState<string | null>(null);
  const wanted = (words.search ?? "").toLowerCase();
  const list = (value ?? [])
    .filter((set) => `${set.queue} / ${set.jobSet}`.toLowerCase().includes(wanted))
    .sort((a, b) => (b.changedNs ?? 0) - (a.changedNs ?? 0));
  const key = (set: JobSetSummary): string => `${set.queue}\n${set.jobSet}`;
  const chosen = list.find((set) => key(set) === open);
  return (
    <section class="sets">
      <h1>Job sets</h1>
      <div class="row">
        <input type="search" data-search aria-label="Queue or job set" placeholder="queue or job set" value={words.search ?? ""} onInput={(event) => change({ search: event.currentTarget.value })} />
        <label>
          <input type="checkbox" checked={active} onChange={(event) => change({ all: event.currentTarget.checked ? "" : "yes" })} /> only those at work
        </label>
        <span class="note" role="status">{value ? several(list.length, "job set") : ""}</span>
      </div>
      <ErrorBox text={error} retry={reload} />
      {list.length === 0 && error === null ? (
        <Empty>{loading && !value ? "Loading the job sets …" : active ? "No job set is at work. Those that have ended show when you take “only those at work” away." : "There are no job sets."}</Empty>
      ) : (
        <Virtual
          label="Job sets"
          rows={list.length}
          height={rowHeight}
          row={(at) => {
            const set = list[at]!;
            return (
              <div key={key(set)} role="listitem" class="set" style={{ height: `${rowHeight}px` }}>
                <div class="set-name">
                  <button type="button" class="value" onClick={() => setOpen(key(set))}>
                    {set.queue} / <strong>{set.jobSet}</strong>
                  </button>
                  <CountChips counts={set.jobsByState} />
                  <span class="note">last change <Ago at={set.changedNs} now={now} /> ago</span>
                </div>
                <Progress counts={set.jobsByState} />
              </div>
            );
          }}
        />
      )}
      {chosen && <Details set={chosen} close={() => setOpen(null)} />}
    </section>
  );
}
