// SPDX-License-Identifier: Apache-2.0
// What is around every view: the ways to the views, the state of the connection, the login, help.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { go } from "../api/address";
import { paused, server } from "../api/live";
import { useSignal } from "../api/signal";
import { link, type View } from "../model/route";
import { Dialog } from "./dialog";
import { Connection, Login, Who } from "./login";
import { Views } from "./views";

const views: [View, string, string][] = [
  ["jobs", "Jobs", "j"],
  ["sets", "Job sets", "s"],
  ["queues", "Queues", "q"],
  ["fleet", "Fleet", "f"],
];

const keys: [string, string][] = [
  ["g then j, s, q or f", "go to jobs, job sets, queues or the fleet"],
  ["/", "go to the search"],
  ["↑ ↓ or k j", "move in the table of jobs"],
  ["Enter", "open the job, or open or close the group"],
  ["x", "select the row"],
  ["← → ↑ ↓", "move on the map of nodes"],
  ["Esc", "close a window"],
  ["?", "show these keys"],
];

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable);
}

/// The keys that work in all views.
function useKeys(help: () => void): void {
  const latest = useRef(help);
  latest.current = help;
  useEffect(() => {
    let going = false;
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector("dialog[open]")) return;
      const to = views.find(([, , key]) => key === event.key);
      if (going && to) {
        event.preventDefault();
        event.stopImmediatePropagation();
        go({ view: to[0], names: [], words: {} });
      } else if (event.key === "?") latest.current();
      else if (event.key === "/") {
        const search = document.querySelector<HTMLInputElement>("[data-search]");
        if (search) event.preventDefault();
        search?.focus();
      }
      going = event.key === "g";
    };
    document.addEventListener("keydown", press, true);
    return () => document.removeEventListener("keydown", press, true);
  }, []);
}

export function Shell({ view, children }: { view: View; children: ComponentChildren }) {
  const [help, setHelp] = useState(false);
  const [choosing, setChoosing] = useState(false);
  const now = useSignal(server);
  const stopped = useSignal(paused);
  useKeys(() => setHelp(true));
  const here = view === "job" ? "jobs" : view === "queue" ? "queues" : view === "node" ? "fleet" : view;
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => { e.preventDefault(); document.getElementById("main")?.focus(); }}>
        Skip to the content
      </a>
      <header class="top">
        <span class="brand">Argosy</span>
        <nav aria-label="Views">
          {views.map(([name, title]) => (
            <a key={name} href={link(name)} aria-current={here === name ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <span class="top-end">
          <button type="button" class="quiet" onClick={() => setChoosing(true)}>
            views
          </button>
          <button type="button" class="quiet" aria-pressed={stopped} onClick={() => paused.set(!stopped)}>
            {stopped ? "▶ go on" : "❚❚ pause"}
          </button>
          <Who />
          <button type="button" class="quiet" aria-label="Keys and versions" onClick={() => setHelp(true)}>
            ?
          </button>
        </span>
      </header>
      <Connection />
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      {help && (
        <Dialog title="Keys" close={() => setHelp(false)}>
          <dl class="facts">
            {keys.map(([key, what]) => (
              <div key={key}>
                <dt>{key}</dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
          <p class="note">
            argosyd {now?.version ?? "?"} {now?.commit ?? ""}, rounds by the preset {now?.preset ?? "?"}
          </p>
        </Dialog>
      )}
      {choosing && <Views close={() => setChoosing(false)} />}
      <Login />
    </>
  );
}
