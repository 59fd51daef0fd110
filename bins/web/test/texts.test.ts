// SPDX-License-Identifier: Apache-2.0
// Goal: whatever users and programs wrote is shown as text. YAML means the values it was made from;
// output may have any bytes and any length.
import assert from "node:assert/strict";
import { test } from "node:test";
import { annotation, chosen, columns, webAddress } from "../src/model/columns";
import { adding, find, from, fromBase64, keptMax, lineMax, none, shown, startOf, visible } from "../src/model/logtext";
import { print, scalar, submitFile } from "../src/model/yaml";

test("texts that YAML would read as something else stand in quotation marks", () => {
  for (const odd of ["true", "No", "null", "~", "", "1", "0x10", "1e3", "-", "a: b", "a #b", "- a", "#x", "a:", " a", "a ", "@x", "\u2028", "a\nb", "{a}", "*a", "&a", "!a", "%a", "'", '"', ".5", "=", "2026-11-24", "on"])
    assert(scalar(odd).startsWith('"'), `${odd} is plain`);
  for (const plain of ["abc", "a-b_c.d/e", "debian:12", "/usr/bin/awk", "a b"]) assert.equal(scalar(plain), plain);
});

test("lists and maps are indented", () => {
  assert.equal(
    print({ a: [{ b: 1, c: ["x"] }, []], d: {}, e: null }),
    "a:\n  - b: 1\n    c:\n      - x\n  - []\nd: {}\ne: null\n",
  );
});

test("a file to submit again has what the user wrote and nothing of the server's", () => {
  const text = submitFile({ id: "x", queue: "q", jobSetId: "s", priority: 3, created: "now", podSpec: { containers: [{ name: "c" }] }, clientId: "once" });
  assert.equal(text, "queue: q\njobSetId: s\njobs:\n  - priority: 3\n    podSpec:\n      containers:\n        - name: c\n");
});

test("an address that could execute something is no link", () => {
  assert.equal(webAddress("https://a.example/x?y=1"), "https://a.example/x?y=1");
  for (const bad of ["javascript:alert(1)", "data:text/html,x", " https://a", "https://a\"onclick=x", "//a"])
    assert.equal(webAddress(bad), null);
});

test("columns that are not known are passed over, and annotations are columns", () => {
  assert.deepEqual(chosen(["queue", "future", "@team"]).map((one) => one.id), ["queue", "@team"]);
  assert(chosen([]).length > 3);
  const job = { summary: { jobId: "j", queue: "q", jobSet: "s" }, annotations: { team: "<b>x</b>" } };
  assert.equal(annotation("team").text(job, 0), "<b>x</b>");
  for (const column of columns) assert.equal(typeof column.text(job, 1e18), "string", column.id);
});

test("colours of terminals go, and control characters are seen", () => {
  assert.equal(visible("\u001b[31mred\u001b[0m \u0000\u0007"), "red ␀␇");
  assert.equal(visible("\u001b]0;title\u0007x\r"), "x");
  assert.equal(visible("a\u202eb"), "a\ufffdb");
});

test("output that comes in pieces has whole lines", () => {
  let log = adding(none, "a\nb", 3);
  log = adding(log, "c\nd\n", 4);
  assert.deepEqual(log.lines, ["a", "bc", "d", ""]);
  assert.equal(log.read, 7);
  assert.deepEqual(find(log.lines, "BC"), [1]);
});

test("a long output loses its beginning, also if it is one line", () => {
  let log = none;
  for (let at = 0; at < 20; ++at) log = adding(log, "x".repeat(1 << 20), 1 << 20);
  assert(log.dropped && log.size <= keptMax);
  let lines = none;
  for (let at = 0; at < 20; ++at) lines = adding(lines, `${"y".repeat(1 << 20)}\n`, (1 << 20) + 1);
  assert(lines.dropped && lines.size <= keptMax);
  assert.match(shown("z".repeat(lineMax + 5)), / … 5 more characters$/);
});

test("bytes of output are read as they are", () => {
  assert.deepEqual([...fromBase64("AP+A")], [0, 255, 128]);
});

test("the end of output of any size is found with few questions, and comes within what is kept", async () => {
  for (const size of [0, 1, keptMax, keptMax + 1, 3 * keptMax, 2 ** 30, 2 ** 30 + 1, 5e12]) {
    let asked = 0;
    const start = await startOf(async (offset) => (++asked, offset < size));
    assert(start >= 0 && size - start <= keptMax && (start === 0 || size - start >= keptMax / 2), `${size} begins at ${start}`);
    assert(asked <= 2 + 2 * Math.log2(Math.max(2, size / 2 ** 20)), `${asked} questions for ${size}`);
  }
  assert.deepEqual([from(7).read, from(7).dropped, from(0).dropped], [7, true, false]);
});
