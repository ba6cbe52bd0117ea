import { Cookie, CookieJar as ToughJar } from 'tough-cookie';

/** The cookies of one browser session. */
export interface CookieJar {
  /** Value of the `Cookie` header of a request; empty: none. */
  header(url: string): string;
  /** Keeps what an answer sets, as far as a browser would. */
  store(url: string, setCookie: readonly string[]): void;
  /** Value of a cookie that would be sent. */
  get(url: string, name: string): string | undefined;
  /** Values of all cookies: secrets of a report. */
  values(): readonly string[];
  /** A jar of its own with the same cookies. */
  copy(): CookieJar;
}

/**
 * An empty jar. Like a browser's, it keeps Secure cookies of `http://localhost`, and its cookies are those of a host, whatever the port.
 *
 * @param jar the cookies that it begins with; made with the first one, since most sessions have none.
 */
export function createCookieJar(jar?: ToughJar): CookieJar {
  return {
    header: (url) => jar?.getCookieStringSync(url) ?? '',
    store(url, setCookie) {
      if (setCookie.length > 0) jar ??= new ToughJar();
      // A browser drops a cookie of another domain without a word.
      for (const cookie of setCookie) jar?.setCookieSync(cookie, url, { ignoreError: true });
    },
    get: (url, name) => jar?.getCookiesSync(url).find(({ key }) => key === name)?.value,
    values: () => jar?.serializeSync()?.cookies.flatMap(({ value }) => (typeof value === 'string' ? [value] : [])) ?? [],
    copy: () => createCookieJar(jar?.cloneSync()),
  };
}

/** Value of a cookie in the `Set-Cookie` headers of an answer; undefined: not set, or deleted. */
export function cookieIn(setCookie: readonly string[], name: string): string | undefined {
  const set = setCookie.map((header) => Cookie.parse(header)).findLast((cookie) => cookie?.key === name);
  return set?.value || undefined;
}
