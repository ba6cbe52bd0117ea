import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
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

/** Serves the files of a folder, as they are at each request; of a folder inside it, its `index.html`. */
export function serveFolder(folder: string): FrontEnd {
  return async ({ method, url }, reply) => {
    const [path = ''] = url.split('?');
    if (method !== 'GET' && method !== 'HEAD') {
      throw new PasskeyError(
        'method_not_allowed',
        `${path.slice(0, 200)} takes GET and HEAD, not ${method}: it is for the folder of --app.`,
      );
    }
    const found = await findFile(folder, path);
    if (found === undefined) {
      throw new PasskeyError('route_not_found', `The folder of --app has no ${path.slice(0, 200)}, and this server no such endpoint.`);
    }
    // What a hook sends with `reply` as a stream, Fastify does not take for an answer.
    const { raw } = reply.hijack();
    if ('redirect' in found) {
      raw.writeHead(302, { location: found.redirect }).end();
      return reply;
    }
    const { file, size } = found;
    const type = CONTENT_TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream';
    raw.writeHead(200, { 'content-type': type, 'content-length': size, 'cache-control': 'no-cache' });
    if (method === 'HEAD') raw.end();
    else pipeline(createReadStream(file), raw, () => undefined);
    return reply;
  };
}

type Found = { readonly file: string; readonly size: number } | { readonly redirect: string };

async function findFile(folder: string, path: string): Promise<Found | undefined> {
  const inside = decodePath(path);
  if (inside === undefined) return undefined;
  const place = join(folder, inside);
  const entry = await stat(place).catch(() => undefined);
  if (entry?.isFile() === true && !path.endsWith('/')) return { file: place, size: entry.size };
  if (entry?.isDirectory() !== true) return undefined;
  const file = join(place, 'index.html');
  const index = await stat(file).catch(() => undefined);
  if (index?.isFile() !== true) return undefined;
  // Two slashes at its beginning would name a host.
  return path.endsWith('/') ? { file, size: index.size } : { redirect: `${path.replace(/^\/+/, '/')}/` };
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
