// SPDX-License-Identifier: Apache-2.0
// A window over the page. The browser keeps the focus in it and closes it by Escape.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface Properties {
  title: string;
  close: () => void;
  /// Whether Escape and the button close it.
  closable?: boolean;
  wide?: boolean;
  children: ComponentChildren;
}

export function Dialog({ title, close, closable = true, wide, children }: Properties) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    if (!element.current?.open) element.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const cancel = (event: Event): void => {
    event.preventDefault();
    if (closable) close();
  };
  return (
    <dialog ref={element} aria-label={title} class={wide ? "wide" : ""} onCancel={cancel}>
      <header>
        <h2>{title}</h2>
        {closable && (
          <button type="button" class="quiet" aria-label="Close" onClick={close}>
            ✕
          </button>
        )}
      </header>
      {children}
    </dialog>
  );
}
