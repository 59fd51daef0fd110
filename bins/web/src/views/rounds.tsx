// SPDX-License-Identifier: Apache-2.0
// What rounds did in the last hours, as plots: how long they took, what became of jobs, and what the
// queues of a pool had.
import { get } from "../api/client";
import { useLoaded, type Loaded } from "../api/live";
import type { ListRoundsResponse, PoolRounds } from "../api/round_types";
import { ErrorBox, useNow } from "../parts/basics";
import { Plot } from "../parts/plot";
import { count, ofPool } from "../model/quantity";
import { durations, jobs, sharesOf, stacked, thinned, untilNow } from "../model/rounds";
import { duration } from "../model/time";

/// `queue`: only its shares; else those of the queues that have most.
export function useRounds(queue: string): Loaded<PoolRounds[]> {
  return useLoaded(`rounds ${queue}`, async (signal) => (await get<ListRoundsResponse>("v1/rounds", { queue }, signal)).pools ?? []);
}

const byQueue = Array.from({ length: 8 }, (_, at) => `curve-${at}`);
const perMinute = (value: number): string => `${count(Math.round(10 * value) / 10)}/min`;
const milliseconds = (value: number): string => duration(value * 1e6);

function Kept({ pool }: { pool: PoolRounds }) {
  const spans = pool.spans ?? [];
  const last = spans[spans.length - 1];
  const kept = last?.kept ?? [];
  if (kept.length === 0) return <p class="note">The last round kept no job back.</p>;
  return (
    <p>
      The last round kept back:{" "}
      {kept.map((one, at) => (
        <span key={one.code}>
          {at > 0 && ", "}
          {count(one.jobs)} × <code>{one.code}</code>
        </span>
      ))}
    </p>
  );
}

/// Below the map of the fleet.
export function Rounds() {
  const { value, error, reload } = useRounds("");
  if (!value) return <ErrorBox text={error} retry={reload} />;
  return (
    <>
      <h2>Rounds</h2>
      {value.length === 0 && <p class="note">No round took place since the server began to remember.</p>}
      {value.map((pool) => (
        <section key={pool.pool} class="plots" aria-label={`Rounds of pool ${pool.pool}`}>
          <h3>Pool {pool.pool}</h3>
          <Plot of={thinned(durations(pool.spans ?? []))} label="Time of a round" told={milliseconds} looks={["line-wants", "line-has"]} />
          <Plot of={thinned(jobs(pool.spans ?? [], ["tried"]))} label="Jobs tried" told={perMinute} looks={["line-has"]} />
          <Plot of={thinned(jobs(pool.spans ?? [], ["started", "preempted"]))} label="Jobs placed and preempted" told={perMinute} looks={["line-fair", "line-other"]} />
          <Kept pool={pool} />
        </section>
      ))}
      <p class="note">The server remembers rounds since it began to lead, older ones in coarser steps.</p>
    </>
  );
}

/// What each of the greatest queues had, one above the other.
export function ShareHistory() {
  const { value } = useRounds("");
  const now = useNow();
  const pools = (value ?? []).filter((pool) => (pool.queues ?? []).length > 0);
  return (
    <div class="plots">
      {pools.map((pool) => (
        <Plot key={pool.pool} of={thinned(untilNow(stacked(pool), now))} label={`Shares of pool ${pool.pool}`} told={ofPool} looks={byQueue} areas least={1} />
      ))}
    </div>
  );
}

/// The shares of one queue in each pool in which it took part.
export function QueueHistory({ name }: { name: string }) {
  const { value, error, reload } = useRounds(name);
  const now = useNow();
  if (!value) return <ErrorBox text={error} retry={reload} />;
  const took = value.filter((pool) => (pool.spans ?? []).some((span) => (span.shares ?? []).length > 0));
  if (took.length === 0) return <p class="note">It took part in no round since the server began to remember.</p>;
  return (
    <div class="plots">
      {took.map((pool) => (
        <Plot key={pool.pool} of={thinned(untilNow(sharesOf(pool, name), now))} label={`Its shares in pool ${pool.pool}`} told={ofPool} looks={["line-has", "line-fair", "line-wants"]} />
      ))}
    </div>
  );
}
