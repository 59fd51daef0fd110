// SPDX-License-Identifier: Apache-2.0
// What a run printed, followed while it prints, with a search and a download.
import { useEffect, useState } from "preact/hooks";
import { ApiError, get, part } from "../../api/client";
import type { FoundRun, LogChunk } from "../../api/types";
import { Empty, ErrorBox, save } from "../../parts/basics";
import { Virtual } from "../../parts/virtual";
import { gapBefore, LogReader, type LogQuery } from "../../model/logreader";
import { adding, find, from, fromBase64, none, shown, startOf, type LogText } from "../../model/logtext";
import { bytes, count } from "../../model/quantity";

const chunk = 1 << 20;
const rowHeight = 18;

/// So many of the last lines of a pod are shown.
const tailLines = 20_000;

const read = (id: string, run: number, query: LogQuery, signal?: AbortSignal): Promise<LogChunk> =>
  get<LogChunk>(`v1/job/${part(id)}/log`, { run, ...query }, signal);

/// Reads what there is, of long output the end, and then follows.
function useLog(id: string, run: number) {
  const [log, setLog] = useState<LogText>(none);
  const [error, setError] = useState<string | null>(null);
  const [end, setEnd] = useState(false);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    let timer = 0;
    let reader: LogReader | null = null;
    let tailed = false;
    const decoder = new TextDecoder("utf-8");
    setLog(none);
    setEnd(false);
    setError(null);
    const more = async (): Promise<void> => {
      let pause = 1_000;
      try {
        let got: LogChunk;
        if (!reader) {
          const begun = new LogReader();
          got = await read(id, run, begun.query(1, tailLines), stop.signal);
          tailed = begun.take(got);
          if (!tailed) {
            const probe = (at: number): LogQuery => ({ ...begun.query(1), offset: at });
            begun.offset = await startOf(async (at) => ((await read(id, run, probe(at), stop.signal)).data ?? "") !== "");
            got = await read(id, run, begun.query(chunk), stop.signal);
          }
          if (stop.signal.aborted) return;
          setLog(from(tailed ? 0 : begun.offset));
          if (!tailed) begun.take(got);
          reader = begun;
        } else {
          got = await read(id, run, reader.query(chunk), stop.signal);
          reader.take(got);
        }
        if (stop.signal.aborted) return;
        const data = fromBase64(got.data ?? "");
        if (data.length > 0 || got.lost) {
          const text = gapBefore(got) + decoder.decode(data, { stream: true });
          setLog((old) => {
            const now = adding(old, text, data.length);
            return tailed && now.lines.length > tailLines ? { ...now, dropped: true } : now;
          });
          pause = 0;
        }
        setError(null);
        setEnd(got.end ?? false);
        if (got.end && data.length === 0) return;
      } catch (why) {
        if (stop.signal.aborted) return;
        setError(why instanceof Error ? why.message : String(why));
        pause = 5_000;
        // What is shown is of a run that the server does not know any more.
        if (reader?.mark && why instanceof ApiError && why.status === 400) reader = null;
      }
      timer = window.setTimeout(() => void more(), pause);
    };
    void more();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [id, run, turn]);
  return { log, error, end, again: () => setTurn((n) => n + 1) };
}

async function download(id: string, run: number, told: (read: number) => void): Promise<void> {
  const parts: BlobPart[] = [];
  const reader = new LogReader();
  for (;;) {
    const got = await read(id, run, reader.query(chunk));
    const data = fromBase64(got.data ?? "");
    if (data.length === 0 && !got.lost) break;
    parts.push(gapBefore(got), data as BlobPart);
    reader.take(got);
    told(reader.offset);
  }
  save(`${id}-run-${run}.log`, parts, "application/octet-stream");
}

export function Logs({ id, runs }: { id: string; runs: FoundRun[] }) {
  const [chosen, setChosen] = useState(0);
  const run = chosen === 0 ? runs.length : chosen;
  const { log, error, end, again } = useLog(id, run);
  const [search, setSearch] = useState("");
  const [at, setAt] = useState(0);
  const [tail, setTail] = useState(true);
  const [loading, setLoading] = useState<string | null>(null);
  if (runs.length === 0) return <Empty>The job has not been started, so that it printed nothing.</Empty>;
  const lines = log.lines[log.lines.length - 1] === "" ? log.lines.slice(0, -1) : log.lines;
  const hits = find(lines, search);
  const hit = hits.length > 0 ? hits[at % hits.length]! : -1;
  const step = (event: Event): void => {
    event.preventDefault();
    setTail(false);
    setAt((n) => n + 1);
  };
  const all = async (): Promise<void> => {
    try {
      await download(id, run, (n) => setLoading(`${bytes(n)} read`));
      setLoading(null);
    } catch (why) {
      setLoading(why instanceof Error ? why.message : String(why));
    }
  };
  return (
    <section class="logs">
      <div class="row">
        {runs.length > 1 && (
          <label>
            Run{" "}
            <select value={run} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
              {runs.map((_, i) => (
                <option key={i} value={i + 1}>
                  {i + 1}
                </option>
              ))}
            </select>
          </label>
        )}
        <form class="row" role="search" onSubmit={step}>
          <input type="search" data-search aria-label="Search the output" placeholder="search" value={search} onInput={(event) => { setSearch(event.currentTarget.value); setAt(0); setTail(false); }} />
          <span class="note" role="status">
            {search === "" ? "" : hits.length === 0 ? "not found" : `line ${(at % hits.length) + 1} of ${count(hits.length)}`}
          </span>
          {hits.length > 1 && <button type="submit">next</button>}
        </form>
        <label>
          <input type="checkbox" checked={tail} onChange={(event) => setTail(event.currentTarget.checked)} /> stay at the end
        </label>
        <button type="button" class="quiet" onClick={() => void all()}>
          download
        </button>
        <span class="note" role="status">
          {loading ?? `${bytes(log.read)}${end ? "" : ", following"}`}
        </span>
      </div>
      <ErrorBox text={error} retry={again} />
      {log.dropped && <p class="note">The beginning is not shown, for it is long, and lines are counted from what is; the download has all.</p>}
      {lines.length === 0 ? (
        <Empty>{end ? "It printed nothing." : "It has printed nothing so far."}</Empty>
      ) : (
        <Virtual
          label="Output"
          role="log"
          rows={lines.length}
          height={rowHeight}
          tail={tail}
          focus={hit}
          row={(i) => (
            <div key={i} class={`log-line${i === hit ? " here" : ""}`} style={{ height: `${rowHeight}px` }}>
              <span class="line-number" aria-hidden="true">
                {i + 1}
              </span>
              {shown(lines[i]!)}
            </div>
          )}
        />
      )}
    </section>
  );
}
