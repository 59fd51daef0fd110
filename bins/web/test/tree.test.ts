// SPDX-License-Identifier: Apache-2.0
// Goal: the rows of jobs that come into sight are as new as those that were loaded again meanwhile.
// Method: a server of a few functions.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FindJobsRequest, FindJobsResponse, FoundJob } from "../src/api/types";
import { JobTree, type Asked, type Row, type Source } from "../src/views/jobs/tree";

const asked: Asked = { where: "", activeSets: false, groupBy: [], order: "jobId", ascending: false };
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; ++turn) await Promise.resolve();
};

/// Two pages of a job each, and what was asked for.
function twoPages() {
  const asks: string[] = [];
  let fails = false;
  const find = (request: FindJobsRequest): Promise<FindJobsResponse> => {
    asks.push(request.cursor ?? "");
    if (fails) return Promise.reject(new Error("no"));
    const job = { summary: { jobId: request.cursor === "" ? "j2" : "j1" } } as FoundJob;
    return Promise.resolve({ jobs: [job], cursor: request.cursor === "" ? "c" : "" });
  };
  const source: Source = { find, group: () => Promise.reject(new Error("none")) };
  const tree = new JobTree(asked, source, () => undefined);
  return { asks, tree, fail: () => (fails = true) };
}

const row = (tree: JobTree, at: number): Row => tree.rows()[at]!;

test("a page that was out of sight when others were loaded again is loaded when it comes into sight", async () => {
  const { asks, tree } = twoPages();
  await settle();
  tree.more([]);
  await settle();
  assert.deepEqual(asks, ["", "c"]);
  tree.renew(row(tree, 1));
  assert.equal(asks.length, 2, "it is as new as the other");
  await tree.refresh([row(tree, 0)], tree.signal);
  tree.renew(row(tree, 0));
  assert.deepEqual(asks, ["", "c", ""]);
  tree.renew(row(tree, 1));
  await settle();
  assert.deepEqual(asks, ["", "c", "", "c"]);
  tree.renew(row(tree, 1));
  assert.equal(asks.length, 4);
});

test("a page that could not be loaded again is left to who tries again later", async () => {
  const { asks, tree, fail } = twoPages();
  await settle();
  tree.more([]);
  await settle();
  await tree.refresh([row(tree, 0)], tree.signal);
  fail();
  tree.renew(row(tree, 1));
  await settle();
  assert(tree.lacks);
  tree.renew(row(tree, 1));
  assert.equal(asks.length, 4);
});

test("a search says how long it took, and whether it finds anything", async () => {
  const { tree } = twoPages();
  assert(!tree.finds);
  await settle();
  assert(tree.finds);
  assert(tree.loaded && tree.took >= 0);
});
