import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { copyOrDownload, download, listShapes, type Shape, shared } from '../flow/share.js';
import type { Item } from '../items.js';
import { statusLine } from '../state.js';
import { useApp } from '../use-app.js';

/** One way out. `data-export` names it. */
interface Way {
  readonly name: string;
  readonly text: string;
  readonly about?: string;
  readonly shape: Shape;
  readonly saves: boolean;
}

const WAYS: readonly Way[] = [
  { name: 'file', text: 'Save as one file', about: 'Opens here, on any machine: drop it on the page.', shape: 'file', saves: true },
  { name: 'json', text: 'Copy as JSON', shape: 'json', saves: false },
  { name: 'curl', text: 'Copy as curl', shape: 'curl', saves: false },
  { name: 'fixture', text: 'Copy as fixture', about: 'For passkey simulate and your own tests.', shape: 'fixture', saves: false },
  { name: 'download', text: 'Download JSON', shape: 'json', saves: true },
  { name: 'download-fixture', text: 'Download fixture', shape: 'fixture', saves: true },
];

const NAMES: Readonly<Record<Shape, string>> = { file: 'one file', json: 'JSON', curl: 'curl', fixture: 'fixture' };

/** Ways for a ceremony to leave: fixture, JSON, curl, one file that opens here. */
export function Share({ item }: { readonly item: Item }): JSX.Element {
  const app = useApp();
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const id = `${item.key}-share`;
  const shapes = listShapes(item);
  useEffect(() => {
    if (!open) return undefined;
    const elsewhere = ({ target }: Event) => {
      if (target instanceof Node && root.current?.contains(target) !== true) setOpen(false);
    };
    document.addEventListener('pointerdown', elsewhere);
    return () => document.removeEventListener('pointerdown', elsewhere);
  }, [open]);
  const leave = async ({ shape, saves }: Way) => {
    setOpen(false);
    opener.current?.focus();
    const document = await shared(app, item, shape);
    if ('problem' in document) {
      app.store.set(statusLine(document.problem, true));
    } else if (saves) {
      download(document.name, document.text);
      app.store.set(statusLine(`Saved as ${document.name}.`));
    } else {
      await copyOrDownload(app, NAMES[shape], document.name, document.text);
    }
  };
  return (
    <div
      class="share"
      ref={root}
      onKeyDown={(event) => {
        if (!open || event.key !== 'Escape') return;
        event.stopPropagation();
        setOpen(false);
        opener.current?.focus();
      }}
    >
      <button
        ref={opener}
        type="button"
        class="share-button"
        aria-expanded={open}
        aria-controls={id}
        aria-label={`Share “${item.title}”`}
        onClick={() => setOpen(!open)}
      >
        Share <span aria-hidden="true">▾</span>
      </button>
      <div id={id} class="card floating share-menu" role="group" aria-label="Ways to share it" hidden={!open}>
        {WAYS.filter(({ shape }) => shapes.includes(shape)).map((way) => (
          <button key={way.name} type="button" class="bare" data-export={way.name} onClick={() => void leave(way)}>
            {way.text}
            {way.about !== undefined && <small class="hint">{way.about}</small>}
          </button>
        ))}
      </div>
    </div>
  );
}
