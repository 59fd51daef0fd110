// SPDX-License-Identifier: Apache-2.0
// The facts of a job, its time line and its runs.
import type { FoundRun } from "../../api/types";
import { amounts } from "../../model/quantity";
import { link } from "../../model/route";
import { holdWord, isActive, stateName } from "../../model/states";
import { phases } from "../../model/story";
import { clock, duration, exact } from "../../model/time";
import { webAddress } from "../../model/columns";
import { clause } from "../../model/where";
import type { OneJob } from "../job";

function Fact({ name, text, href }: { name: string; text: string | undefined; href?: string }) {
  if (!text) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{href ? <a href={href} {...(/^https?:/.test(href) ? { target: "_blank", rel: "noopener noreferrer" } : {})}>{text}</a> : text}</dd>
    </div>
  );
}

const where = (field: string, value: string): string =>
  link("jobs", [], { where: clause(field, value) ?? "" });

function TimeLine({ job, now }: { job: OneJob; now: number }) {
  const { summary } = job.described;
  const begun = summary.submittedNs ?? 0;
  const end = isActive(stateName(summary.state)) ? now : Math.max(summary.changedNs ?? begun, summary.finishedNs ?? 0);
  const parts = phases(begun, job.found?.runs ?? [], end);
  const whole = Math.max(1, end - begun);
  const told = parts.map((one) => `${one.name} ${duration(one.to - one.from)}`).join(", ");
  return (
    <figure class="timeline">
      <div class="bar tall" role="img" aria-label={told || "nothing yet"}>
        {parts.map((one) => (
          <span key={`${one.name}${one.from}`} class={`phase-${one.name}`} title={`${one.name} ${duration(one.to - one.from)}`} style={{ width: `${(100 * (one.to - one.from)) / whole}%` }} />
        ))}
      </div>
      <figcaption>
        <span title={exact(begun)}>{clock(begun)}</span>
        <span>{told}</span>
        <span title={exact(end)}>{clock(end)}</span>
      </figcaption>
    </figure>
  );
}

function Run({ run, number }: { run: FoundRun; number: number }) {
  const took = run.startedNs && run.finishedNs ? duration(run.finishedNs - run.startedNs) : "";
  return (
    <li class="card">
      <h3>
        Run {number} <span class="note">{(run.state ?? "").replace(/^RUN_/, "").replaceAll("_", " ").toLowerCase()}</span>
      </h3>
      <dl class="facts">
        <Fact name="Node" text={run.node ? `${run.cluster ?? ""}/${run.node}` : undefined} href={run.node ? link("node", [run.cluster ?? "", run.node]) : undefined} />
        <Fact name="Pool" text={run.pool} />
        <Fact name="Leased" text={exact(run.leasedNs)} />
        <Fact name="Pending" text={exact(run.pendingNs)} />
        <Fact name="Started" text={exact(run.startedNs)} />
        <Fact name="Finished" text={exact(run.finishedNs)} />
        <Fact name="Run time" text={took} />
        <Fact name="Exit code" text={run.hasExitCode ? String(run.exitCode ?? 0) : undefined} />
        <Fact name="Failure" text={[run.failureCategory, run.failureSubcategory].filter(Boolean).join(" / ")} />
        <Fact name="Error" text={run.error} />
        <Fact name="Note" text={run.note} />
      </dl>
    </li>
  );
}

function Words({ title, of }: { title: string; of: Record<string, string> | undefined }) {
  const all = Object.entries(of ?? {});
  if (all.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <dl class="facts">
        {all.map(([key, value]) => (
          <Fact key={key} name={key} text={value || "(empty)"} href={webAddress(value) ?? undefined} />
        ))}
      </dl>
    </section>
  );
}

export function Overview({ job, now }: { job: OneJob; now: number }) {
  const { summary, details } = job.described;
  const runs = job.found?.runs ?? [];
  return (
    <>
      {summary.reason && <p class="reason">{summary.reason}</p>}
      {summary.note && <p class="note">{summary.note}</p>}
      {summary.clusterSilent && <p class="warning">The cluster of its run is out of contact, so that nobody knows what the run does.</p>}
      {holdWord(summary.hold) === "held" && <p class="warning">Held by {summary.hold?.by ?? "somebody"}{summary.hold?.reason ? `: ${summary.hold.reason}` : ""}</p>}
      <TimeLine job={job} now={now} />
      <dl class="facts">
        <Fact name="Queue" text={summary.queue} href={link("queue", [summary.queue])} />
        <Fact name="Job set" text={summary.jobSet} href={where("jobset", summary.jobSet)} />
        <Fact name="Namespace" text={summary.nameSpace} />
        <Fact name="Owner" text={summary.owner} href={summary.owner ? where("owner", summary.owner) : undefined} />
        <Fact name="Priority" text={String(summary.priority ?? 0)} />
        <Fact name="Priority class" text={summary.priorityClass} />
        <Fact name="Asks for" text={amounts(summary.requests)} />
        <Fact name="Gang" text={summary.gang ? `${summary.gang} of ${summary.gangCardinality ?? "?"}` : undefined} href={summary.gang ? where("gang", summary.gang) : undefined} />
        <Fact name="Submitted" text={exact(summary.submittedNs)} />
        <Fact name="Last change" text={exact(summary.changedNs)} />
        <Fact name="Place in its queue" text={job.described.placeInQueue ? String(job.described.placeInQueue) : undefined} />
        <Fact name="Cancelled by" text={details?.cancelUser || job.found?.requestor} />
        <Fact name="Cancel reason" text={details?.cancelReason} />
      </dl>
      <h2>Runs</h2>
      {runs.length === 0 ? <p class="note">It has not been started. The tab “Why” says what it waits for.</p> : null}
      <ol class="cards" reversed>
        {runs.map((run, at) => <Run key={run.runId} run={run} number={at + 1} />).reverse()}
      </ol>
      <Words title="Annotations" of={job.found?.annotations} />
      <Words title="Labels" of={job.found?.labels} />
    </>
  );
}
