// SPDX-License-Identifier: Apache-2.0
// Who the reader is, how he says so, and what the page shows while the server does not know him.
import { useEffect, useState } from "preact/hooks";
import { comeBack, get, hasToken, isLoggedIn, link as connection, loggedOut, logIn, logins, loginWanted, logOut, stayOut } from "../api/client";
import { useLoaded } from "../api/live";
import * as oidc from "../api/oidc";
import { useSignal } from "../api/signal";
import type { WhoAmI } from "../api/types";
import { Dialog } from "./dialog";

function ByPassword() {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const send = (event: Event): void => {
    event.preventDefault();
    logIn({ name, password });
    setPassword("");
  };
  return (
    <form onSubmit={send} class="form">
      <p>Name and password stay in this tab until you close it.</p>
      <label>
        Name
        <input name="name" autocomplete="username" required value={name} onInput={(e) => setName(e.currentTarget.value)} />
      </label>
      <label>
        Password
        <input name="password" type="password" autocomplete="current-password" required value={password} onInput={(e) => setPassword(e.currentTarget.value)} />
      </label>
      <div class="row">
        <button type="submit" class="main">
          Log in
        </button>
        <button type="button" onClick={stayOut}>
          Not now
        </button>
      </div>
    </form>
  );
}

/// A page that has shown something goes on with it after a login in a window beside it; one that has
/// not leaves for the provider and comes back.
function ByProvider({ host, again, alone }: { host: string; again: boolean; alone: boolean }) {
  const [error, setError] = useState<string | null>(null);
  const begin = (how: () => Promise<void>) => (): void => {
    setError(null);
    oidc.trouble.set(null);
    how().catch((reason: unknown) => setError(reason instanceof Error ? reason.message : String(reason)));
  };
  return (
    <div class="form">
      <p>{again ? "The login opens in a window of its own. What waits here goes on afterwards, and nothing is done twice." : `You log in at ${host}, and come back to this page.`}</p>
      {error !== null && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      <div class="row">
        <button type="button" class="main" onClick={begin(again ? oidc.logInBeside : oidc.logInHere)}>
          Log in at {host}
        </button>
        {again && (
          <button type="button" onClick={begin(oidc.logInHere)}>
            In this tab, and drop what waits
          </button>
        )}
        {alone && (
          <button type="button" onClick={stayOut}>
            Not now
          </button>
        )}
      </div>
    </div>
  );
}

export function Login() {
  const why = useSignal(loginWanted);
  const trouble = useSignal(oidc.trouble);
  const ways = useSignal(oidc.ways);
  useEffect(() => oidc.listen(hasToken), []);
  if (why === null) return null;
  const host = oidc.provider();
  const byPassword = host === "" || ways.passwords === true;
  const told = [why, trouble ?? ""].filter((text) => text !== "");
  return (
    <Dialog title="Log in" close={stayOut}>
      <p>This server asks who you are.</p>
      {told.map((text) => (
        <p key={text} class="error" role="alert">
          {text}
        </p>
      ))}
      {host !== "" && <ByProvider host={host} again={isLoggedIn()} alone={!byPassword} />}
      {byPassword && <ByPassword />}
    </Dialog>
  );
}

export function Connection() {
  const state = useSignal(connection);
  const out = useSignal(loggedOut);
  const trouble = useSignal(oidc.trouble);
  const asked = useSignal(loginWanted) !== null;
  if (out)
    return (
      <div class="banner" role="status">
        You are not logged in. What you see is from before. <button type="button" onClick={comeBack}>Log in</button>
      </div>
    );
  if (trouble !== null && !asked)
    return (
      <div class="banner" role="status">
        {trouble} <button type="button" onClick={() => oidc.trouble.set(null)}>Close</button>
      </div>
    );
  if (state === "up") return null;
  return (
    <div class="banner" role="status">
      The server does not answer. What you see is from before; the page goes on by itself as soon as
      it is back.
    </div>
  );
}

export function Who() {
  const out = useSignal(loggedOut);
  const turn = useSignal(logins);
  const ways = useSignal(oidc.ways);
  const who = useLoaded(`who ${out} ${turn}`, (signal) => get<WhoAmI>("v1/access/whoami", {}, signal), false).value;
  if (!who) return null;
  return (
    <span class="who" title={`${who.scheme ?? ""}; permissions: ${(who.permissions ?? []).join(", ") || "none"}`}>
      {who.name}
      {isLoggedIn() ? (
        <button type="button" class="quiet" onClick={logOut}>
          log out
        </button>
      ) : ways.issuer || ways.passwords ? (
        <button type="button" class="quiet" onClick={comeBack}>
          log in
        </button>
      ) : null}
    </span>
  );
}
