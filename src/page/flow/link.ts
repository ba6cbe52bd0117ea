import { decodeBase64, encodeBase64url } from '../../webauthn/base64url.js';

/** Maximum length of a link in characters, because some programs cut off longer links. */
const LONGEST = 8_000;
/** Maximum size in bytes of a decompressed document. The limit is needed because a short link can decompress to millions of bytes. */
const MOST_BYTES = 1_000_000;

/** Writes a document as the part `shared=…` of an address; undefined if the document is too large. */
export async function writeShared(text: string): Promise<string | undefined> {
  const bytes = await convert(new Blob([text]), new CompressionStream('deflate-raw'));
  const part = `shared=${encodeBase64url(bytes)}`;
  return part.length <= LONGEST ? part : undefined;
}

/** Reads the document in the fragment of an address: undefined if there is none, empty if it cannot be read. */
export async function readShared(fragment: string): Promise<string | undefined> {
  const packed = new URLSearchParams(fragment.slice(1)).get('shared');
  if (packed === null) return undefined;
  const bytes = decodeBase64(packed)?.bytes ?? new Uint8Array();
  return new TextDecoder().decode(await convert(new Blob([new Uint8Array(bytes)]), new DecompressionStream('deflate-raw')));
}

/** Compresses or decompresses bytes; empty after an error, or if the result is too large. */
async function convert(blob: Blob, through: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const parts: BlobPart[] = [];
  let left = MOST_BYTES;
  try {
    const reader = blob.stream().pipeThrough(through).getReader();
    for (let { value } = await reader.read(); value !== undefined; { value } = await reader.read()) {
      left -= value.length;
      if (left < 0) {
        await reader.cancel();
        return new Uint8Array();
      }
      parts.push(value);
    }
  } catch {
    return new Uint8Array();
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
