import { Fragment, type JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { count } from '../../../kernel/wording.js';
import { arrangeFields, decodeResponse, undecoded } from '../../decode.js';
import { loadDetail } from '../../flow/live.js';
import { findDetail, findMaterial, type Item } from '../../items.js';
import { cut, shownText } from '../../shown-text.js';
import { useApp, useAppState, useItems } from '../../use-app.js';
import { VERDICTS } from '../../verdicts.js';
import { useAnnotation } from '../bytes/bytes.js';
import { Check } from '../controls.js';
import { Text } from '../text.js';
import { formatClock } from '../time.js';
import { candidatesFor, compare, isComparable, type Row, type Side } from './compare.js';
import { collectExpected, findExplanation } from './explanation.js';

/** Shows two ceremonies side by side, with their differences. Draws nothing if no ceremony is chosen to compare with. */
export function Comparison({ item }: { readonly item: Item }): JSX.Element | null {
  const app = useApp();
  const compared = useAppState((state) => state.compared);
  const other = useItems().find(({ key }) => key === compared);
  const entry = other?.entry;
  useEffect(() => {
    if (entry !== undefined) void loadDetail(app, entry);
  }, [app, entry]);
  return other === undefined || other.key === item.key || !isComparable(item) ? null : <Sides item={item} other={other} />;
}

function Sides({ item, other }: { readonly item: Item; readonly other: Item }): JSX.Element {
  const { store } = useApp();
  const [all, setAll] = useState(false);
  const left = useSide(item);
  const right = useSide(other);
  const rows = compare(left, right);
  const differing = rows.filter(({ differs, always }) => differs && !always);
  const fresh = rows.filter(({ differs, always }) => differs && always).length;
  const shown = all ? rows : differing;
  return (
    <section class="card comparison" aria-labelledby="comparison-heading">
      <header class="line padded">
        <h3 id="comparison-heading">{differing.length === 0 ? 'No difference' : count(differing.length, 'difference')}</h3>
        <Check checked={all} onCheck={setAll}>
          all {rows.length} values
        </Check>
        <button type="button" class="quiet" aria-label="Close the comparison" onClick={() => store.set({ compared: undefined })}>
          Close
        </button>
      </header>
      <div class="comparison-table" tabIndex={0} role="group" aria-label="Values side by side">
        <table>
          <thead>
            <tr>
              <th scope="col">Value</th>
              <SideHead item={item} />
              <SideHead item={other} />
            </tr>
          </thead>
          {(['Verdict', 'Options', 'Response'] as const).map((group) => (
            <Group key={group} group={group} rows={shown.filter((row) => row.group === group)} />
          ))}
        </table>
      </div>
      {!all && fresh > 0 && (
        <p class="hint padded">
          {count(fresh, 'value')} more {fresh === 1 ? 'is' : 'are'} fresh in every ceremony, such as challenge and signature.
        </p>
      )}
    </section>
  );
}

function SideHead({ item }: { readonly item: Item }): JSX.Element {
  const { word, sign, tone } = VERDICTS[item.verdict];
  return (
    <th scope="col">
      <time>{formatClock(item.at)}</time>{' '}
      <span class={`badge ${tone}`}>
        <span aria-hidden="true">{sign}</span> {word}
      </span>
      <div>
        <Text text={item.title} />
      </div>
    </th>
  );
}

function Group({ group, rows }: { readonly group: Row['group']; readonly rows: readonly Row[] }): JSX.Element | null {
  if (rows.length === 0) return null;
  return (
    <tbody>
      <tr class="group">
        <th scope="rowgroup" colSpan={3}>
          {group}
        </th>
      </tr>
      {rows.map(({ name, left, right, differs, always }) => (
        <tr key={name} class={differs && !always ? 'differs' : ''}>
          <th scope="row" class="mono">
            <Dotted name={name} />
          </th>
          <Value value={left} />
          <Value value={right} />
        </tr>
      ))}
    </tbody>
  );
}

/** Dotted path of a value. The path may wrap to the next line at its dots. */
function Dotted({ name }: { readonly name: string }): JSX.Element {
  return (
    <>
      {name.split(/(?<=\.)/).map((part, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  );
}

function Value({ value }: { readonly value: string | undefined }): JSX.Element {
  return value === undefined ? <td class="absent">not there</td> : <td class="mono">{shownText(value)}</td>;
}

function useSide(item: Item): Side {
  const details = useAppState((state) => state.details);
  const { options, response } = findMaterial(item, details);
  const explanation = findExplanation(item, findDetail(item, details));
  const asked = collectExpected(item, { options, response }, explanation, location);
  const annotated = useAnnotation({ response, rpId: asked.rpId });
  const fields = useMemo(() => {
    if (response === undefined || annotated === undefined) return [];
    return arrangeFields('annotation' in annotated ? decodeResponse(annotated.annotation, asked) : undecoded(response));
  }, [response, annotated, explanation]);
  return { item, options, fields, explanation };
}

/** Number of ceremonies offered for comparison. Others can be found in the list. */
const OFFERED = 40;

/** Control that selects another ceremony to compare with this one. */
export function CompareWith({ item }: { readonly item: Item }): JSX.Element | null {
  const { store } = useApp();
  const compared = useAppState((state) => state.compared);
  const items = useItems();
  if (!isComparable(item) || item.verdict === 'waiting') return null;
  const candidates = candidatesFor(item, items).slice(0, OFFERED);
  if (candidates.length === 0) return null;
  const chosen = candidates.some(({ key }) => key === compared) ? (compared ?? '') : '';
  return (
    <select
      class="compare-with"
      aria-label="Compare this ceremony with another"
      value={chosen}
      onChange={({ currentTarget }) => store.set({ compared: currentTarget.value === '' ? undefined : currentTarget.value })}
    >
      <option value="">{chosen === '' ? 'Compare with…' : 'Do not compare'}</option>
      {candidates.map((other) => (
        <option key={other.key} value={other.key}>
          {`${formatClock(other.at)} ${VERDICTS[other.verdict].sign} ${cut(other.title)}${other.code === undefined ? '' : `, ${other.code}`}`}
        </option>
      ))}
    </select>
  );
}
