// SPDX-License-Identifier: Apache-2.0
// What the page shows is in its address, behind the '#', so that a link shows the same to others.
// Words that this version does not know are passed over.

export type View = "jobs" | "job" | "sets" | "queues" | "queue" | "fleet" | "node" | "view";

export interface Route {
  view: View;
  /// What stands behind the view: a job's id, or a node's cluster and name.
  names: string[];
  words: Record<string, string>;
  /// The address names no view that this version has, and something near is shown.
  strange?: true;
}

const views: Record<View, number> = {
  jobs: 0,
  job: 1,
  sets: 0,
  queues: 0,
  queue: 1,
  fleet: 0,
  node: 2,
  view: 1,
};

/// The list in which the one thing would be.
const above: Partial<Record<View, View>> = { job: "jobs", queue: "queues", node: "fleet" };

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function parse(hash: string): Route {
  const text = hash.replace(/^#?\/?/, "");
  const at = text.indexOf("?");
  const path = at < 0 ? text : text.slice(0, at);
  const [first = "", ...names] = path.split("/").map(decoded);
  const words: Record<string, string> = {};
  if (at >= 0) for (const [name, value] of new URLSearchParams(text.slice(at + 1))) words[name] = value;
  const known = Object.keys(views).includes(first);
  const view = known ? (first as View) : "jobs";
  const named = names.filter((name) => name !== "");
  if (known && named.length === views[view]) return { view, names: named, words };
  const near: Route = { view: above[view] ?? view, names: [], words };
  return text === "" || first === "" ? near : { ...near, strange: true };
}

export function print(route: Route): string {
  const path = [route.view, ...route.names].map(encodeURIComponent).join("/");
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(route.words)) if (value !== "") words.set(name, value);
  const text = words.toString();
  return `#/${path}${text === "" ? "" : `?${text}`}`;
}

export const link = (view: View, names: string[] = [], words: Record<string, string> = {}): string =>
  print({ view, names, words });

/// A list in one word, "a,b".
export const list = (text: string | undefined): string[] =>
  (text ?? "").split(",").filter((one) => one !== "");
