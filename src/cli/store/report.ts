import type { Static } from 'typebox';
import * as Type from 'typebox';
import { PasskeyError } from '../../errors.js';
import { strict } from '../../kernel/schema-kit.js';
import { grouped, groupedCount } from '../../kernel/wording.js';
import type { StoreReport } from '../../store/inspect.js';
import { isPostgresUrl } from '../../store/open-store.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { type Io, warn } from '../io.js';
import { printable } from '../output/printable.js';

const counted = Type.Integer({ minimum: 0 });

/** Members that describe the problems found in a store, in `--json` output. */
export const reportMembers = {
  store: Type.String({ description: 'Path of the store file, with symbolic links resolved.' }),
  users: counted,
  passkeys: counted,
  revoked: Type.Integer({ minimum: 0, description: 'Number of revoked passkeys.' }),
  accesses: Type.Integer({ minimum: 0, description: 'Number of sessions and tokens, including those that ended.' }),
  damages: Type.Array(
    Type.Object(
      {
        file: Type.String(),
        place: Type.String({ description: 'The number of a line.' }),
        reason: Type.String(),
      },
      strict,
    ),
    { description: 'Damage in the store. The numbers above exclude it.' },
  ),
};

export const storeCheck = Type.Object(reportMembers, { ...strict, title: 'passkey store check --json' });

/** Finds the path of the store's file. @throws PasskeyError `usage` for a store that is not a file. */
export async function resolveFile(io: Io, flags: Flags): Promise<string> {
  const { store } = await resolveStoreSettings(io, flags);
  if (isPostgresUrl(store)) {
    throw new PasskeyError('usage', '--store expects the path of a file here. PostgreSQL checks its own files.');
  }
  return store;
}

export function sayDamages(io: Io, { damages }: StoreReport): void {
  for (const { file, place, reason } of damages) {
    warn(io, printable(`${file}:${place}: ${reason}`));
  }
}

export function describeContent({ passkeys, revoked, owners, accesses }: StoreReport): string {
  return `${groupedCount(passkeys, 'passkey')} (${grouped(revoked)} revoked), ${groupedCount(owners, 'user')}, ${grouped(accesses)} sessions and tokens`;
}

export function toDocument({ path, owners, damages, ...counts }: StoreReport): Static<typeof storeCheck> {
  return { store: path, users: owners, ...counts, damages: [...damages] };
}
