// SPDX-License-Identifier: Apache-2.0
// Learns when the server's log has moved: from a stream of server-sent events, which is resumed where
// it ended, or by asking every few seconds where there can be no stream.
import { EventReader } from "../model/events";
import type { Concern } from "../model/freshness";
import { pauseAfter } from "../model/pace";
import { answerTo, ApiError, freshness, get, keepLogin, loginWanted, within } from "./client";
import { change, paused, server } from "./live";
import type { Version } from "./types";

/// Tells where the log is, and where jobs have changed since the position that was told before:
/// anywhere, if it has no names.
interface Position extends Concern {
  position?: number;
  startedNs?: number;
}

/// How often the page asks while it has no stream, and how long it does so before it tries again.
const period = 2_000;
const withoutStream = 60_000;
/// A stream begins within this time, unless something on the way holds it back.
const beginsWithin = 8_000;
/// The server says something every 15 s.
const silentFor = 40_000;
const forGood = 2 ** 31 - 1;

let seen: Position | null = null;
/// The id of the last event, with which a stream is resumed.
let last = "";

async function told(now: Position): Promise<void> {
  // Another process, which may be of another version.
  const another = now.startedNs !== seen?.startedNs;
  const moved = another || now.position !== seen?.position;
  seen = now;
  freshness.told(now.position ?? 0, another, now);
  if (another) server.set(await get<Version>("v1/version"));
  if (moved) change.set(change.value + 1);
}

/// There is no stream here, but there may be a server.
class NoStream extends Error {}

const refusals = [404, 405, 406, 429];

/// Reads a stream to its end.
async function readStream(outer: AbortSignal): Promise<void> {
  const { controller: end, letGo } = within(outer);
  let begun = false;
  // The time of a login does not count.
  const late = (): void => {
    if (loginWanted.value === null) end.abort();
    else timer = setTimeout(late, beginsWithin);
  };
  let timer = setTimeout(late, beginsWithin);
  const renewals = setInterval(keepLogin, period);
  try {
    const headers: Record<string, string> = { Accept: "text/event-stream" };
    if (last !== "") headers["Last-Event-ID"] = last;
    const answer = await answerTo("v1/changes", { headers, signal: end.signal });
    if (!answer.body) throw new NoStream();
    const body = answer.body.getReader();
    const text = new TextDecoder();
    const events = new EventReader();
    for (;;) {
      const piece = await body.read();
      if (piece.done) return;
      begun = true;
      clearTimeout(timer);
      timer = setTimeout(() => end.abort(), silentFor);
      for (const event of events.feed(text.decode(piece.value, { stream: true }))) {
        if (event.name !== "position") continue;
        await told(JSON.parse(event.data) as Position);
        last = event.id;
      }
    }
  } catch (reason) {
    if (outer.aborted) throw reason;
    if (!begun && end.signal.aborted) throw new NoStream();
    if (reason instanceof ApiError && refusals.includes(reason.status)) throw new NoStream();
    throw reason;
  } finally {
    clearTimeout(timer);
    clearInterval(renewals);
    end.abort();
    letGo();
  }
}

/// Follows the server for ever. While nobody sees the page it holds no stream and asks nothing.
export function follow(): void {
  let stop = new AbortController();
  let wake = (): void => undefined;
  const rest = (time: number): Promise<void> =>
    new Promise((done) => {
      const timer = setTimeout(done, time);
      wake = () => {
        clearTimeout(timer);
        done();
      };
    });
  const isWatched = (): boolean => !document.hidden && !paused.value;
  const look = (): void => {
    stop.abort();
    wake();
  };
  document.addEventListener("visibilitychange", look);
  paused.listen(look);

  const forever = async (): Promise<never> => {
    let failures = 0;
    let asksUntil = 0;
    for (;;) {
      if (!isWatched()) {
        await rest(forGood);
        continue;
      }
      stop = new AbortController();
      const begun = performance.now();
      try {
        if (begun < asksUntil) {
          await told(await get<Position>("v1/position", {}, stop.signal));
          failures = 0;
          await rest(period);
          continue;
        }
        await readStream(stop.signal);
      } catch (reason) {
        if (stop.signal.aborted) continue;
        if (reason instanceof NoStream) {
          asksUntil = performance.now() + withoutStream;
          continue;
        }
      }
      // One that lasted was good, and the next one is begun at once.
      failures = performance.now() - begun > period ? 0 : failures + 1;
      if (failures > 0) await rest(pauseAfter(failures));
    }
  };
  void forever();
}
