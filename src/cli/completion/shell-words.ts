/**
 * Splits a command line into words, and keeps their quotes. After a space, the last word is empty. Expands and runs nothing: `$(…)` stays
 * unchanged.
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

/** Removes the quotes and backslashes of a word. The last quote may still be open. */
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

/** The quote that is still open at the end of a word that begins with one. */
const openQuote = (word: string): string | undefined => /^(["'])(?:(?!\1).)*$/s.exec(word)?.[1];

/**
 * Builds the entry of COMPREPLY for `word`. Bash replaces only the text after the last character of COMP_WORDBREAKS, inside an open quote
 * if there is one. Undefined if the word cannot stand inside that quote.
 *
 * @param typed the part of the word that is already typed, verbatim.
 */
export function bashReply(word: string, typed: string, breaks: string): string | undefined {
  const quote = openQuote(typed);
  if (quote !== undefined) return (quote === "'" ? /'/ : /["$`\\!]/).test(word) ? undefined : word;
  const cut = afterLastBreak(typed, breaks);
  const kept = unquoted(typed.slice(0, cut));
  return word.startsWith(kept) ? word.slice(kept.length).replaceAll(/[^\w@%+=:,./-]/gu, '\\$&') : undefined;
}

/** The part of a word after the last character at which bash breaks words. Characters after a backslash do not count. */
function afterLastBreak(typed: string, breaks: string): number {
  let cut = 0;
  for (let at = 0; at < typed.length; at += 1) {
    if (typed.charAt(at) === '\\') at += 1;
    else if (breaks.includes(typed.charAt(at))) cut = at + 1;
  }
  return cut;
}
