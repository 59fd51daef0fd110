// SPDX-License-Identifier: Apache-2.0
// Goal: pages of a list fit together whatever is loaded again, and a selection means the jobs that it
// shows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { empty, inSight, items, next, withPage } from "../src/model/paged";
import * as selecting from "../src/model/selection";

const page = (from: string, to: string, ...of: number[]) => ({ from, to, items: of });

test("pages follow each other by their cursors", () => {
  let list = withPage(empty<number>(), page("", "c1", 9, 8));
  assert.equal(next(list), "c1");
  list = withPage(list, page("c1", "", 7));
  assert.deepEqual(items(list), [9, 8, 7]);
  assert.equal(next(list), null);
});

test("a page that ends elsewhere takes away what followed it", () => {
  let list = withPage(withPage(empty<number>(), page("", "c1", 9, 8)), page("c1", "", 7));
  assert.deepEqual(items(withPage(list, page("", "c1", 9, 88))), [9, 88, 7]);
  list = withPage(list, page("", "c2", 10, 9));
  assert.deepEqual(items(list), [10, 9]);
  assert.equal(next(list), "c2");
});

test("a cursor whose mark alone has moved names the same place", () => {
  const list = withPage(withPage(empty<number>(), page("", "5-0a/c1", 9, 8)), page("5-0a/c1", "", 7));
  assert.deepEqual(items(withPage(list, page("", "6-0a/c1", 9, 88))), [9, 88, 7]);
  assert.deepEqual(items(withPage(list, page("", "6-0a/c2", 9, 88))), [9, 88]);
});

test("a page that comes too late is dropped", () => {
  const list = withPage(empty<number>(), page("", "c1", 9));
  assert.deepEqual(items(withPage(list, page("other", "", 1))), [9]);
});

test("only pages in sight are named", () => {
  const list = withPage(withPage(empty<number>(), page("", "c1", 1, 2)), page("c1", "", 3, 4));
  assert.deepEqual(inSight(list, 0, 2), [""]);
  assert.deepEqual(inSight(list, 1, 3), ["", "c1"]);
});

const queue = [{ field: "queue", value: "a" }];
const set = [...queue, { field: "jobSet", value: "s" }];

test("a group that is selected has its jobs, without those that are taken out", () => {
  let now = selecting.toggledGroup(selecting.nothing, queue, 10);
  assert(selecting.hasJob(now, "j1", set));
  assert(!selecting.hasJob(now, "j1", [{ field: "queue", value: "b" }]));
  now = selecting.toggledJob(now, "j1", set);
  assert(!selecting.hasJob(now, "j1", set));
  assert.equal(selecting.size(now), 9);
  now = selecting.toggledGroup(now, queue, 10);
  assert(selecting.isEmpty(now));
});

test("a larger group takes the place of those within it", () => {
  let now = selecting.toggledGroup(selecting.nothing, set, 4);
  now = selecting.toggledGroup(now, queue, 10);
  assert.equal(now.groups.length, 1);
  assert.equal(selecting.size(now), 10);
  assert(selecting.hasGroup(now, set));
});

test("a group of what has no value asks for what lacks one", () => {
  assert.deepEqual(selecting.conditionsOf([{ field: "annotation", key: "team", value: "" }]), [
    { field: "annotation", key: "team", match: "exists", negated: true },
  ]);
  assert.deepEqual(selecting.conditionsOf(queue), [{ field: "queue", match: "exact", values: ["a"] }]);
});
