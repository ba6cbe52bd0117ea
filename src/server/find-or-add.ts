import type { Owner } from '../accounts/ports.js';
import { PasskeyError } from '../errors.js';

/** The owner that `find` finds, else the one that `add` adds. When another request has added it in between, that one. */
export async function findOrAdd(find: () => Promise<Owner | undefined>, add: () => Promise<Owner>): Promise<Owner> {
  const known = await find();
  if (known !== undefined) {
    return known;
  }
  try {
    return await add();
  } catch (error) {
    const added = error instanceof PasskeyError && error.code === 'owner_already_exists' ? await find() : undefined;
    if (added === undefined) {
      throw error;
    }
    return added;
  }
}
