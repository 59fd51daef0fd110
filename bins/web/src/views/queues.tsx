// SPDX-License-Identifier: Apache-2.0
// Queues: what each has, what it is entitled to, and what it wants.
import { useState } from "preact/hooks";
import { all, post } from "../api/client";
import { useLoaded } from "../api/live";
import type { GroupJobsResponse, QueueSummary, Share } from "../api/types";
import { Empty, ErrorBox } from "../parts/basics";
import { count, ofPool, percent } from "../model/quantity";
import { link } from "../model/route";
import { sentence } from "../model/shares";
import { clause } from "../model/where";
import { QueueHistory, ShareHistory } from "./rounds";

const load = (signal: AbortSignal): Promise<QueueSummary[]> => all<QueueSummary>("v1/queues", "queues", {}, signal);

/// What a queue has, with a mark where its fair share is and one for what it wants.
function ShareBar({ of }: { of: Share }) {
  const told = `has ${ofPool(of.actualShare)}, fair share ${ofPool(of.fairShare)}, wants ${ofPool(of.demandShare)}`;
  const at = (share: number | undefined): string => `${100 * Math.min(1, share ?? 0)}%`;
  return (
    <span class="bar share" role="img" aria-label={told} title={told}>
      <span class="demand" style={{ width: at(of.demandShare) }} />
      <span class="used" style={{ width: at(of.actualShare) }} />
      <span class="fair" style={{ left: at(of.fairShare) }} />
    </span>
  );
}

const jobsOf = (name: string, states: string): string =>
  link("jobs", [], { where: `${clause("queue", name) ?? ""} state:${states}`.trim() });

