// SPDX-License-Identifier: Apache-2.0
// Goal: a login at an OpenID provider sends what the standards ask for, and believes nothing that is
// of another login, provider or page. Method: what comes back, case by case.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { accept, authorizeUrl, base64url, begin, codeForm, isSafe, providerOf, refusal, renewForm, returned, tokenOf } from "../src/model/oidc";

const issuer = "https://login.example.com/realm";
const document = { issuer, authorization_endpoint: `${issuer}/authorize?kept=1`, token_endpoint: `${issuer}/token` };
const at = providerOf(document, issuer, "argosy");
const digest = async (bytes: Uint8Array): Promise<ArrayBuffer> => new Uint8Array(createHash("sha256").update(bytes).digest()).buffer as ArrayBuffer;
let turn = 0;
const random = (bytes: Uint8Array): Uint8Array => bytes.fill(++turn);
const login = begin("https://argosy.example.com/page/", "#/jobs?where=a%3Ab", random);

const token = (claims: object): string => `${base64url(new TextEncoder().encode("{}"))}.${base64url(new TextEncoder().encode(JSON.stringify(claims)))}.c2ln`;
const good = { iss: issuer, aud: "argosy", sub: "ann", nonce: login.nonce, exp: 2_000 };

test("the challenge is that of the standard's example", async () => {
  const url = new URL(await authorizeUrl(at, { ...login, verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" }, digest));
  assert.equal(url.searchParams.get("code_challenge"), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
  assert.equal(url.searchParams.get("code_challenge_method"), "S256");
  assert.equal(url.searchParams.get("redirect_uri"), "https://argosy.example.com/page/");
  assert.equal(url.searchParams.get("state"), login.state);
  assert.equal(url.searchParams.get("nonce"), login.nonce);
  assert.equal(url.searchParams.get("kept"), "1");
  assert(!url.href.includes("dBjftJeZ"), "the secret stays here");
});

test("state, nonce and verifier are words of their own", () => {
  assert.equal(new Set([login.state, login.nonce, login.verifier]).size, 3);
  assert(login.verifier.length >= 43);
});

test("a provider that calls itself otherwise, or is not safe, is refused", () => {
  assert.throws(() => providerOf({ ...document, issuer: "https://evil.example.com" }, issuer, "argosy"), /calls itself https:\/\/evil/);
  assert.throws(() => providerOf(null, issuer, "argosy"), /calls itself nothing/);
  assert.throws(() => providerOf({ ...document, token_endpoint: "http://login.example.com/token" }, issuer, "argosy"), /no https address/);
  assert.throws(() => providerOf({ ...document, authorization_endpoint: "javascript:alert(1)" }, issuer, "argosy"), /no https address/);
  assert.throws(() => providerOf({ ...document, token_endpoint: "https://other.example.com/token" }, issuer, "argosy"), /may not call/);
  assert(isSafe("http://127.0.0.1:80/x") && !isSafe("http://127.0.0.1.evil.example.com/") && !isSafe("x"));
});

test("an address that is no answer is an ordinary one", () => {
  assert.equal(returned(""), null);
  assert.equal(returned("?code=1"), null);
  assert.equal(returned("?state=1"), null);
  assert.deepEqual(returned("?state=s&error=access_denied&error_description=no"), { state: "s", code: "", error: "access_denied: no", iss: "" });
});

test("only the answer to this login, from this provider, is taken", () => {
  const got = { state: login.state, code: "c", error: "", iss: "" };
  accept(login, got, issuer);
  accept(login, { ...got, iss: issuer }, issuer);
  assert.throws(() => accept(login, { ...got, state: "other" }, issuer), /another login/);
  assert.throws(() => accept(login, { ...got, iss: "https://evil.example.com" }, issuer), /is of https:\/\/evil/);
  assert.throws(() => accept(login, { ...got, error: "access_denied" }, issuer), /refused/);
});

test("the code is exchanged with the secret, and a renewal has none", () => {
  const form = codeForm(at, login, "the code");
  assert.equal(form.get("code_verifier"), login.verifier);
  assert.equal(form.get("code"), "the code");
  assert.equal(form.get("client_id"), "argosy");
  assert.equal(renewForm("argosy", "again").toString(), "grant_type=refresh_token&refresh_token=again&client_id=argosy");
});

test("an ID token of another login, provider or page is not believed", () => {
  const take = (claims: object) => tokenOf({ id_token: token(claims) }, at, login, 1_000_000);
  assert.equal(take(good).value, token(good));
  assert.equal(take({ ...good, aud: ["x", "argosy"] }).expiresAt, 2_000_000);
  assert.throws(() => take({ ...good, nonce: "other" }), /another login/);
  assert.throws(() => take({ ...good, nonce: undefined }), /another login/);
  assert.throws(() => take({ ...good, iss: "https://evil.example.com" }), /not meant for this page/);
  assert.throws(() => take({ ...good, aud: "payroll" }), /not meant for this page/);
  assert.throws(() => tokenOf({ access_token: token(good) }, at, login, 0), /no ID token/);
  assert.throws(() => tokenOf({ id_token: "a.%%%.c" }, at, login, 0), /no ID token/);
  assert.throws(() => tokenOf(null, at, login, 0), /no ID token/);
});

test("the access token is shown where the server can read it, and is renewed before it ends", () => {
  const access = token({ ...good, exp: 1_600 });
  const got = tokenOf({ id_token: token(good), access_token: access, refresh_token: "again" }, at, login, 1_000_000);
  assert.deepEqual(got, { value: access, refresh: "again", expiresAt: 1_600_000, renewAt: 1_570_000 });
  const opaque = tokenOf({ id_token: token(good), access_token: "opaque" }, at, login, 1_000_000);
  assert.equal(opaque.value, token(good));
  assert.equal(tokenOf({ id_token: token({ ...good, exp: 1_010 }) }, at, login, 1_000_000).renewAt, 1_005_000, "a short one at half its time");
});

test("a refusal is told in the provider's words, and within bounds", () => {
  assert.equal(refusal(400, { error: "invalid_grant", error_description: "<b>too late</b>" }), "invalid_grant: <b>too late</b>");
  assert.equal(refusal(502, null), "HTTP 502");
  assert.equal(refusal(400, { error: "x".repeat(10_000) }).length, 300);
});
