// SPDX-License-Identifier: Apache-2.0
// Goal: output of a pod is read on by its position, which neither repeats nor leaves out a line, and
// output of a process by its offset.
import { test } from "node:test";
import assert from "node:assert/strict";
import { gapBefore, LogReader } from "../src/model/logreader";

test("a position goes back with the next question", () => {
  const reader = new LogReader();
  assert.deepEqual(reader.query(10, 5), { offset: 0, mark: "", position: "", size_max: 10, tail_lines: 5 });
  assert(reader.take({ data: "", nextOffset: 7, mark: "m", position: "a:1" }));
  assert.deepEqual(reader.query(10), { offset: 7, mark: "m", position: "a:1", size_max: 10, tail_lines: 0 });
});

test("without a position the offset counts", () => {
  const reader = new LogReader(3);
  assert(!reader.take({ nextOffset: 9, mark: "m" }));
  assert.deepEqual(reader.query(1), { offset: 9, mark: "m", position: "", size_max: 1, tail_lines: 0 });
});

test("what is missing is a line", () => {
  assert.equal(gapBefore({}), "");
  assert.equal(gapBefore({ lost: "some is gone" }), "\n[some is gone]\n");
});
