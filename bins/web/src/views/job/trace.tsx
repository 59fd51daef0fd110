// SPDX-License-Identifier: Apache-2.0
// The messages between actors that the job's submission caused, as a waterfall.
import { get, part } from "../../api/client";
import { useLoaded } from "../../api/live";
import type { Span } from "../../api/types";
import { Empty, ErrorBox } from "../../parts/basics";
import { Virtual } from "../../parts/virtual";
import { waterfall } from "../../model/waterfall";
import { several } from "../../model/quantity";
import { duration } from "../../model/time";

const rowHeight = 22;

export function Trace({ id }: { id: string }) {
  const { value, error, reload } = useLoaded(`trace ${id}`, (signal) => get<{ traceId?: string; spans?: Span[] }>(`v1/job/${part(id)}/trace`, {}, signal), false);
  if (error !== null) return <ErrorBox text={error} retry={reload} />;
  if (!value) return <Empty>Loading the trace …</Empty>;
  const { bars, from, to } = waterfall(value.spans ?? []);
  if (bars.length === 0)
    return <Empty>There is no trace: the server keeps traces in memory, for a while, if tracing.enabled is true.</Empty>;
  const whole = Math.max(1, to - from);
  return (
    <>
      <p class="note">
        Trace <code>{value.traceId}</code>: {several(bars.length, "step")} in {duration(whole)}. Times are on a scale that shows short and long ones. <button type="button" class="quiet" onClick={reload}>load again</button>
      </p>
      <Virtual
        label="Steps of the trace"
        rows={bars.length}
        height={rowHeight}
        row={(at) => {
          const { span, depth, left, width } = bars[at]!;
          const took = duration(span.durationNs ?? 0);
          return (
            <div key={at} role="listitem" class="span" style={{ height: `${rowHeight}px` }} title={`${span.process ?? ""} ${span.actor ?? ""} ${span.name}: waited ${duration(span.waitingNs ?? 0)}, took ${took}`}>
              <span class="span-name" style={{ paddingLeft: `${Math.min(depth, 20) * 10}px` }}>
                {span.actor ? `${span.actor} · ` : ""}
                {span.name}
              </span>
              <span class="span-bar">
                <span style={{ left: `${100 * left}%`, width: `${Math.max(0.3, 100 * width)}%` }} />
              </span>
              <span class="number">
                +{duration(span.startNs - from)} {took}
              </span>
            </div>
          );
        }}
      />
    </>
  );
}
