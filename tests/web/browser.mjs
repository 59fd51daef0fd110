// SPDX-License-Identifier: Apache-2.0
// Looks at the web page of a real argosyd in Chromium. Each chapter says its goal and method.
import assert from "node:assert/strict";
import * as changes from "./changes.mjs";
import * as faults from "./faults.mjs";
import * as logins from "./logins.mjs";
import * as saved from "./saved.mjs";
import * as stream from "./stream.mjs";
import * as views from "./views.mjs";
import { World } from "./world.mjs";

const [programs, browserPath, only = ""] = process.argv.slice(2);

async function attempt(world, tests) {
  for (const [name, test] of Object.entries(tests)) {
    if (!name.includes(only)) continue;
    console.log(name);
    await test(world);
    assert.deepEqual(world.complaints, [], name);
  }
}

const world = new World(programs, browserPath);
const inside = logins.tests(programs, browserPath);
try {
  await world.start();
  world.ctl("queue", "create", "pages");
  world.ids = world.submit("jobs.yaml");
  world.ctl("wait", world.ids[0], "--for=running", "--timeout", "20s");
  world.node = JSON.parse(world.ctl("get", "nodes", "-o", "json")).items[0].name;
  for (const chapter of [views, saved, stream, changes, faults]) await attempt(world, chapter.tests);
  await inside.world.start();
  inside.world.ctl("queue", "create", "pages");
  await attempt(world, inside.tests);
  console.log("all is as it should be");
} finally {
  await inside.world.end();
  await world.end();
}
