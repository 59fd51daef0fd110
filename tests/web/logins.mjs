// SPDX-License-Identifier: Apache-2.0
// Goal: a reader logs in at an OpenID provider, stays logged in, and comes back after his session has
// ended without that anything is lost or done twice; whatever answers another login is not believed.
// Method: an argosyd that takes the tokens of a provider in this process.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { choose } from "./changes.mjs";
import { Issuer } from "./issuer.mjs";
import { accessible, until, World } from "./world.mjs";

/// A world of its own, whose argosyd believes the provider.
class LoginWorld extends World {
  issuer = new Issuer();

  async start() {
    if (!this.issuer.url) await this.issuer.start();
    const file = join(this.folder, "login.yaml");
    const admins = "permissionGroupMapping: {cancel_any_jobs: [everyone], change_settings: [everyone]}";
    writeFileSync(file, `health: {listen: "127.0.0.1:0"}\naccess: {${admins}, oidc: {issuer: "${this.issuer.url}", clientId: argosy-page, clockSkew: 0s}}\n`);
    this.words = ["--config", file];
    return super.start();
  }

  async end() {
    this.issuer.end();
    await super.end();
  }
}

const who = (page, name) => page.locator(".who").filter({ hasText: name }).waitFor();

/// Logs in from the page's head, and comes back to where it was.
async function logIn(world, hash = "#/jobs") {
  const page = await world.page();
  await world.look(page, hash, "Argosy");
  await page.getByRole("button", { name: "log in", exact: true }).click();
  await page.getByRole("button", { name: /Log in at 127/ }).click();
  await page.getByRole("link", { name: "Continue as ann" }).click();
  await who(page, "ann");
  return page;
}

async function comesBack(world) {
  const page = await logIn(world, "#/jobs?where=queue%3Apages");
  const address = page.url();
  assert(address.endsWith("/#/jobs?where=queue%3Apages"), `it comes back to ${address}`);
  assert.deepEqual(world.issuer.granted, ["authorization_code"]);
  await page.reload();
  await who(page, "ann");
  assert.deepEqual(world.issuer.granted, ["authorization_code"], "the tab keeps the token");
  await page.getByRole("button", { name: "log out" }).click();
  await page.getByRole("button", { name: "log in", exact: true }).waitFor();
  await page.close();
}

async function isRenewed(world) {
  world.issuer.lasts = 4;
  const page = await logIn(world);
  await until("it is renewed twice", () => world.issuer.granted.filter((kind) => kind === "refresh_token").length >= 2);
  await who(page, "ann");
  assert.equal(await page.getByRole("dialog").count(), 0, "nobody is asked");
  await page.close();
}

async function isNotBelieved(world) {
  const attempt = async (why, change) => {
    Object.assign(world.issuer, change);
    const page = await world.page();
    await world.look(page, "#/jobs", "Argosy");
    await page.getByRole("button", { name: "log in", exact: true }).click();
    await page.getByRole("button", { name: /Log in at 127/ }).click();
    await page.getByRole("link", { name: "Continue as ann" }).click();
    await page.getByText(why).first().waitFor();
    assert.equal(await page.locator(".who").filter({ hasText: "ann" }).count(), 0);
    await page.close();
    Object.assign(world.issuer, { agrees: true, instead: {}, stateInstead: undefined });
  };
  await attempt("access_denied: <b>no</b>", { agrees: false });
  await attempt("the ID token of another login", { instead: { nonce: "other" } });
  await attempt("not meant for this page", { instead: { aud: "payroll" } });
  // Another page may have begun that login; this one shows nothing and asks for no token.
  const before = world.issuer.granted.length;
  await attempt("This one may be closed", { stateInstead: "forged" });
  assert.equal(world.issuer.granted.length, before);
}

/// The session ends after the first batch of 500.
async function goesOn(world) {
  const ids = world.jobs("to-go-on", "exec sleep 600", 1_201, { cpu: "9000" });
  world.issuer.renewable = false;
  const page = await logIn(world);
  const sent = [];
  let ended = false;
  await page.route("**/v1/job/cancel", (route) => {
    const { jobIds } = route.request().postDataJSON();
    // From now on the server refuses the token, as it does with one that has expired.
    if (sent.length === 1 && !ended) {
      ended = true;
      return route.continue({ headers: { ...route.request().headers(), authorization: `Bearer ${world.issuer.token({ exp: 1_000 })}` } });
    }
    sent.push(jobIds);
    return route.continue();
  });
  const window = await choose(world, page, "to-go-on", "Cancel");
  await window.getByRole("button", { name: "Cancel jobs (1,201)" }).click();
  const login = page.getByRole("dialog", { name: "Log in" });
  await login.getByText("expired").waitFor();
  await accessible(page, "the window of a login");
  await page.getByText("Your session has ended. The rest waits until you have logged in").waitFor();
  const [beside] = await Promise.all([page.waitForEvent("popup"), login.getByRole("button", { name: /Log in at 127/ }).click()]);
  await beside.getByRole("link", { name: "Continue as ann" }).click();
  await page.getByText("Done: 1,201 of 1,201 jobs changed.").waitFor();
  await until("the window is closed", () => beside.isClosed());
  const all = sent.flat();
  assert.equal(all.length, 1_201);
  assert.equal(new Set(all).size, 1_201, "none twice");
  assert.deepEqual([...all].sort(), [...ids].sort());
  await page.close();
}

async function isAway(world) {
  world.issuer.end();
  const page = await world.page();
  await world.look(page, "#/jobs", "Argosy");
  await page.getByRole("button", { name: "log in", exact: true }).click();
  await page.getByRole("button", { name: /Log in at 127/ }).click();
  await page.getByText("does not answer this page").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "log in", exact: true }).waitFor();
  await page.close();
}

export function tests(programs, browserPath) {
  const world = new LoginWorld(programs, browserPath);
  const inside = (test) => async (outer) => {
    Object.assign(world.issuer, { lasts: 3_600, renewable: true, granted: [], refused: [] });
    await test(world);
    outer.complaints.push(...world.complaints.splice(0));
  };
  return {
    world,
    tests: {
      "a reader logs in at a provider, and comes back to what he saw": inside(comesBack),
      "a token is renewed before it ends": inside(isRenewed),
      "what answers another login is not believed": inside(isNotBelieved),
      "a session that ends amid a change goes on after a login, and does nothing twice": inside(goesOn),
      "a provider that is away is told, and the page goes on": inside(isAway),
    },
  };
}
