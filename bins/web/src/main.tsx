// SPDX-License-Identifier: Apache-2.0
// Begins the page.
import { render } from "preact";
import { listenToAddress, route } from "./api/address";
import { follow } from "./api/live";
import { useSignal } from "./api/signal";
import { Shell } from "./parts/shell";
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
      {at.view === "queues" && <Queues />}
      {at.view === "queue" && <Queue key={first} name={first} />}
      {(at.view === "fleet" || at.view === "node") && (
        <Fleet words={at.words} cluster={first} node={second} />
      )}
    </Shell>
  );
}

listenToAddress();
follow();
const root = document.getElementById("page")!;
root.textContent = "";
render(<Page />, root);
