// SPDX-License-Identifier: Apache-2.0
// How long the page waits before it asks a server again that did not answer.

/// In milliseconds: 1 s after the first failure, and at most 15 s.
export function pauseAfter(failures: number): number {
  return Math.min(15_000, 1_000 * 2 ** Math.max(0, failures - 1));
}

/// Says how long typing rests until the page searches for what there is, by how long a search takes:
/// a fast one may be made for every few letters.
export function restOfTyping(took: number): number {
  return Math.min(350, Math.max(80, 2 * took));
}
