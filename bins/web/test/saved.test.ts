// SPDX-License-Identifier: Apache-2.0
// Goal: saved views lead to places of this page alone, and a change of the list is refused when the
// settings have changed meanwhile. Method: lists, case by case.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parse, print } from "../src/model/route";
import { request, usable, without, withView } from "../src/model/views";

test("what leads out of the page, or has no name, is passed over", () => {
  const list = [{ name: "b", address: "#/jobs" }, { name: "a", address: "#/sets" }, { name: "x", address: "https://evil.example.com" }, { name: "y", address: "javascript:alert(1)" }, { address: "#/jobs" }, { name: "z" }];
  assert.deepEqual(usable(list), [{ name: "a", address: "#/sets" }, { name: "b", address: "#/jobs" }]);
  assert.deepEqual(usable(undefined), []);
});

test("a view takes the place of one of the same name, and can be removed", () => {
  const list = withView(withView([], { name: "a", address: "#/jobs" }), { name: "a", address: "#/sets" });
  assert.deepEqual(list, [{ name: "a", address: "#/sets" }]);
  assert.deepEqual(without(list, "a"), []);
});

test("the list is sent as a whole, with the change that was read", () => {
  const asked = request([{ name: 'say "hi"', address: "#/jobs?where=a%3Ab" }], 7, "9-1f");
  assert.equal(asked.expectedChange, 7);
  assert.equal(asked.mark, "9-1f");
  assert.deepEqual(JSON.parse(asked.set[0]!.value), [{ name: 'say "hi"', address: "#/jobs?where=a%3Ab" }]);
});

test("a view has an address by its name, whatever that is", () => {
  const name = "50 % <b>/?#ä";
  assert.deepEqual(parse(print({ view: "view", names: [name], words: {} })).names, [name]);
});
