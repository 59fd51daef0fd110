// SPDX-License-Identifier: Apache-2.0
// Why a job waits, or runs where it runs, as the server explains it.
import { get, part } from "../../api/client";
import { useLoaded } from "../../api/live";
import type { Explanation, PoolExplanation } from "../../api/types";
import { Ago, Empty, ErrorBox, useNow } from "../../parts/basics";
import { count, percent } from "../../model/quantity";
import { stopText } from "../../model/story";
import { link } from "../../model/route";

function Pool({ pool, now }: { pool: PoolExplanation; now: number }) {
  const most = Math.max(1, ...(pool.nodes ?? []).map((one) => one.nodes ?? 0));
  return (
    <section class="card">
      <h2>
        Pool {pool.pool} {pool.code && <code>{pool.code}</code>}
      </h2>
      {pool.text && <p>{pool.text}</p>}
      {pool.never && <p class="warning">It can never run in this pool, whatever ends there.</p>}
      {(pool.nodes ?? []).length > 0 && (
        <ul class="causes">
          {pool.nodes!.map((one) => (
            <li key={one.why}>
              <span class="bar" aria-hidden="true">
                <span class="used" style={{ width: `${(100 * (one.nodes ?? 0)) / most}%` }} />
              </span>
              <span>{one.why}</span>
            </li>
          ))}
        </ul>
      )}
      {(pool.stops ?? []).map((stop) => (
        <p key={stop.sentence} class="note">
          {stopText(stop)}
        </p>
      ))}
      {(pool.remedies ?? []).length > 0 && (
        <>
          <h3>It would fit if you</h3>
          <ul>
            {pool.remedies!.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </>
      )}
      {pool.queue && (
        <p>
          Its queue has {percent(pool.queue.actualShare)} of the pool; its fair share is {percent(pool.queue.fairShare)}.
        </p>
      )}
      {(pool.before ?? []).length > 0 && (
        <p>
          Queues that go first:{" "}
          {pool.before!.map((one, at) => (
            <span key={one.queue}>
              {at > 0 && ", "}
              <a href={link("queue", [one.queue])}>{one.queue}</a> ({percent(one.actualShare)} of {percent(one.fairShare)})
            </span>
          ))}
        </p>
      )}
      {pool.round ? (
        <p class="note">
          Round {pool.round}, <Ago at={pool.roundNs} now={now} /> ago
        </p>
      ) : null}
    </section>
  );
}

export function Why({ id }: { id: string }) {
  const { value, error, reload } = useLoaded(`why ${id}`, (signal) => get<Explanation>(`v1/job/${part(id)}/explain`, {}, signal));
  const now = useNow();
  if (error !== null && !value) return <ErrorBox text={error} retry={reload} />;
  if (!value) return <Empty>Asking the server …</Empty>;
  return (
    <>
      <p class="verdict">{value.verdict ?? "The server says nothing about it."}</p>
      {value.placeInQueue ? (
        <p>
          Place {count(value.placeInQueue)} in its queue
          {(value.ahead ?? []).length > 0 && ". Ahead of it:"}
        </p>
      ) : null}
      {(value.ahead ?? []).length > 0 && (
        <ul>
          {value.ahead!.map((one) => (
            <li key={one.jobId}>
              <a href={link("job", [one.jobId])}>{one.jobId}</a> {one.why}
            </li>
          ))}
        </ul>
      )}
      {(value.notes ?? []).map((note) => (
        <p key={note} class="warning">
          {note}
        </p>
      ))}
      {(value.pools ?? []).map((pool) => (
        <Pool key={pool.pool} pool={pool} now={now} />
      ))}
    </>
  );
}
