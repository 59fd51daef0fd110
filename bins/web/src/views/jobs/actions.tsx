// SPDX-License-Identifier: Apache-2.0
// What can be done to selected jobs: first a look at what it would change, then the change with its
// progress, then what became of it.
import { useEffect, useRef, useState } from "preact/hooks";
import { loginWanted, post } from "../../api/client";
import { change as serverChange } from "../../api/live";
import { useSignal } from "../../api/signal";
import { Dialog } from "../../parts/dialog";
import { CountChips, ErrorBox } from "../../parts/basics";
import { count, several } from "../../model/quantity";
import type { Selection } from "../../model/selection";
import { link } from "../../model/route";
import { apply, preview, sentence, statesFor, untouched, type Change, type Kind, type Of, type Outcome } from "./bulk";

const titles: Record<Kind, string> = {
  cancel: "Cancel jobs",
  preempt: "Preempt jobs",
  reprioritize: "Change the priority",
  hold: "Hold jobs",
  release: "Release jobs",
};

const meaning: Record<Kind, string> = {
  cancel: "Jobs that wait never start, and those that run are ended.",
  preempt: "The runs end to make room, as if a round had decided so. Jobs whose class forbids it stay.",
  reprioritize: "Within its queue, a job of a lower number goes first.",
  hold: "No round looks at the jobs until they are released. Those that run go on.",
  release: "Rounds look at the jobs again, at their old places.",
};

const reasons: Kind[] = ["cancel", "preempt", "hold"];

function Result({ so, expected, over }: { so: Outcome; expected: number; over: boolean }) {
  const waits = useSignal(loginWanted) !== null && !over;
  return (
    <div role="status">
      <p>{sentence(so, expected, over)}</p>
      {waits && <p class="warning">Your session has ended. The rest waits until you have logged in, and no job is changed twice.</p>}
      {so.stopped !== undefined && <p class="warning">{so.stopped}</p>}
      {!over && <progress aria-label="Progress" />}
      {so.failures.length > 0 && (
        <ul class="failures">
          {so.failures.map((one) => (
            <li key={one.id}>
              <a href={link("job", [one.id])}>{one.id}</a> {one.why}
            </li>
          ))}
          {so.failed > so.failures.length && <li>… and {count(so.failed - so.failures.length)} more</li>}
        </ul>
      )}
    </div>
  );
}

function Ask({ kind, of, close }: { kind: Kind; of: Of; close: () => void }) {
  const [counts, setCounts] = useState<Record<string, number> | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [reason, setReason] = useState("");
  const [priority, setPriority] = useState("");
  const [so, setSo] = useState<Outcome | null>(null);
  const [over, setOver] = useState(false);
  const stop = useRef(new AbortController());
  const expected = useRef(0);

  useEffect(() => {
    const look = new AbortController();
    preview(of, post, look.signal).then(setCounts, (why: unknown) => {
      if (!look.signal.aborted) setError(why instanceof Error ? why.message : String(why));
    });
    return () => look.abort();
  }, []);

  const fitting = Object.entries(counts ?? {}).reduce((sum, [state, n]) => sum + (statesFor[kind].includes(state) ? n : 0), 0);
  const others = Object.entries(counts ?? {}).reduce((sum, [state, n]) => sum + (statesFor[kind].includes(state) ? 0 : n), 0);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    const change: Change = { kind, reason, priority: Number(priority) };
    expected.current = fitting;
    setSo(untouched);
    setSo(await apply(of, change, post, setSo, stop.current.signal));
    setOver(true);
    serverChange.set(serverChange.value + 1);
  };
  const end = (): void => {
    stop.current.abort();
    close();
  };
  return (
    <Dialog title={titles[kind]} close={end} wide>
      <p>{meaning[kind]}</p>
      <ErrorBox text={error} />
      {so ? (
        <>
          <Result so={so} expected={expected.current} over={over} />
          <div class="row">
            {!over && (
              <button type="button" onClick={() => stop.current.abort()}>
                Stop; what is done stays done
              </button>
            )}
            <button type="button" class="main" onClick={end}>
              Close
            </button>
          </div>
        </>
      ) : (
        <form class="form" onSubmit={(event) => void send(event)}>
          <p role="status">
            {counts === null ? "Counting …" : <>It concerns {several(fitting, "job")}: <CountChips counts={counts} /></>}
            {others > 0 && <span class="note"> {count(others)} {others === 1 ? "is" : "are"} in a state in which nothing changes.</span>}
          </p>
          {reasons.includes(kind) && (
            <label>
              Reason{kind === "preempt" ? "" : " (may be empty)"}
              <input value={reason} required={kind === "preempt"} maxLength={1000} onInput={(e) => setReason(e.currentTarget.value)} />
            </label>
          )}
          {kind === "reprioritize" && (
            <label>
              New priority
              <input type="number" step="1" min="0" max="4294967295" required value={priority} onInput={(e) => setPriority(e.currentTarget.value)} />
            </label>
          )}
          <button type="submit" class="main danger" disabled={counts === null || fitting === 0}>
            {titles[kind]} ({count(fitting)})
          </button>
        </form>
      )}
    </Dialog>
  );
}

export function Actions({ selection, where, activeSets }: { selection: Selection; where: string; activeSets: boolean }) {
  const [kind, setKind] = useState<Kind | null>(null);
  return (
    <span class="row">
      {(Object.keys(titles) as Kind[]).map((one) => (
        <button key={one} type="button" onClick={() => setKind(one)}>
          {titles[one].split(" ")[0] === "Change" ? "Reprioritize" : titles[one].split(" ")[0]}
        </button>
      ))}
      {kind && <Ask kind={kind} of={{ selection, where, activeSets }} close={() => setKind(null)} />}
    </span>
  );
}
