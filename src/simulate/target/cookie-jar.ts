import { Cookie, CookieJar as ToughJar } from 'tough-cookie';
import type { JarCookie } from './driver.js';

/** The cookies of one browser session. */
export interface CookieJar {
  /** Value of the `Cookie` header of a request; empty: none. */
  header(url: string): string;
  /** Stores the cookies of an answer, as a browser would. */
  store(url: string, setCookie: readonly string[]): void;
  /** Value of a cookie that would be sent. */
  get(url: string, name: string): string | undefined;
  /** Cookies that would be sent, by name. */
  sent(url: string): Readonly<Record<string, string>>;
  /** Attributes of the cookies that would be sent. */
  list(url: string): readonly JarCookie[];
  /** Deletes a cookie that would be sent. */
  drop(url: string, name: string): void;
  /** Values of all cookies that it has or had: secrets of a report. */
  values(): readonly string[];
  /** A separate jar with the same cookies. */
  copy(): CookieJar;
}

/**
 * An empty jar. Like a browser's, it keeps Secure cookies of `http://localhost`, and its cookies belong to a host, on any port.
 *
 * @param jar the initial cookies; created with the first one, since most sessions have none.
 * @param kept values of cookies, as `values` gives them.
 */
export function createCookieJar(jar?: ToughJar, kept: readonly string[] = []): CookieJar {
  // Beside the jar, which takes long to list them.
  const values = new Set(kept);
  return {
    header: (url) => jar?.getCookieStringSync(url) ?? '',
    store(url, setCookie) {
      if (setCookie.length > 0) jar ??= new ToughJar();
      // A browser drops a cookie of another domain without a word.
      for (const cookie of setCookie) {
        const stored = jar?.setCookieSync(cookie, url, { ignoreError: true });
        if (stored?.value) values.add(stored.value);
      }
    },
    get: (url, name) => jar?.getCookiesSync(url).find(({ key }) => key === name)?.value,
    sent: (url) => Object.fromEntries((jar?.getCookiesSync(url) ?? []).map(({ key, value }) => [key, value])),
    list: (url) =>
      (jar?.getCookiesSync(url) ?? []).map(({ key: name, httpOnly, secure, sameSite }) => ({ name, httpOnly, secure, sameSite })),
    drop(url, name) {
      for (const { key, path, domain, hostOnly } of jar?.getCookiesSync(url) ?? []) {
        if (key !== name) continue;
        jar?.setCookieSync(`${key}=; Max-Age=0; Path=${path}${hostOnly === true ? '' : `; Domain=${domain}`}`, url);
      }
    },
    values: () => [...values],
    copy: () => createCookieJar(jar?.cloneSync(), [...values]),
  };
}

/** Value of a cookie in the `Set-Cookie` headers of an answer; undefined: not set, or deleted. */
export function cookieIn(setCookie: readonly string[], name: string): string | undefined {
  const set = setCookie.map((header) => Cookie.parse(header)).findLast((cookie) => cookie?.key === name);
  return set?.value || undefined;
}
