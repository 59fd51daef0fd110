// SPDX-License-Identifier: Apache-2.0
// Goal: a stream of server-sent events means the same however it is cut, and what is in sight is
// loaded again only when it is behind what the server has told.
import assert from "node:assert/strict";
import { test } from "node:test";
import { EventReader } from "../src/model/events";
import { concernOf, Freshness, printOf, unconcernedFor } from "../src/model/freshness";
import { Repeated } from "../src/model/repeated";

const text = 'retry: 2000\n: a word\n\nid: 7\nevent: position\ndata: {"position":7}\n\nid: 8\r\ndata: a\r\ndata:b\r\n\r\nevent: none\n\ndata\n\n:\n\nid:9\rdata: c\r\rrest: x';

test("events are the same in one piece and in pieces of any length", () => {
  const whole = new EventReader().feed(text);
  assert.deepEqual(whole, [
    { name: "position", data: '{"position":7}', id: "7" },
    { name: "message", data: "a\nb", id: "8" },
    { name: "message", data: "", id: "8" },
    { name: "message", data: "c", id: "9" },
  ]);
  for (let size = 1; size < text.length; ++size) {
    const reader = new EventReader();
    const out = [];
    for (let at = 0; at < text.length; at += size) out.push(...reader.feed(text.slice(at, at + size)));
    assert.deepEqual(out, whole, `in pieces of ${size}`);
  }
});

test("what was never ended is no event", () => {
  const reader = new EventReader("3");
  assert.deepEqual(reader.feed("data: a\n"), []);
  assert.deepEqual(reader.feed("\n"), [{ name: "message", data: "a", id: "3" }]);
});

test("what is shown is as new as the oldest of its answers", () => {
  const known = new Freshness();
  const [one, other] = [{}, {}];
  assert.equal(known.of(one), -1);
  known.answered(one, 7);
  known.answered(one, 9);
  known.answered(other, null);
  known.answered(undefined, 12);
  assert.equal(known.of(one), 7);
  assert.equal(known.of(other), -1, "an answer that tells nothing may be of any time");
  assert.equal(known.wanted, 12, "nothing older is shown than was shown before");
  known.told(10, false);
  assert.equal(known.wanted, 12);
  known.told(3, true);
  assert.equal(known.wanted, 3, "another process may have another log");
});

test("conditions that name queues or job sets concern these alone", () => {
  assert.equal(printOf("a"), 0xe40c292c);
  assert.equal(printOf("ä"), 0x199de0e2, "the bytes of UTF-8 count");
  assert.deepEqual(concernOf("queue:a,b state:failed"), { queues: [printOf("a"), printOf("b")] });
  assert.deepEqual(concernOf("jobset:a queue:b"), { queues: [printOf("b")], jobSets: [printOf("a")] });
  for (const any of ["", "state:failed", "-queue:a", "queue:a*", 'queue:"a b"', "queue:a age<2h", "queue:a changed>1m", "owner:a"]) assert.equal(concernOf(any), undefined, any);
});

test("a list that no change concerns is behind only after a while", () => {
  let now = 0;
  const known = new Freshness(() => now);
  const list = {};
  const ofA = concernOf("queue:a");
  const told = (position: number, queues?: string[], jobSets?: string[]): void => known.told(position, false, { queues: queues?.map(printOf), jobSets: jobSets?.map(printOf) });
  known.answered(list, 7);
  told(8, ["b", "c"], ["s"]);
  assert(!known.isBehind(list, ofA));
  assert(known.isBehind(list), "any change concerns a list without such conditions");
  assert(!known.isBehind(list, concernOf("queue:b jobset:t")), "the queue has changed, but not this set of it");
  assert(known.isBehind(list, concernOf("queue:b jobset:s")));
  told(9, ["a"]);
  assert(known.isBehind(list, ofA));
  known.answered(list, 7);
  const next = {};
  known.answered(next, 9);
  told(10, ["b"]);
  assert(!known.isBehind(next, ofA), "it has the change that was told before");
  now = unconcernedFor + 1;
  assert(known.isBehind(next, ofA), "why its jobs wait may have changed");
});

test("what the server does not name, or the reader has changed, concerns every list", () => {
  const known = new Freshness(() => 0);
  const list = {};
  known.answered(list, 7);
  known.told(8, false);
  assert(known.isBehind(list, concernOf("queue:a")));
  const later = {};
  known.answered(later, 8);
  known.changed(9);
  assert(known.isBehind(later, concernOf("queue:a")));
  known.told(3, true, { queues: [] });
  const other = {};
  known.answered(other, 3);
  known.told(4, false, { queues: [printOf("b")] });
  assert(!known.isBehind(other, concernOf("queue:a")), "positions of another process do not count");
});

/// Loads that end, and rest, until the test says so.
function loads() {
  const waiting: ((good: boolean) => void)[] = [];
  const asked: boolean[] = [];
  let rested = (): void => undefined;
  const load = (shared: boolean): Promise<void> => {
    asked.push(shared);
    return new Promise((done, fail) => waiting.push((good) => (good ? done() : fail(new Error("no")))));
  };
  const later = (then: () => void): (() => void) => {
    rested = then;
    return () => undefined;
  };
  const end = async (good = true): Promise<void> => {
    waiting.shift()!(good);
    for (let turn = 0; turn < 5; ++turn) await Promise.resolve();
  };
  return { asked, load, later, end, rest: () => rested() };
}

test("only what is behind is loaded again, and once however often that was said", async () => {
  const { asked, load, later, end, rest } = loads();
  let behind = false;
  const repeated = new Repeated(load, () => behind, later);
  void repeated.run(false);
  await end();
  rest();
  repeated.look();
  assert.deepEqual(asked, [false], "it is not behind");
  behind = true;
  repeated.look();
  repeated.look();
  assert.deepEqual(asked, [false, true]);
  await end();
  repeated.look();
  assert.deepEqual(asked, [false, true], "it rests");
  behind = false;
  rest();
  assert.deepEqual(asked, [false, true], "the answer was new enough");
  repeated.look(true);
  assert.deepEqual(asked, [false, true, false], "whoever forces it wants an answer of his own");
  repeated.look(true);
  await end();
  rest();
  assert.deepEqual(asked, [false, true, false, false]);
});

test("what could not be loaded is tried again, and what could is not", async () => {
  const { asked, load, later, end, rest } = loads();
  const repeated = new Repeated(load, () => false, later);
  void repeated.run(false);
  await end(false);
  rest();
  repeated.retry();
  assert.equal(asked.length, 2);
  await end();
  rest();
  repeated.retry();
  assert.equal(asked.length, 2);
});

test("nothing is loaded again after the end", async () => {
  const { asked, load, later, end, rest } = loads();
  const repeated = new Repeated(load, () => true, later);
  void repeated.run(false);
  repeated.look();
  repeated.end();
  await end();
  rest();
  assert.deepEqual(asked, [false]);
});
