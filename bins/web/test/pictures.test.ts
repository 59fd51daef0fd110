// SPDX-License-Identifier: Apache-2.0
// Goal: time lines, waterfalls and the map of nodes place each thing where it belongs, whatever comes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { blockAt, byName, layout, neighbour, resourcesOf, use } from "../src/model/fleet";
import { phases, steps, stopText } from "../src/model/story";
import { waterfall } from "../src/model/waterfall";

test("a job's phases follow each other without a gap", () => {
  const runs = [
    { runId: "1", leasedNs: 10, pendingNs: 12, startedNs: 15, finishedNs: 20 },
    { runId: "2", leasedNs: 30, startedNs: 31 },
  ];
  const all = phases(1, runs, 50);
  assert.deepEqual(all.map((one) => one.name), ["queued", "leased", "pending", "running", "queued", "leased", "running"]);
  for (let at = 1; at < all.length; ++at) assert.equal(all[at]!.from, all[at - 1]!.to);
  assert.equal(all[all.length - 1]!.to, 50);
  assert.deepEqual(phases(1, [], 5), [{ name: "queued", from: 1, to: 5 }]);
});

test("events of all kinds are told, also those that are not known", () => {
  const told = steps([
    { failed: { created: { seconds: 2 }, reason: "<img src=x>", nodeName: "n" } },
    { somethingNew: { created: { seconds: 3 } } },
  ]);
  assert.deepEqual(told.map((one) => one.text), ["failed, node n, reason <img src=x>", "somethingNew"]);
  assert.equal(told[0]!.at, 2e9);
});

test("spans stand below what caused them, also if that is missing or in a circle", () => {
  const spans = [
    { spanId: 1, name: "a", startNs: 0, durationNs: 10 },
    { spanId: 2, parentId: 1, name: "b", startNs: 5, durationNs: 1 },
    { spanId: 3, parentId: 99, name: "c", startNs: 7 },
    { spanId: 4, parentId: 5, name: "d", startNs: 8 },
    { spanId: 5, parentId: 4, name: "e", startNs: 9 },
  ];
  const { bars } = waterfall(spans);
  assert.deepEqual(bars.map((one) => [one.span.name, one.depth]), [["a", 0], ["b", 1], ["c", 0]]);
  for (const bar of bars) assert(bar.left >= 0 && bar.left + bar.width <= 1 + 1e-9);
  assert.deepEqual(waterfall([]).bars, []);
  const later = [{ spanId: 1, name: "a", startNs: 0 }, { spanId: 2, linkSpanId: 1, name: "b", startNs: 5 }];
  assert.deepEqual(waterfall(later).bars.map((one) => one.depth), [0, 1], "a trace of its own stands below what it links to");
});

const nodes = Array.from({ length: 10_000 }, (_, at) => ({
  cluster: at < 5_000 ? "a" : "b",
  name: `n${at}`,
  total: [{ resource: "cpu", amount: 1_000 }, { resource: "memory", amount: 10 }],
  used: [{ resource: "cpu", amount: 250 }],
}));

test("ten thousand nodes have a place each, and a point finds its node", () => {
  const map = layout(nodes, 800);
  assert.equal(map.blocks.length, 10_000);
  assert.equal(map.labels.length, 2);
  for (const at of [0, 4_999, 5_000, 9_999]) {
    const block = map.blocks[at]!;
    assert(block.x + map.side <= 800 && block.y + map.side <= map.height);
    assert.equal(blockAt(map, block.x + 1, block.y + 1), at);
  }
  assert.equal(blockAt(map, -1, -1), -1);
});

test("arrow keys lead to the next block of each direction", () => {
  const map = layout(nodes.slice(0, 100), 310);
  assert.equal(neighbour(map, -1, "ArrowRight"), 0);
  assert.equal(neighbour(map, 0, "ArrowLeft"), 0);
  assert.equal(neighbour(map, 0, "ArrowDown"), 10);
  assert.equal(neighbour(map, 10, "ArrowUp"), 0);
  assert.equal(neighbour(map, 99, "ArrowDown"), 99);
});

test("use of a resource that a node lacks is nothing, and not zero", () => {
  assert.equal(use(nodes[0]!, "cpu"), 0.25);
  assert.equal(use(nodes[0]!, "gpu"), null);
  assert.deepEqual(resourcesOf(nodes.slice(0, 2)), ["cpu", "memory"]);
});

test("clusters stand in the order of their names", () => {
  assert.deepEqual(byName([{ name: "local" }, { name: "east" }]).map((one) => one.name), ["east", "local"]);
});

test("what held other jobs of the queue back is not told as the job's own obstacle", () => {
  assert.equal(stopText({ sentence: "its queue is over its limits", jobs: 24 }), "Of its queue, 24 jobs were not started: its queue is over its limits");
  assert.equal(stopText({ sentence: "x", jobs: 1 }), "Of its queue, 1 job was not started: x");
});
