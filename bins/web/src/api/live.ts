// SPDX-License-Identifier: Apache-2.0
// Keeps what is shown up to date: it is loaded again when the server's log has moved beyond it.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { freshness, link, loggedOut, loginWanted, share, within } from "./client";
import type { Concern } from "../model/freshness";
import { Repeated } from "../model/repeated";
import { Signal } from "./signal";
import type { Version } from "./types";

/// Which server answers, as it said of itself when it began to.
export const server = new Signal<Version | null>(null);
/// Grows with each change of what the server knows.
export const change = new Signal(0);
/// Grows when everything has to be loaded again.
export const anew = new Signal(0);
/// Grows when what could not be loaded may be tried again.
export const retry = new Signal(0);
export const paused = new Signal(false);

link.listen((state) => {
  if (state === "up") retry.set(retry.value + 1);
});
loginWanted.listen((why) => {
  if (why === null && !loggedOut.value) anew.set(anew.value + 1);
});

/// Has something loaded again as the server's log moves on, until `outer` ends. `last` is the signal
/// of what was loaded before. With a concern, other changes have nothing loaded.
export function repeatedly(outer: AbortSignal, load: (signal: AbortSignal) => Promise<void>, last = outer, concern?: Concern): Repeated {
  const repeated = new Repeated(
    (shared) => {
      const { controller, letGo } = within(outer);
      last = controller.signal;
      if (shared) share(last);
      return load(last).finally(letGo);
    },
    () => freshness.isBehind(last, concern),
  );
  const ends = [
    change.listen(() => repeated.look()),
    anew.listen(() => repeated.look(true)),
    retry.listen(() => repeated.retry()),
    () => repeated.end(),
  ];
  outer.addEventListener("abort", () => ends.forEach((end) => end()), { once: true });
  return repeated;
}

export interface Loaded<T> {
  value: T | null;
  error: string | null;
  loading: boolean;
  reload: () => void;
}

/// Loads something, and again when the server has changed. What was loaded stays in sight meanwhile,
/// as long as the key is the same. A slow answer makes the next question come later.
export function useLoaded<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  live = true,
): Loaded<T> {
  const [state, setState] = useState<{ key: string; value: T | null; error: string | null }>({
    key,
    value: null,
    error: null,
  });
  const [loading, setLoading] = useState(true);
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;

  useEffect(() => {
    const aborted = new AbortController();
    const once = async (signal: AbortSignal): Promise<void> => {
      setLoading(true);
      try {
        const value = await latest.current(signal);
        if (!signal.aborted) setState({ key, value, error: null });
      } catch (reason) {
        if (!signal.aborted)
          setState((old) => ({
            key,
            value: old.key === key ? old.value : null,
            error: reason instanceof Error ? reason.message : String(reason),
          }));
        throw reason;
      } finally {
        if (!signal.aborted) setLoading(false);
      }
    };
    if (live) void repeatedly(aborted.signal, once).run(false);
    else once(aborted.signal).catch(() => undefined);
    return () => aborted.abort();
  }, [key, turn, live]);

  const reload = useCallback(() => setTurn((n) => n + 1), []);
  const same = state.key === key;
  return {
    value: same ? state.value : null,
    error: same ? state.error : null,
    loading: loading || !same,
    reload,
  };
}
