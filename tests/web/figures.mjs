// SPDX-License-Identifier: Apache-2.0
// How soon the page shows its first rows with many jobs in the store, and after a change of the search;
// and how many frames a second it draws while the list is scrolled.
// By hand, in the folder that `browser` has filled: node figures.mjs PROGRAMS CHROMIUM JOBS
import { World } from "./world.mjs";

const [programs, browserPath, jobs = "100000"] = process.argv.slice(2);
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const told = (name, list) => console.log(`${name}: median ${median(list).toFixed(0)} ms, most ${Math.max(...list).toFixed(0)} ms of ${list.length}`);
const row = '[role="table"] [role="row"] a';
const step = 20_000;

const world = new World(programs, browserPath);
try {
  await world.start();
  world.ctl("queue", "create", "pages");
  for (let at = 0; at < Number(jobs); at += step) world.jobs(`set-${at / step}`, "exit 0", Math.min(step, Number(jobs) - at), { cpu: "9000" });
  const [paints, rows, searches] = [[], [], []];
  for (let turn = 0; turn < 9; ++turn) {
    const page = await world.page();
    await page.goto(`${world.base}/#/jobs`);
    await page.locator(row).first().waitFor();
    rows.push(await page.evaluate(() => performance.now()));
    paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0));
    await page.close();
  }
  const page = await world.page();
  await page.goto(`${world.base}/#/jobs`);
  await page.locator(row).first().waitFor();
  for (let turn = 0; turn < 9; ++turn)
    searches.push(
      await page.evaluate(
        ([where, set]) =>
          new Promise((resolve) => {
            const begun = performance.now();
            location.hash = `#/jobs?where=jobset:${where}`;
            const look = () => {
              const there = [...document.querySelectorAll('[role="table"] [role="row"] button.value')].some((one) => one.textContent === set);
              const waits = document.querySelector(".waits");
              if (there && !waits) resolve(performance.now() - begun);
              else requestAnimationFrame(look);
            };
            requestAnimationFrame(look);
          }),
        [`set-${turn % 2}`, `set-${turn % 2}`],
      ),
    );
  await page.goto("about:blank");
  await page.goto(`${world.base}/#/jobs`);
  await page.locator(row).first().waitFor();
  const link = await page.context().newCDPSession(page);
  await link.send("Performance.enable");
  // What the thread of the page has done, in milliseconds; others draw.
  const work = async () => {
    const all = Object.fromEntries((await link.send("Performance.getMetrics")).metrics.map((one) => [one.name, 1_000 * one.value]));
    return { scripts: all.ScriptDuration, layout: all.LayoutDuration + all.RecalcStyleDuration, all: all.TaskDuration };
  };
  const before = await work();
  // Rows come in pages of fifty, so that the list is scrolled to its end again and again.
  const frames = await page.evaluate(
    (seconds) =>
      new Promise((resolve) => {
        const box = document.querySelector('[role="table"]');
        const times = [];
        const begun = performance.now();
        let last = begun;
        const step = (now) => {
          times.push(now - last);
          last = now;
          box.scrollTop += 40;
          if (now - begun < 1_000 * seconds) requestAnimationFrame(step);
          else resolve({ times: times.slice(1), rows: box.getAttribute("aria-rowcount") });
        };
        requestAnimationFrame(step);
      }),
    10,
  );
  const late = frames.times.filter((time) => time > 25).length;
  console.log(`scrolled 40 pixels a frame for 10 s, to row ${frames.rows}: ${(frames.times.length / 10).toFixed(1)} frames/s, ${late} of ${frames.times.length} took more than 25 ms, most ${Math.max(...frames.times).toFixed(0)} ms`);
  const after = await work();
  console.log(`of each frame: ${["scripts", "layout", "all"].map((name) => `${name} ${((after[name] - before[name]) / frames.times.length).toFixed(2)} ms`).join(", ")}`);
  told("first paint", paints);
  told("first rows", rows);
  told("a changed search to its first rows", searches);
} finally {
  await world.end();
}
