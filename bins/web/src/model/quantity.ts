// SPDX-License-Identifier: Apache-2.0
// Amounts of resources, numbers and shares as people read them.
import type { Amount } from "../api/types";

const binary = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];

export function bytes(amount: number): string {
  let value = amount;
  let at = 0;
  while (Math.abs(value) >= 1024 && at + 1 < binary.length) {
    value /= 1024;
    ++at;
  }
  return `${trimmed(value)}${binary[at]}`;
}

function trimmed(value: number): string {
  return String(Number(value.toFixed(Math.abs(value) < 10 ? 2 : 1)));
}

/// Amounts of cpu come in thousandths.
export const cores = (amount: number): string => trimmed(amount / 1000);

const inBytes = (resource: string): boolean =>
  resource === "memory" || resource.endsWith("storage") || resource.startsWith("hugepages");

export function quantity(resource: string, amount: number): string {
  if (resource === "cpu") return cores(amount);
  return inBytes(resource) ? bytes(amount) : trimmed(amount);
}

export function amountOf(list: Amount[] | undefined, resource: string): number {
  return list?.find((one) => one.resource === resource)?.amount ?? 0;
}

/// "cpu 2, memory 4Gi".
export function amounts(list: Amount[] | undefined): string {
  return (list ?? []).map((one) => `${one.resource} ${quantity(one.resource, one.amount ?? 0)}`).join(", ");
}

export const percent = (share: number | undefined): string => `${trimmed(100 * (share ?? 0))} %`;

const whole = new Intl.NumberFormat("en");
/// A number with commas between thousands.
export const count = (n: number | undefined): string => whole.format(n ?? 0);

/// "1 job", "2 jobs".
export const several = (n: number | undefined, one: string, many = `${one}s`): string =>
  `${count(n)} ${n === 1 ? one : many}`;

/// A share of a pool. What is far more than the pool is told as a multiple of it.
export const ofPool = (share: number | undefined): string => ((share ?? 0) >= 10 ? `${count(Math.round(share!))} × the pool` : percent(share));
