// SPDX-License-Identifier: Apache-2.0
// What happened to a job, step by step.
import { Empty } from "../../parts/basics";
import { steps } from "../../model/story";
import { duration, exact } from "../../model/time";
import type { OneJob } from "../job";

export function Events({ job }: { job: OneJob }) {
  const all = steps(job.described.history);
  if (job.described.historyHidden)
    return <Empty>The events are not shown: {job.described.historyHidden}</Empty>;
  if (all.length === 0)
    return <Empty>The server keeps no events of this job any more.</Empty>;
  return (
    <table class="plain">
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col" class="number">
            Later
          </th>
          <th scope="col">What happened</th>
        </tr>
      </thead>
      <tbody>
        {all.map((step, at) => (
          <tr key={`${step.at}${step.kind}${at}`}>
            <td class="nowrap">{exact(step.at)}</td>
            <td class="number">{at === 0 ? "–" : duration(step.at - all[at - 1]!.at)}</td>
            <td>{step.text}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
