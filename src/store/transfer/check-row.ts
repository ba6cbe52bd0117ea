import type { FieldError } from '../../errors.js';
import { wrongOwnerFields, wrongOwnerRef } from '../../kernel/owner.js';
import { isStorable, STORABLE_TEXT } from '../../kernel/storable.js';
import { clause } from '../../kernel/wording.js';
import { refuse } from '../file-codec.js';
import { FileDamage } from '../file-rows.js';
import type { AccessRow, OwnerRow, PasskeyRow } from '../file-schema.js';

// What an export must not bring into a store, although its rows have the right shape: what the accounts would not have taken, and what
// not every store can keep. A file that is a store already stays readable with it.

/** Years that every store can keep. */
const TIME = /^(?!0000)\d{4}-/;

/** @param at of the row, as a JSON Pointer. @throws FileDamage */
export function checkOwner(row: OwnerRow, at: string): void {
  refuseFirst(wrongOwnerFields(row), `${at}/`);
  checkMembers(row, at);
}

/** As {@link checkOwner}. */
export function checkRemovedOwner(row: Pick<OwnerRow, 'type' | 'id'>, at: string): void {
  refuseFirst(wrongOwnerRef(row), `${at}/`);
}

/** As {@link checkOwner}, of a row that belongs to a user. */
export function checkOwned(row: PasskeyRow | AccessRow, at: string): void {
  refuseFirst(wrongOwnerRef({ type: row.owner_type, id: row.owner_id }), `${at}/owner_`);
  checkMembers(row, at);
}

/** @param before what stands before the names of the members. */
function refuseFirst([first]: readonly FieldError[], before: string): void {
  if (first) throw new FileDamage(`${before}${first.pointer.slice(1)}`, `is refused: ${clause(first.detail)}`);
}

function checkMembers(row: OwnerRow | PasskeyRow | AccessRow, at: string): void {
  for (const [name, value] of Object.entries(row)) {
    refuse(!isStorable(value), `${at}/${name}`, `is refused: a text ${STORABLE_TEXT}`);
    refuse(name.endsWith('_at') && typeof value === 'string' && !TIME.test(value), `${at}/${name}`, 'is not of the years 0001 to 9999');
  }
}
