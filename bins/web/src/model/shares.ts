// SPDX-License-Identifier: Apache-2.0
// The shares of a queue, in one sentence and over the time that the page is open.
import type { QueueSummary, Share } from "../api/types";
import { percent } from "./quantity";

export interface Sample {
  /// In milliseconds since 1970.
  at: number;
  actual: number;
  fair: number;
  demand: number;
}

export const samplesMax = 900;

export function samples(before: Sample[], share: Share, at: number): Sample[] {
  const next = { at, actual: share.actualShare ?? 0, fair: share.fairShare ?? 0, demand: share.demandShare ?? 0 };
  return [...before, next].slice(-samplesMax);
}

const near = 0.01;

export function sentence(queue: QueueSummary): string {
  const actual = queue.actualShare ?? 0;
  const fair = queue.fairShare ?? 0;
  const demand = queue.demandShare ?? 0;
  const where = queue.sharePool ? ` of pool ${queue.sharePool}` : "";
  const has = `It has ${percent(actual)}${where}`;
  if (!queue.sharePool && actual === 0 && demand === 0)
    return "It took part in no round lately: it neither waits for anything nor runs anything.";
  if (demand <= actual + near)
    return `${has} and wants no more; its fair share is ${percent(fair)}.`;
  if (actual > fair + near)
    return `${has}, more than its fair share of ${percent(fair)}, since others leave it room; their jobs go first, and may take it back.`;
  if (actual < fair - near)
    return `${has}, less than its fair share of ${percent(fair)}, and wants ${percent(demand)}: its jobs go first, as soon as one fits.`;
  return `${has}, which is its fair share; it wants ${percent(demand)}.`;
}
