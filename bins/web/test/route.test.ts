// SPDX-License-Identifier: Apache-2.0
// Goal: an address shows the same to whoever opens it, and one of another version shows something
// useful.
import assert from "node:assert/strict";
import { test } from "node:test";
import { link, list, parse, print } from "../src/model/route";

test("an address is read as it was written", () => {
  const route = { view: "node" as const, names: ["a/b?c#d", "ü"], words: { by: "nvidia.com/gpu", x: "a&b=c" } };
  assert.deepEqual(parse(print(route)), route);
});

test("an empty address shows the jobs", () => {
  assert.deepEqual(parse(""), { view: "jobs", names: [], words: {} });
});

test("an address of another version shows the nearest view", () => {
  assert.equal(parse("#/future/7?where=state:failed").view, "jobs");
  assert.equal(parse("#/future/7?where=state:failed").words.where, "state:failed");
  assert.equal(parse("#/job").view, "jobs");
  assert.equal(parse("#/node/only-a-cluster").view, "fleet");
  assert.equal(parse("#/queue/").view, "queues");
  assert.equal(parse("#/toString/x").view, "jobs");
  assert.equal(parse("#/job/%E0%A4%A").view, "job");
  assert(parse("#/future/7").strange && parse("#/job").strange);
  assert(!parse("#/?where=x").strange && !parse("#/jobs").strange);
});

test("a search of 10,000 letters is kept", () => {
  const where = "x".repeat(10_000);
  assert.equal(parse(link("jobs", [], { where })).words.where, where);
});

test("lists have no empty members", () => {
  assert.deepEqual(list("a,,b,"), ["a", "b"]);
  assert.deepEqual(list(undefined), []);
});
