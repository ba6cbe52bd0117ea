import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { PasskeyError } from '../../errors.js';
import type { FrontEnd } from '../allowed-methods.js';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.gif': 'image/gif',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/**
 * Serves the files of a folder, as they are at each request; of a folder inside it, its `index.html`. A navigation to what is no file
 * gets the `index.html` of the whole: it is a path of a single-page app.
 */
export function serveFolder(folder: string): FrontEnd {
  return async ({ method, url, headers }, reply) => {
    const [path = ''] = url.split('?');
    if (method !== 'GET' && method !== 'HEAD') {
      throw new PasskeyError(
        'method_not_allowed',
        `${path.slice(0, 200)} takes GET and HEAD, not ${method}: it is for the folder of --app.`,
      );
    }
    const found = (await findFile(folder, path)) ?? (isNavigation(path, headers) ? await findFile(folder, '/') : undefined);
    if (found === undefined) {
      throw new PasskeyError('route_not_found', `The folder of --app has no ${path.slice(0, 200)}, and this server no such endpoint.`);
    }
    // What a hook sends with `reply` as a stream, Fastify does not take for an answer.
    const { raw } = reply.hijack();
    if ('redirect' in found) {
      raw.writeHead(302, { location: found.redirect }).end();
      return reply;
    }
    const { file, size, etag } = found;
    const common = { etag, 'cache-control': 'no-cache', 'accept-ranges': 'bytes' };
    const range = method === 'GET' ? readRange(headers, found) : undefined;
    if (headers['if-none-match']?.split(/\s*,\s*/).includes(etag) === true) {
      raw.writeHead(304, common).end();
    } else if (range !== undefined && range.start > range.end) {
      raw.writeHead(416, { ...common, 'content-range': `bytes */${size}` }).end();
    } else {
      const { start, end } = range ?? { start: 0, end: size - 1 };
      raw.writeHead(range === undefined ? 200 : 206, {
        ...common,
        'content-type': CONTENT_TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream',
        'content-length': end - start + 1,
        ...(range && { 'content-range': `bytes ${start}-${end}/${size}` }),
      });
      if (method === 'HEAD' || size === 0) raw.end();
      else pipeline(createReadStream(file, { start, end }), raw, () => undefined);
    }
    return reply;
  };
}

/** A document that a browser asks for by a path without a file's extension. */
function isNavigation(path: string, { accept = '', 'sec-fetch-mode': mode = 'navigate' }: IncomingHttpHeaders): boolean {
  const inside = decodePath(path);
  return inside !== undefined && extname(inside) === '' && accept.includes('text/html') && mode === 'navigate';
}

/** The bytes that were asked for, as media elements do: one range (RFC 9110 §14.1.2). Undefined: all of them; a start after the end: there are no such bytes. */
function readRange({ range, 'if-range': of }: IncomingHttpHeaders, { size, etag }: FoundFile) {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? [];
  const isNone = (from === '' && to === '') || (from !== '' && to !== '' && Number(to) < Number(from));
  if (isNone || (of !== undefined && of !== etag)) return undefined;
  if (from === '') return { start: Math.max(0, size - Number(to)), end: size - 1 };
  return { start: Number(from), end: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}

interface FoundFile {
  readonly file: string;
  readonly size: number;
  readonly etag: string;
}

async function findFile(folder: string, path: string): Promise<(FoundFile | { readonly redirect: string }) | undefined> {
  const inside = decodePath(path);
  if (inside === undefined) return undefined;
  const place = join(folder, inside);
  const entry = await stat(place).catch(() => undefined);
  if (entry?.isDirectory() !== true) return path.endsWith('/') ? undefined : await describeFile(place);
  const index = await describeFile(join(place, 'index.html'));
  // Two slashes at its beginning would name a host.
  return index === undefined || path.endsWith('/') ? index : { redirect: `${path.replace(/^\/+/, '/')}/` };
}

async function describeFile(file: string): Promise<FoundFile | undefined> {
  const entry = await stat(file).catch(() => undefined);
  return entry?.isFile() === true ? { file, size: entry.size, etag: `"${entry.size}-${entry.mtimeMs}"` } : undefined;
}

/** Undefined for what leaves the folder, and for hidden files such as `.env`. */
function decodePath(path: string): string | undefined {
  try {
    const decoded = decodeURIComponent(path);
    const isHidden = decoded.split('/').some((part) => part.startsWith('.') && part !== '.well-known');
    return isHidden || /[\\:\0]/.test(decoded) ? undefined : decoded;
  } catch {
    return undefined;
  }
}
