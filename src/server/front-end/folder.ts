import { createReadStream, type ReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';
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
 * Serves the files of a folder with their current content, and the `index.html` of subfolders. If a browser navigates to a path that has no
 * file, serves the `index.html` of the folder itself, for single-page apps.
 */
export function serveFolder(folder: string): FrontEnd {
  const answer: FrontEnd['answer'] = async ({ method, url, headers }, reply) => {
    const [path = ''] = url.split('?');
    if (method !== 'GET' && method !== 'HEAD') {
      throw new PasskeyError(
        'method_not_allowed',
        `${path.slice(0, 200)} accepts GET and HEAD, not ${method}: it belongs to the folder of --app.`,
      );
    }
    const found = (await findFile(folder, path)) ?? (isNavigation(path, headers) ? await findFile(folder, '/') : undefined);
    if (found === undefined) {
      throw new PasskeyError('route_not_found', `The folder of --app has no ${path.slice(0, 200)}, and this server has no such endpoint.`);
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
      else sendBytes(createReadStream(file, { start, end }), raw, end - start + 1);
    }
    return reply;
  };
  return { answer };
}

/**
 * Sends exactly the announced number of bytes. If the file shrinks while it is sent, closes the connection; otherwise the client would read
 * the next response as the rest of this one.
 */
function sendBytes(file: ReadStream, raw: ServerResponse, announced: number): void {
  file.once('error', () => raw.destroy());
  file.once('end', () => void (file.bytesRead === announced ? raw.end() : raw.destroy()));
  raw.once('close', () => file.destroy());
  file.pipe(raw, { end: false });
}

/** Checks whether a browser requests a document, with a path that has no file extension. */
function isNavigation(path: string, { accept = '', 'sec-fetch-mode': mode = 'navigate' }: IncomingHttpHeaders): boolean {
  const inside = decodePath(path);
  return inside !== undefined && extname(inside) === '' && accept.includes('text/html') && mode === 'navigate';
}

/**
 * Reads which bytes of a file a media element requests. Only a single range counts (RFC 9110 §14.1.2). Undefined means the whole file. A
 * range that starts after the end of the file means no bytes.
 */
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
  const place = await findInside(folder, join(folder, inside));
  if (place === undefined) return undefined;
  const entry = await stat(place).catch(() => undefined);
  if (entry?.isDirectory() !== true) return path.endsWith('/') ? undefined : await describeFile(place);
  const first = await findInside(folder, join(place, 'index.html'));
  const index = first === undefined ? undefined : await describeFile(first);
  // Two slashes at its beginning would name a host.
  return index === undefined || path.endsWith('/') ? index : { redirect: `${path.replace(/^\/+/, '/')}/` };
}

/**
 * Finds the real path of a file or folder. Undefined if it does not exist, if it is hidden, or if a link leads out of the served folder.
 */
async function findInside(folder: string, place: string): Promise<string | undefined> {
  const [root, real] = await Promise.all([folder, place].map((path) => realpath(path).catch(() => undefined)));
  if (root === undefined || real === undefined) return undefined;
  if (real !== root && !real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)) return undefined;
  return isHidden(real.slice(root.length).split(sep)) ? undefined : real;
}

const isHidden = (parts: readonly string[]): boolean => parts.some((part) => part.startsWith('.') && part !== '.well-known');

async function describeFile(file: string): Promise<FoundFile | undefined> {
  const entry = await stat(file).catch(() => undefined);
  return entry?.isFile() === true ? { file, size: entry.size, etag: `"${entry.size}-${entry.mtimeMs}"` } : undefined;
}

/** Decodes a URL path. Undefined if the path leads out of the served folder, or names a hidden file such as `.env`. */
function decodePath(path: string): string | undefined {
  try {
    const decoded = decodeURIComponent(path);
    return isHidden(decoded.split('/')) || /[\\:\0]/.test(decoded) ? undefined : decoded;
  } catch {
    return undefined;
  }
}
