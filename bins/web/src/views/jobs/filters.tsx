// SPDX-License-Identifier: Apache-2.0
// Above the table of jobs: the search, the states, what to group by, and which columns there are.
import { useEffect, useState } from "preact/hooks";
import { change } from "../../api/address";
import { Copy } from "../../parts/basics";
import { Dialog } from "../../parts/dialog";
import { columns, usual } from "../../model/columns";
import { restOfTyping } from "../../model/pace";
import { list } from "../../model/route";
import { label, shown, sign } from "../../model/states";
import { shellWord, statesOf, toggledState } from "../../model/where";
import { groupFields } from "./asked";

const examples: [string, string][] = [
  ["state:failed,preempted", "one of these states; active and ended stand for all of a kind"],
  ["queue:research  jobset:night*", "a name, or how it begins; *night* contains it"],
  ["-owner:ann", "all but these; owner:me is yourself"],
  ["cpu>=8  memory<64Mi  gpu:4", "what the job asks for"],
  ["age>2h  changed<10m", "the time since it was submitted, or last changed its state"],
  ["exit:137  priority<5", "numbers"],
  ['reason:"*out of memory*"', "quotation marks keep blanks"],
  ["@team:ocean  label.app:*", "an annotation, a label"],
  ["cluster:c1  node:n7  pool:gpu", "where its last run is or was"],
];

/// Takes over what was typed when it rests.
function useTyped(value: string, rest: number, take: (text: string) => void) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => take(text), rest);
    return () => clearTimeout(timer);
  }, [text]);
  return [text, setText] as const;
}

function Search({ where, took }: { where: string; took: number }) {
  const [text, setText] = useTyped(where, restOfTyping(took), (next) => change({ where: next.trim() }));
  const [help, setHelp] = useState(false);
  const send = (event: Event): void => {
    event.preventDefault();
    change({ where: text.trim() });
  };
  return (
    <form class="search" role="search" onSubmit={send}>
      <input
        type="search"
        data-search
        aria-label="Conditions on jobs"
        placeholder="state:failed queue:research age<2h"
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="button" class="quiet" onClick={() => setHelp(true)}>
        how to
      </button>
      <Copy text={`argosyctl get jobs --where ${shellWord(where)}`} label="copy as command" />
      {help && (
        <Dialog title="Conditions" close={() => setHelp(false)} wide>
          <p>Conditions have blanks between them, and a job has to meet all of them.</p>
          <dl class="facts">
            {examples.map(([words, what]) => (
              <div key={words}>
                <dt>
                  <code>{words}</code>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </Dialog>
      )}
    </form>
  );
}

function States({ where }: { where: string }) {
  const on = statesOf(where);
  return (
    <div class="chips" role="group" aria-label="States">
      {shown.map((state) => {
        const name = label(state);
        const pressed = on.includes(name) || (on.includes("active") && shown.indexOf(state) < 4);
        return (
          <button
            key={state}
            type="button"
            class={`chip state-${name}`}
            aria-pressed={pressed}
            onClick={() => change({ where: toggledState(where, name) })}
          >
            <span aria-hidden="true">{sign[state]} </span>
            {name}
          </button>
        );
      })}
    </div>
  );
}

function Grouping({ group }: { group: string }) {
  const on = list(group);
  const [key, setKey] = useState("");
  const set = (words: string[]): void => change({ group: words.join(",") });
  const rest = groupFields.filter(([field]) => !on.includes(field));
  return (
    <span class="grouping">
      {on.map((word, at) => (
        <button key={word} type="button" class="chip" title="Do not group by this" onClick={() => set(on.filter((_, i) => i !== at))}>
          {groupFields.find(([field]) => field === word)?.[1] ?? word} ✕
        </button>
      ))}
      <label>
        <span class="hidden">Group by</span>
        <select value="" onChange={(event) => {
          const word = event.currentTarget.value;
          event.currentTarget.value = "";
          if (word !== "") set([...on, word]);
        }}>
          <option value="">{on.length === 0 ? "group by …" : "then by …"}</option>
          {rest.map(([field, name]) => (
            <option key={field} value={field}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <form onSubmit={(event) => {
        event.preventDefault();
        const word = key.trim().replaceAll(",", "");
        if (word !== "" && !on.includes(`@${word}`)) set([...on, `@${word}`]);
        setKey("");
      }}>
        <input class="short" aria-label="Group by the annotation" placeholder="annotation" value={key} onInput={(e) => setKey(e.currentTarget.value)} />
      </form>
    </span>
  );
}

function ColumnChoice({ cols, close }: { cols: string; close: () => void }) {
  const on = cols ? list(cols) : usual;
  const [key, setKey] = useState("");
  const set = (ids: string[]): void => change({ cols: ids.join(",") === usual.join(",") ? "" : ids.join(",") });
  const move = (id: string, by: number): void => {
    const at = on.indexOf(id);
    const to = at + by;
    if (to < 0 || to >= on.length) return;
    const next = [...on];
    next.splice(at, 1);
    next.splice(to, 0, id);
    set(next);
  };
  const title = (id: string): string => columns.find((one) => one.id === id)?.title ?? id.slice(1);
  return (
    <Dialog title="Columns" close={close}>
      <ul class="choice">
        {on.map((id) => (
          <li key={id}>
            <label>
              <input type="checkbox" checked onChange={() => set(on.filter((one) => one !== id))} /> {title(id)}
            </label>
            <button type="button" class="quiet" aria-label={`${title(id)} further left`} onClick={() => move(id, -1)}>
              ↑
            </button>
            <button type="button" class="quiet" aria-label={`${title(id)} further right`} onClick={() => move(id, 1)}>
              ↓
            </button>
          </li>
        ))}
        {columns.filter((one) => !on.includes(one.id)).map((one) => (
          <li key={one.id}>
            <label>
              <input type="checkbox" checked={false} onChange={() => set([...on, one.id])} /> {one.title}
            </label>
          </li>
        ))}
      </ul>
      <form class="row" onSubmit={(event) => {
        event.preventDefault();
        const word = key.trim().replaceAll(",", "");
        if (word !== "" && !on.includes(`@${word}`)) set([...on, `@${word}`]);
        setKey("");
      }}>
        <input aria-label="Annotation as a column" placeholder="key of an annotation" value={key} onInput={(e) => setKey(e.currentTarget.value)} />
        <button type="submit">Add</button>
      </form>
    </Dialog>
  );
}

/// `took`: how long the last search took.
export function Filters({ words, took }: { words: Record<string, string>; took: number }) {
  const [choosing, setChoosing] = useState(false);
  const where = words.where ?? "";
  return (
    <div class="filters">
      <Search where={where} took={took} />
      <States where={where} />
      <div class="row">
        <Grouping group={words.group ?? ""} />
        <label>
          <input type="checkbox" checked={words.sets === "active"} onChange={(event) => change({ sets: event.currentTarget.checked ? "active" : "" })} />{" "}
          only job sets at work
        </label>
        <button type="button" onClick={() => setChoosing(true)}>
          Columns
        </button>
      </div>
      {choosing && <ColumnChoice cols={words.cols ?? ""} close={() => setChoosing(false)} />}
    </div>
  );
}
