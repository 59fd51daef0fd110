// SPDX-License-Identifier: Apache-2.0
// Goal: each view shows what a real argosyd has, changes jobs, executes no markup, and survives the
// server. Method: Chromium on the page of argosyd --dev with jobs whose texts are markup. Pictures of
// all views in both themes and at three widths are left in the folder `pictures`.
import assert from "node:assert/strict";
import { spawn, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [programs, browserPath] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "argosy-browser-"));
const env = { ...process.env, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder };
for (const name of ["ARGOSY_SERVER", "ARGOSY_CONTEXT", "ARGOSY_CREDENTIALS", "ARGOSY_OUTPUT", "ARGOSY_PAGE"]) delete env[name];
const ready = join(folder, "ready");
let server;

async function until(what, holds, seconds = 30) {
  const end = Date.now() + 1_000 * seconds;
  for (;;) {
    if (await holds()) return;
    assert(Date.now() < end, `waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function start() {
  rmSync(ready, { force: true });
  server = spawn(join(programs, "argosyd"), ["--dev", "--end-jobs-on-stop", "--data-dir", join(folder, "data"), "--ready-file", ready], { env, stdio: "ignore" });
  await until("argosyd is ready", () => existsSync(ready));
  const [nats, page] = readFileSync(ready, "utf8").split("\n");
  env.ARGOSY_SERVER = nats;
  return page;
}

async function stop(signal) {
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill(signal);
  await ended;
}

const ctl = (...words) => execFileSync(join(programs, "argosyctl"), words, { env, encoding: "utf8", timeout: 30_000 });

async function accessible(page, view) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
  const told = found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).join(", ")}`);
  assert.deepEqual(told, [], `axe on ${view}`);
}

async function walk(page, base, views) {
  for (const [view, [hash, text]] of Object.entries(views)) {
    await page.goto(`${base}/${hash}`);
    await page.getByText(text).first().waitFor();
    await accessible(page, view);
  }
}

async function pictures(browser, base, views) {
  mkdirSync("pictures", { recursive: true });
  for (const colorScheme of ["light", "dark"])
    for (const width of [360, 1024, 1920]) {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
      for (const [view, [hash, text]] of Object.entries(views)) {
        await page.goto(`${base}/${hash}`);
        await page.getByText(text).first().waitFor();
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert(wide <= 0, `${view} is ${wide} pixels too wide at ${width}`);
        await page.screenshot({ path: join("pictures", `${view}-${width}-${colorScheme}.png`) });
      }
      await page.close();
    }
}

async function cancelBySearch(page, base) {
  await page.goto(`${base}/#/jobs?where=state%3Arunning`);
  await page.getByRole("checkbox", { name: "Select all jobs that meet" }).check();
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await page.getByRole("button", { name: "Cancel jobs (3)" }).click();
  await page.getByText("Done: 3 of 3 changed").waitFor();
  await page.getByRole("button", { name: "Close", exact: true }).last().click();
  await page.getByText("No job meets these conditions").waitFor();
}

async function cancelByKeys(page, base, id) {
  await page.goto(`${base}/#/jobs?where=id%3A${id}`);
  await page.getByText(id).first().waitFor();
  await page.getByRole("table", { name: "Jobs" }).focus();
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.getByText("about 1 selected").waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("tab", { name: "Overview" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("q");
  await page.getByRole("heading", { name: "Queues" }).waitFor();
}

async function outlive(page, base) {
  await page.goto(`${base}/#/jobs`);
  await page.getByRole("table", { name: "Jobs" }).waitFor();
  await stop("SIGKILL");
  await page.getByText("The server does not answer").waitFor();
  assert.equal(await start(), base);
  await page.getByText("The server does not answer").waitFor({ state: "hidden", timeout: 40_000 });
}

const complaints = [];
let browser;
try {
  const base = await start();
  ctl("queue", "create", "pages");
  const ids = ctl("submit", "jobs.yaml", "-o", "name").trim().split("\n").map((line) => line.replace("job/", ""));
  ctl("wait", ids[0], "--for=running", "--timeout", "20s");
  const nodes = JSON.parse(ctl("get", "nodes", "-o", "json")).items;
  browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
  const page = await browser.newPage();
  page.on("dialog", (one) => complaints.push(`markup was executed: ${one.message()}`));
  page.on("pageerror", (one) => complaints.push(String(one)));
  page.on("console", (one) => one.text().includes("Content Security Policy") && complaints.push(one.text()));
  const job = `#/job/${ids[0]}`;
  const views = {
    jobs: ["#/jobs?cols=id,state,set,@team", "<script>alert(2)"],
    groups: ["#/jobs?group=queue,state", "pages"],
    job: [job, "Runs"],
    why: [`#/job/${ids[4]}?tab=why`, "ask for"],
    events: [`${job}?tab=events`, "submitted"],
    logs: [`${job}?tab=logs`, "<b>bold</b>"],
    specification: [`${job}?tab=spec`, "jobSetId"],
    trace: [`${job}?tab=trace`, "argosyctl submit"],
    sets: ["#/sets", "<img src=x"],
    queues: ["#/queues", "pages"],
    queue: ["#/queue/pages", "Shares by pool"],
    fleet: ["#/fleet", "Pool default"],
    node: [`#/node/local/${encodeURIComponent(nodes[0].name)}`, "What runs here"],
  };
  await walk(page, base, views);
  await pictures(browser, base, views);
  await cancelByKeys(page, base, ids[1]);
  ctl("cancel", ids[1]);
  await until("it is cancelled", () => ctl("get", "jobs", ids[1], "-o", "json").includes("CANCELLED"));
  await cancelBySearch(page, base);
  await outlive(page, base);
  assert.deepEqual(complaints, []);
  console.log("all views are shown");
} finally {
  await browser?.close();
  if (server?.exitCode === null && server.signalCode === null) await stop("SIGTERM").catch(() => undefined);
  rmSync(folder, { recursive: true, force: true });
}
