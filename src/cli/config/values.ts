import { isAbsolute, resolve } from 'node:path';

/** Describes where a value came from: a flag or variable, whose values are strings, or the configuration file, whose values are JSON. */
export interface Source {
  readonly form: 'text' | 'json';
  /** Directory to which relative paths refer: the working directory, or the folder of the configuration file. */
  readonly base: string;
}

/** A type of values of flags and settings. It reads a value in the same way from a flag, a variable or the configuration file. */
export interface Kind<T> {
  /** Describes a valid value, as the end of a message that begins with "expects …". */
  readonly expects: string;
  /** Placeholder that stands for the value in the help. Undefined for a switch. */
  readonly placeholder: string | undefined;
  /** All valid values, if there are only a few. */
  readonly choices?: readonly string[];
  /** JSON Schema of the value in the configuration file. The schema may allow some values that `read` refuses. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Converts `raw` to a value. Returns undefined if `raw` is not valid. */
  read(raw: unknown, source: Source): T | undefined;
  /** Describes a mistake in one part of `raw`. It is used if the description is clearer than the general message "expects … got …". */
  wrong?(raw: unknown, source: Source): string | undefined;
}

export type ValueOf<K> = K extends Kind<infer T> ? T : never;

export function integer(o: { min: number; max: number; placeholder?: string; what?: string }): Kind<number> {
  const placeholder = o.placeholder ?? 'number';
  return {
    expects: `${o.what ?? 'a whole number'} from ${o.min} to ${o.max}`,
    placeholder,
    schema: { type: 'integer', minimum: o.min, maximum: o.max },
    read(raw, { form }) {
      const value = form === 'text' && typeof raw === 'string' && /^-?\d{1,16}$/.test(raw.trim()) ? Number(raw) : raw;
      return typeof value === 'number' && Number.isInteger(value) && value >= o.min && value <= o.max ? value : undefined;
    },
  };
}

export function text(o: { placeholder: string; expects?: string; accept?: (value: string) => boolean }): Kind<string> {
  return {
    expects: o.expects ?? 'a non-empty text',
    placeholder: o.placeholder,
    schema: { type: 'string' },
    read: (raw) => (typeof raw === 'string' && raw.trim() !== '' && (o.accept?.(raw) ?? true) ? raw : undefined),
  };
}

/**
 * Makes a kind of values that are written as strings. `parse` returns the value in its standard form, or undefined if the string is
 * invalid.
 */
export function parsed<T>(o: {
  placeholder: string;
  expects: string;
  parse: (raw: string | number, source: Source) => T | undefined;
}): Kind<T> {
  return {
    expects: o.expects,
    placeholder: o.placeholder,
    schema: { type: ['string', 'number'] },
    read: (raw, source) => ((typeof raw === 'string' && raw.trim() !== '') || typeof raw === 'number' ? o.parse(raw, source) : undefined),
  };
}

export function path(placeholder: string, expects = 'a path'): Kind<string> {
  const parse = (raw: string | number, { base }: Source) =>
    typeof raw === 'string' ? (isAbsolute(raw) ? raw : resolve(base, raw)) : undefined;
  return { ...parsed({ placeholder, expects, parse }), schema: { type: 'string' } };
}

export function oneOf<const T extends string>(choices: readonly T[]): Kind<T> {
  return {
    expects: choices.length === 1 ? `the value ${choices[0]}` : `one of ${choices.join(', ')}`,
    placeholder: 'value',
    choices,
    schema: { enum: choices },
    read: (raw) => choices.find((choice) => choice === raw),
  };
}

const TRUE = ['true', '1', 'yes', 'on'];
const FALSE = ['false', '0', 'no', 'off'];

export const toggle: Kind<boolean> = {
  expects: 'true or false',
  placeholder: undefined,
  schema: { type: 'boolean' },
  read(raw, { form }) {
    if (typeof raw === 'boolean') return raw;
    if (form !== 'text' || typeof raw !== 'string') return undefined;
    const word = raw.trim().toLowerCase();
    return TRUE.includes(word) ? true : FALSE.includes(word) ? false : undefined;
  },
};

