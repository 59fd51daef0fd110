// SPDX-License-Identifier: Apache-2.0
// Goal: amounts, times, shares and states are told as people read them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pauseAfter } from "../src/model/pace";
import { amounts, bytes, cores, ofPool, percent, quantity } from "../src/model/quantity";
import { sentence } from "../src/model/shares";
import { countsInOrder, stateName } from "../src/model/states";
import { ago, duration, exact, fromTimestamp } from "../src/model/time";

test("amounts have their units", () => {
  assert.equal(cores(1500), "1.5");
  assert.equal(bytes(64 * 1024 ** 2), "64Mi");
  assert.equal(bytes(0), "0");
  assert.equal(quantity("nvidia.com/gpu", 4), "4");
  assert.equal(amounts([{ resource: "cpu", amount: 100 }, { resource: "memory" }]), "cpu 0.1, memory 0");
  assert.equal(percent(undefined), "0 %");
});

test("durations have two units at most", () => {
  assert.equal(duration(0), "0µs");
  assert.equal(duration(1.2e9), "1.2s");
  assert.equal(duration(61e9), "1m 1s");
  assert.equal(duration(7_200e9), "2h");
  assert.equal(duration((3 * 86_400 + 7_200) * 1e9), "3d 2h");
  assert.equal(duration(40 * 86_400e9), "40d");
  assert.equal(duration(-5), "0µs");
  assert.equal(duration(NaN), "–");
});

test("what has not happened has no time", () => {
  assert.equal(ago(undefined, 5e9), "–");
  assert.equal(exact(0), "");
  assert.equal(fromTimestamp(undefined), 0);
});

test("a time is told in the reader's zone", () => {
  assert.match(exact(1_700_000_000_123 * 1e6, "UTC"), /^2023-11-14 22:13:20\.123 UTC$/);
});

test("a state that is left out is queued, and one that is not known is told so", () => {
  assert.equal(stateName(undefined), "QUEUED");
  assert.equal(stateName(4), "FAILED");
  assert.equal(stateName(99), "UNKNOWN");
  assert.deepEqual(countsInOrder({ FAILED: 2, QUEUED: 1, RUNNING: 0 }), [["QUEUED", 1], ["FAILED", 2]]);
});

test("a queue's share is told in one sentence", () => {
  const queue = { queue: { name: "a" }, sharePool: "p" };
  assert.match(sentence({ ...queue, actualShare: 0.1, fairShare: 0.5, demandShare: 0.9 }), /less than its fair share of 50 %/);
  assert.match(sentence({ ...queue, actualShare: 0.8, fairShare: 0.5, demandShare: 0.9 }), /more than its fair share/);
  assert.match(sentence({ ...queue, actualShare: 0.2, fairShare: 0.5, demandShare: 0.2 }), /wants no more/);
  assert.match(sentence({ queue: { name: "a" } }), /no round lately/);
});

test("what is far more than the pool is told as a multiple of it", () => {
  assert.equal(ofPool(0.314), "31.4 %");
  assert.equal(ofPool(4_500.2), "4,500 × the pool");
  const queue = { queue: { name: "a" }, sharePool: "p", actualShare: 0, fairShare: 1, demandShare: 4_500.2 };
  assert.match(sentence(queue), /wants 4,500 × the pool: its jobs go first/);
});

test("a server that is away is asked less and less often", () => {
  assert.equal(pauseAfter(1), 1_000);
  assert.equal(pauseAfter(3), 4_000);
  assert.equal(pauseAfter(50), 15_000);
});
