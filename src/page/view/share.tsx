import type { JSX } from 'preact';
import { copyOrDownload, download, listShapes, type Shape, shared } from '../flow/share.js';
import type { Item } from '../items.js';
import { statusLine } from '../state.js';
import { useApp } from '../use-app.js';
import { Popup } from './popup.js';

/** One way out. `data-export` names it. */
interface Way {
  readonly name: string;
  readonly text: string;
  readonly about?: string;
  readonly shape: Shape;
  readonly saves: boolean;
}

const WAYS: readonly Way[] = [
  {
    name: 'link',
    text: 'Copy as link',
    about: 'Opens on the reader’s own passkey serve. All of it is in the link.',
    shape: 'link',
    saves: false,
  },
  { name: 'file', text: 'Save as one file', about: 'Opens here, on any machine: drop it on the page.', shape: 'file', saves: true },
  { name: 'json', text: 'Copy as JSON', shape: 'json', saves: false },
  { name: 'curl', text: 'Copy as curl', shape: 'curl', saves: false },
  { name: 'fixture', text: 'Copy as fixture', about: 'For passkey simulate and your own tests.', shape: 'fixture', saves: false },
  { name: 'download', text: 'Download JSON', shape: 'json', saves: true },
  { name: 'download-fixture', text: 'Download fixture', shape: 'fixture', saves: true },
];

const NAMES: Readonly<Record<Shape, string>> = { link: 'link', file: 'one file', json: 'JSON', curl: 'curl', fixture: 'fixture' };

/** Ways for a ceremony to leave: fixture, JSON, curl, one file that opens here. */
export function Share({ item }: { readonly item: Item }): JSX.Element {
  const app = useApp();
  const shapes = listShapes(item);
  const leave = async ({ shape, saves }: Way) => {
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
            {way.text}
            {way.about !== undefined && <small class="hint">{way.about}</small>}
          </button>
        ))
      }
    </Popup>
  );
}
