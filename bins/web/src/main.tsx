// SPDX-License-Identifier: Apache-2.0
// Begins the page.
import { render } from "preact";
import { listenToAddress, route } from "./api/address";
import { follow } from "./api/follow";
import { start } from "./api/oidc";
import { useSignal } from "./api/signal";
import { parse } from "./model/route";
import { Shell } from "./parts/shell";
import { SavedView } from "./parts/views";
import { Fleet } from "./views/fleet";
import { Job } from "./views/job";
import { Jobs } from "./views/jobs";
import { Queue, Queues } from "./views/queues";
import { Sets } from "./views/sets";

function Page() {
  const at = useSignal(route);
  const [first = "", second = ""] = at.names;
  return (
    <Shell view={at.view}>
      {at.strange && <p class="warning" role="status">This page does not know the address it was called with, which may be of another version. It shows what is nearest.</p>}
      {at.view === "jobs" && <Jobs words={at.words} />}
      {at.view === "job" && <Job key={first} id={first} words={at.words} />}
      {at.view === "sets" && <Sets words={at.words} />}
      {at.view === "view" && <SavedView key={first} name={first} />}
      {at.view === "queues" && <Queues />}
      {at.view === "queue" && <Queue key={first} name={first} />}
      {(at.view === "fleet" || at.view === "node") && (
        <Fleet words={at.words} cluster={first} node={second} />
      )}
    </Shell>
  );
}

async function begin(): Promise<void> {
  const root = document.getElementById("page")!;
  if ((await start()) === "window") {
    root.textContent = "You are logged in, or were told why not, in the window from which this one was opened. This one may be closed.";
    window.close();
    return;
  }
  // A login gives the address back that it began with.
  route.set(parse(location.hash));
  listenToAddress();
  follow();
  root.textContent = "";
  render(<Page />, root);
}

void begin();
