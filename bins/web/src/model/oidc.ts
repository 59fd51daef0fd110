// SPDX-License-Identifier: Apache-2.0
// A login at an OpenID provider by authorization code with PKCE: what is sent, and what may be
// believed of what comes back. Nothing here calls anybody.

export interface Provider {
  issuer: string;
  clientId: string;
  authorizeUrl: string;
  tokenUrl: string;
}

/// A login that has begun. Only the page that began it knows its secrets.
export interface Pending {
  state: string;
  nonce: string;
  verifier: string;
  redirect: string;
  /// What stood behind the '#' of the page's address.
  hash: string;
}

/// What proves who the reader is. Times are in milliseconds since 1970.
export interface Token {
  value: string;
  refresh: string;
  renewAt: number;
  expiresAt: number;
}

/// What the provider sends back in the address.
export interface Returned {
  state: string;
  code: string;
  error: string;
  iss: string;
}

type Random = (bytes: Uint8Array) => Uint8Array;
type Digest = (bytes: Uint8Array) => Promise<ArrayBuffer>;

export function base64url(bytes: Uint8Array): string {
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export function begin(redirect: string, hash: string, random: Random): Pending {
  const word = (): string => base64url(random(new Uint8Array(32)));
  return { state: word(), nonce: word(), verifier: word(), redirect, hash };
}

/// https, or http on this machine, as a token must not be read on its way.
export function isSafe(url: string): boolean {
  try {
    const at = new URL(url);
    return at.protocol === "https:" || (at.protocol === "http:" && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(at.hostname));
  } catch {
    return false;
  }
}

const textIn = (from: unknown, name: string): string => {
  const value = (from as Record<string, unknown> | null)?.[name];
  return typeof value === "string" ? value : "";
};

/// Reads the provider's own description of itself. Throws what its operator has to change.
export function providerOf(document: unknown, issuer: string, clientId: string): Provider {
  const named = textIn(document, "issuer");
  if (named !== issuer) throw new Error(`The OpenID provider ${issuer} calls itself ${named === "" ? "nothing" : named}: access.oidc.issuer has to say that.`);
  const out = { issuer, clientId, authorizeUrl: textIn(document, "authorization_endpoint"), tokenUrl: textIn(document, "token_endpoint") };
  if (!isSafe(out.authorizeUrl) || !isSafe(out.tokenUrl)) throw new Error(`The OpenID provider ${issuer} names no https address for logins by authorization code.`);
  if (new URL(out.tokenUrl).origin !== new URL(issuer).origin) throw new Error(`The OpenID provider ${issuer} gives tokens at ${out.tokenUrl}, which this page may not call.`);
  return out;
}

export async function authorizeUrl(at: Provider, login: Pending, digest: Digest): Promise<string> {
  const challenge = base64url(new Uint8Array(await digest(new TextEncoder().encode(login.verifier))));
  const url = new URL(at.authorizeUrl);
  const words = {
    response_type: "code",
    client_id: at.clientId,
    redirect_uri: login.redirect,
    scope: "openid profile email",
    state: login.state,
    nonce: login.nonce,
    code_challenge: challenge,
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(words)) url.searchParams.set(name, value);
  return url.href;
}

/// What came back; nothing if the address is an ordinary one.
export function returned(search: string): Returned | null {
  const words = new URLSearchParams(search);
  const word = (name: string): string => words.get(name) ?? "";
  const error = [word("error"), word("error_description")].filter((text) => text !== "").join(": ");
  if (word("state") === "" || (word("code") === "" && error === "")) return null;
  return { state: word("state"), code: word("code"), error, iss: word("iss") };
}

/// Throws unless it is the answer to this login, from this provider, and good.
export function accept(login: Pending, got: Returned, issuer: string): void {
  if (got.state !== login.state) throw new Error("What came back answers another login than the one that this page began.");
  if (got.iss !== "" && got.iss !== issuer) throw new Error(`What came back is of ${got.iss}, and not of ${issuer}.`);
  if (got.error !== "") throw new Error(`The login was refused at the OpenID provider: ${got.error}`);
}

export function codeForm(at: Provider, login: Pending, code: string): URLSearchParams {
  return new URLSearchParams({ grant_type: "authorization_code", code, client_id: at.clientId, redirect_uri: login.redirect, code_verifier: login.verifier });
}

export function renewForm(clientId: string, refresh: string): URLSearchParams {
  return new URLSearchParams({ grant_type: "refresh_token", refresh_token: refresh, client_id: clientId });
}

/// What a token says of itself. The server checks who has signed it; here it is only read.
function claims(token: string): Record<string, unknown> | null {
  const parts = token.split(".");
  if (parts.length !== 3) return null;
  try {
    const bytes = Uint8Array.from(atob(parts[1]!.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    const read = JSON.parse(new TextDecoder().decode(bytes)) as unknown;
    return typeof read === "object" && read !== null ? (read as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const marginMs = 30_000;

/// The token of an answer: the access token if the server can read it, else the ID token, which it
/// always can. With a login its ID token has to be the answer to that login.
export function tokenOf(answer: unknown, at: { issuer: string; clientId: string }, login: Pending | null, now: number): Token {
  const id = textIn(answer, "id_token");
  const about = claims(id);
  if (login && about === null) throw new Error("The OpenID provider gave no ID token.");
  if (about) {
    const meant = Array.isArray(about.aud) ? about.aud : [about.aud];
    if (about.iss !== at.issuer || !meant.includes(at.clientId)) throw new Error("The OpenID provider gave an ID token that is not meant for this page.");
    if (login && about.nonce !== login.nonce) throw new Error("The OpenID provider gave the ID token of another login.");
  }
  const access = textIn(answer, "access_token");
  const value = claims(access) ? access : id;
  const read = claims(value);
  if (!read) throw new Error("The OpenID provider gave no token that the server could read (JWT).");
  const told = Number((answer as Record<string, unknown>).expires_in);
  const expiresAt = typeof read.exp === "number" ? read.exp * 1_000 : now + (told > 0 ? told * 1_000 : 3_600_000);
  return { value, refresh: textIn(answer, "refresh_token"), expiresAt, renewAt: expiresAt - Math.min(marginMs, Math.max(0, expiresAt - now) / 2) };
}

/// Why the provider refuses, in its own words.
export function refusal(status: number, answer: unknown): string {
  const words = [textIn(answer, "error"), textIn(answer, "error_description")].filter((text) => text !== "");
  return words.length > 0 ? words.join(": ").slice(0, 300) : `HTTP ${status}`;
}
