// SPDX-License-Identifier: Apache-2.0
// Goal: the text of conditions is changed clause by clause, and nothing that a value contains becomes
// a condition of its own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { adding, clause, clauses, has, removing, shellWord, statesOf, toggledState } from "../src/model/where";

test("blanks within quotation marks divide nothing", () => {
  assert.deepEqual(clauses('  a:b reason:"out of memory"  c>1 '), ["a:b", 'reason:"out of memory"', "c>1"]);
});

test("a value that could mean something else stands in quotation marks", () => {
  assert.equal(clause("queue", "research"), "queue:research");
  assert.equal(clause("queue", "a b"), 'queue:"a b"');
  assert.equal(clause("queue", "a,b*"), 'queue:"a,b*"');
  assert.equal(clause("queue", 'a" state:failed "'), null);
  assert.equal(clause("owner", "ann", true), "-owner:ann");
});

test("a clause is added once and taken away", () => {
  const once = adding("age<2h", "queue:a");
  assert.equal(once, "age<2h queue:a");
  assert.equal(adding(once, "queue:a"), once);
  assert(has(once, "queue:a"));
  assert.equal(removing(once, "age<2h"), "queue:a");
});

test("states are toggled within one clause", () => {
  assert.deepEqual(statesOf("queue:a state:failed,running"), ["failed", "running"]);
  assert.equal(toggledState("queue:a", "failed"), "queue:a state:failed");
  assert.equal(toggledState("state:failed queue:a", "queued"), "queue:a state:failed,queued");
  assert.equal(toggledState("state:failed queue:a", "failed"), "queue:a");
});

test("a command that is copied has the conditions as one word", () => {
  assert.equal(shellWord("state:failed"), "state:failed");
  assert.equal(shellWord("it's $(rm)"), "'it'\\''s $(rm)'");
});
