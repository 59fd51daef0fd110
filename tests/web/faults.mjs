// SPDX-License-Identifier: Apache-2.0
// Goal: the page survives the server and whatever texts it gets, and executes none of them. Method: a
// server that is killed, output without lines or letters, and answers that are changed on their way.
import assert from "node:assert/strict";
import { views } from "./views.mjs";
import { until } from "./world.mjs";

async function outlive(world) {
  const page = await world.page();
  await world.look(page, "#/jobs", "pages");
  const base = world.base;
  await world.stop("SIGKILL");
  await page.getByText("The server does not answer").first().waitFor();
  await page.getByText("pages").first().waitFor();
  assert.equal(await world.start(), base);
  await page.getByText("The server does not answer").first().waitFor({ state: "hidden", timeout: 40_000 });
  const [id] = world.jobs("afterwards", "exit 0");
  await page.getByText(id).first().waitFor();
  await page.close();
}

async function otherVersions(world) {
  const page = await world.page();
  await world.look(page, "#/future/7?where=state%3Aqueued&colour=red", "This page does not know the address");
  await world.look(page, `#/jobs?group=future&cols=future,id&order=future&dir=sideways&where=id%3A${world.ids[0]}`, world.ids[0]);
  await world.look(page, `#/job/${world.ids[0]}?tab=future`, "Runs");
  await page.close();
}

async function longSearch(world) {
  const page = await world.page();
  await world.look(page, `#/jobs?where=id%3A${world.ids[0]}`, world.ids[0]);
  await page.getByRole("searchbox").fill(`queue:${"x".repeat(10_000)}`);
  await page.getByText(/No job meets these conditions|error|too long|at most/i).first().waitFor();
  await page.getByRole("searchbox").fill("y".repeat(10_000));
  await page.getByRole("alert").waitFor();
  assert((await page.getByRole("alert").innerText()).length < 1_000, "the error is short");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert(wide <= 0, "nothing is too wide");
  await page.getByRole("searchbox").fill(`id:${world.ids[0]}`);
  await page.getByText(world.ids[0]).first().waitFor();
  await page.close();
}

async function outputs(world) {
  const [line, binary] = [
    world.jobs("one-line", "head -c 3000000 /dev/zero | tr '\\0' x; echo; echo '<img src=x onerror=alert(3)>'")[0],
    world.jobs("binary", "head -c 200000 /dev/urandom; printf '\\033[31mred\\033[0m \\000\\n'; echo end-of-it")[0],
  ];
  for (const id of [line, binary]) world.ctl("wait", id, "--timeout", "30s");
  const page = await world.page();
  await world.look(page, `#/job/${line}?tab=logs`, "more characters");
  await page.getByText("<img src=x onerror=alert(3)>").waitFor();
  assert((await page.getByRole("log").innerText()).length < 20_000, "a long line is cut in sight");
  await page.getByRole("searchbox").fill("onerror");
  await page.getByText("line 1 of 1").waitFor();
  await world.look(page, `#/job/${binary}?tab=logs`, "end-of-it");
  await page.getByText("red ␀").waitFor();
  await page.close();
}

/// One line of 1 GB, of which the answers are made up on their way.
async function hugeOutput(world) {
  const size = 2 ** 30;
  const page = await world.page();
  let read = 0;
  await page.route("**/v1/job/*/log?**", (route) => {
    const words = new URL(route.request().url()).searchParams;
    const offset = Number(words.get("offset"));
    const length = Math.max(0, Math.min(Number(words.get("size_max")), size - offset));
    read += length;
    const text = offset + length === size && length > 7 ? `${"x".repeat(length - 7)}the end` : "x".repeat(length);
    return route.fulfill({ status: 200, contentType: "application/json", body: JSON.stringify({ data: Buffer.from(text).toString("base64"), nextOffset: offset + length, end: true, run: 1 }) });
  });
  await world.look(page, `#/job/${world.ids[0]}?tab=logs`, "The beginning is not shown");
  await page.getByText("1Gi").waitFor();
  assert(read < 9 * 2 ** 20, `${read} bytes were read`);
  assert((await page.getByRole("log").innerText()).length < 20_000, "a long line is cut in sight");
  await page.getByRole("searchbox").fill("the end");
  await page.getByText("line 1 of 1").waitFor();
  await page.close();
}

/// The job is gone while somebody looks at it.
async function deleted(world) {
  const page = await world.page();
  const answer = { status: 404, contentType: "application/json", body: JSON.stringify({ code: 5, message: "there is no such job" }) };
  await world.look(page, `#/job/${world.ids[0]}`, "Runs");
  await page.route(`**/v1/job/${world.ids[0]}/**`, (route) => route.fulfill(answer));
  world.jobs("a-change", "exit 0");
  await page.getByText("there is no such job").first().waitFor();
  await page.getByText("What you see is from before").waitFor();
  await page.getByText(world.ids[0]).first().waitFor();
  for (const tab of ["Why", "Logs", "Trace"]) {
    await page.getByRole("tab", { name: tab }).click();
    await page.getByText("there is no such job").nth(1).waitFor();
  }
  await page.close();
}

