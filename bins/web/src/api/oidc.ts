// SPDX-License-Identifier: Apache-2.0
// Logs the reader in at the OpenID provider that the server believes, and keeps the token in this tab.
// The first login goes through the page's own address; a later one opens a window of its own, so that
// what this page is doing goes on afterwards.
import * as model from "../model/oidc";
import { Signal } from "./signal";

/// How readers may say who they are.
export interface Ways {
  issuer?: string;
  clientId?: string;
  passwords?: boolean;
}

const keptToken = "argosy-token";
const keptLogin = "argosy-login";
const slowest = 20_000;

export const ways = new Signal<Ways>({});
/// Why the last login came to nothing.
export const trouble = new Signal<string | null>(null);

interface KeptToken extends model.Token {
  at: model.Provider;
}

let token: KeptToken | null = readKept<KeptToken>(keptToken);
let renewing: Promise<void> | null = null;
let inWindow: { at: model.Provider; login: model.Pending } | null = null;

function readKept<T>(name: string): T | null {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "null") as T | null;
  } catch {
    return null;
  }
}

function keep(next: KeptToken | null): void {
  token = next;
  if (next) sessionStorage.setItem(keptToken, JSON.stringify(next));
  else sessionStorage.removeItem(keptToken);
}

export const hasToken = (): boolean => token !== null;
export const forget = (): void => keep(null);
/// The provider's host; empty if there is none.
export const provider = (): string => {
  const { issuer = "", clientId } = ways.value;
  return clientId && model.isSafe(issuer) ? new URL(issuer).host : "";
};

/// Where the provider sends readers back to: this page, whatever it shows.
const here = (): string => location.origin + location.pathname;

async function ask(url: string, form?: URLSearchParams): Promise<unknown> {
  const { host } = new URL(url);
  const timer = new AbortController();
  const late = setTimeout(() => timer.abort(), slowest);
  let answer: Response;
  try {
    answer = await fetch(url, { method: form ? "POST" : "GET", body: form, credentials: "omit", cache: "no-store", signal: timer.signal });
  } catch {
    throw new Error(`The OpenID provider ${host} does not answer this page. It has to be up, and to allow calls from ${location.origin}.`);
  } finally {
    clearTimeout(late);
  }
  const body: unknown = await answer.json().catch(() => null);
  if (answer.ok) return body;
  const why = `The OpenID provider ${host} refuses: ${model.refusal(answer.status, body)}`;
  throw Object.assign(new Error(why), { refused: answer.status < 500 && answer.status !== 429 });
}

async function find(): Promise<model.Provider> {
  const { issuer = "", clientId = "" } = ways.value;
  if (!globalThis.crypto?.subtle) throw new Error("A login at an OpenID provider takes https.");
  return model.providerOf(await ask(`${issuer.replace(/\/+$/, "")}/.well-known/openid-configuration`), issuer, clientId);
}

const begin = (hash: string): model.Pending => model.begin(here(), hash, (bytes) => crypto.getRandomValues(bytes));
const address = (at: model.Provider, login: model.Pending): Promise<string> =>
  model.authorizeUrl(at, login, (bytes) => crypto.subtle.digest("SHA-256", bytes as BufferSource));

/// Leaves for the provider. What this page is doing ends.
export async function logInHere(): Promise<void> {
  const at = await find();
  const login = begin(location.hash);
  sessionStorage.setItem(keptLogin, JSON.stringify({ at, login }));
  location.assign(await address(at, login));
}

/// Opens a window in which the reader logs in. Call it from a click, since browsers allow no other.
export async function logInBeside(): Promise<void> {
  const beside = window.open("about:blank", "argosy-login", "popup,width=520,height=720");
  if (!beside) throw new Error("The browser has not let this page open a window. Allow it for this page, or log in in this tab.");
  try {
    const at = await find();
    const login = begin("");
    inWindow = { at, login };
    beside.location.href = await address(at, login);
  } catch (reason) {
    beside.close();
    throw reason;
  }
}

async function take(at: model.Provider, login: model.Pending, got: model.Returned): Promise<void> {
  model.accept(login, got, at.issuer);
  const answer = await ask(at.tokenUrl, model.codeForm(at, login, got.code));
  keep({ ...model.tokenOf(answer, at, login, Date.now()), at });
}

const channel = (): BroadcastChannel => new BroadcastChannel(`argosy-login ${location.pathname}`);
const words = (reason: unknown): string => (reason instanceof Error ? reason.message : String(reason));

/// Hears from windows in which somebody has logged in. Only the answer to the login that this page
/// began counts, and only once.
export function listen(done: () => void): () => void {
  const from = channel();
  from.onmessage = (event: MessageEvent<model.Returned>) => {
    const begun = inWindow;
    if (!begun || event.data?.state !== begun.login.state) return;
    inWindow = null;
    trouble.set(null);
    take(begun.at, begun.login, event.data).then(done, (reason: unknown) => trouble.set(words(reason)));
  };
  return () => from.close();
}

/// Looks at the address with which the page was called. `window`: this is a window that was opened
/// for a login, which is over, and shows nothing else.
export async function start(): Promise<"page" | "window"> {
  const got = model.returned(location.search);
  const begun = readKept<{ at: model.Provider; login: model.Pending }>(keptLogin);
  if (got) {
    sessionStorage.removeItem(keptLogin);
    const own = begun && begun.login.state === got.state;
    history.replaceState(null, "", location.pathname + (own ? begun.login.hash : ""));
    if (!own) {
      const to = channel();
      to.postMessage(got);
      to.close();
      return "window";
    }
  }
  // Nothing that is shown first waits for this.
  void fetch("login.json", { credentials: "omit" })
    .then((answer) => (answer.ok ? (answer.json() as Promise<Ways>) : {}))
    .then((told) => ways.set(told), () => undefined);
  if (got && begun) await take(begun.at, begun.login, got).catch((reason: unknown) => trouble.set(words(reason)));
  return "page";
}

async function renew(old: KeptToken): Promise<void> {
  try {
    const fresh = model.tokenOf(await ask(old.at.tokenUrl, model.renewForm(old.at.clientId, old.refresh)), old.at, null, Date.now());
    if (token === old) keep({ ...fresh, refresh: fresh.refresh || old.refresh, at: old.at });
  } catch (reason) {
    // Who is refused is not asked again; who does not answer is, while the old token holds.
    if ((reason as { refused?: boolean }).refused && token === old) keep({ ...old, refresh: "" });
    else if (token === old) keep({ ...old, renewAt: Date.now() + 5_000 });
  }
}

/// The header of a call, with a token that was renewed in time; empty if there is none. One that has
/// expired is shown all the same, since nobody is to act as somebody else without a word.
export async function header(): Promise<string> {
  if (token && token.refresh !== "" && Date.now() >= token.renewAt) {
    renewing ??= renew(token).finally(() => (renewing = null));
    await renewing;
  }
  return shown();
}

export const shown = (): string => (token ? `Bearer ${token.value}` : "");

/// Another token after the server has refused this one; whether there is one.
export async function renewed(refused: string): Promise<boolean> {
  if (!token || token.refresh === "" || refused !== shown()) return refused !== shown();
  renewing ??= renew(token).finally(() => (renewing = null));
  await renewing;
  return refused !== shown();
}
