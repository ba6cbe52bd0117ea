import type { JSX } from 'preact';
import { copyOrDownload, download, listShapes, type Shape, shared } from '../flow/share.js';
import type { Item } from '../items.js';
import { statusLine } from '../state.js';
import { useApp } from '../use-app.js';
import { Popup } from './popup.js';

/** One way to export a ceremony. Its name is in the attribute `data-export`. */
interface Way {
  readonly name: string;
  /** Name of the format, if the button copies to the clipboard. */
  readonly copies?: string;
  /** Label of the button, if the button saves a file. */
  readonly text?: string;
  readonly about?: string;
  readonly shape: Shape;
}

const FILE: Way = { name: 'file', text: 'Save as one file', about: 'Opens here, on any machine: drop it on the page.', shape: 'file' };

const WAYS: readonly Way[] = [
  { name: 'link', copies: 'link', about: 'Opens in the reader’s own passkey serve. The link contains all of it.', shape: 'link' },
  FILE,
  { name: 'json', copies: 'JSON', shape: 'json' },
  { name: 'curl', copies: 'curl', shape: 'curl' },
  { name: 'fixture', copies: 'fixture', about: 'For passkey simulate and your own tests.', shape: 'fixture' },
  { name: 'download', text: 'Download JSON', shape: 'json' },
  { name: 'download-fixture', text: 'Download fixture', shape: 'fixture' },
];

/** Buttons that export a ceremony: as a fixture, JSON, curl commands, or a file that this page can open. */
export function Share({ item }: { readonly item: Item }): JSX.Element {
  const app = useApp();
  const shapes = listShapes(item);
  const leave = async ({ shape, copies }: Way) => {
    const document = await shared(app, item, shape);
    if ('problem' in document) {
      app.store.set({ ...statusLine(document.problem, true), saveInstead: document.tooLong && (() => leave(FILE)) });
    } else if (copies === undefined) {
      download(document.name, document.text);
      app.store.set(statusLine(`Saved as ${document.name}.`));
    } else {
      await copyOrDownload(app, copies, document.name, document.text);
    }
  };
  const text = (
    <span>
      Share <span aria-hidden="true">▾</span>
    </span>
  );
  return (
    <Popup panel={`${item.key}-share`} class="share" text={text} aria-label={`Share “${item.title}”`}>
      {(close) =>
        WAYS.filter(({ shape }) => shapes.includes(shape)).map((way) => (
          <button
            key={way.name}
            type="button"
            class="bare wrap"
            data-export={way.name}
            onClick={() => {
              close();
              void leave(way);
            }}
          >
            {way.text ?? `Copy as ${way.copies}`}
            {way.about !== undefined && <small class="hint">{way.about}</small>}
          </button>
        ))
      }
    </Popup>
  );
}
