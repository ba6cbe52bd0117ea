/**
 * The words of a command line verbatim, quotes included; after a space, the last word is empty. Expands and runs nothing: `$(…)` stays as
 * it is.
 */
export function splitWords(line: string): readonly string[] {
  const words: string[] = [''];
  let quote: string | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    const isEscape = character === '\\' && quote !== "'";
    if (character === quote) quote = undefined;
    else if (quote === undefined && (character === '"' || character === "'")) quote = character;
    else if (quote === undefined && /\s/.test(character)) {
      if (words.at(-1) !== '') words.push('');
      continue;
    }
    words[words.length - 1] += isEscape ? line.slice(at, at + 2) : character;
    if (isEscape) at += 1;
  }
  return words;
}

/** A word without its quotes and backslashes; the quote may be open still. */
export function unquoted(word: string): string {
  let text = '';
  let quote: string | undefined;
  for (let at = 0; at < word.length; at += 1) {
    const character = word.charAt(at);
    const next = word.charAt(at + 1);
    if (character === '\\' && quote !== "'" && (quote === undefined || '"\\$`'.includes(next))) {
      text += next;
      at += 1;
    } else if (character === quote) {
      quote = undefined;
    } else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
    } else {
      text += character;
    }
  }
  return text;
}

/** The quote that is open at the end of a word that begins with it. */
const openQuote = (word: string): string | undefined => /^(["'])(?:(?!\1).)*$/s.exec(word)?.[1];

/**
 * An entry of COMPREPLY for `word`. Bash replaces the text after the last character of COMP_WORDBREAKS, inside an open quote if there is
 * one. Undefined for a word that cannot stand inside that quote.
 *
 * @param typed the word so far, as it stands.
 */
export function bashReply(word: string, typed: string, breaks: string): string | undefined {
  const quote = openQuote(typed);
  if (quote !== undefined) return (quote === "'" ? /'/ : /["$`\\!]/).test(word) ? undefined : word;
  const cut = afterLastBreak(typed, breaks);
  const kept = unquoted(typed.slice(0, cut));
  return word.startsWith(kept) ? word.slice(kept.length).replaceAll(/[^\w@%+=:,./-]/gu, '\\$&') : undefined;
}

/** One behind a backslash breaks nothing. */
function afterLastBreak(typed: string, breaks: string): number {
  let cut = 0;
  for (let at = 0; at < typed.length; at += 1) {
    if (typed.charAt(at) === '\\') at += 1;
    else if (breaks.includes(typed.charAt(at))) cut = at + 1;
  }
  return cut;
}
