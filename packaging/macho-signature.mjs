// Ad-hoc signatures for macOS executables, without Apple's tools. Apple silicon starts no program that has none. The format is that of
// Apple's cs_blobs.h and mach-o/loader.h; what is written is what the linkers of LLVM and Go write: a code directory alone.
// https://github.com/apple-oss-distributions/xnu/blob/main/osfmk/kern/cs_blobs.h
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

const MAGIC_64 = 0xfeedfacf;
const HEADER_BYTES = 32;
const LC_SEGMENT_64 = 0x19;
const LC_CODE_SIGNATURE = 0x1d;
const COMMAND_BYTES = 16;

const EMBEDDED_SIGNATURE = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;
/** With the range of the main segment; macOS 10.14. */
const VERSION = 0x20400;
const ADHOC_BY_LINKER = 0x20002;
const MAIN_BINARY = 1n;
const SHA256 = 2;
const HASH_BYTES = 32;
const PAGE_BITS = 12;
const PAGE_BYTES = 1 << PAGE_BITS;
/** From magic to one index entry; then the code directory. */
const SUPER_BLOB_BYTES = 20;
const DIRECTORY_BYTES = 88;
/** Memory pages of Apple silicon. */
const SEGMENT_PAGE_BYTES = 0x4000n;

const roundUp = (value, to) => ((value + to - 1n) / to) * to;

/** Gives the executable an ad-hoc signature, in place of one that it may have. */
export async function signAdHoc(file, { identifier }) {
  await writeFile(file, signed(await readFile(file), identifier));
}

/** The signed bytes of an executable. */
export function signed(original, identifier) {
  const before = readLayout(original);
  const codeBytes = Number(roundUp(BigInt(before.signature?.offset ?? original.length), 16n));
  const ident = Buffer.from(`${identifier}\0`);
  const pages = Math.ceil(codeBytes / PAGE_BYTES);
  const directoryBytes = DIRECTORY_BYTES + ident.length + pages * HASH_BYTES;
  const bytes = Buffer.alloc(codeBytes + Number(roundUp(BigInt(SUPER_BLOB_BYTES + directoryBytes), 16n)));
  original.copy(bytes, 0, 0, Math.min(codeBytes, original.length));
  announce(bytes, before, codeBytes);

  const { text } = before;
  const at = codeBytes;
  const words = [EMBEDDED_SIGNATURE, SUPER_BLOB_BYTES + directoryBytes, 1, 0, SUPER_BLOB_BYTES];
  const hashes = DIRECTORY_BYTES + ident.length;
  words.push(CODE_DIRECTORY, directoryBytes, VERSION, ADHOC_BY_LINKER, hashes, DIRECTORY_BYTES, 0, pages, codeBytes);
  words.push((HASH_BYTES << 24) | (SHA256 << 16) | PAGE_BITS, 0, 0, 0, 0);
  for (const [index, word] of words.entries()) bytes.writeUInt32BE(word >>> 0, at + index * 4);
  const directory = at + SUPER_BLOB_BYTES;
  bytes.writeBigUInt64BE(text.offset, directory + 64);
  bytes.writeBigUInt64BE(text.bytes, directory + 72);
  bytes.writeBigUInt64BE(MAIN_BINARY, directory + 80);
  ident.copy(bytes, directory + DIRECTORY_BYTES);
  for (let page = 0; page < pages; page += 1) {
    const code = bytes.subarray(page * PAGE_BYTES, Math.min((page + 1) * PAGE_BYTES, codeBytes));
    createHash('sha256')
      .update(code)
      .digest()
      .copy(bytes, directory + hashes + page * HASH_BYTES);
  }
  return bytes;
}

/** Where the signature is told of: its load command, and the segment that it ends. */
function announce(bytes, { linkEdit, signature, commands, room }, codeBytes) {
  const at = signature?.command ?? HEADER_BYTES + commands.bytes;
  if (signature === undefined) {
    if (at + COMMAND_BYTES > room) throw new Error('The executable has no room for the load command of a signature.');
    bytes.writeUInt32LE(commands.count + 1, 16);
    bytes.writeUInt32LE(commands.bytes + COMMAND_BYTES, 20);
  }
  for (const [index, word] of [LC_CODE_SIGNATURE, COMMAND_BYTES, codeBytes, bytes.length - codeBytes].entries()) {
    bytes.writeUInt32LE(word, at + index * 4);
  }
  const fileBytes = BigInt(bytes.length) - linkEdit.offset;
  bytes.writeBigUInt64LE(roundUp(fileBytes, SEGMENT_PAGE_BYTES), linkEdit.command + 32);
  bytes.writeBigUInt64LE(fileBytes, linkEdit.command + 48);
}

/** What of a 64-bit Mach-O file a signature has to do with. */
export function readLayout(bytes) {
  if (bytes.readUInt32LE(0) !== MAGIC_64) throw new Error('Expected a 64-bit Mach-O executable of one architecture.');
  const commands = { count: bytes.readUInt32LE(16), bytes: bytes.readUInt32LE(20) };
  const segments = {};
  let signature;
  let room = bytes.length;
  let command = HEADER_BYTES;
  for (let index = 0; index < commands.count; index += 1) {
    const type = bytes.readUInt32LE(command);
    if (type === LC_SEGMENT_64) {
      const name = bytes.toString('latin1', command + 8, command + 24).replace(/\0+$/, '');
      segments[name] = { command, offset: bytes.readBigUInt64LE(command + 40), bytes: bytes.readBigUInt64LE(command + 48) };
      for (const start of sectionsOf(bytes, command)) room = Math.min(room, start);
    }
    if (type === LC_CODE_SIGNATURE) {
      signature = { command, offset: bytes.readUInt32LE(command + 8), bytes: bytes.readUInt32LE(command + 12) };
    }
    command += bytes.readUInt32LE(command + 4);
  }
  const { __TEXT: text, __LINKEDIT: linkEdit } = segments;
  if (text === undefined || linkEdit === undefined) throw new Error('Expected a Mach-O executable with __TEXT and __LINKEDIT.');
  const end = signature === undefined ? bytes.length : signature.offset + signature.bytes;
  if (Number(linkEdit.offset + linkEdit.bytes) !== end || end !== bytes.length) {
    throw new Error('Expected __LINKEDIT, and in it the signature, at the end of the Mach-O executable.');
  }
  return { commands, text, linkEdit, signature, room };
}

/** Where in the file the sections of a segment begin; those without content have 0. */
function sectionsOf(bytes, command) {
  const count = bytes.readUInt32LE(command + 64);
  return Array.from({ length: count }, (_, index) => bytes.readUInt32LE(command + 72 + index * 80 + 48)).filter((start) => start > 0);
}
