import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Item } from '../../items.js';
import { findBrowserLeg } from '../../run.js';
import { shownText } from '../../shown-text.js';
import { listChanges, type Piece } from './changes.js';

/** Shows the response before and after it was broken on purpose, with the differences. Draws nothing if the response was not changed. */
export function Changed({ item: { run } }: { readonly item: Item }): JSX.Element | null {
  const { honest, response } = (run && findBrowserLeg(run)) ?? {};
  const changes = useMemo(() => (honest === undefined || response === undefined ? [] : listChanges(honest, response)), [honest, response]);
  if (changes.length === 0) return null;
  return (
    <section class="card comparison" aria-labelledby="changed-heading">
      <header class="padded">
        <h3 id="changed-heading">What was changed</h3>
      </header>
      <div class="comparison-table" tabIndex={0} role="group" aria-label="Before and after">
        <table>
          <thead>
            <tr>
              <th scope="col">Member</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ name, place, before, after }) => (
              <tr key={name}>
                <th scope="row">
                  <span class="mono">{name.replace(/^response\./, '')}</span>
                  {place !== undefined && <div class="fact">{place}</div>}
                </th>
                <Side pieces={before} />
                <Side pieces={after} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Side({ pieces }: { readonly pieces: readonly Piece[] }): JSX.Element {
  return (
    <td class="mono">
      {pieces.map(({ text, changed }, index) =>
        changed ? <mark key={index}>{shownText(text)}</mark> : <span key={index}>{shownText(text)}</span>,
      )}
    </td>
  );
}
