// SPDX-License-Identifier: Apache-2.0
// Goal: the page learns of changes by a stream, takes it up where it was, and does without one. Method:
// its requests are watched, and the stream is refused on its way.
import assert from "node:assert/strict";

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

export const tests = {
  "the page is told of changes by a stream, and takes it up where it was": byStream,
  "the page asks where there is no place for a stream": withoutStream,
};
