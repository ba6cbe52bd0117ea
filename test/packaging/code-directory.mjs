// Reads the signature of a macOS executable as the system does when it loads a page of it: every page has the hash that is told of it.
import { createHash } from 'node:crypto';
import { readLayout } from '../../packaging/macho-signature.mjs';

const EMBEDDED_SIGNATURE = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;

/** `{ identifier, flags, pages, wrong }`: how many pages are signed, and how many of them are not as signed. */
export function codeDirectoryOf(bytes) {
  const { signature } = readLayout(bytes);
  if (signature === undefined) throw new Error('It has no signature.');
  const blob = bytes.subarray(signature.offset, signature.offset + signature.bytes);
  if (blob.readUInt32BE(0) !== EMBEDDED_SIGNATURE) throw new Error('Its signature is none that is embedded.');
  const offsets = Array.from({ length: blob.readUInt32BE(8) }, (_, index) => blob.readUInt32BE(16 + 8 * index));
  const directory = offsets.map((offset) => blob.subarray(offset)).find((each) => each.readUInt32BE(0) === CODE_DIRECTORY);
  if (directory === undefined) throw new Error('Its signature has no code directory.');
  const [flags, hashes, identifier, , pages, limit] = [12, 16, 20, 24, 28, 32].map((offset) => directory.readUInt32BE(offset));
  const [hashBytes, hashType, , pageBits] = directory.subarray(36, 40);
  if (hashType !== 2) throw new Error(`Its hashes are of type ${hashType}, not of SHA-256.`);
  if (limit !== signature.offset) throw new Error('Its signature does not cover all that comes before it.');
  let wrong = 0;
  for (let page = 0; page < pages; page += 1) {
    const code = bytes.subarray(page << pageBits, Math.min((page + 1) << pageBits, limit));
    const told = directory.subarray(hashes + page * hashBytes, hashes + (page + 1) * hashBytes);
    if (!createHash('sha256').update(code).digest().equals(told)) wrong += 1;
  }
  return { identifier: directory.toString('latin1', identifier, directory.indexOf(0, identifier)), flags, pages, wrong };
}
