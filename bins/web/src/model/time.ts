// SPDX-License-Identifier: Apache-2.0
// Times: how long ago, how long, and exactly. Inputs are nanoseconds since 1970, or of a span.

const units: [number, string][] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "m"],
  [1, "s"],
];

/// "2d 3h", "4m 10s", "1.2s", "35ms".
export function duration(ns: number): string {
  if (!Number.isFinite(ns)) return "–";
  const seconds = Math.max(0, ns) / 1e9;
  if (seconds < 0.001) return `${Math.round(seconds * 1e6)}µs`;
  if (seconds < 1) return `${Math.round(seconds * 1e3)}ms`;
  if (seconds < 10) return `${Number(seconds.toFixed(1))}s`;
  const at = units.findIndex(([size]) => seconds >= size);
  const [size, name] = units[at]!;
  const first = Math.floor(seconds / size);
  const next = units[at + 1];
  if (!next || first >= 10) return `${first}${name}`;
  const second = Math.floor((seconds - first * size) / next[0]);
  return second > 0 ? `${first}${name} ${second}${next[1]}` : `${first}${name}`;
}

export const nowNs = (): number => Date.now() * 1e6;

/// How long ago; a dash for what has not happened.
export function ago(ns: number | undefined, now: number): string {
  return ns ? duration(now - ns) : "–";
}

interface Formats {
  text: Intl.DateTimeFormat;
  zone: Intl.DateTimeFormat;
}

// A format costs twenty times as much to make as to use, and a table has a hundred exact times.
const formats = new Map<string | undefined, Formats>();
let ofClock: Intl.DateTimeFormat | null = null;

function formatsOf(zone: string | undefined): Formats {
  const known = formats.get(zone);
  if (known) return known;
  const two = "2-digit" as const;
  const made = {
    text: new Intl.DateTimeFormat("sv-SE", { timeZone: zone, hour12: false, year: "numeric", month: two, day: two, hour: two, minute: two, second: two }),
    zone: new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "short" }),
  };
  formats.set(zone, made);
  return made;
}

/// The exact time in the reader's zone, with the zone.
export function exact(ns: number | undefined, zone?: string): string {
  if (!ns) return "";
  const time = new Date(ns / 1e6);
  const format = formatsOf(zone);
  const ms = String(time.getMilliseconds()).padStart(3, "0");
  const name = format.zone.formatToParts(time).find((one) => one.type === "timeZoneName")?.value ?? "";
  return `${format.text.format(time)}.${ms} ${name}`.trim();
}

export function clock(ns: number | undefined): string {
  ofClock ??= new Intl.DateTimeFormat("sv-SE", { hour12: false, hour: "2-digit", minute: "2-digit", second: "2-digit" });
  return ns ? ofClock.format(new Date(ns / 1e6)) : "–";
}

export function fromTimestamp(at: { seconds?: number; nanos?: number } | undefined): number {
  return (at?.seconds ?? 0) * 1e9 + (at?.nanos ?? 0);
}
