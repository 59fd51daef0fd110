// SPDX-License-Identifier: Apache-2.0
// Calls the API over REST, below the address that the page was loaded from. A caller whom the server
// does not know is asked to log in once, and the call is made again. Name and password, or the token
// of a provider, are kept in this tab until it is closed.
import { Freshness } from "../model/freshness";
import * as oidc from "./oidc";
import { Signal } from "./signal";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export interface Credentials {
  name: string;
  password: string;
}

/// What the page shows of its connection: `lost` from the first call that reached nobody.
export type Link = "up" | "lost";

const kept = "argosy-credentials";
const slowest = 60_000;

export const link = new Signal<Link>("up");
/// What the login form says; null while nobody has to log in.
export const loginWanted = new Signal<string | null>(null);
/// Whether the reader would not log in. Calls then fail at once.
export const loggedOut = new Signal(false);
/// Grows with each login.
export const logins = new Signal(0);

/// What is known of the server's log. A load is named by the signal that ends it.
export const freshness = new Freshness();
const sharing = new WeakSet<AbortSignal>();
const positionHeader = "Argosy-Position";
/// These change nothing, though they are posted.
const searches = ["v1/jobs/find", "v1/jobs/group"];

export interface Within {
  controller: AbortController;
  /// To be called when all is done, so that a signal that lasts keeps nothing of what has ended.
  letGo: () => void;
}

/// A controller whose signal ends with another one too.
export function within(outer: AbortSignal): Within {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  if (outer.aborted) end();
  outer.addEventListener("abort", end, { once: true });
  return { controller, letGo: () => outer.removeEventListener("abort", end) };
}

/// Calls with this signal may get an answer that was made for another reader, which suits whoever
/// follows the server and has asked nothing new.
export const share = (signal: AbortSignal): void => void sharing.add(signal);

interface Waiting {
  goOn: () => void;
  fail: (why: ApiError) => void;
}

let waiting: Waiting[] = [];
let basic = sessionStorage.getItem(kept) ?? "";

