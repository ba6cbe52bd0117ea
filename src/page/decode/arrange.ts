import type { Field } from './tree.js';

/** What comes first for a reader; anything else keeps its place between these and the last. */
const FIRST = [
  'id',
  'type',
  'authenticatorAttachment',
  'clientDataJSON',
  'attestationObject',
  'authenticatorData',
  'signature',
  'userHandle',
];
const LAST = ['transports', 'clientExtensionResults'];
/** Beside an attestation object these repeat what stands in it, and nothing rests on them (WebAuthn L3 §5.2.1). */
const COPIES = ['authenticatorData', 'publicKey', 'publicKeyAlgorithm'];

/** The fields of a response in the order in which they are read, its inner dictionary laid open; copies are folded. */
export function arrangeFields(fields: readonly Field[]): Field[] {
  const flat = fields.flatMap((field) => (field.name === 'response' ? (field.children ?? [field]) : [field]));
  const registration = flat.some(({ name }) => name === 'attestationObject');
  const isCopy = ({ name }: Field) => name === 'rawId' || (registration && COPIES.includes(name));
  const copies = flat.filter(isCopy);
  const rest = flat.filter((field) => !isCopy(field)).toSorted((a, b) => rank(a) - rank(b));
  return copies.length === 0
    ? rest
    : [...rest, { name: 'copies', note: copies.map(({ name }) => name).join(', '), children: copies, collapsed: true }];
}

function rank({ name }: Field): number {
  const first = FIRST.indexOf(name);
  return first === -1 ? FIRST.length + 1 + LAST.indexOf(name) : first;
}
