// SPDX-License-Identifier: Apache-2.0
// This program measures how much memory the page takes while jobs change all the time: it reads the
// anonymous memory of the browser's process for it every ten seconds, and prints the median of each
// minute. Chromium runs without tools, since what is asked through Playwright is kept by Chromium for it.
// By hand, in the folder that `browser` has filled: node lasting.mjs PROGRAMS CHROMIUM MINUTES
import { spawn } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { World, until } from "./world.mjs";

const [programs, browserPath, minutes = "5"] = process.argv.slice(2);
const jobsAtOnce = 200;
const mega = 1 << 20;

const of = (pid, file) => readFileSync(`/proc/${pid}/${file}`, "utf8");

/// Whether this program has begun the process, or one of its parents.
function isOurs(pid) {
  for (let at = pid; at > 1; at = Number(/PPid:\s+(\d+)/.exec(of(at, "status"))[1])) if (at === process.pid) return true;
  return false;
}

/// The anonymous memory of the process that has the page, in bytes: the one of the renderers that
/// has most. 0 while there is none.
function ofRenderer() {
  let most = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)))
    try {
      if (!of(pid, "cmdline").includes("--type=renderer") || !isOurs(Number(pid))) continue;
      most = Math.max(most, Number(/RssAnon:\s+(\d+)/.exec(of(pid, "status"))[1]) * 1024);
    } catch {
      // It has ended.
    }
  return most;
}

/// Submits 200 simulated jobs each second, of which each has five changes.
async function change(world, file, going) {
  while (going.on) {
    const begun = Date.now();
    await new Promise((resolve) => spawn(join(programs, "argosyctl"), ["submit", file], { env: world.env, stdio: "ignore" }).once("exit", resolve));
    await pause(Math.max(0, 1_000 - (Date.now() - begun)));
  }
}

function writeJobs(file) {
  const amounts = { cpu: "10m", memory: "1Mi" };
  const job = { priority: 1, namespace: "default", podSpec: { containers: [{ name: "main", image: "none", command: ["/bin/true"], resources: { requests: amounts, limits: amounts } }] } };
  writeFileSync(file, JSON.stringify({ queue: "pages", jobSetId: "changing", jobs: Array.from({ length: jobsAtOnce }, () => job) }));
}

/// The jobs that the server has given a node, and the lists of jobs that it has answered, so far.
async function counts(world) {
  const metrics = await (await fetch(`${world.base}/metrics`)).text();
  const sum = (pattern) => [...metrics.matchAll(pattern)].reduce((all, [, count]) => all + Number(count), 0);
  return {
    placed: sum(/^argosy_round_leases_total(?:\{[^}]*\})? (\d+)/gm),
    lists: sum(/^argosy_actor_messages_total\{actor="gateway",msg="reply found_jobs",result="handled"\} (\d+)/gm),
  };
}

const world = new World(programs, browserPath, ["--sim-clusters", "2", "--sim-nodes", "100"]);
const going = { on: true };
let browser;
try {
  await world.start();
  world.ctl("queue", "create", "pages");
  const file = join(world.folder, "changing.json");
  writeJobs(file);
  const changing = change(world, file, going);
  const words = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--window-size=1400,900", `--user-data-dir=${join(world.folder, "chromium")}`, `${world.base}/#/jobs`];
  browser = spawn(browserPath, words, { stdio: "ignore" });
  await until("the browser shows the page", () => ofRenderer() > 0);
  let before = await counts(world);
  let then = Date.now();
  for (let minute = 1; minute <= Number(minutes); ++minute) {
    const samples = [];
    for (let at = 0; at < 6; ++at) {
      await pause(10_000);
      samples.push(ofRenderer());
    }
    samples.sort((a, b) => a - b);
    const now = await counts(world);
    const seconds = (Date.now() - then) / 1_000;
    console.log(`minute ${minute}: median ${(samples[3] / mega).toFixed(1)} MiB, most ${(samples[5] / mega).toFixed(1)} MiB, ${((now.placed - before.placed) / seconds).toFixed(0)} jobs placed/s, ${((now.lists - before.lists) / seconds).toFixed(1)} lists/s`);
    [before, then] = [now, Date.now()];
  }
  going.on = false;
  await changing;
} finally {
  going.on = false;
  if (browser?.exitCode === null) {
    const ended = new Promise((resolve) => browser.once("exit", resolve));
    browser.kill("SIGTERM");
    await ended;
  }
  await world.end();
}
