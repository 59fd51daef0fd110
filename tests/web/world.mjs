// SPDX-License-Identifier: Apache-2.0
// An argosyd of its own and a browser that looks at its page.
import assert from "node:assert/strict";
import { spawn, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const ours = ["ARGOSY_SERVER", "ARGOSY_CONTEXT", "ARGOSY_CREDENTIALS", "ARGOSY_OUTPUT", "ARGOSY_PAGE", "ARGOSY_TOKEN"];

export async function until(what, holds, seconds = 30) {
  const end = Date.now() + 1_000 * seconds;
  for (;;) {
    if (await holds()) return;
    assert(Date.now() < end, `waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export class World {
  /// Markup that was executed, errors of scripts, and what the security policy refused.
  complaints = [];
  folder = mkdtempSync(join(tmpdir(), "argosy-browser-"));

  constructor(programs, browserPath, words = []) {
    this.programs = programs;
    this.browserPath = browserPath;
    this.words = words;
    this.env = { ...process.env, XDG_STATE_HOME: this.folder, XDG_CONFIG_HOME: this.folder };
    for (const name of ours) delete this.env[name];
  }

  async start() {
    const ready = join(this.folder, "ready");
    rmSync(ready, { force: true });
    const words = ["--dev", "--plain-processes", "--end-jobs-on-stop", "--data-dir", join(this.folder, "data"), "--ready-file", ready, ...this.words];
    this.server = spawn(join(this.programs, "argosyd"), words, { env: this.env, stdio: "ignore" });
    await until("argosyd is ready", () => existsSync(ready));
    const [nats, page] = readFileSync(ready, "utf8").split("\n");
    this.env.ARGOSY_SERVER = nats;
    this.base = page;
    return page;
  }

  async stop(signal) {
    const ended = new Promise((resolve) => this.server.once("exit", resolve));
    this.server.kill(signal);
    await ended;
  }

  ctl(...words) {
    return execFileSync(join(this.programs, "argosyctl"), words, { env: this.env, encoding: "utf8", timeout: 30_000 });
  }

  /// The ids of the jobs of a file, in its order.
  submit(file) {
    return this.ctl("submit", file, "-o", "name").trim().split("\n").map((line) => line.replace("job/", ""));
  }

  /// Submits so many jobs of one small script. Returns their ids.
  jobs(set, script, copies = 1, { queue = "pages", cpu = "10m", priorityClassName, annotations } = {}) {
    const amounts = { cpu, memory: "1Mi" };
    const container = { name: "main", image: "none", command: ["/bin/sh", "-c", script], resources: { requests: amounts, limits: amounts } };
    const job = { priority: 1, namespace: "default", annotations, podSpec: { priorityClassName, containers: [container] } };
    const file = join(this.folder, "jobs.json");
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ queue, jobSetId: set, jobs: Array.from({ length: copies }, () => job) }));
    return this.submit(file);
  }

  async page(how = {}) {
    this.browser ??= await chromium.launch({ executablePath: this.browserPath, args: ["--no-sandbox"] });
    const page = await this.browser.newPage(how);
    page.on("dialog", (one) => {
      this.complaints.push(`markup was executed: ${one.message()}`);
      void one.dismiss();
    });
    page.on("pageerror", (one) => this.complaints.push(String(one)));
    page.on("console", (one) => one.text().includes("Content Security Policy") && this.complaints.push(one.text()));
    return page;
  }

  /// Goes to a place and waits for a text there. What was open before does not stay.
  async look(page, hash, text) {
    await page.goto("about:blank");
    await page.goto(`${this.base}/${hash}`);
    await page.getByText(text).first().waitFor();
  }

  async end() {
    await this.browser?.close();
    if (this.server?.exitCode === null && this.server.signalCode === null) await this.stop("SIGTERM").catch(() => undefined);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function accessible(page, view) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
  const told = found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).join(", ")}`);
  assert.deepEqual(told, [], `axe on ${view}`);
}
