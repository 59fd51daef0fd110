// SPDX-License-Identifier: Apache-2.0
// One job: what it is, why it waits, what happened to it, and what it printed.
import { change } from "../api/address";
import { get, part, post } from "../api/client";
import { useLoaded } from "../api/live";
import type { FindJobsResponse, FoundJob, JobDescription } from "../api/types";
import { Ago, Copy, Empty, ErrorBox, StateChip, useNow } from "../parts/basics";
import { holdWord, isActive, stateName } from "../model/states";
import { link } from "../model/route";
import { Actions } from "./jobs/actions";
import { Events } from "./job/events";
import { Logs } from "./job/logs";
import { Overview } from "./job/overview";
import { Specification } from "./job/specification";
import { Trace } from "./job/trace";
import { Why } from "./job/why";

export interface OneJob {
  described: JobDescription;
  found: FoundJob | null;
}

const tabs: [string, string][] = [
  ["overview", "Overview"],
  ["why", "Why"],
  ["events", "Events"],
  ["logs", "Logs"],
  ["spec", "Specification"],
  ["trace", "Trace"],
];

async function load(id: string, signal: AbortSignal): Promise<OneJob> {
  const [described, found] = await Promise.all([
    get<JobDescription>(`v1/job/${part(id)}/describe`, {}, signal),
    post<FindJobsResponse>("v1/jobs/find", { conditions: [{ field: "jobId", match: "exact", values: [id] }], limit: 1 }, signal),
  ]);
  return { described, found: found.jobs?.[0] ?? null };
}

function Tabs({ now }: { now: string }) {
  const press = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    const at = tabs.findIndex(([name]) => name === now);
    const [name] = tabs[(at + by + tabs.length) % tabs.length]!;
    change({ tab: name });
    document.getElementById(`tab-${name}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="About this job" onKeyDown={press}>
      {tabs.map(([name, title]) => (
        <button
          key={name}
          id={`tab-${name}`}
          type="button"
          role="tab"
          aria-selected={now === name}
          aria-controls="tab-panel"
          tabIndex={now === name ? 0 : -1}
          onClick={() => change({ tab: name })}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

export function Job({ id, words }: { id: string; words: Record<string, string> }) {
  const { value, error, loading, reload } = useLoaded(`job ${id}`, (signal) => load(id, signal));
  const now = useNow();
  const wanted = words.tab ?? "";
  const tab = tabs.some(([name]) => name === wanted) ? wanted : "overview";
  if (!value)
    return (
      <section>
        <h1>{id}</h1>
        <ErrorBox text={error} retry={reload} />
        {loading && error === null && <Empty>Loading the job …</Empty>}
        {error !== null && (
          <p class="note">
            Ended jobs are kept for a while only. <a href={link("jobs")}>All jobs</a>
          </p>
        )}
      </section>
    );
  const { summary } = value.described;
  const state = stateName(summary.state);
  return (
    <section class={tab === "logs" || tab === "trace" ? "job bounded" : "job"}>
      <header class="title">
        <h1>{summary.name ? `${summary.name} ` : ""}<span class={summary.name ? "note" : ""}>{summary.jobId}</span></h1>
        <StateChip state={state} more={summary.stopping ? `${summary.stopping}…` : holdWord(summary.hold)} />
        <span class="note">
          for <Ago at={summary.changedNs} now={now} />
        </span>
        <Copy text={summary.jobId} label="copy id" />
        <Copy text={location.href} label="copy link" />
        <Copy text={`argosyctl describe job ${summary.jobId}`} label="copy as command" />
      </header>
      {error !== null && <ErrorBox text={`${error} What you see is from before.`} retry={reload} />}
      {isActive(state) && <Actions selection={{ jobs: [summary.jobId], groups: [] }} where="" activeSets={false} />}
      <Tabs now={tab} />
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={0} class="panel">
        {tab === "overview" && <Overview job={value} now={now} />}
        {tab === "why" && <Why id={summary.jobId} />}
        {tab === "events" && <Events job={value} />}
        {tab === "logs" && <Logs id={summary.jobId} runs={value.found?.runs ?? []} />}
        {tab === "spec" && <Specification job={value} />}
        {tab === "trace" && <Trace id={summary.jobId} />}
      </div>
    </section>
  );
}
