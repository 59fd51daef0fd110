// SPDX-License-Identifier: Apache-2.0
// A list of which the server gives page after page. Each page begins where its cursor says, so that
// pages in sight can be loaded again without those before them.

export interface Page<T> {
  from: string;
  to: string;
  items: T[];
  /// Counts how often what is in sight was loaded again; this page was loaded then.
  turn?: number;
}

export interface Paged<T> {
  pages: Page<T>[];
}

export const empty = <T>(): Paged<T> => ({ pages: [] });

export function items<T>(list: Paged<T>): T[] {
  return list.pages.flatMap((page) => page.items);
}

/// The cursor of what comes behind all pages: "" before the first one is there, null at the end.
export function next<T>(list: Paged<T>): string | null {
  const last = list.pages[list.pages.length - 1];
  if (!last) return "";
  return last.to === "" ? null : last.to;
}

/// A cursor begins with a mark of how far the server's log was, which moves while the place stays.
const place = (cursor: string): string => cursor.slice(cursor.indexOf("/") + 1);

/// Puts in a page that was loaded. If it ends elsewhere than before, what follows belongs to other
/// cursors and goes.
export function withPage<T>(list: Paged<T>, page: Page<T>): Paged<T> {
  const at = list.pages.findIndex((known) => known.from === page.from);
  if (at >= 0) {
    const same = place(list.pages[at]!.to) === place(page.to);
    return { pages: [...list.pages.slice(0, at), page, ...(same ? list.pages.slice(at + 1) : [])] };
  }
  return next(list) === page.from ? { pages: [...list.pages, page] } : list;
}

/// The cursors of the pages that have items from `first` on and before `end`.
export function inSight<T>(list: Paged<T>, first: number, end: number): string[] {
  const out: string[] = [];
  let at = 0;
  for (const page of list.pages) {
    if (at < end && at + page.items.length > first) out.push(page.from);
    at += page.items.length;
  }
  return out;
}
