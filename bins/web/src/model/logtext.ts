// SPDX-License-Identifier: Apache-2.0
// The output of a run as lines that a page can show, whatever bytes it has. At most so many bytes
// are kept, the last ones; a very long line is cut in sight.

import { several } from "./quantity";

export const keptMax = 8 << 20;
export const lineMax = 4_000;

export interface LogText {
  /// Whole lines; the last one may go on.
  lines: string[];
  /// How many bytes were read.
  read: number;
  /// Whether the beginning was dropped to make room.
  dropped: boolean;
  size: number;
}

export const none: LogText = { lines: [], read: 0, dropped: false, size: 0 };

// Colours and moves of a terminal mean nothing here.
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/// Shows control characters as their pictures, so that binary output shows where it is none.
export function visible(text: string): string {
  return text
    .replace(escapes, "")
    .replace(/\r$/, "")
    .replace(/[\u0000-\u0008\u000b-\u001f]/g, (one) => String.fromCharCode(0x2400 + one.charCodeAt(0)))
    .replace(/[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

export function adding(to: LogText, text: string, bytes: number): LogText {
  const parts = text.split("\n");
  const lines = [...to.lines];
  const open = lines.pop() ?? "";
  parts[0] = open + parts[0]!;
  lines.push(...parts);
  let size = to.size + text.length;
  let first = 0;
  while (size > keptMax && first < lines.length - 1) size -= lines[first++]!.length + 1;
  const rest = first > 0 ? lines.slice(first) : lines;
  let dropped = to.dropped || first > 0;
  // A single line may be as long as the whole output.
  if (rest.length === 1 && rest[0]!.length > keptMax) {
    rest[0] = rest[0]!.slice(-keptMax);
    size = rest[0]!.length;
    dropped = true;
  }
  return { lines: rest, read: to.read + bytes, dropped, size };
}

/// Where reading begins so that the end comes within what is kept. Output is only known by asking
/// whether it has a byte at an offset, so that 1 GB takes some twenty questions instead of a thousand
/// reads.
export async function startOf(hasByte: (offset: number) => Promise<boolean>): Promise<number> {
  let low = 0;
  let high = keptMax;
  while (await hasByte(high)) {
    low = high;
    high *= 2;
  }
  if (low === 0) return 0;
  while (high - low > keptMax / 8) {
    const middle = Math.floor((low + high) / 2);
    if (await hasByte(middle)) low = middle;
    else high = middle;
  }
  return Math.max(0, low - keptMax / 2);
}

export const from = (offset: number): LogText => ({ lines: [], read: offset, dropped: offset > 0, size: 0 });

export function shown(line: string): string {
  if (line.length <= lineMax) return visible(line);
  return `${visible(line.slice(0, lineMax))} … ${several(line.length - lineMax, "more character")}`;
}

/// The numbers of the lines that have the text, in any case.
export function find(lines: string[], text: string): number[] {
  if (text === "") return [];
  const wanted = text.toLowerCase();
  const out: number[] = [];
  lines.forEach((line, at) => {
    if (line.toLowerCase().includes(wanted)) out.push(at);
  });
  return out;
}

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
