// SPDX-License-Identifier: Apache-2.0
// This file makes lines and areas over time of what rounds did in the last hours. The server remembers it in spans,
// which are coarser the older they are.
import type { PoolRounds, RoundSpan } from "../api/round_types";

export interface Curve {
  name: string;
  values: number[];
  /// The last value, where the plot shows less than that.
  now?: number;
}

export interface Curves {
  /// In nanoseconds since 1970, growing.
  times: number[];
  curves: Curve[];
}

const seconds = (span: RoundSpan): number => Math.max(10, ((span.toNs ?? 0) - (span.fromNs ?? 0)) / 1e9);
const timesOf = (spans: RoundSpan[]): number[] => spans.map((span) => span.toNs ?? 0);

/// How long rounds took, in milliseconds.
export function durations(spans: RoundSpan[]): Curves {
  const mean = (span: RoundSpan): number => (span.durationNs ?? 0) / Math.max(1, span.rounds ?? 0) / 1e6;
  return {
    times: timesOf(spans),
    curves: [
      { name: "longest", values: spans.map((span) => (span.longestNs ?? 0) / 1e6) },
      { name: "mean", values: spans.map(mean) },
    ],
  };
}

/// How many jobs a minute. Those that had their turn are told apart: they are often far more.
export function jobs(spans: RoundSpan[], what: ("tried" | "started" | "preempted")[]): Curves {
  return {
    times: timesOf(spans),
    curves: what.map((name) => ({ name, values: spans.map((span) => ((span[name] ?? 0) * 60) / seconds(span)) })),
  };
}

/// What is told of a demand in a plot: it may be thousands of times the pool.
const demandMax = 1.2;

/// The shares of one queue. Where it took part in no round it had none.
export function sharesOf(pool: PoolRounds, queue: string): Curves {
  const place = (pool.queues ?? []).indexOf(queue);
  const spans = pool.spans ?? [];
  const moments = spans.map((span) => (span.shares ?? []).find((share) => (share.queue ?? 0) === place));
  return {
    times: timesOf(spans),
    curves: [
      { name: "has", values: moments.map((share) => share?.actualShare ?? 0) },
      { name: "fair", values: moments.map((share) => share?.fairShare ?? 0) },
      { name: "wants", values: moments.map((share) => Math.min(demandMax, share?.demandShare ?? 0)), now: moments[moments.length - 1]?.demandShare ?? 0 },
    ],
  };
}

/// What each queue had, one above the other: each curve has the sum of those before it as well.
export function stacked(pool: PoolRounds): Curves {
  const spans = pool.spans ?? [];
  const sums = spans.map(() => 0);
  const curves = (pool.queues ?? []).map((name, place) => ({
    name,
    values: spans.map((span, at) => (sums[at]! += (span.shares ?? []).find((share) => (share.queue ?? 0) === place)?.actualShare ?? 0)),
  }));
  return { times: timesOf(spans), curves };
}

/// The last values hold until now: a round takes place when something has changed.
export function untilNow({ times, curves }: Curves, now: number): Curves {
  const last = times[times.length - 1];
  if (last === undefined || last >= now) return { times, curves };
  return { times: [...times, now], curves: curves.map((one) => ({ ...one, values: [...one.values, one.values[one.values.length - 1]!] })) };
}

/// A plot has no more points than can be seen.
export function thinned({ times, curves }: Curves, most = 600): Curves {
  const step = Math.ceil(times.length / most);
  if (step <= 1) return { times, curves };
  const stays = (_: unknown, at: number): boolean => at % step === 0 || at === times.length - 1;
  return { times: times.filter(stays), curves: curves.map((one) => ({ ...one, values: one.values.filter(stays) })) };
}
