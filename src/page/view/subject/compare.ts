import type { ExplainDocument } from '../../../explain/document-schema.js';
import { isObject, type JsonObject } from '../../../kernel/json-value.js';
import { softwareText } from '../../catalogue.js';
import type { Field } from '../../decode.js';
import { type Item, isCeremony } from '../../items.js';
import { describeVerdict } from '../../verdicts.js';

/** One of two compared ceremonies. */
export interface Side {
  readonly item: Item;
  readonly options: JsonObject | undefined;
  readonly fields: readonly Field[];
  readonly explanation: ExplainDocument | undefined;
}

export interface Row {
  readonly group: 'Verdict' | 'Options' | 'Response';
  /** Dotted path of the value, in the JSON or in the decoded response. */
  readonly name: string;
  /** Value in the left ceremony; undefined if that ceremony does not have it. */
  readonly left: string | undefined;
  readonly right: string | undefined;
  readonly differs: boolean;
  /** True if the value is expected to differ between any two ceremonies. */
  readonly always: boolean;
}

/**
 * Lists every value of both ceremonies, in the order of the first ceremony. Values that only the second one has come last in their group.
 */
export function compare(left: Side, right: Side): Row[] {
  const registrations = [left, right].every(({ fields }) => fields.some(({ name }) => name === 'attestationObject'));
  return GROUPS.flatMap(({ group, read }) => {
    const [ours, theirs] = [read(left), read(right)];
    return [...new Set([...ours.keys(), ...theirs.keys()])].map((name) => {
      const [a, b] = [ours.get(name), theirs.get(name)];
      return { group, name, left: a, right: b, differs: a !== b, always: FRESH.test(name) || (registrations && OF_NEW_PASSKEY.test(name)) };
    });
  });
}

/**
 * Names of values that are fresh in each ceremony, or random like the member that Chrome adds to some client data. A difference between
 * such values means nothing.
 */
const FRESH =
  /^(?:challenge|clientDataJSON\.(?:challenge|other_keys_can_be_added_here)|signature(?:\.[rs])?|attestationObject\.attStmt\.sig(?:\.[rs])?)$/;
/** Names of values that are fresh in each registration. */
const OF_NEW_PASSKEY = /^(?:id|attestationObject\.authData\.(?:credentialId|credentialPublicKey\.(?:x|y|n|pub) \(-\d\)))$/;

const GROUPS: readonly { readonly group: Row['group']; readonly read: (side: Side) => Map<string, string> }[] = [
  { group: 'Verdict', read: listVerdict },
  { group: 'Options', read: ({ options }) => flatten(options) },
  { group: 'Response', read: ({ fields }) => new Map(fields.flatMap((field) => fieldRows(field))) },
];

function listVerdict({ item, explanation }: Side): Map<string, string> {
  const failed = explanation?.steps.find(({ status }) => status === 'fail') ?? item.entry?.step ?? undefined;
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['verdict', describeVerdict(item)],
    ['code', item.code],
    ['failed step', failed === undefined ? undefined : `${failed.number} ${failed.title}`],
    ['library', explanation?.library?.verdict],
    ['attestation type', explanation?.attestation?.type],
    ['user', item.user],
    ['passkey', item.passkey],
    ['from', item.source],
    ['answered by', item.software && softwareText(item.software)],
    ['broken on purpose', item.software?.tamper],
  ];
  return new Map(rows.filter((row): row is [string, string] => row[1] !== undefined));
}

function flatten(value: unknown, path = ''): Map<string, string> {
  const inner: [string, unknown][] = Array.isArray(value)
    ? value.map((item, index) => [`${path}[${index}]`, item])
    : isObject(value)
      ? Object.entries(value).map(([name, item]) => [path === '' ? name : `${path}.${name}`, item])
      : [];
  if (inner.length > 0) return new Map(inner.flatMap(([name, item]) => [...flatten(item, name)]));
  return path === '' ? new Map() : new Map([[path, JSON.stringify(value)]]);
}

/** Lists the comparison rows of a field. Leaves out copies of other fields, and the lines of an attestation certificate. */
function fieldRows({ name, value, note, children, collapsed }: Field, path = ''): [string, string][] {
  if (collapsed === true || name.startsWith('x5c[')) return [];
  const own = path === '' ? name : `${path}.${name}`;
  const meaning = note !== undefined && /flags|aaguid|alg|fmt/.test(name) ? ` ${note}` : '';
  const row: [string, string][] = value === undefined ? [] : [[own, `${value}${meaning}`]];
  // A flags byte says all its flags.
  return [...row, ...(name === 'flags' ? [] : (children ?? [])).flatMap((child) => fieldRows(child, own))];
}

/** Lists the ceremonies to offer for comparison, newest first, except that the previous one of the same kind comes before all others. */
export function candidatesFor(item: Item, items: readonly Item[]): Item[] {
  const others = items.filter((other) => other.key !== item.key && isComparable(other));
  const before = others.find((other) => other.at < item.at && other.kind === item.kind);
  return before === undefined ? others : [before, ...others.filter((other) => other !== before)];
}

/** Tests whether an item can be compared, which is true for ceremonies and pasted responses. */
export function isComparable(item: Item): boolean {
  return isCeremony(item) || item.pasted?.response !== undefined;
}