/** Makes a kind of lists. A list is written as a flag given several times, as a string with commas, or as a JSON array. */
export function list<T>(item: Kind<T>): Kind<readonly T[]> {
  return {
    expects: `a list, with each item ${item.expects}`,
    placeholder: `${item.placeholder}...`,
    schema: { anyOf: [item.schema, { type: 'array', items: item.schema }] },
    read(raw, source) {
      const parts = splitParts(raw, source);
      if (parts.length === 0 && source.form === 'text') return undefined;
      const values: T[] = [];
      for (const part of parts) {
        const value = item.read(part, source);
        if (value === undefined) return undefined;
        values.push(value);
      }
      return values;
    },
    wrong(raw, source) {
      const first = splitParts(raw, source).find((part) => item.read(part, source) === undefined);
      return typeof first === 'string' ? `${JSON.stringify(first.slice(0, 200))} is not ${item.expects}` : undefined;
    },
  };
}

function splitParts(raw: unknown, { form }: Source): unknown[] {
  const entries: unknown[] = Array.isArray(raw) ? raw : [raw];
  return entries.flatMap((entry) => (form === 'text' && typeof entry === 'string' ? entry.split(',').map((part) => part.trim()) : [entry]));
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/**
 * Makes a kind of durations in milliseconds. A duration is written as `500ms`, `60s`, `5m`, `12h`, `30d`, `2w` or as a bare number of
 * milliseconds. `min` is 1 by default.
 */
export function duration(o: { min?: number; max: number }): Kind<number> {
  const min = o.min ?? 1;
  const least = min > 1 ? `at least ${inWords(min)}, ` : '';
  return parsed({
    placeholder: 'duration',
    expects: `a duration such as 60s, 5m or 30d (a bare number is milliseconds), ${least}at most ${inWords(o.max)}`,
    parse(raw) {
      const match = /^(\d{1,15})(ms|s|m|h|d|w)?$/.exec(String(raw).trim());
      const milliseconds = match ? Number(match[1]) * (UNITS[match[2] ?? 'ms'] ?? 1) : 0;
      return milliseconds >= min && milliseconds <= o.max ? milliseconds : undefined;
    },
  });
}

/**
 * Makes a kind of times in milliseconds since the epoch. A time is written as a date (midnight UTC), as an ISO 8601 date and time (UTC if
 * it has no offset), or as a duration before now, such as `30d` or `12h`.
 */
export function moment(now: () => number): Kind<number> {
  return parsed({
    placeholder: 'time',
    expects: 'a date such as 2026-01-31, a time such as 2026-01-31T12:00:00Z, or how long ago, such as 30d or 12h',
    parse(raw) {
      const written = String(raw).trim();
      const [, amount, unit = ''] = /^(\d{1,9})(s|m|h|d|w)$/.exec(written) ?? [];
      if (amount !== undefined) return now() - Number(amount) * (UNITS[unit] ?? 0);
      const [, day, time = 'T00:00', offset = 'Z'] =
        /^(\d{4}-\d\d-\d\d)(?:([T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/i.exec(written) ?? [];
      const midnight = Date.parse(`${day}T00:00Z`);
      // A 30th of February is a 2nd of March to Date.
      const isDay = day !== undefined && !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
      const at = isDay ? Date.parse(`${day}${time.toUpperCase().replace(' ', 'T')}${offset.toUpperCase()}`) : Number.NaN;
      return Number.isNaN(at) ? undefined : at;
    },
  });
}

/** Formats a duration in the largest unit of which it is a whole multiple: `5m`, `30d`. */
export function inWords(milliseconds: number): string {
  const unit = Object.entries(UNITS).findLast(([name, size]) => name !== 'w' && milliseconds % size === 0);
  return unit ? `${milliseconds / unit[1]}${unit[0]}` : `${milliseconds}ms`;
}
