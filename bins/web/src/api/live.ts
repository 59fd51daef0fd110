// SPDX-License-Identifier: Apache-2.0
// Keeps what is shown up to date. The page asks for the position of the server's log, which the
// server knows without asking anybody, and loads what it shows again when that has moved.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { get, link, loggedOut, loginWanted } from "./client";
import { pauseAfter } from "../model/pace";
import { Signal } from "./signal";
import type { Position, Version } from "./types";

const period = 2_000;

/// Which server answers, as it said of itself when it began to.
export const server = new Signal<Version | null>(null);
/// Grows with each change of what the server knows.
export const change = new Signal(0);
export const paused = new Signal(false);

/// Asks for ever. Nothing is asked while nobody sees the page.
export function follow(): void {
  let failures = 0;
  let timer = 0;
  let before: Position | null = null;
  const look = async (): Promise<void> => {
    clearTimeout(timer);
    if (!document.hidden && !paused.value) {
      try {
        const now = await get<Position>("v1/position");
        failures = 0;
        // Another process, which may be of another version.
        if (now.startedNs !== before?.startedNs) server.set(await get<Version>("v1/version"));
        const moved = now.position !== before?.position || now.startedNs !== before?.startedNs;
        before = now;
        if (moved) change.set(change.value + 1);
      } catch {
        ++failures;
      }
    }
    timer = window.setTimeout(() => void look(), failures > 0 ? pauseAfter(failures) : period);
  };
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) void look();
  });
  paused.listen(() => void look());
  link.listen((state) => {
    if (state === "up") change.set(change.value + 1);
  });
  loginWanted.listen((why) => {
    if (why === null && !loggedOut.value) change.set(change.value + 1);
  });
  void look();
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
  const pace = useRef({ busy: false, again: false, rest: 0 });

  useEffect(() => {
    const aborted = new AbortController();
    const mine = { busy: false, again: false, rest: 0 };
    pace.current = mine;
    let timer = 0;
    const run = async (): Promise<void> => {
      mine.busy = true;
      setLoading(true);
      const begun = performance.now();
      try {
        const value = await latest.current(aborted.signal);
        if (!aborted.signal.aborted) setState({ key, value, error: null });
      } catch (reason) {
        if (!aborted.signal.aborted)
          setState((old) => ({
            key,
            value: old.key === key ? old.value : null,
            error: reason instanceof Error ? reason.message : String(reason),
          }));
      }
      if (aborted.signal.aborted) return;
      setLoading(false);
      timer = window.setTimeout(
        () => {
          mine.busy = false;
          if (mine.again) {
            mine.again = false;
            void run();
          }
        },
        Math.min(15_000, 4 * (performance.now() - begun)),
      );
    };
    void run();
    const deaf = live
      ? change.listen(() => {
          if (mine.busy) mine.again = true;
          else void run();
        })
      : () => undefined;
    return () => {
      aborted.abort();
      clearTimeout(timer);
      deaf();
    };
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
