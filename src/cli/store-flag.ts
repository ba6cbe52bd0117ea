import { isPostgresUrl } from '../store/open-store.js';
import { quoteWord } from './own-command.js';

/**
 * Makes the `--store` flag for a suggested command, so that this command uses the same store. The flag begins with a space, and contains no
 * password.
 */
export function storeFlag(location: unknown): string {
  if (typeof location !== 'string' || location === '') return '';
  return ` --store ${quoteWord(isPostgresUrl(location) ? withoutPassword(location) : location)}`;
}

function withoutPassword(url: string): string {
  return url.replace(/^([a-z]+:\/\/[^:/?#]*):.*@/is, '$1@').replace(/([?&]password=)[^&#]*/i, '$1');
}
