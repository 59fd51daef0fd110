// SPDX-License-Identifier: Apache-2.0
// The page's address as a value, and changes of it.
import { parse, print, type Route } from "../model/route";
import { Signal } from "./signal";

export const route = new Signal<Route>(parse(location.hash));

export function listenToAddress(): void {
  window.addEventListener("hashchange", () => route.set(parse(location.hash)));
}

/// Goes to another place, to which the browser's back button comes back.
export function go(to: Route): void {
  location.hash = print(to);
}

/// Changes words of the present address, in place: a letter that is typed is no step of history.
export function change(words: Record<string, string>): void {
  const now = route.value;
  const next: Route = { view: now.view, names: now.names, words: { ...now.words, ...words } };
  history.replaceState(null, "", print(next));
  route.set(next);
}
