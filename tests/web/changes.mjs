// SPDX-License-Identifier: Apache-2.0
// Goal: each change of many jobs says beforehand what it concerns, and afterwards what became of it.
// Method: the changes of a real argosyd, seen again by argosyctl.
import assert from "node:assert/strict";
import { until } from "./world.mjs";

const stateOf = (world, id) => JSON.parse(world.ctl("get", "jobs", id, "-o", "jsonl")).summary;

async function running(world, set, copies, more) {
  const ids = world.jobs(set, "exec sleep 600", copies, more);
  for (const id of ids) world.ctl("wait", id, "--for=running", "--timeout", "30s");
  return ids;
}

/// Selects all jobs of a set and opens the window of a change.
export async function choose(world, page, set, button) {
  await world.look(page, `#/jobs?where=jobset%3A${set}`, set);
  await page.getByRole("checkbox", { name: "Select all jobs that meet" }).check();
  await page.getByText(/about [\d,]+ selected/).waitFor();
  await page.getByRole("button", { name: button, exact: true }).click();
  return page.getByRole("dialog");
}

async function cancel(world) {
  const ids = await running(world, "to-cancel", 3);
  const page = await world.page();
  const window = await choose(world, page, "to-cancel", "Cancel");
  await window.getByText("It concerns 3 jobs:").waitFor();
  await window.getByLabel("Reason").fill("<i>no</i> need");
  await window.getByRole("button", { name: "Cancel jobs (3)" }).click();
  await window.getByText("Done: 3 of 3 jobs changed.").waitFor();
  await until("they are cancelled", () => ids.every((id) => stateOf(world, id).state === "CANCELLED"));
  await world.look(page, `#/job/${ids[0]}`, "<i>no</i> need");
  await page.close();
}

async function reprioritize(world) {
  const ids = await running(world, "to-turn", 2);
  const page = await world.page();
  const window = await choose(world, page, "to-turn", "Reprioritize");
  await window.getByText("It concerns 2 jobs:").waitFor();
  const button = window.getByRole("button", { name: "Change the priority (2)" });
  // The server rounds priorities, and the page sends none that it would not keep.
  for (const wrong of ["7.5", "-1", "4294967296"]) {
    await window.getByLabel("New priority").fill(wrong);
    await button.click();
    assert.equal(await window.getByText("Done").count(), 0, `${wrong} is no priority`);
  }
  await window.getByLabel("New priority").fill("7");
  await button.click();
  await window.getByText("Done: 2 of 2 jobs changed.").waitFor();
  await until("it has another priority", () => ids.every((id) => stateOf(world, id).priority === 7));
  await page.close();
  world.ctl("cancel", ...ids);
}

/// One job may be preempted; the class of the other forbids it.
async function preempt(world) {
  const able = await running(world, "to-preempt", 1, { priorityClassName: "armada-preemptible" });
  const unable = await running(world, "to-preempt", 1);
  const page = await world.page();
  const window = await choose(world, page, "to-preempt", "Preempt");
  await window.getByText("It concerns 2 jobs:").waitFor();
  const button = window.getByRole("button", { name: "Preempt jobs (2)" });
  await button.click();
  assert.equal(await window.getByText("Done").count(), 0, "a reason is needed");
  await window.getByLabel("Reason").fill("room is needed");
  await button.click();
  await window.getByText("Done: 1 of 2 jobs changed, 1 not.").waitFor();
  await window.getByRole("listitem").filter({ hasText: unable[0] }).waitFor();
  await until("it is preempted", () => stateOf(world, able[0]).state === "PREEMPTED");
  await page.close();
  world.ctl("cancel", ...unable);
}

/// Of three jobs one runs, in which a hold changes nothing.
async function hold(world) {
  const waiting = world.jobs("to-hold", "exec sleep 600", 2, { cpu: "9000" });
  const busy = await running(world, "to-hold", 1);
  const page = await world.page();
  const window = await choose(world, page, "to-hold", "Hold");
  await window.getByText("It concerns 2 jobs:").waitFor();
  await window.getByText("1 is in a state in which nothing changes").waitFor();
  await window.getByRole("button", { name: "Hold jobs (2)" }).click();
  await window.getByText("Done: 2 of 2 jobs changed.").waitFor();
  await window.getByRole("button", { name: "Close", exact: true }).last().click();
  await page.getByText("held").first().waitFor();
  await page.getByRole("button", { name: "Release", exact: true }).click();
  await window.getByRole("button", { name: "Release jobs (2)" }).click();
  await window.getByText("Done: 2 of 2 jobs changed.").waitFor();
  await page.close();
  world.ctl("cancel", ...waiting, ...busy);
}

/// An answer of the server's in place of the change.
const instead = (page, path, status, message) =>
  page.route(`**/v1/job/${path}`, (route) => route.fulfill({ status, contentType: "application/json", body: JSON.stringify({ code: 7, message }) }));

async function refused(world) {
  const ids = await running(world, "to-keep", 2);
  const page = await world.page();
  await instead(page, "cancel", 403, "<b>ann</b> may not cancel jobs of queue pages");
  const window = await choose(world, page, "to-keep", "Cancel");
  await window.getByRole("button", { name: "Cancel jobs (2)" }).click();
  await window.getByText("Done: 0 of 2 jobs changed, 2 not.").waitFor();
  await window.getByText("<b>ann</b> may not cancel").first().waitFor();
  assert.equal(stateOf(world, ids[0]).state, "RUNNING");
  await page.close();
  world.ctl("cancel", ...ids);
}

/// The session ends after the first batch of 500.
async function expired(world) {
  const ids = world.jobs("to-expire", "exec sleep 600", 501, { cpu: "9000" });
  const page = await world.page();
  let batches = 0;
  await page.route("**/v1/job/cancel", (route) =>
    ++batches === 1 ? route.continue() : route.fulfill({ status: 401, contentType: "application/json", body: JSON.stringify({ message: "the token has expired" }) }));
  const window = await choose(world, page, "to-expire", "Cancel");
  await window.getByRole("button", { name: "Cancel jobs (501)" }).click();
  const login = page.getByRole("dialog", { name: "Log in" });
  await login.getByRole("button", { name: "Not now" }).click();
  await page.getByText("Stopped: 500 of 501 jobs changed, 1 not tried.").waitFor();
  await page.getByText("You are not logged in, or not any more").waitFor();
  await page.close();
  world.ctl("cancel", ids[500]);
}

export const tests = {
  "a cancel says what it concerns and what it did": cancel,
  "another priority is given to all that are selected": reprioritize,
  "a preemption says of each job that stays why": preempt,
  "a hold and a release concern those that wait": hold,
  "a refused change says why, and changes nothing": refused,
  "a session that ends meanwhile ends the change, which says what it has done": expired,
};
