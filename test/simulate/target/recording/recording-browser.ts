import { createAuthenticator } from '../../../../src/authenticator/authenticator.js';
import { type Client, createClient } from '../../../../src/client/client.js';

/** What a page gives its browser to send. */
export interface Sent {
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Received {
  readonly status: number;
  readonly text: string;
  json(): unknown;
}

/** A browser with its developer tools open: it keeps cookies, follows redirects, and writes an HTTP archive. */
export interface RecordingBrowser {
  readonly client: Client;
  send(request: string, sent?: Sent): Promise<Received>;
  /** As somebody who signs out and comes back later. */
  forgetCookies(): void;
  /** The archive as Firefox writes it; `base64`: bodies of answers in base64, as Chromium writes some. */
  har(options?: { readonly base64?: boolean }): { readonly log: { readonly entries: readonly object[] } };
}

type Pair = { readonly name: string; readonly value: string };

export function recordingBrowser(origin: string): RecordingBrowser {
  const cookies = new Map<string, string>();
  const entries: { readonly request: object; readonly response: object; readonly body: string; readonly type: string }[] = [];

  async function one(method: string, url: string, headers: Readonly<Record<string, string>>, body: string | undefined) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const all = {
      ...headers,
      ...(cookie !== '' && { cookie }),
      ...(method !== 'GET' && { origin }),
      'user-agent': 'Mozilla/5.0',
      referer: `${origin}/`,
    };
    const answer = await fetch(url, { method, headers: all, redirect: 'manual', ...(body !== undefined && { body }) });
    const text = await answer.text();
    const received: Pair[] = [];
    for (const [name, value] of answer.headers) received.push({ name, value });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    entries.push({
      request: {
        method,
        url,
        headers: Object.entries(all).map(([name, value]) => ({ name, value })),
        ...(body !== undefined && { postData: { mimeType: headers['content-type'] ?? '', text: body } }),
      },
      response: { status: answer.status, headers: received },
      body: text,
      type: answer.headers.get('content-type') ?? '',
    });
    return { answer, text };
  }

  return {
    client: createClient({ authenticator: createAuthenticator(), origin }),
    async send(request, { json, form, headers = {} } = {}) {
      const [method = 'GET', path = '/'] = request.split(' ');
      const type = json === undefined ? form && 'application/x-www-form-urlencoded' : 'application/json';
      const body = json === undefined ? form && new URLSearchParams(form).toString() : JSON.stringify(json);
      let url = new URL(path, origin);
      let { answer, text } = await one(
        method,
        url.href,
        { accept: 'application/json', ...headers, ...(type && { 'content-type': type }) },
        body,
      );
      for (let location = answer.headers.get('location'); location !== null; location = answer.headers.get('location')) {
        url = new URL(location, url);
        ({ answer, text } = await one('GET', url.href, { accept: 'text/html,application/xhtml+xml' }, undefined));
      }
      return { status: answer.status, text, json: (): unknown => JSON.parse(text) };
    },
    forgetCookies: () => cookies.clear(),
    har: ({ base64 = false } = {}) => ({
      log: {
        entries: entries.map(({ request, response, body, type }) => ({
          startedDateTime: '2026-11-22T10:00:00.000Z',
          request,
          response: {
            ...response,
            content: base64
              ? { mimeType: type, text: Buffer.from(body).toString('base64'), encoding: 'base64' }
              : { mimeType: type, text: body },
          },
        })),
      },
    }),
  };
}