const markup = "<img src=x onerror=alert(4)>";
/// Words that mean something to the page, which others cannot choose.
const ours = /^(state|kind|code|schedulable|cursor|jobId|latestRunId|scheme|version|data|resource|fileValue)$/;
const stands = /^(QUEUED|LEASED|PENDING|RUNNING|SUCCEEDED|FAILED|CANCELLED|PREEMPTED|REJECTED)$/i;

/// Every text of an answer has markup in it.
function marked(value, field = "") {
  if (typeof value === "string") return ours.test(field) || stands.test(value) ? value : `${value}${markup}`;
  if (Array.isArray(value)) return value.map((one) => marked(one, field));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, marked(inner, name)]));
}

async function markupEverywhere(world) {
  const page = await world.page();
  await page.route("**/v1/**", async (route) => {
    // An answer to a view that has been left is gone, and nobody waits for it.
    const answer = await route.fetch().catch(() => undefined);
    const text = await answer?.text().catch(() => undefined);
    if (text === undefined) return route.abort().catch(() => undefined);
    let body = text;
    try {
      body = JSON.stringify(marked(JSON.parse(text)));
    } catch {
      // It is no JSON.
    }
    await route.fulfill({ response: answer, body }).catch(() => undefined);
  });
  for (const [view, [hash]] of Object.entries(views(world))) {
    await page.goto("about:blank");
    await page.goto(`${world.base}/${hash}`);
    await page.waitForFunction(() => document.querySelector("main")?.innerText.length > 0);
    if (!["node", "nothing", "trace", "view"].includes(view)) await page.getByText("onerror=alert(4)").first().waitFor();
    await page.waitForTimeout(0);
    assert.equal(await page.locator("img, script:not([src]), iframe, object").count(), 0, `markup became elements in ${view}`);
  }
  await page.close();
}

/// What is in sight of a list that is drawn in parts: how many rows are drawn, whether the list is
/// inside the window, and whether the row with this text is inside the list.
function inSight(page, text) {
  return page.evaluate((wanted) => {
    const list = document.querySelector(".virtual");
    const box = list?.getBoundingClientRect();
    if (!box) return { rows: 0, inside: false, shown: false };
    const rows = [...list.querySelectorAll(".virtual-shown > *")];
    const row = rows.find((one) => one.innerText.includes(wanted))?.getBoundingClientRect();
    return {
      rows: rows.length,
      inside: box.bottom <= window.innerHeight + 1 && box.height > 100,
      shown: row !== undefined && row.top >= box.top - 1 && row.bottom <= box.bottom + 1,
    };
  }, text);
}

async function longLists(world) {
  const page = await world.page();
  const lines = Array.from({ length: 20_000 }, (_, at) => `this is line ${at + 1};`);
  const all = Buffer.from(`${lines.join("\n")}\n`);
  await page.route("**/v1/job/*/log?**", (route) => {
    const words = new URL(route.request().url()).searchParams;
    const offset = Number(words.get("offset"));
    const data = all.subarray(offset, offset + Number(words.get("size_max")));
    return route.fulfill({ status: 200, contentType: "application/json", body: JSON.stringify({ data: data.toString("base64"), nextOffset: offset + data.length, end: offset + data.length === all.length, run: 1 }) });
  });
  const spans = Array.from({ length: 2_000 }, (_, at) => ({ spanId: String(at + 1), name: `step ${at + 1};`, startNs: 1_000 * at, durationNs: 500 }));
  await page.route("**/v1/job/*/trace**", (route) =>
    route.fulfill({ status: 200, contentType: "application/json", body: JSON.stringify({ traceId: "abc", spans }) }));
  for (const [tab, text] of [["logs", "this is line 20000;"], ["trace", "step 1;"]]) {
    await page.goto("about:blank");
    await page.goto(`${world.base}/#/job/${world.ids[0]}?tab=${tab}`);
    await until(`${text} is in sight`, async () => (await inSight(page, text)).shown);
    const seen = await inSight(page, text);
    assert(seen.rows < 200, `${seen.rows} rows are drawn of ${tab}`);
    assert(seen.inside, `the list of ${tab} ends below the window`);
  }
  await page.close();
}

export const tests = {
  "of a long output and a long trace what is in sight is drawn": longLists,
  "an address of another version shows something useful": otherVersions,
  "a search of ten thousand letters is answered": longSearch,
  "output of one long line, and of any bytes, is shown": outputs,
  "output of 1 GB in one line is shown from near its end": hugeOutput,
  "a job that is deleted meanwhile stays in sight, with a word about it": deleted,
  "markup in every text of every answer is text": markupEverywhere,
  "the page outlives the server": outlive,
};
