// SPDX-License-Identifier: Apache-2.0
// The specification of a job, as a file that submits it again, and as the server has it.
import { useState } from "preact/hooks";
import { Copy, Empty, save } from "../../parts/basics";
import { print, submitFile } from "../../model/yaml";
import type { OneJob } from "../job";

const forms: [string, string][] = [
  ["submit", "YAML to submit again"],
  ["yaml", "YAML, whole"],
  ["json", "JSON, whole"],
];

export function Specification({ job }: { job: OneJob }) {
  const [form, setForm] = useState("submit");
  const spec = job.described.details?.jobSpec;
  if (!spec) return <Empty>The server keeps no specification of this job any more.</Empty>;
  const text = form === "json" ? `${JSON.stringify(spec, null, 2)}\n` : form === "yaml" ? print(spec) : submitFile(spec);
  const id = job.described.summary.jobId;
  const name = `${id}.${form === "json" ? "json" : "yaml"}`;
  return (
    <>
      <div class="row">
        {forms.map(([one, title]) => (
          <button key={one} type="button" aria-pressed={form === one} onClick={() => setForm(one)}>
            {title}
          </button>
        ))}
        <Copy text={text} label="copy" />
        <button type="button" class="quiet" onClick={() => save(name, [text])}>
          download
        </button>
      </div>
      {form === "submit" && (
        <p class="note">
          Save it, change what you like, and run <code>argosyctl submit {name}</code>.
        </p>
      )}
      <pre tabIndex={0} aria-label="Specification">
        {text}
      </pre>
    </>
  );
}
