// SPDX-License-Identifier: Apache-2.0
// A small plot of a few curves over time, as lines or as areas one above the other.
import type { Curve, Curves } from "../model/rounds";
import { clock } from "../model/time";

const width = 600;
const height = 120;

const x = (time: number, times: number[]): number => {
  const first = times[0]!;
  const whole = times[times.length - 1]! - first;
  return whole > 0 ? (width * (time - first)) / whole : 0;
};

export function path(values: number[], times: number[], most: number): string {
  return values
    .map((value, at) => `${at === 0 ? "M" : "L"}${x(times[at]!, times).toFixed(1)} ${(height - (height * value) / most).toFixed(1)}`)
    .join("");
}

/// The room between a curve and the one below it.
export function area(values: number[], below: number[] | undefined, times: number[], most: number): string {
  const upper = path(values, times, most);
  const lower = [...times.keys()].reverse().map((at) => `L${x(times[at]!, times).toFixed(1)} ${(height - (height * (below?.[at] ?? 0)) / most).toFixed(1)}`);
  return `${upper}${lower.join("")}Z`;
}

interface Properties {
  of: Curves;
  label: string;
  /// How a value reads.
  told: (value: number) => string;
  looks: string[];
  /// Whether curves are sums, each of those before it as well.
  areas?: boolean;
  /// The plot reaches up to this at least.
  least?: number;
}

/// The last value; for areas what the curve adds to the one below.
const lastOf = (curves: Curve[], at: number, areas: boolean): number => {
  const value = (one: Curve | undefined): number => one?.now ?? one?.values[one.values.length - 1] ?? 0;
  return value(curves[at]) - (areas ? value(curves[at - 1]) : 0);
};

export function Plot({ of: { times, curves }, label, told, looks, areas = false, least = 0 }: Properties) {
  if (times.length < 2) return <p class="note">{label}: no two rounds took place since the server began to remember.</p>;
  const most = Math.max(least, 1e-9, ...curves.flatMap((curve) => curve.values)) * 1.05;
  const now = curves.map((curve, at) => `${curve.name} ${told(lastOf(curves, at, areas))}`);
  return (
    <figure class="plot">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${label}. Now: ${now.join(", ")}`} preserveAspectRatio="none">
        {curves.map((curve, at) => (
          <path
            key={curve.name}
            class={`${looks[at % looks.length]}${areas ? " area" : ""}`}
            d={areas ? area(curve.values, curves[at - 1]?.values, times, most) : path(curve.values, times, most)}
          />
        ))}
      </svg>
      <figcaption>
        <span class="note">
          {label}; the top is {told(most)}
        </span>
        {curves.map((curve, at) => (
          <span key={curve.name} class={`legend ${looks[at % looks.length]}`}>
            <span aria-hidden="true">■ </span>
            {now[at]}
          </span>
        ))}
        <span class="note">
          {clock(times[0])} to {clock(times[times.length - 1])}
        </span>
      </figcaption>
    </figure>
  );
}
