// SPDX-License-Identifier: Apache-2.0
// The spans of a trace as bars below each other, each below what caused it.
import type { Span } from "../api/types";

export interface Bar {
  span: Span;
  depth: number;
  /// Where it begins and how long it is, as parts of the whole.
  left: number;
  width: number;
}

export interface Waterfall {
  bars: Bar[];
  from: number;
  to: number;
}

/// A job waits for hours between steps of microseconds, so that the scale is one of logarithms.
export function place(at: number, whole: number): number {
  return whole <= 0 ? 0 : Math.log1p(Math.max(0, at) / 1e4) / Math.log1p(whole / 1e4);
}

export function waterfall(spans: Span[]): Waterfall {
  if (spans.length === 0) return { bars: [], from: 0, to: 0 };
  const known = new Set(spans.map((span) => span.spanId));
  const children = new Map<number, Span[]>();
  const roots: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.startNs - b.startNs)) {
    const parent = span.parentId ?? span.linkSpanId ?? 0;
    if (parent === 0 || !known.has(parent) || parent === span.spanId) roots.push(span);
    else children.set(parent, [...(children.get(parent) ?? []), span]);
  }
  const from = Math.min(...roots.map((span) => span.startNs), ...spans.slice(0, 1).map((s) => s.startNs));
  let to = from;
  for (const span of spans) to = Math.max(to, span.startNs + (span.durationNs ?? 0));
  const whole = to - from;
  const bars: Bar[] = [];
  const done = new Set<number>();
  const stack = roots.reverse().map((span) => ({ span, depth: 0 }));
  while (stack.length > 0) {
    const { span, depth } = stack.pop()!;
    if (done.has(span.spanId)) continue;
    done.add(span.spanId);
    const left = place(span.startNs - from, whole);
    const right = place(span.startNs - from + (span.durationNs ?? 0), whole);
    bars.push({ span, depth, left, width: right - left });
    for (const child of [...(children.get(span.spanId) ?? [])].reverse())
      stack.push({ span: child, depth: depth + 1 });
  }
  return { bars, from, to };
}
