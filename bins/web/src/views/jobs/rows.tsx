// SPDX-License-Identifier: Apache-2.0
// The rows of the table of jobs.
import { change } from "../../api/address";
import { CountChips, StateChip } from "../../parts/basics";
import { webAddress, type Column } from "../../model/columns";
import { several } from "../../model/quantity";
import { link } from "../../model/route";
import { holdWord, stateName } from "../../model/states";
import { ago, exact } from "../../model/time";
import { adding, clause } from "../../model/where";
import type { FoundJob } from "../../api/types";
import type { Row } from "./tree";

export const rowHeight = 34;
export const widthOf = (columns: Column[]): number => columns.reduce((sum, one) => sum + one.width, 44);

function filterBy(where: string, column: Column, value: string): void {
  const made = clause(column.field!, value);
  if (made !== null) change({ where: adding(where, made) });
}

function Cell({ column, job, now, where }: { column: Column; job: FoundJob; now: number; where: string }) {
  const text = column.text(job, now);
  if (column.id === "id")
    return (
      <a href={link("job", [job.summary.jobId])} tabIndex={-1}>
        {text}
      </a>
    );
  if (column.id === "state") {
    const more = job.summary.stopping ? `${job.summary.stopping}…` : holdWord(job.summary.hold);
    return <StateChip state={stateName(job.summary.state)} more={more} />;
  }
  const web = webAddress(text);
  if (web)
    return (
      <a href={web} target="_blank" rel="noopener noreferrer" tabIndex={-1}>
        {text}
      </a>
    );
  if (!column.field || text === "–" || clause(column.field, text) === null) return <>{text}</>;
  return (
    <button type="button" class="value" tabIndex={-1} title={`Only ${column.title.toLowerCase()} ${text}`} onClick={(event) => {
      event.stopPropagation();
      filterBy(where, column, text);
    }}>
      {text}
    </button>
  );
}

interface Of {
  columns: Column[];
  now: number;
  at: number;
  here: boolean;
  selected: boolean;
  where: string;
  select: (range: boolean) => void;
  activate: () => void;
}

function Check({ selected, label, select }: { selected: boolean; label: string; select: (range: boolean) => void }) {
  return (
    <span class="cell check" role="cell">
      <input type="checkbox" tabIndex={-1} checked={selected} aria-label={label} onClick={(event) => {
        event.stopPropagation();
        select(event.shiftKey);
      }} />
    </span>
  );
}

export function JobRow({ job, level, of }: { job: FoundJob; level: number; of: Of }) {
  return (
    <div class={`row-of-table${of.here ? " here" : ""}${of.selected ? " selected" : ""}`} role="row" aria-rowindex={of.at + 2} aria-selected={of.selected} style={{ height: `${rowHeight}px` }} onClick={of.activate}>
      <Check selected={of.selected} label={`Select job ${job.summary.jobId}`} select={of.select} />
      {of.columns.map((column, at) => (
        <span key={column.id} class={`cell${column.numeric ? " number" : ""}`} role="cell" title={column.hint?.(job) || undefined} style={{ width: `${column.width}px`, paddingLeft: at === 0 ? `${8 + 16 * level}px` : undefined }}>
          <Cell column={column} job={job} now={of.now} where={of.where} />
        </span>
      ))}
    </div>
  );
}

export function GroupRow({ row, of, name }: { row: Extract<Row, { kind: "group" }>; of: Of; name: string }) {
  const { group } = row;
  const value = row.path[row.path.length - 1]!.value;
  return (
    <div class={`row-of-table group${of.here ? " here" : ""}${of.selected ? " selected" : ""}`} role="row" aria-rowindex={of.at + 2} style={{ height: `${rowHeight}px` }} onClick={of.activate}>
      <Check selected={of.selected} label={`Select all jobs of ${name} ${value}`} select={of.select} />
      <span class="cell group-name" role="cell" style={{ paddingLeft: `${8 + 16 * row.level}px` }}>
        <button type="button" class="value" tabIndex={-1} aria-expanded={row.open}>
          <span aria-hidden="true">{row.open ? "▾ " : "▸ "}</span>
          <span class="note">{name} </span>
          <strong>{value === "" ? "(none)" : value}</strong>
        </button>{" "}
        <span class="note">{several(group.count, "job")}</span>{" "}
        <CountChips counts={group.jobsByState} />{" "}
        <span class="note" title={exact(group.changedLastNs)}>
          last change {ago(group.changedLastNs, of.now)} ago
        </span>
      </span>
    </div>
  );
}

export function Head({ columns, order, ascending, all, toggleAll }: { columns: Column[]; order: string; ascending: boolean; all: boolean; toggleAll: () => void }) {
  return (
    <div class="row-of-table head" role="row" aria-rowindex={1}>
      <span class="cell check" role="columnheader">
        <input type="checkbox" checked={all} aria-label="Select all jobs that meet the conditions" onClick={toggleAll} />
      </span>
      {columns.map((column) => (
        <span
          key={column.id}
          class={`cell${column.numeric ? " number" : ""}`}
          role="columnheader"
          style={{ width: `${column.width}px` }}
          aria-sort={column.order === order ? (ascending ? "ascending" : "descending") : undefined}
        >
          {column.order ? (
            <button type="button" class="value" onClick={() => change({ order: column.order === "jobId" ? "" : column.order!, dir: column.order === order && !ascending ? "up" : "" })}>
              {column.title}
              {column.order === order ? (ascending ? " ↑" : " ↓") : ""}
            </button>
          ) : (
            column.title
          )}
        </span>
      ))}
    </div>
  );
}