export function basicHeader(who: Credentials): string {
  const bytes = new TextEncoder().encode(`${who.name}:${who.password}`);
  return `Basic ${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
}

export function logIn(who: Credentials): void {
  oidc.forget();
  basic = basicHeader(who);
  sessionStorage.setItem(kept, basic);
  goOn();
}

export function logOut(): void {
  basic = "";
  sessionStorage.removeItem(kept);
  oidc.forget();
  location.reload();
}

/// Somebody has logged in at the provider.
export function hasToken(): void {
  basic = "";
  sessionStorage.removeItem(kept);
  goOn();
}

export const isLoggedIn = (): boolean => basic !== "" || oidc.hasToken();

const header = async (): Promise<string> => (basic !== "" ? basic : oidc.header());
/// Has a token renewed that ends soon, while no call is made that would do it.
export const keepLogin = (): void => void header().catch(() => undefined);
const shownNow = (): string => (basic !== "" ? basic : oidc.shown());

function end(each: (call: Waiting) => void): void {
  loginWanted.set(null);
  const calls = waiting;
  waiting = [];
  calls.forEach(each);
}

function goOn(): void {
  loggedOut.set(false);
  logins.set(logins.value + 1);
  end((call) => call.goOn());
}

const nobody = (): ApiError => new ApiError(401, "You are not logged in, or not any more.");

/// Puts the login off: what waits for it fails, so that it can tell what it has done.
export function stayOut(): void {
  loggedOut.set(waiting.length > 0);
  end((call) => call.fail(nobody()));
}

/// Asks for the login that was put off.
export function comeBack(): void {
  loggedOut.set(false);
  loginWanted.set("");
}

/// Waits until somebody has logged in. Calls that wait meanwhile go on together.
function login(why: string): Promise<void> {
  if (loggedOut.value) return Promise.reject(nobody());
  loginWanted.set(why);
  return new Promise((goOn, fail) => waiting.push({ goOn, fail }));
}

function isAway(status: number): boolean {
  return status === 502 || status === 503 || status === 504;
}

async function errorOf(answer: Response): Promise<ApiError> {
  const text = (await answer.text()).trim();
  const bare = `HTTP ${answer.status}`;
  try {
    return new ApiError(answer.status, (JSON.parse(text) as { message?: string }).message || bare);
  } catch {
    // A proxy on the way answers with a text of its own, which may be a page.
    return new ApiError(answer.status, text === "" || text.startsWith("<") ? bare : text);
  }
}

interface Call extends RequestInit {
  headers?: Record<string, string>;
  /// Gets what is to be called when the answer has come whole, as Within.letGo.
  ends?: (() => void)[];
}

async function once(path: string, how: Call, proof: string): Promise<Response> {
  const headers: Record<string, string> = { Accept: "application/json", ...how.headers };
  if (proof !== "") headers.Authorization = proof;
  if (how.signal && sharing.has(how.signal)) headers[positionHeader] = String(freshness.wanted);
  if (how.body !== undefined) headers["Content-Type"] = "application/json";
  const timer = new AbortController();
  const end = (): void => timer.abort();
  const late = setTimeout(end, slowest);
  how.signal?.addEventListener("abort", end);
  how.ends?.push(() => how.signal?.removeEventListener("abort", end));
  try {
    return await fetch(path, {
      ...how,
      headers,
      cache: "no-store",
      credentials: "omit",
      signal: timer.signal,
    });
  } catch (reason) {
    if (how.signal?.aborted) throw reason;
    link.set("lost");
    throw new ApiError(0, "The server does not answer. The page tries again by itself.");
  } finally {
    clearTimeout(late);
  }
}

/// The answer once the server knows who asks, before its body has come. Waits for a login.
export async function answerTo(path: string, how: Call): Promise<Response> {
  for (let renewals = 0; ; ) {
    const proof = await header();
    const answer = await once(path, how, proof);
    if (answer.status === 401) {
      const why = await errorOf(answer);
      // Another call may have logged in meanwhile.
      if (shownNow() !== proof) continue;
      // A token that the server does not take is renewed once, and not for ever.
      if (basic === "" && renewals++ === 0 && (await oidc.renewed(proof))) continue;
      await login(proof === "" ? "" : why.message);
      continue;
    }
    link.set(isAway(answer.status) ? "lost" : "up");
    if (!answer.ok) throw await errorOf(answer);
    return answer;
  }
}

async function call<T>(path: string, how: Call): Promise<T> {
  const ends: (() => void)[] = [];
  try {
    const answer = await answerTo(path, { ...how, ends });
    const told = answer.headers.get(positionHeader);
    freshness.answered(how.signal ?? undefined, told === null ? null : Number(told));
    if (told !== null && how.method !== "GET" && !searches.includes(path)) freshness.changed(Number(told));
    return (await answer.json()) as T;
  } finally {
    ends.forEach((end) => end());
  }
}

export type Query = Record<string, string | number | boolean | undefined>;

export function withQuery(path: string, query: Query): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== "") words.set(name, String(value));
  const text = words.toString();
  return text === "" ? path : `${path}?${text}`;
}

export function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return call<T>(withQuery(path, query), { method: "GET", signal });
}

export function post<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return call<T>(path, { method: "POST", body: JSON.stringify(body), signal });
}

/// How often a list may be begun again before it is given up.
const restartsMax = 3;

/// All items of a list that comes in pages, at most `limit`.
export async function all<T>(
  path: string,
  field: string,
  query: Query = {},
  signal?: AbortSignal,
  limit = 100_000,
): Promise<T[]> {
  let out: T[] = [];
  let cursor: string | undefined;
  let restarts = 0;
  for (;;) {
    let page: Record<string, unknown>;
    try {
      page = await get(path, { ...query, cursor }, signal);
    } catch (reason) {
      // The server was set back to an older state, in which there is no such page.
      const gone = cursor !== undefined && reason instanceof ApiError && reason.status === 400;
      if (!gone || restarts++ === restartsMax) throw reason;
      out = [];
      cursor = undefined;
      continue;
    }
    out.push(...((page[field] as T[] | undefined) ?? []));
    cursor = page.cursor as string | undefined;
    if (!cursor || out.length >= limit) return out;
  }
}

/// One part of a path.
export const part = encodeURIComponent;
