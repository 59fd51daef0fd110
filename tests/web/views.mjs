// SPDX-License-Identifier: Apache-2.0
// Goal: each view shows what a real argosyd has, to everybody, in both themes and at any width. Method:
// axe on each view, and pictures of all views in the folder `pictures`.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { accessible } from "./world.mjs";

/// The views, each with a text that it has once it is there.
export function views(world) {
  const job = `#/job/${world.ids[0]}`;
  return {
    jobs: ["#/jobs?cols=id,state,set,@team", "<script>alert(2)"],
    groups: ["#/jobs?group=queue,state", "pages"],
    nothing: ["#/jobs?where=queue%3Aabsent", "No job meets these conditions"],
    wrong: ["#/jobs?where=colour%3Ared", "colour"],
    job: [job, "Runs"],
    absent: ["#/job/00000000000000000000000000", "kept for a while only"],
    why: [`#/job/${world.ids[4]}?tab=why`, "ask for"],
    events: [`${job}?tab=events`, "submitted"],
    logs: [`${job}?tab=logs`, "<b>bold</b>"],
    specification: [`${job}?tab=spec`, "jobSetId"],
    trace: [`${job}?tab=trace`, "argosyctl submit"],
    sets: ["#/sets", "<img src=x"],
    queues: ["#/queues", "pages"],
    queue: ["#/queue/pages", "Shares by pool"],
    fleet: ["#/fleet", "Pool default"],
    view: ["#/view/absent", "There is no saved view"],
    node: [`#/node/local/${encodeURIComponent(world.node)}`, "What runs here"],
  };
}

async function areAccessible(world) {
  const page = await world.page();
  for (const [view, [hash, text]] of Object.entries(views(world))) {
    await world.look(page, hash, text);
    await accessible(page, view);
  }
  await world.look(page, "#/jobs?where=state%3Arunning", world.ids[0]);
  await page.getByRole("checkbox", { name: "Select all jobs that meet" }).check();
  for (const [button, title] of [["Columns", "Columns"], ["how to", "Conditions"], ["Cancel", "Cancel jobs"], ["Reprioritize", "Change the priority"], ["views", "Saved views"], ["Keys and versions", "Keys"]]) {
    await page.getByRole("button", { name: button, exact: true }).click();
    await page.getByRole("dialog", { name: title }).waitFor();
    await accessible(page, `the window ${title}`);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
  await page.close();
}

async function fitEveryWidth(world) {
  mkdirSync("pictures", { recursive: true });
  for (const colorScheme of ["light", "dark"])
    for (const width of [360, 1024, 1920]) {
      const page = await world.page({ colorScheme, viewport: { width, height: 900 } });
      for (const [view, [hash, text]] of Object.entries(views(world))) {
        await world.look(page, hash, text);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert(wide <= 0, `${view} is ${wide} pixels too wide at ${width}`);
        await page.screenshot({ path: join("pictures", `${view}-${width}-${colorScheme}.png`) });
      }
      await page.close();
    }
}

async function counts(world) {
  const page = await world.page();
  await world.look(page, "#/fleet", "1 node of 1 cluster");
  await world.look(page, `#/jobs?group=jobSet&where=id%3A${world.ids[0]}`, "1 job");
  assert.doesNotMatch(await page.locator("#page").innerText(), /\b1 (jobs|nodes|clusters|job sets|runs)\b/);
  await page.close();
}

async function keysAlone(world) {
  const page = await world.page();
  const press = (...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  await world.look(page, "#/fleet", "Pool default");
  await press("g", "j");
  await page.getByRole("table", { name: "Jobs" }).waitFor();
  await press("/");
  await page.keyboard.type(`id:${world.ids[0]}`);
  await page.getByText(world.ids[0]).first().waitFor();
  await page.waitForURL(/where=id/);
  await press("Enter");
  for (let tries = 0; tries < 60; ++tries) {
    if (await page.evaluate(() => document.activeElement?.getAttribute("aria-label") === "Jobs")) break;
    await press("Tab");
  }
  await press("j", "x");
  await page.getByText("about 1 selected").waitFor();
  await press("Enter");
  await page.getByRole("tab", { name: "Overview" }).waitFor();
  for (let tries = 0; tries < 60; ++tries) {
    if (await page.evaluate(() => document.activeElement?.getAttribute("role") === "tab")) break;
    await press("Tab");
  }
  await press("ArrowRight", "ArrowRight");
  await page.getByRole("tab", { name: "Events", selected: true }).waitFor();
  await press("g", "q");
  await page.getByRole("heading", { name: "Queues" }).waitFor();
  await press("g", "f");
  await page.getByText("Pool default").waitFor();
  for (let tries = 0; tries < 60; ++tries) {
    if (await page.evaluate(() => document.activeElement?.tagName === "CANVAS")) break;
    await press("Tab");
  }
  await press("ArrowRight", "Enter");
  await page.getByText("What runs here").waitFor();
  await press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.close();
}

export const tests = {
  "every view and window is accessible": areAccessible,
  "every view fits a telephone and a wide screen": fitEveryWidth,
  "one thing is no plural": counts,
  "keys alone lead everywhere": keysAlone,
};
