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

const spare = 12;
/// Browsers draw nothing that is higher than about 16 million pixels.
const tallest = 12_000_000;

export function Virtual(of: Properties) {
  const box = useRef<HTMLDivElement>(null);
  const [span, setSpan] = useState({ first: 0, end: 60 });
  const whole = of.rows * of.height;
  const scale = whole > tallest ? whole / tallest : 1;

  const look = (): void => {
    const element = box.current;
    if (!element) return;
    const top = element.scrollTop * scale;
    const first = Math.max(0, Math.floor(top / of.height) - spare);
    const end = Math.min(of.rows, Math.ceil((top + element.clientHeight) / of.height) + spare);
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
  for (let at = first; at < end; ++at) shown.push(of.row(at));
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
