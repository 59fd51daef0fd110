// SPDX-License-Identifier: Apache-2.0
// The shares of a queue, in one sentence.
import type { QueueSummary } from "../api/types";
import { ofPool, percent } from "./quantity";

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
    return `${has}, less than its fair share of ${percent(fair)}, and wants ${ofPool(demand)}: its jobs go first, as soon as one fits.`;
  return `${has}, which is its fair share; it wants ${ofPool(demand)}.`;
}
