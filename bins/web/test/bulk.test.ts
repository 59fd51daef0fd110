// SPDX-License-Identifier: Apache-2.0
// Goal: a change reaches each selected job once, and says of each that it did not change why. Method:
// a server of a few functions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nothing, toggledGroup, toggledJob } from "../src/model/selection";
import { apply, failuresMax, preview, sentence, untouched, type Call, type Change } from "../src/views/jobs/bulk";

interface Sent {
  path: string;
  body: { queue?: string; jobSetId?: string; jobIds?: string[]; cursor?: string; conditions?: { field: string }[] };
}

/// Pages of jobs, and a reply to each change.
function server(pages: string[][], reply: (path: string, ids: string[]) => unknown): { call: Call; sent: Sent[] } {
  const sent: Sent[] = [];
  const call = (async (path: string, body: Sent["body"]) => {
    sent.push({ path, body });
    if (path === "v1/jobs/find") {
      const at = Number(body.cursor || "0");
      return {
        jobs: (pages[at] ?? []).map((jobId) => ({ summary: { jobId, queue: "a", jobSet: jobId === "j3" ? "other" : "s" } })),
        cursor: at + 1 < pages.length ? String(at + 1) : "",
      };
    }
    return reply(path, body.jobIds ?? []);
  }) as Call;
  return { call, sent };
}

const cancel: Change = { kind: "cancel", reason: "test", priority: 0 };
const path = [{ field: "queue", value: "a" }];

test("a group is changed page by page, without those that were taken out, each job once", async () => {
  let selection = toggledGroup(nothing, path, 5);
  selection = toggledJob(selection, "j2", path);
  selection = { ...selection, jobs: ["j1", "j9"] };
  const { call, sent } = server([["j1", "j2"], [], ["j3"]], (_, ids) => ({ cancelledIds: ids }));
  const so = await apply({ selection, where: "x:y", activeSets: false }, cancel, call, () => undefined);
  assert.deepEqual(sent.filter((one) => one.path === "v1/job/cancel").flatMap((one) => one.body.jobIds), ["j1", "j3", "j9"]);
  assert.deepEqual([so.found, so.done, so.failed], [3, 3, 0]);
});

test("what the server did not cancel is told", async () => {
  const { call } = server([], () => ({ cancelledIds: ["j1"] }));
  const so = await apply({ selection: { jobs: ["j1", "j2"], groups: [] }, where: "", activeSets: false }, cancel, call, () => undefined);
  assert.equal(so.done, 1);
  assert.equal(so.failures[0]!.id, "j2");
});

test("results of preemption are read job by job", async () => {
  const { call } = server([["j1", "j2"]], () => ({ preemptionResults: { j1: "", j2: "its class forbids it" } }));
  const so = await apply({ selection: { jobs: ["j1", "j2"], groups: [] }, where: "", activeSets: false }, { ...cancel, kind: "preempt" }, call, () => undefined);
  assert.deepEqual([so.done, so.failures], [1, [{ id: "j2", why: "its class forbids it" }]]);
});

test("what the server takes only for one job set is sent for each of them", async () => {
  const { call, sent } = server([["j1", "j2", "j3"]], (_, ids) => ({ reprioritizationResults: Object.fromEntries(ids.map((id) => [id, ""])) }));
  const so = await apply({ selection: { jobs: ["j1", "j2", "j3", "gone"], groups: [] }, where: "", activeSets: false }, { ...cancel, kind: "reprioritize" }, call, () => undefined);
  const asked = sent.filter((one) => one.path === "v1/job/reprioritize").map(({ body }) => [body.queue, body.jobSetId, body.jobIds]);
  assert.deepEqual(asked, [["a", "s", ["j1", "j2"]], ["a", "other", ["j3"]]]);
  assert.deepEqual([so.done, so.failures], [3, [{ id: "gone", why: "the server does not know it any more" }]]);
});

test("a batch that is refused does not end the rest, and failures are kept within bounds", async () => {
  const jobs = Array.from({ length: 1_200 }, (_, at) => `j${at}`);
  const { call } = server([], (_, ids) => {
    if (ids.includes("j0")) throw new Error("denied");
    return { cancelledIds: ids };
  });
  const so = await apply({ selection: { jobs, groups: [] }, where: "", activeSets: false }, cancel, call, () => undefined);
  assert.deepEqual([so.found, so.done, so.failed, so.failures.length], [1_200, 700, 500, failuresMax]);
  assert.equal(so.failures[0]!.why, "denied");
});

test("a look beforehand adds up the states", async () => {
  const selection = { jobs: ["j1"], groups: [{ path, count: 3, without: [] }] };
  const { call } = server([], () => ({ groups: [{ name: "RUNNING", count: 2 }, { name: "failed", count: 1 }] }));
  assert.deepEqual(await preview({ selection, where: "", activeSets: false }, call), { RUNNING: 4, FAILED: 2 });
});

const refused = (status: number, why: string): Error => Object.assign(new Error(why), { status });
const jobs = Array.from({ length: 1_200 }, (_, at) => `j${at}`);

test("a reader who is not known any more ends the rest, and it is told what was done", async () => {
  const { call, sent } = server([], (_, ids) => {
    if (ids.includes("j500")) throw refused(401, "not logged in");
    return { cancelledIds: ids };
  });
  const so = await apply({ selection: { jobs, groups: [] }, where: "", activeSets: false }, cancel, call, () => undefined);
  assert.equal(sent.length, 2);
  assert.equal(so.stopped, "not logged in");
  assert.equal(sentence(so, 1_200, true), "Stopped: 500 of 1,200 jobs changed, 700 not tried.");
});

test("jobs of which no answer came count for neither side", async () => {
  const { call } = server([], (_, ids) => {
    if (ids.includes("j0")) throw refused(0, "no answer");
    return { cancelledIds: ids };
  });
  const so = await apply({ selection: { jobs, groups: [] }, where: "", activeSets: false }, cancel, call, () => undefined);
  assert.deepEqual([so.done, so.failed, so.unsure], [700, 0, 500]);
  assert.match(sentence(so, 1_200, true), /^Done: 700 of 1,200 jobs changed, of 500 it is not known/);
});

test("who stops it learns that the last batch may have been done", async () => {
  const stop = new AbortController();
  const { call } = server([], (_, ids) => {
    if (ids.includes("j500")) {
      stop.abort();
      throw new Error("aborted");
    }
    return { cancelledIds: ids };
  });
  const so = await apply({ selection: { jobs, groups: [] }, where: "", activeSets: false }, cancel, call, () => undefined, stop.signal);
  assert.match(sentence(so, 1_200, true), /^Stopped: 500 of 1,200 jobs changed, of 500 it is not known, .*, 200 not tried\.$/);
});

test("jobs that a hold did not change are counted, and one is no plural", async () => {
  const { call } = server([], () => ({ changed: 0 }));
  const so = await apply({ selection: { jobs: ["j1"], groups: [] }, where: "", activeSets: false }, { ...cancel, kind: "hold" }, call, () => undefined);
  assert.equal(sentence(so, 1, true), "Done: 0 of 1 job changed, 1 not.");
  assert.equal(sentence(untouched, 2, false), "At work: 0 of 2 jobs changed.");
});
