import { toHex } from '../kernel/bytes.js';
import { hashOfRpId } from '../relying-party/diagnosis/rp-id.js';
import { decodeBase64 } from '../webauthn/base64url.js';
import { annotateCoseKey } from './annotate/cose-key.js';
import { annotateCredential } from './annotate/credential.js';
import { readable } from './annotate/node.js';
import { readCredential } from './annotate/read-credential.js';
import { writeTree } from './document.js';
import type { Annotation, TreeDocument, Unannotated } from './document-schema.js';

/** Annotates the bytes of a ceremony. Never throws: a field that cannot be read has an `error`, and the others are annotated. */
export function annotateCeremony({ response, publicKey, rpId }: Unannotated): Annotation {
  const hash = rpId === undefined ? null : toHex(hashOfRpId(rpId));
  const rpIds = new Map(rpId === undefined || hash === null ? [] : [[hash, rpId]]);
  return {
    response: response === undefined ? null : writeTree(annotateCredential(readCredential(response), { label: 'response', rpIds })),
    public_key: publicKey === undefined ? null : keyTree(publicKey),
    rp_id_hash: hash,
  };
}

function keyTree(publicKey: string): TreeDocument | null {
  const bytes = decodeBase64(publicKey)?.bytes;
  if (bytes === undefined || bytes.length === 0) return null;
  const label = 'credentialPublicKey';
  return writeTree(readable(label, () => annotateCoseKey(bytes, { label }), { offset: 0, length: bytes.length }));
}
