// SPDX-License-Identifier: Apache-2.0
// What an operator does to a node or a cluster: keep new work away, empty it, take that back.
import { useState } from "preact/hooks";
import { part, post } from "../../api/client";
import type { Operation } from "../../api/types";
import { ErrorBox } from "../../parts/basics";
import { Dialog } from "../../parts/dialog";
import { count, several } from "../../model/quantity";
import { exact } from "../../model/time";

type Deed = "cordon" | "uncordon" | "drain" | "stop" | "release";

const titles: Record<Deed, string> = {
  cordon: "Cordon",
  uncordon: "Uncordon",
  drain: "Drain",
  stop: "Stop the drain",
  release: "Release",
};

const meaning: Record<Deed, string> = {
  cordon: "No new work starts there. What runs goes on.",
  uncordon: "Work may start there again. A drain that goes on ends.",
  drain: "It is cordoned, runs that may be preempted are, and the server waits until nothing runs there.",
  stop: "The drain ends; the cordon stays, and what was preempted stays so.",
  release: "The quarantine ends, and work may start there again.",
};

interface Of {
  cluster: string;
  node?: string;
  cordoned: boolean;
  quarantined?: boolean;
  drain?: Operation;
  done: () => void;
}

function Ask({ deed, of, close }: { deed: Deed; of: Of; close: () => void }) {
  const [reason, setReason] = useState("");
  const [minutes, setMinutes] = useState("");
  const [keep, setKeep] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const base = of.node === undefined ? `v1/cluster/${part(of.cluster)}` : `v1/node/${part(of.cluster)}/${part(of.node)}`;
  const where = of.node === undefined ? `cluster ${of.cluster}` : `node ${of.cluster}/${of.node}`;
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      if (deed === "cordon" || deed === "uncordon") await post(`${base}/cordon`, { cordoned: deed === "cordon", reason });
      else if (deed === "drain")
        await post(`${base}/drain`, { reason, keepRuns: keep, deadlineAfterNs: minutes === "" ? 0 : Math.round(Number(minutes) * 60) * 1e9 });
      else await post(deed === "stop" ? `${base}/drain/stop` : `${base}/release`, deed === "release" ? { reason } : {});
      of.done();
      close();
    } catch (why) {
      setError(why instanceof Error ? why.message : String(why));
      setBusy(false);
    }
  };
  return (
    <Dialog title={`${titles[deed]}: ${where}`} close={close}>
      <form class="form" onSubmit={(event) => void send(event)}>
        <p>{meaning[deed]}</p>
        <ErrorBox text={error} />
        {deed !== "stop" && deed !== "uncordon" && (
          <label>
            Reason (may be empty)
            <input value={reason} maxLength={1000} onInput={(event) => setReason(event.currentTarget.value)} />
          </label>
        )}
        {deed === "drain" && (
          <>
            <label>
              After so many minutes everything left is preempted (empty: never)
              <input type="number" min="0" step="any" value={minutes} onInput={(event) => setMinutes(event.currentTarget.value)} />
            </label>
            <label>
              <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.currentTarget.checked)} /> end no run before that
            </label>
          </>
        )}
        <button type="submit" class="main" disabled={busy}>
          {titles[deed]}
        </button>
      </form>
    </Dialog>
  );
}

export function Cordons(of: Of) {
  const [deed, setDeed] = useState<Deed | null>(null);
  const drains = of.drain !== undefined && of.drain.state === "running";
  const deeds: Deed[] = [
    ...(of.quarantined ? (["release"] as Deed[]) : []),
    of.cordoned ? "uncordon" : "cordon",
    drains ? "stop" : "drain",
  ];
  const total = of.drain?.total ?? 0;
  return (
    <span class="row">
      {deeds.map((one) => (
        <button key={one} type="button" onClick={() => setDeed(one)}>
          {titles[one]}
        </button>
      ))}
      {drains && (
        <span role="status" class="note">
          {total === 0 ? "draining" : `${count(of.drain!.done)} of ${several(total, "run")} left`}
          {of.drain!.deadlineNs ? `, until ${exact(of.drain!.deadlineNs)}` : ""}
          {total > 0 && <progress aria-label="Drain" max={total} value={of.drain!.done ?? 0} />}
        </span>
      )}
      {deed && <Ask deed={deed} of={of} close={() => setDeed(null)} />}
    </span>
  );
}
