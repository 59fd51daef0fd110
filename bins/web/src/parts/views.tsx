// SPDX-License-Identifier: Apache-2.0
// Views that are saved under a name for everybody. A view is an address of this page, in which all
// that a view shows stands; who may change settings saves and removes views.
import { useEffect, useState } from "preact/hooks";
import { route } from "../api/address";
import { get, post } from "../api/client";
import { useLoaded } from "../api/live";
import { useSignal } from "../api/signal";
import { link, parse, print } from "../model/route";
import { leadsInto, nameMax, request, usable, without, withView, type View } from "../model/views";
import { Copy, Empty, ErrorBox } from "./basics";
import { Dialog } from "./dialog";

interface Settings {
  change: number;
  /// The history to which the change belongs.
  mark: string;
  views: View[];
}

async function load(signal: AbortSignal): Promise<Settings> {
  const got = await get<{ change?: number; mark?: string; views?: Partial<View>[] }>("v1/settings", {}, signal);
  return { change: got.change ?? 0, mark: got.mark ?? "", views: usable(got.views) };
}

const mayChange = async (signal: AbortSignal): Promise<boolean> =>
  (await get<{ allowed?: boolean }>("v1/access/can-i", { what: "change-settings" }, signal)).allowed ?? false;

const linkTo = (name: string): string => `${location.origin}${location.pathname}${link("view", [name])}`;

function One({ view, close, remove }: { view: View; close: () => void; remove?: () => void }) {
  return (
    <li class="row">
      <a href={view.address} onClick={close} title={view.address}>
        {view.name}
      </a>
      <Copy text={linkTo(view.name)} label="copy link" />
      {remove && (
        <button type="button" class="quiet" aria-label={`Remove the view ${view.name}`} onClick={remove}>
          remove
        </button>
      )}
    </li>
  );
}

function Save({ taken, save }: { taken: View[]; save: (view: View) => void }) {
  const [name, setName] = useState("");
  const address = print(useSignal(route));
  const there = taken.some((view) => view.name === name.trim());
  return (
    <form class="form" onSubmit={(event) => {
      event.preventDefault();
      if (name.trim() !== "") save({ name: name.trim(), address });
      setName("");
    }}>
      <label>
        Name for what this page shows now
        <input required maxLength={nameMax} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <p class="note clip">{address}</p>
      <button type="submit" class="main">{there ? "Replace the view of this name" : "Save for everybody"}</button>
    </form>
  );
}

export function Views({ close }: { close: () => void }) {
  const { value, error, reload } = useLoaded("views", load);
  const may = useLoaded("may save views", mayChange, false).value;
  const [refused, setRefused] = useState<string | null>(null);
  const write = (list: View[]): void => {
    setRefused(null);
    post("v1/settings", request(list, value?.change ?? 0, value?.mark ?? "")).then(reload, (reason: unknown) => {
      setRefused(reason instanceof Error ? reason.message : String(reason));
      reload();
    });
  };
  const views = value?.views ?? [];
  return (
    <Dialog title="Saved views" close={close}>
      <ErrorBox text={refused ?? error} retry={refused === null ? reload : undefined} />
      {value && views.length === 0 && <Empty>No view is saved.</Empty>}
      <ul class="plain-list">
        {views.map((view) => (
          <One key={view.name} view={view} close={close} remove={may ? () => write(without(views, view.name)) : undefined} />
        ))}
      </ul>
      {may ? (
        <Save taken={views} save={(view) => write(withView(views, view))} />
      ) : (
        <p class="note">
          Everybody sees these. To save one takes the permission change_settings. What you see now is in its address: <Copy text={location.href} label="copy the link" />
        </p>
      )}
    </Dialog>
  );
}

/// Goes where the view of this name leads.
export function SavedView({ name }: { name: string }) {
  const { value, error, loading, reload } = useLoaded("views", load, false);
  const view = value?.views.find((one) => one.name === name);
  useEffect(() => {
    if (!view || !leadsInto(view.address)) return;
    history.replaceState(null, "", view.address);
    route.set(parse(view.address));
  }, [view?.address]);
  return (
    <section>
      <h1>View {name}</h1>
      <ErrorBox text={error} retry={reload} />
      {loading ? <Empty>Looking for the view …</Empty> : !view && <Empty>There is no saved view of this name. <a href={link("jobs")}>All jobs</a></Empty>}
    </section>
  );
}
