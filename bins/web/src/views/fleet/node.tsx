// SPDX-License-Identifier: Apache-2.0
// One node: its state, its room, and what runs there.
import { post } from "../../api/client";
import { useLoaded } from "../../api/live";
import type { FindJobsResponse, NodeSummary } from "../../api/types";
import { ErrorBox, HealthChip, StateChip, UseBars } from "../../parts/basics";
import { amounts } from "../../model/quantity";
import { link } from "../../model/route";
import { stateName } from "../../model/states";
import { Cordons } from "./cordons";

const shownMax = 50;

export function NodePanel({ node, done, close }: { node: NodeSummary; done: () => void; close: () => void }) {
  const { value, error } = useLoaded(`node ${node.cluster}/${node.name}`, (signal) =>
    post<FindJobsResponse>(
      "v1/jobs/find",
      {
        conditions: [
          { field: "cluster", match: "exact", values: [node.cluster] },
          { field: "node", match: "exact", values: [node.name] },
          { field: "state", match: "anyOf", values: ["LEASED", "PENDING", "RUNNING"] },
        ],
        limit: shownMax,
      },
      signal,
    ));
  const jobs = value?.jobs ?? [];
  return (
    <section class="card node" aria-label={`Node ${node.cluster}/${node.name}`}>
      <header class="title">
        <h2>{node.cluster}/{node.name}</h2>
        <HealthChip state={node.state} />
        <span class="note">pool {node.pool}{node.reason ? `, ${node.reason}` : ""}</span>
        <button type="button" class="quiet" onClick={close}>close</button>
      </header>
      <Cordons cluster={node.cluster} node={node.name} cordoned={node.state === "cordoned"} quarantined={node.state === "quarantined"} drain={node.drain} done={done} />
      <UseBars total={node.total} used={node.used} />
      {(node.taints ?? []).length > 0 && <p class="note">Taints: {node.taints!.map((one) => `${one.key}=${one.value ?? ""}:${one.effect ?? ""}`).join(", ")}</p>}
      {Object.keys(node.labels ?? {}).length > 0 && (
        <details>
          <summary>Labels</summary>
          <dl class="facts">
            {Object.entries(node.labels!).map(([key, text]) => (
              <div key={key}><dt>{key}</dt><dd>{text || "(empty)"}</dd></div>
            ))}
          </dl>
        </details>
      )}
      <h3>What runs here</h3>
      <ErrorBox text={error} />
      {value && jobs.length === 0 && <p class="note">Nothing.</p>}
      <ul class="plain-list">
        {jobs.map((job) => (
          <li key={job.summary.jobId}>
            <a href={link("job", [job.summary.jobId])}>{job.summary.jobId}</a> <StateChip state={stateName(job.summary.state)} />{" "}
            <span class="note">{job.summary.queue} / {job.summary.jobSet}, {amounts(job.summary.requests)}</span>
          </li>
        ))}
      </ul>
      {value?.cursor && <p class="note">The first {shownMax} are shown.</p>}
    </section>
  );
}
