// SPDX-License-Identifier: Apache-2.0
// Goal: views are saved for everybody and found by their names, and the plots show what rounds did.
// Method: two readers of a real argosyd.
import assert from "node:assert/strict";
import { accessible, until } from "./world.mjs";

const name = "Failures <img src=x onerror=alert(9)> 50 %";

async function views(world) {
  const page = await world.page();
  await world.look(page, "#/jobs?where=queue%3Apages&cols=id%2Cstate&group=state", "running");
  await page.getByRole("button", { name: "views", exact: true }).click();
  const window = page.getByRole("dialog", { name: "Saved views" });
  await window.getByText("No view is saved.").waitFor();
  await window.getByLabel("Name for what this page shows now").fill(name);
  await window.getByRole("button", { name: "Save for everybody" }).click();
  await window.getByRole("link", { name }).waitFor();
  await accessible(page, "the window of saved views");

  // Another reader, by the link and by the list.
  const other = await world.page();
  await world.look(other, `#/view/${encodeURIComponent(name)}`, "running");
  await other.waitForFunction(() => location.hash.startsWith("#/jobs?"));
  assert.equal(new URLSearchParams(new URL(other.url()).hash.slice(7)).get("group"), "state");
  await world.look(other, "#/queues", "pages");
  await other.getByRole("button", { name: "views", exact: true }).click();
  await other.getByRole("link", { name }).click();
  await other.waitForFunction(() => location.hash.startsWith("#/jobs?"));
  await world.look(other, "#/view/absent", "There is no saved view of this name");

  // Who writes over what somebody else has changed meanwhile is told.
  await page.route("**/v1/settings", async (route) => {
    if (route.request().method() === "POST") world.ctl("config", "set", "scheduling.maxNewDecisions=999");
    await route.continue();
  });
  await window.getByRole("button", { name: /^Remove the view/ }).click();
  await window.getByRole("alert").getByText("changed the settings").waitFor();
  await page.unroute("**/v1/settings");
  // It is refused again until the window has loaded the settings anew.
  const gone = () => window.getByText("No view is saved.").waitFor({ timeout: 3_000 }).then(() => true, () => false);
  let removed = false;
  for (let tries = 0; tries < 10 && !removed; ++tries) {
    await window.getByRole("button", { name: /^Remove the view/ }).click();
    removed = await gone();
  }
  assert.ok(removed);
  world.ctl("config", "unset", "scheduling.maxNewDecisions");
  await page.close();
  await other.close();
}

async function unallowed(world) {
  const page = await world.page();
  await page.route("**/v1/access/can-i?**", (route) => route.fulfill({ status: 200, contentType: "application/json", body: "{}" }));
  await world.look(page, "#/jobs", "pages");
  await page.getByRole("button", { name: "views", exact: true }).click();
  await page.getByText("takes the permission change_settings").waitFor();
  assert.equal(await page.getByRole("button", { name: "Save for everybody" }).count(), 0);
  await page.close();
}

async function plots(world) {
  const page = await world.page();
  // Rounds within ten seconds are told together.
  await until("two spans of rounds", async () => {
    const [id] = world.jobs("for-plots", "exit 0");
    world.ctl("wait", id, "--timeout", "30s");
    const told = await (await fetch(`${world.base}/v1/rounds`)).json();
    return told.pools[0].spans.length > 1;
  });
  await world.look(page, "#/fleet", "Rounds");
  await page.getByRole("img", { name: /^Time of a round\. Now: longest / }).waitFor();
  await page.getByRole("img", { name: /^Jobs placed and preempted\. Now: started / }).waitFor();
  await world.look(page, "#/queues", "pages");
  await page.getByRole("img", { name: /^Shares of pool default\. Now: pages / }).waitFor();
  await world.look(page, "#/queue/pages", "Shares by pool");
  await page.getByRole("img", { name: /^Its shares in pool default\. Now: has / }).waitFor();
  await page.close();
}

export const tests = {
  "a view is saved for everybody, and found by its name": views,
  "who may not save views is told what it takes": unallowed,
  "plots show what rounds did and which shares there were": plots,
};
