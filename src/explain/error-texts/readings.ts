import { withoutColours } from '../../webauthn/text-encoding.js';

/** Maximum number of characters of an error text that are read. A longer text is a log; only its beginning is read. */
const LONGEST = 50_000;

/** Matches long encoded data, such as keys and certificates, which contains no words. */
const LONG_RUN = /[\w+/=-]{200,}/g;
const ENTITIES: Readonly<Record<string, string>> = { quot: '"', apos: "'", lt: '<', gt: '>', nbsp: ' ', amp: '&' };
const ENTITY = /&(?:#(\d{1,6})|#x([\da-f]{1,5})|(quot|apos|lt|gt|nbsp|amp));/gi;
const TAG = /<\/?[a-z][a-z\d]*(?:\s[^<>]*)?>/gi;

/**
 * Reduces a text to its words: removes escapes of JSON, HTML and URLs, tags, typographic quotes and colour codes. Returns two versions if
 * lines are wrapped, since a terminal breaks lines inside words and an editor between them.
 */
export function readPlainTexts(text: string): readonly string[] {
  const start = withoutColours(text.slice(0, LONGEST)).replaceAll(LONG_RUN, '…');
  const plain = decodeMarkup(decodeEscapes(decodePercent(start)))
    .replaceAll(/[‘’‛′]/g, "'")
    .replaceAll(/[“”„″]/g, '"');
  const words = joinWords(plain.replaceAll(/\s(?:[│┃|>]\s+)?/g, ' '));
  const joined = joinWords(plain.replaceAll(/\r?\n(?:[│┃|>] ?)?/g, ''));
  return words === joined ? [words] : [words, joined];
}

function joinWords(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(LONG_RUN, '…').trim();
}

function decodePercent(text: string): string {
  const isUrl = /=\S*[%+]/.test(text) && !/\s\S+\s/.test(text);
  if (!isUrl && !/%(?:20|22|27)/.test(text)) return text;
  try {
    return decodeURIComponent((isUrl ? text.replaceAll('+', ' ') : text).replaceAll(/%(?![\da-f]{2})/gi, '%25'));
  } catch {
    return text;
  }
}

/** Decodes escapes of JSON and of programming languages, even if the text was escaped several times. */
function decodeEscapes(text: string): string {
  return text
    .replaceAll(/\\{1,16}u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\\{1,16}[nrt]/g, '\n')
    .replaceAll(/\\{1,16}(["'/`])/g, '$1');
}

function decodeMarkup(text: string): string {
  return text
    .replaceAll(/<(?:style|script)\b[^<]*<\/\w+>/gi, ' ')
    .replaceAll(TAG, ' ')
    .replaceAll(ENTITY, (_, decimal?: string, hex?: string, name = '') =>
      decimal === undefined && hex === undefined
        ? (ENTITIES[String(name).toLowerCase()] ?? ' ')
        : String.fromCodePoint(Number.parseInt(decimal ?? hex ?? '', decimal === undefined ? 16 : 10)),
    );
}
