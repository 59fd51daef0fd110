// SPDX-License-Identifier: Apache-2.0
// Goal: the page learns of changes by a stream, takes it up where it was, and does without one. Method:
// its requests are watched, and the stream is refused on its way.
import assert from "node:assert/strict";
import { until } from "./world.mjs";

const asks = (request) => new URL(request.url()).pathname === "/v1/position";
const follows = (request) => new URL(request.url()).pathname === "/v1/changes";

async function byStream(world) {
  const page = await world.page();
  let asked = 0;
  page.on("request", (one) => (asked += asks(one)));
  const begun = page.waitForRequest(follows);
  await world.look(page, "#/jobs", "pages");
  await begun;
  const [id] = world.jobs("streamed", "exit 0");
  await page.getByText(id).first().waitFor();
  const again = page.waitForRequest(follows);
  await page.getByRole("button", { name: "pause" }).click();
  await page.getByRole("button", { name: "go on" }).click();
  assert.match((await (await again).headerValue("last-event-id")) ?? "", /^\d+$/, "it says what it knows");
  const [other] = world.jobs("streamed", "exit 0");
  await page.getByText(other).first().waitFor();
  assert.equal(asked, 0, "it has asked for nothing that the stream tells");
  await page.close();
}

async function withoutStream(world) {
  const page = await world.page();
  await page.route("**/v1/changes", (route) => route.fulfill({ status: 429, contentType: "application/json", body: '{"message":"there are too many"}' }));
  const asked = page.waitForRequest(asks);
  await world.look(page, "#/jobs", "pages");
  await asked;
  const [id] = world.jobs("asked-for", "exit 0");
  await page.getByText(id).first().waitFor();
  await page.close();
}

/// Has the page say in `told` up to where its stream has told it of changes.
async function noteTold(page) {
  await page.addInitScript(() => {
    const ask = window.fetch;
    const note = async (stream) => {
      let text = "";
      for await (const piece of stream.pipeThrough(new TextDecoderStream())) {
        text += piece;
        for (const [, position] of text.matchAll(/"position":"?(\d+)/g)) window.told = Number(position);
        text = text.slice(text.lastIndexOf("\n") + 1);
      }
    };
    window.told = 0;
    window.fetch = async (...words) => {
      const answer = await ask(...words);
      if (new URL(answer.url).pathname !== "/v1/changes" || !answer.body) return answer;
      const [ours, theirs] = answer.body.tee();
      note(ours).catch(() => undefined);
      return new Response(theirs, answer);
    };
  });
}

/// A list of a job set or a queue that is named is loaded when its jobs change, and when others change
/// it is not. The page has been told of those when its stream has passed the position of the server.
async function whatConcernsIt(world) {
  world.ctl("queue", "create", "quiet");
  for (const [where, set, queue] of [["jobset:quiet-set", "quiet-set", "pages"], ["queue:quiet", "set-of-it", "quiet"]]) {
    const page = await world.page();
    await noteTold(page);
    let lists = 0;
    page.on("request", (one) => (lists += one.method() === "POST" && new URL(one.url()).pathname.startsWith("/v1/jobs/")));
    const waits = () => world.jobs(set, "exit 0", 1, { queue, cpu: "9000" })[0];
    /// Counts the lists that the page asks for because of changes elsewhere.
    const elsewhere = async () => {
      const before = lists;
      world.ctl("wait", world.jobs("elsewhere", "exit 0")[0], "--for=succeeded", "--timeout", "30s");
      const { position } = await (await page.request.get(`${world.base}/v1/position`)).json();
      await page.waitForFunction((least) => window.told >= least, position);
      return lists - before;
    };
    const first = waits();
    await world.look(page, `#/jobs?where=${encodeURIComponent(where)}`, first);
    // Whether something changed while its first list was on the way, the page does not know at first.
    await until("the page rests", async () => (await elsewhere()) === 0);
    const before = lists;
    for (let turn = 0; turn < 3; ++turn) await elsewhere();
    assert.equal(lists, before, `${where}: other jobs have changed`);
    const second = waits();
    await page.getByText(second).first().waitFor();
    // The stream may tell of a change in two steps.
    assert([1, 2].includes(lists - before), `${where}: one of its jobs has changed, for ${lists - before} lists`);
    world.ctl("cancel", first, second);
    await page.close();
  }
  world.ctl("queue", "delete", "quiet");
}

export const tests = {
  "the page is told of changes by a stream, and takes it up where it was": byStream,
  "the page loads a list again when a change concerns it, and not otherwise": whatConcernsIt,
  "the page asks where there is no place for a stream": withoutStream,
};