export function Queues() {
  const { value, error, loading, reload } = useLoaded("queues", load);
  const [search, setSearch] = useState("");
  const wanted = search.trim().toLowerCase();
  const list = (value ?? [])
    .filter((one) => one.queue.name.toLowerCase().includes(wanted))
    .sort((a, b) => (b.actualShare ?? 0) - (a.actualShare ?? 0) || (b.queued ?? 0) - (a.queued ?? 0) || a.queue.name.localeCompare(b.queue.name));
  const shownMax = 500;
  const preempted = list.some((one) => (one.preempted ?? 0) > 0);
  return (
    <section>
      <h1>Queues</h1>
      <ErrorBox text={error} retry={reload} />
      <input type="search" data-search aria-label="Name of a queue" placeholder="name" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
      {value && list.length === 0 ? (
        <Empty>
          {value.length === 0 ? <>There are no queues. Create one with <code>argosyctl queue create NAME</code>.</> : "No queue has such a name."}
        </Empty>
      ) : !value && loading ? (
        <Empty>Loading the queues …</Empty>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Queues">
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Queue</th>
                <th scope="col">Share <span class="note">■ has ▏ fair ░ wants</span></th>
                <th scope="col" class="number">Has</th>
                <th scope="col" class="number">Fair</th>
                <th scope="col" class="number">Wants</th>
                <th scope="col" class="number">Waiting</th>
                <th scope="col" class="number">Running</th>
                {preempted && <th scope="col" class="number">Preempted</th>}
                <th scope="col" class="number">Factor</th>
                <th scope="col">State</th>
              </tr>
            </thead>
            <tbody>
              {list.slice(0, shownMax).map((one) => (
                <tr key={one.queue.name}>
                  <th scope="row"><a href={link("queue", [one.queue.name])}>{one.queue.name}</a></th>
                  <td><ShareBar of={one} /></td>
                  <td class="number">{percent(one.actualShare)}</td>
                  <td class="number">{percent(one.fairShare)}</td>
                  <td class="number">{ofPool(one.demandShare)}</td>
                  <td class="number"><a href={jobsOf(one.queue.name, "queued")}>{count(one.queued)}</a></td>
                  <td class="number"><a href={jobsOf(one.queue.name, "leased,pending,running")}>{count((one.running ?? 0) + (one.pending ?? 0) + (one.leased ?? 0))}</a></td>
                  {preempted && <td class="number"><a href={jobsOf(one.queue.name, "preempted")}>{count(one.preempted)}</a></td>}
                  <td class="number">{one.queue.priorityFactor ?? 1}</td>
                  <td>{one.queue.cordoned ? "cordoned" : "open"}{one.held ? `, ${count(one.held)} held` : ""}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <ShareHistory />
      {list.length > shownMax && <p class="note">{count(list.length - shownMax)} more; search by name.</p>}
    </section>
  );
}

function Limits({ of }: { of: QueueSummary["queue"] }) {
  const rows: [string, string, number][] = Object.entries(of.resourceLimits ?? {}).map(([resource, part]) => ["all classes", resource, part]);
  for (const [name, limits] of Object.entries(of.resourceLimitsByPriorityClassName ?? {}))
    for (const [resource, part] of Object.entries(limits.maximumResourceFraction ?? {})) rows.push([name, resource, part]);
  if (rows.length === 0) return <p class="note">It has no limits of its own.</p>;
  return (
    <table class="plain">
      <thead>
        <tr>
          <th scope="col">Priority class</th>
          <th scope="col">Resource</th>
          <th scope="col" class="number">At most, of each pool</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, resource, part]) => (
          <tr key={`${name}/${resource}`}>
            <td>{name}</td>
            <td>{resource}</td>
            <td class="number">{percent(part)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Waiting({ name }: { name: string }) {
  const { value } = useLoaded(`reasons ${name}`, (signal) =>
    post<GroupJobsResponse>("v1/jobs/group", { conditions: [{ field: "queue", match: "exact", values: [name] }, { field: "state", match: "anyOf", values: ["QUEUED", "LEASED", "PENDING", "RUNNING"] }], groupBy: "jobSet", limit: 10 }, signal));
  const groups = value?.groups ?? [];
  if (groups.length === 0) return <p class="note">It has no jobs that wait or run.</p>;
  return (
    <ul class="plain-list">
      {groups.map((group) => (
        <li key={group.name}>
          <a href={link("jobs", [], { where: [clause("queue", name), clause("jobset", group.name ?? "")].filter(Boolean).join(" ") })}>{group.name}</a>{" "}
          <span class="note">{count(group.count)} at work or waiting</span>
        </li>
      ))}
    </ul>
  );
}

export function Queue({ name }: { name: string }) {
  const { value, error, loading, reload } = useLoaded("queues", load);
  const one = value?.find((queue) => queue.queue.name === name);
  if (!one)
    return (
      <section>
        <h1>Queue {name}</h1>
        <ErrorBox text={error} retry={reload} />
        <Empty>{loading ? "Loading the queue …" : <>There is no such queue. <a href={link("queues")}>All queues</a></>}</Empty>
      </section>
    );
  return (
    <section>
      <h1>Queue {name}</h1>
      <ErrorBox text={error} retry={reload} />
      <p class="verdict">{sentence(one)}</p>
      <p class="row">
        <a href={jobsOf(name, "queued")}>{count(one.queued)} waiting</a>
        <a href={jobsOf(name, "leased,pending,running")}>{count((one.running ?? 0) + (one.pending ?? 0) + (one.leased ?? 0))} running</a>
        <a href={jobsOf(name, "failed")}>{count(one.failed)} failed</a>
        <span class="note">{count(one.succeeded)} succeeded, {count(one.cancelled)} cancelled, {count(one.preempted)} preempted in all</span>
      </p>
      <QueueHistory name={name} />
      <h2>Shares by pool</h2>
      {(one.shares ?? []).length === 0 ? <p class="note">It took part in no round.</p> : (
        <ul class="plain-list">
          {one.shares!.map((share) => (
            <li key={share.pool} class="row">
              <strong>{share.pool}</strong> <ShareBar of={share} />
              <span class="note">has {percent(share.actualShare)}, fair {percent(share.fairShare)}, wants {ofPool(share.demandShare)}</span>
            </li>
          ))}
        </ul>
      )}
      <h2>Job sets at work</h2>
      <Waiting name={name} />
      <h2>Limits</h2>
      <Limits of={one.queue} />
      <h2>Settings</h2>
      <dl class="facts">
        <div><dt>Priority factor</dt><dd>{one.queue.priorityFactor ?? 1} (with half of it, its fair share doubles)</dd></div>
        <div><dt>State</dt><dd>{one.queue.cordoned ? "cordoned: no job of it starts" : "open"}</dd></div>
        {(one.queue.userOwners ?? []).length > 0 && <div><dt>Owners</dt><dd>{one.queue.userOwners!.join(", ")}</dd></div>}
        {(one.queue.groupOwners ?? []).length > 0 && <div><dt>Owning groups</dt><dd>{one.queue.groupOwners!.join(", ")}</dd></div>}
        {one.slowed ? <div><dt>Slowed</dt><dd>its runs fail, so that starts come {percent(one.slowed)} more slowly</dd></div> : null}
      </dl>
    </section>
  );
}
