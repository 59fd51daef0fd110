// SPDX-License-Identifier: Apache-2.0
// Goal: what rounds did stands at its time, shares of queues stand one above the other, and no plot
// is so long that it slows the page. Method: spans, case by case.
import assert from "node:assert/strict";
import { test } from "node:test";
import { durations, jobs, sharesOf, stacked, thinned, untilNow } from "../src/model/rounds";
import { area, path } from "../src/parts/plot";

const pool = {
  pool: "a",
  queues: ["q", "p"],
  spans: [
    { fromNs: 0, toNs: 30e9, rounds: 2, durationNs: 4e6, longestNs: 3e6, tried: 30, started: 6, shares: [{ actualShare: 0.5, fairShare: 0.5, demandShare: 4_500 }, { queue: 1, actualShare: 0.25 }] },
    { fromNs: 40e9, toNs: 40e9, rounds: 1, durationNs: 1e6, longestNs: 1e6, preempted: 2, shares: [{ queue: 1, actualShare: 0.75 }] },
  ],
};

test("times and numbers are told by span", () => {
  assert.deepEqual(durations(pool.spans), { times: [30e9, 40e9], curves: [{ name: "longest", values: [3, 1] }, { name: "mean", values: [2, 1] }] });
  assert.deepEqual(jobs(pool.spans, ["tried", "preempted"]).curves.map((one) => one.values), [[60, 0], [0, 12]]);
});

test("shares of queues add up, and a demand of thousands leaves room for the rest", () => {
  assert.deepEqual(stacked(pool).curves, [{ name: "q", values: [0.5, 0] }, { name: "p", values: [0.75, 0.75] }]);
  assert.deepEqual(sharesOf(pool, "q").curves.map((one) => one.values), [[0.5, 0], [0.5, 0], [1.2, 0]]);
  assert.equal(sharesOf({ ...pool, spans: pool.spans.slice(0, 1) }, "q").curves[2]!.now, 4_500, "the words tell all of it");
  assert.deepEqual(sharesOf(pool, "absent").curves[0]!.values, [0, 0]);
});

test("the last values hold until now", () => {
  const told = untilNow(stacked(pool), 50e9);
  assert.deepEqual(told.times, [30e9, 40e9, 50e9]);
  assert.deepEqual(told.curves[1]!.values, [0.75, 0.75, 0.75]);
  assert.deepEqual(untilNow({ times: [], curves: [] }, 5), { times: [], curves: [] });
});

test("a plot has few points, the last one among them", () => {
  const times = Array.from({ length: 10_000 }, (_, at) => at);
  const few = thinned({ times, curves: [{ name: "x", values: times }] }, 100);
  assert(few.times.length <= 102);
  assert.equal(few.times[few.times.length - 1], 9_999);
  assert.deepEqual(few.curves[0]!.values, few.times);
});

test("points stand at their times", () => {
  assert.equal(path([0, 1, 1], [0, 30, 40], 1), "M0.0 120.0L450.0 0.0L600.0 0.0");
  assert.equal(area([1, 1], [0.5, 0.5], [0, 10], 1), "M0.0 0.0L600.0 0.0L600.0 60.0L0.0 60.0Z");
  assert.equal(path([5], [7], 10), "M0.0 60.0");
});
