// SPDX-License-Identifier: Apache-2.0
// How much memory the page takes while jobs change all the time: the heap of its scripts after each
// minute, garbage collected, and what the browser's process for it has in memory.
// By hand, in the folder that `browser` has filled: node lasting.mjs PROGRAMS CHROMIUM MINUTES
import { spawn } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { World } from "./world.mjs";

const [programs, browserPath, minutes = "5"] = process.argv.slice(2);
const jobsAtOnce = 200;
const mega = 1 << 20;

const of = (pid, file) => readFileSync(`/proc/${pid}/${file}`, "utf8");

/// Whether this program has begun the process, or one of its parents.
function isOurs(pid) {
  for (let at = pid; at > 1; at = Number(/PPid:\s+(\d+)/.exec(of(at, "status"))[1])) if (at === process.pid) return true;
  return false;
}

/// The anonymous memory of the process that has the page: the one of the renderers that has most.
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

const world = new World(programs, browserPath, ["--sim-clusters", "2", "--sim-nodes", "100"]);
let busy = true;

/// Simulated jobs, 200 each second, of which each has five changes.
async function change(file) {
  while (busy) {
    const begun = Date.now();
    await new Promise((resolve) => spawn(join(programs, "argosyctl"), ["submit", file], { env: world.env, stdio: "ignore" }).once("exit", resolve));
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 1_000 - (Date.now() - begun))));
  }
}

try {
  await world.start();
  world.ctl("queue", "create", "pages");
  const amounts = { cpu: "10m", memory: "1Mi" };
  const job = { priority: 1, namespace: "default", podSpec: { containers: [{ name: "main", image: "none", command: ["/bin/true"], resources: { requests: amounts, limits: amounts } }] } };
  const file = join(world.folder, "changing.json");
  writeFileSync(file, JSON.stringify({ queue: "pages", jobSetId: "changing", jobs: Array.from({ length: jobsAtOnce }, () => job) }));
  const changing = change(file);
  const page = await world.page();
  await world.look(page, "#/jobs", "changing");
  const link = await page.context().newCDPSession(page);
  const begun = JSON.parse(await (await fetch(`${world.base}/v1/version`)).text()).position;
  const start = Date.now();
  for (let at = 0; at <= Number(minutes); ++at) {
    if (at > 0) await page.waitForTimeout(60_000);
    await link.send("HeapProfiler.collectGarbage");
    const { usedSize } = await link.send("Runtime.getHeapUsage");
    const nodes = await page.evaluate(() => document.getElementsByTagName("*").length);
    const now = JSON.parse(await (await fetch(`${world.base}/v1/version`)).text()).position;
    console.log(`after ${at} min: heap ${(usedSize / mega).toFixed(1)} MiB, process ${(ofRenderer() / mega).toFixed(0)} MiB, ${nodes} elements, ${((now - begun) / Math.max(1, (Date.now() - start) / 1_000)).toFixed(0)} records of the log/s`);
  }
  busy = false;
  await changing;
} finally {
  busy = false;
  await world.end();
}
