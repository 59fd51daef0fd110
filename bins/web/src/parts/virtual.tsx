// SPDX-License-Identifier: Apache-2.0
// Shows those rows of a long list that are in sight, so that millions cost no more than fifty.
import type { ComponentChildren, Ref } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface Properties {
  rows: number;
  height: number;
  row: (at: number) => ComponentChildren;
  /// Told which rows are in sight: from `first` on, before `end`.
  seen?: (first: number, end: number) => void;
  /// This row is brought into sight when it changes.
  focus?: number;
  label: string;
  role?: "table" | "list" | "log";
  head?: ComponentChildren;
  columns?: number;
  /// Whether the end stays in sight when rows come.
  tail?: boolean;
}

/// So many rows at least are drawn above and below what is in sight. They come and go by whole
/// steps, so that few frames of a scroll draw any.
const spare = 8;
const step = 8;
/// Browsers draw nothing that is higher than about 16 million pixels.
const tallest = 12_000_000;

export function Virtual(of: Properties) {
  const box = useRef<HTMLDivElement>(null);
  const [span, setSpan] = useState(() => ({ first: 0, end: Math.ceil(window.innerHeight / of.height) }));
  // While nothing but the place changes, rows that stay in sight are not made again.
  const made = useRef({ row: of.row, rows: new Map<number, ComponentChildren>() });
  if (made.current.row !== of.row) made.current = { row: of.row, rows: new Map() };
  const whole = of.rows * of.height;
  const scale = whole > tallest ? whole / tallest : 1;

  const look = (): void => {
    const element = box.current;
    if (!element) return;
    const top = element.scrollTop * scale;
    const first = Math.max(0, step * Math.floor((top / of.height - spare) / step));
    const end = Math.min(of.rows, step * Math.ceil(((top + element.clientHeight) / of.height + spare) / step));
    setSpan((old) => (old.first === first && old.end === end ? old : { first, end }));
    of.seen?.(first, end);
  };
  const latest = useRef(look);
  latest.current = look;

  useEffect(() => {
    const watch = new ResizeObserver(() => latest.current());
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (of.tail && box.current) box.current.scrollTop = box.current.scrollHeight;
    look();
  }, [of.rows, of.tail]);
  useEffect(() => {
    const element = box.current;
    if (!element || of.focus === undefined || of.focus < 0) return;
    const top = (of.focus * of.height) / scale;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + 2 * of.height > element.scrollTop + element.clientHeight)
      element.scrollTop = top + 2 * of.height - element.clientHeight;
  }, [of.focus]);

  const end = Math.min(span.end, of.rows);
  const first = Math.min(span.first, end);
  const shown = [];
  const before = made.current.rows;
  made.current.rows = new Map();
  for (let at = first; at < end; ++at) {
    const row = before.get(at) ?? of.row(at);
    made.current.rows.set(at, row);
    shown.push(row);
  }
  return (
    <div
      ref={box as Ref<HTMLDivElement>}
      class="virtual"
      role={of.role ?? "list"}
      aria-label={of.label}
      aria-rowcount={of.role === "table" ? of.rows + 1 : undefined}
      aria-colcount={of.columns}
      tabIndex={0}
      onScroll={look}
    >
      {of.head}
      <div class="virtual-all" role={of.role === "table" ? "rowgroup" : "presentation"} style={{ height: `${whole / scale}px` }}>
        <div class="virtual-shown" role="presentation" style={{ transform: `translateY(${(first * of.height) / scale}px)` }}>
          {shown}
        </div>
      </div>
    </div>
  );
}
