// SPDX-License-Identifier: Apache-2.0
// The fleet: pools, clusters, and the nodes as a map.
import { useState } from "preact/hooks";
import { change, go } from "../api/address";
import { all, get } from "../api/client";
import { useLoaded } from "../api/live";
import type { ClusterSummary, NodeSummary, PoolSummary } from "../api/types";
import { Ago, Empty, ErrorBox, HealthChip, UseBars, useNow } from "../parts/basics";
import { byName, resourcesOf } from "../model/fleet";
import { count, several } from "../model/quantity";
import { link } from "../model/route";
import { clause } from "../model/where";
import { Cordons } from "./fleet/cordons";
import { NodeMap } from "./fleet/map";
import { NodePanel } from "./fleet/node";
import { Rounds } from "./rounds";

interface Everything {
  pools: PoolSummary[];
  clusters: ClusterSummary[];
  nodes: NodeSummary[];
}

async function load(signal: AbortSignal): Promise<Everything> {
  const [pools, clusters, nodes] = await Promise.all([
    get<{ pools?: PoolSummary[] }>("v1/pools", {}, signal),
    get<{ clusters?: ClusterSummary[] }>("v1/clusters", {}, signal),
    all<NodeSummary>("v1/nodes", "nodes", {}, signal),
  ]);
  return { pools: pools.pools ?? [], clusters: byName(clusters.clusters ?? []), nodes };
}

function Pools({ pools }: { pools: PoolSummary[] }) {
  return (
    <ul class="cards">
      {pools.map((pool) => (
        <li key={pool.name} class="card">
          <h2>
            Pool {pool.name} <span class="note">{several(pool.nodes, "node")} of {several(pool.clusters, "cluster")}{pool.silentNodes ? `, ${count(pool.silentNodes)} silent` : ""}</span>
          </h2>
          <UseBars total={pool.total} used={pool.used} />
        </li>
      ))}
    </ul>
  );
}

function Clusters({ clusters, done }: { clusters: ClusterSummary[]; done: () => void }) {
  const now = useNow();
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Clusters">
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Cluster</th>
            <th scope="col">State</th>
            <th scope="col">Pool</th>
            <th scope="col">Backend</th>
            <th scope="col" class="number">Nodes</th>
            <th scope="col" class="number">Runs</th>
            <th scope="col" class="number">Heard</th>
            <th scope="col">Work</th>
          </tr>
        </thead>
        <tbody>
          {clusters.map((one) => (
            <tr key={one.name}>
              <th scope="row">{one.name}</th>
              <td>
                <HealthChip state={one.state} />
                {one.cordon && <span class="note"> cordoned: {one.cordon}</span>}
              </td>
              <td>{one.pool}</td>
              <td>{one.backend}</td>
              <td class="number">{count(one.nodes)}</td>
              <td class="number"><a href={link("jobs", [], { where: `${clause("cluster", one.name) ?? ""} state:active` })}>{count(one.runs)}</a></td>
              <td class="number"><Ago at={one.lastHeardNs} now={now} /></td>
              <td><Cordons cluster={one.name} cordoned={Boolean(one.cordon)} drain={one.drain} done={done} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Fleet({ words, cluster, node }: { words: Record<string, string>; cluster: string; node: string }) {
  const { value, error, loading, reload } = useLoaded("fleet", load);
  const [search, setSearch] = useState("");
  if (!value)
    return (
      <section>
        <h1>Fleet</h1>
        <ErrorBox text={error} retry={reload} />
        {loading && error === null && <Empty>Loading the fleet …</Empty>}
      </section>
    );
  const resources = resourcesOf(value.nodes);
  const wished = words.by ?? "";
  const by = wished === "health" || resources.includes(wished) ? wished : (resources[0] ?? "health");
  const wanted = search.trim().toLowerCase();
  const nodes = wanted === "" ? value.nodes : value.nodes.filter((one) => `${one.cluster}/${one.name}/${one.pool ?? ""}/${one.state ?? ""}`.toLowerCase().includes(wanted));
  const chosen = value.nodes.find((one) => one.cluster === cluster && one.name === node);
  const open = (one: NodeSummary): void => go({ view: "node", names: [one.cluster, one.name], words });
  return (
    <section class="fleet">
      <h1>Fleet</h1>
      <ErrorBox text={error} retry={reload} />
      {value.clusters.length === 0 && (
        <Empty>
          No cluster has said hello. Start an agent with <code>argosy-agent --cluster NAME</code>.
        </Empty>
      )}
      <Pools pools={value.pools} />
      <Clusters clusters={value.clusters} done={reload} />
      <h2>Nodes</h2>
      <div class="row">
        <input type="search" data-search aria-label="Search nodes" placeholder="cluster, node, pool or state" value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
        <label>
          Colour by{" "}
          <select value={by} onChange={(event) => change({ by: event.currentTarget.value })}>
            {resources.map((one) => (
              <option key={one} value={one}>
                use of {one}
              </option>
            ))}
            <option value="health">health</option>
          </select>
        </label>
        <span class="note" role="status">{several(nodes.length, "node")}</span>
      </div>
      {node !== "" && !chosen && <p class="warning">There is no node {cluster}/{node} now.</p>}
      {chosen && <NodePanel key={`${chosen.cluster}/${chosen.name}`} node={chosen} done={reload} close={() => go({ view: "fleet", names: [], words })} />}
      {nodes.length === 0 ? <Empty>No node is like that.</Empty> : <NodeMap nodes={nodes} by={by} chosen={chosen} open={open} />}
      <Rounds />
    </section>
  );
}
