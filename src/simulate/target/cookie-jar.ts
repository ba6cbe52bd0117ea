import { Cookie, CookieJar as ToughJar } from 'tough-cookie';
import type { JarCookie } from './driver.js';

/** Cookies of one browser session. */
export interface CookieJar {
  /** Makes the value of the `Cookie` header for a request to a URL. Empty if there are no cookies. */
  header(url: string): string;
  /** Stores the cookies of a response, as a browser would. */
  store(url: string, setCookie: readonly string[]): void;
  /** Returns the value of a cookie that would be sent to this URL. */
  get(url: string, name: string): string | undefined;
  /** Returns the cookies that would be sent to this URL, as an object that maps names to values. */
  sent(url: string): Readonly<Record<string, string>>;
  /** Lists the cookies that would be sent to this URL, with their attributes and without their values. */
  list(url: string): readonly JarCookie[];
  /** Deletes a cookie that would be sent to this URL. */
  drop(url: string, name: string): void;
  /** Lists the values of all current and former cookies, so that a report can hide them. */
  values(): readonly string[];
  /** Makes a separate jar with the same cookies. */
  copy(): CookieJar;
}

/**
 * Creates a cookie jar. As in a browser, `http://localhost` may use Secure cookies, and a cookie is sent to every port of its host.
 *
 * @param jar the initial cookies. If omitted, the jar is created when the first cookie is stored, because most sessions have none.
 * @param kept values of former cookies, as returned by `values`.
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

/** Finds the value of a cookie in the `Set-Cookie` headers of a response; undefined if they do not set the cookie, or delete it. */
export function cookieIn(setCookie: readonly string[], name: string): string | undefined {
  const set = setCookie.map((header) => Cookie.parse(header)).findLast((cookie) => cookie?.key === name);
  return set?.value || undefined;
}
