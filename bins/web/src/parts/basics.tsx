// SPDX-License-Identifier: Apache-2.0
// The small parts that all views have: states, counts, bars, times, errors and empty places.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Amount } from "../api/types";
import { amountOf, count, percent, quantity } from "../model/quantity";
import { countsInOrder, label, sign, type StateName } from "../model/states";
import { ago, exact, nowNs } from "../model/time";

export function StateChip({ state, more }: { state: StateName; more?: string }) {
  return (
    <span class={`chip state-${state.toLowerCase()}`}>
      <span aria-hidden="true">{sign[state]} </span>
      {label(state)}
      {more ? ` · ${more}` : ""}
    </span>
  );
}

export function CountChips({ counts }: { counts: Record<string, number> | undefined }) {
  return (
    <>
      {countsInOrder(counts).map(([state, n]) => (
        <span key={state} class={`chip state-${state.toLowerCase()}`} title={`${count(n)} ${label(state)}`}>
          <span aria-hidden="true">{sign[state]} </span>
          <span class="hidden">{label(state)} </span>
          {count(n)}
        </span>
      ))}
    </>
  );
}

/// A bar of parts of a whole, with a text for those who do not see it.
export function Progress({ counts }: { counts: Record<string, number> | undefined }) {
  const parts = countsInOrder(counts);
  const total = parts.reduce((sum, [, n]) => sum + n, 0);
  const text = parts.map(([state, n]) => `${count(n)} ${label(state)}`).join(", ");
  return (
    <span class="bar" role="img" aria-label={text || "no jobs"} title={text}>
      {parts.map(([state, n]) => (
        <span key={state} class={`state-${state.toLowerCase()}`} style={{ width: `${(100 * n) / total}%` }} />
      ))}
    </span>
  );
}

/// What is used of something, 0 to 1.
export function UseBar({ part, text }: { part: number; text?: string }) {
  const said = text ?? percent(part);
  const width = `${100 * Math.min(1, Math.max(0, part))}%`;
  return (
    <span class="use">
      <span class="bar" aria-hidden="true">
        <span class="used" style={{ width }} />
      </span>
      <span class="use-text">{said}</span>
    </span>
  );
}

/// A bar for each resource of a total, with what is used of it.
export function UseBars({ total, used }: { total: Amount[] | undefined; used: Amount[] | undefined }) {
  return (
    <>
      {(total ?? []).map((one) => {
        const taken = amountOf(used, one.resource);
        const all = one.amount ?? 0;
        return (
          <div key={one.resource} class="pair">
            <span>{one.resource}</span>
            <UseBar part={all > 0 ? taken / all : 0} text={`${quantity(one.resource, taken)} of ${quantity(one.resource, all)}`} />
          </div>
        );
      })}
    </>
  );
}

/// The time, again each second.
export function useNow(): number {
  const [now, setNow] = useState(nowNs());
  useEffect(() => {
    const timer = setInterval(() => setNow(nowNs()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

export function Ago({ at, now }: { at: number | undefined; now: number }) {
  return <span title={exact(at)}>{ago(at, now)}</span>;
}

export function ErrorBox({ text, retry }: { text: string | null; retry?: () => void }) {
  if (text === null) return null;
  return (
    <div class="error" role="alert">
      <span>{text}</span>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/// The state of a cluster or node. One that somebody has chosen is no failure.
export function HealthChip({ state = "" }: { state?: string }) {
  const look = ["connected", "ready"].includes(state) ? "good" : ["cordoned", "gone"].includes(state) ? "other" : "bad";
  return <span class={`chip health-${look}`}>{{ good: "✓ ", other: "", bad: "! " }[look]}{state}</span>;
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}

export function Copy({ text, label: name }: { text: string; label: string }) {
  const [done, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      setTimeout(() => setDone(false), 1_500);
    } catch {
      // Without TLS a browser may refuse; the text can be marked and copied by hand.
      window.prompt("Copy this:", text);
    }
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()} title={text}>
      {done ? "copied" : name}
    </button>
  );
}

/// Saves a text as a file.
export function save(name: string, parts: BlobPart[], type = "text/plain"): void {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
