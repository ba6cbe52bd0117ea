/**
 * Splits a command line into words, which keep their quotes. After a trailing space, the last word is empty. Expands and runs nothing, so
 * `$(…)` stays unchanged.
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

/** Removes the quotes and backslashes from a word. The last quotation may lack its closing quote. */
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

/** Finds the quote character with which a word begins, if the quotation is still open at the end of the word. */
const openQuote = (word: string): string | undefined => /^(["'])(?:(?!\1).)*$/s.exec(word)?.[1];

/**
 * Builds the entry of COMPREPLY for `word`. Bash replaces only the part of the typed word after the last character of COMP_WORDBREAKS, or
 * after an open quote. Undefined if the word cannot be written inside that open quote.
 *
 * @param typed the part of the word that is already typed, exactly as it was typed.
 */
export function bashReply(word: string, typed: string, breaks: string): string | undefined {
  const quote = openQuote(typed);
  if (quote !== undefined) return (quote === "'" ? /'/ : /["$`\\!]/).test(word) ? undefined : word;
  const cut = afterLastBreak(typed, breaks);
  const kept = unquoted(typed.slice(0, cut));
  return word.startsWith(kept) ? word.slice(kept.length).replaceAll(/[^\w@%+=:,./-]/gu, '\\$&') : undefined;
}

/**
 * Finds where the part of a word begins that comes after the last character at which bash breaks words. Characters after a backslash do not
 * count.
 */
function afterLastBreak(typed: string, breaks: string): number {
  let cut = 0;
  for (let at = 0; at < typed.length; at += 1) {
    if (typed.charAt(at) === '\\') at += 1;
    else if (breaks.includes(typed.charAt(at))) cut = at + 1;
  }
  return cut;
}
