// SPDX-License-Identifier: Apache-2.0
// A small OpenID provider: authorization code with PKCE, and tokens that can be renewed. It refuses
// whatever the standards have it refuse.
import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { createServer } from "node:http";

const word = () => randomBytes(16).toString("hex");
const packed = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

export class Issuer {
  /// How long tokens last, in seconds; whether they may be renewed; whether the user agrees.
  lasts = 3_600;
  renewable = true;
  agrees = true;
  user = "ann";
  /// Claims that tokens have instead of the right ones, and the state that is sent back.
  instead = {};
  stateInstead = undefined;
  /// The requests for tokens that were granted, by what was shown, and those that were refused.
  granted = [];
  refused = [];
  #codes = new Map();
  #renewals = new Set();
  #key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;

  async start() {
    this.server = createServer((from, to) => this.#serve(from, to).catch((why) => to.writeHead(500).end(String(why))));
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
  }

  end() {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  async #serve(from, to) {
    const url = new URL(from.url, this.url);
    const pages = { "/.well-known/openid-configuration": () => this.#describe(), "/keys": () => this.#keys() };
    to.setHeader("Access-Control-Allow-Origin", "*");
    if (pages[url.pathname]) return this.#json(to, 200, pages[url.pathname]());
    if (url.pathname === "/authorize") return this.#ask(url, to);
    if (url.pathname === "/agree") return this.#agree(url, to);
    if (url.pathname === "/token" && from.method === "POST") return this.#give(await this.#form(from), to);
    to.writeHead(404).end();
  }

  #json(to, status, body) {
    to.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  }

  #describe() {
    return { issuer: this.url, authorization_endpoint: `${this.url}/authorize`, token_endpoint: `${this.url}/token`, jwks_uri: `${this.url}/keys` };
  }

  #keys() {
    const { n, e } = createPrivateKey(this.#key.export({ type: "pkcs8", format: "pem" })).export({ format: "jwk" });
    return { keys: [{ kty: "RSA", kid: "1", alg: "RS256", use: "sig", n, e }] };
  }

  /// The page on which the user says who he is.
  #ask(url, to) {
    const words = url.searchParams;
    if (words.get("client_id") !== "argosy-page" || words.get("response_type") !== "code" || words.get("code_challenge_method") !== "S256" || !words.get("scope")?.split(" ").includes("openid"))
      return to.writeHead(400).end("this is no request that the provider knows");
    to.writeHead(200, { "Content-Type": "text/html" });
    to.end(`<title>Provider</title><a href="/agree?${words.toString().replaceAll("&", "&amp;")}">Continue as ${this.user}</a>`);
  }

  #agree(url, to) {
    const words = url.searchParams;
    const back = new URL(words.get("redirect_uri"));
    back.searchParams.set("state", this.stateInstead ?? words.get("state"));
    back.searchParams.set("iss", this.url);
    if (this.agrees) {
      const code = word();
      this.#codes.set(code, { challenge: words.get("code_challenge"), redirect: words.get("redirect_uri"), nonce: words.get("nonce") });
      back.searchParams.set("code", code);
    } else {
      back.searchParams.set("error", "access_denied");
      back.searchParams.set("error_description", "<b>no</b>");
    }
    to.writeHead(302, { Location: back.href }).end();
  }

  async #form(from) {
    let text = "";
    for await (const part of from) text += part;
    return new URLSearchParams(text);
  }

  #give(form, to) {
    const refuse = (error) => {
      this.refused.push(error);
      this.#json(to, 400, { error });
    };
    if (form.get("client_id") !== "argosy-page") return refuse("invalid_client");
    const kind = form.get("grant_type");
    let nonce;
    if (kind === "authorization_code") {
      const begun = this.#codes.get(form.get("code"));
      this.#codes.delete(form.get("code"));
      const challenge = createHash("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
      if (!begun || begun.challenge !== challenge || begun.redirect !== form.get("redirect_uri")) return refuse("invalid_grant");
      nonce = begun.nonce;
    } else if (kind !== "refresh_token" || !this.#renewals.delete(form.get("refresh_token"))) {
      return refuse("invalid_grant");
    }
    this.granted.push(kind);
    const again = word();
    if (this.renewable) this.#renewals.add(again);
    this.#json(to, 200, {
      token_type: "Bearer",
      access_token: "opaque",
      id_token: this.token({ ...(nonce ? { nonce } : {}), ...this.instead }),
      expires_in: this.lasts,
      ...(this.renewable ? { refresh_token: again } : {}),
    });
  }

  /// Nothing that was given before can be renewed any more.
  forgetRenewals() {
    this.#renewals.clear();
  }

  token(more = {}) {
    const claims = { iss: this.url, aud: "argosy-page", sub: this.user, exp: Math.floor(Date.now() / 1_000) + this.lasts, ...more };
    const text = `${packed({ alg: "RS256", kid: "1" })}.${packed(claims)}`;
    return `${text}.${sign("sha256", Buffer.from(text), this.#key).toString("base64url")}`;
  }
}
