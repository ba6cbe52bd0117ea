import { isPostgresUrl } from '../store/open-store.js';
import { quoteWord } from './own-command.js';

/** The flag that names the same store in a command that is suggested, with a leading space; a password is left out. */
export function storeFlag(location: unknown): string {
  if (typeof location !== 'string' || location === '') return '';
  return ` --store ${quoteWord(isPostgresUrl(location) ? withoutPassword(location) : location)}`;
}

function withoutPassword(url: string): string {
  return url.replace(/^([a-z]+:\/\/[^:/?#]*):.*@/is, '$1@').replace(/([?&]password=)[^&#]*/i, '$1');
}
