import { equalBytes } from '../../kernel/bytes.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { DerSyntaxError } from '../../webauthn/der.js';
import { listNames } from '../../webauthn/enumerations.js';
import { type CredentialSource, checkCredentialSource } from '../credential-source.js';
import { bitwarden } from './bitwarden.js';
import type { Exported, ExportOptions, Imported, InterchangeShape, SuppliedMembers } from './contract.js';
import { credentialExchange } from './credential-exchange.js';
import { devtools } from './devtools.js';
import { jsonWebKey } from './json-web-key.js';
import { keepassxc } from './keepassxc.js';
import { pkcs8Pem } from './pkcs8-pem.js';
import { plainJson } from './plain-json.js';
import { playwright, playwrightState } from './playwright.js';
import {
  assumedMembers,
  type InterchangeRemark,
  invalid,
  type MemberName,
  type Members,
  naming,
  type ReadCredential,
  readKeyKind,
  type Shape,
  writeMembers,
} from './shape.js';

const SHAPES: Readonly<Record<InterchangeShape, Shape>> = {
  json: plainJson,
  playwright,
  'playwright-state': playwrightState,
  devtools,
  jwk: jsonWebKey,
  pkcs8: pkcs8Pem,
  keepassxc,
  bitwarden,
  cxf: credentialExchange,
};

function shapeNamed(name: InterchangeShape): Shape {
  if (Object.hasOwn(SHAPES, name)) return SHAPES[name];
  throw invalid(`Expected one of the formats ${listNames(SHAPES).join(', ')}; got another.`);
}

export function readAs(name: InterchangeShape, text: string, supplied: SuppliedMembers): Imported {
  const shape = shapeNamed(name);
  const remarks: InterchangeRemark[] = [];
  const read = shape.read(text, (remark) => remarks.push(remark));
  const alone = read.length === 1;
  if (!alone && (supplied.id !== undefined || supplied.userHandle !== undefined)) {
    throw invalid(
      `Expected only one credential, because an ID or user handle was given for it; got ${read.length}. Import them one by one.`,
    );
  }
  return { credentials: read.map((each) => completed(shape, each, supplied, remarks)), remarks };
}

function completed(shape: Shape, read: ReadCredential, supplied: SuppliedMembers, remarks: InterchangeRemark[]): CredentialSource {
  const { at, privateKey, ...members } = read;
  const given: Partial<Members> = { ...supplied, ...members };
  const { id, rpId } = given;
  if (id === undefined) {
    throw invalid(`Expected a credential ID for ${at}, because ${shape.title} does not contain it. Give the credential ID.`);
  }
  if (rpId === undefined) throw invalid(`Expected an RP ID for ${at}, because ${shape.title} does not contain it. Give the RP ID.`);
  try {
    const assumed = assumedMembers(shape, { rpId, privateKey });
    const all = { ...assumed, ...given };
    // A discoverable credential without user handle could not be found.
    const userHandle = given.userHandle ?? new Uint8Array();
    const discoverable = (all.discoverable ?? true) && (given.discoverable !== undefined || userHandle.length > 0);
    for (const member of ['backupEligible', 'backupState'] as const) {
      if (given[member] !== undefined) continue;
      const message = `${member} of ${naming({ id, rpId })} is assumed to be ${assumed[member]}, because ${shape.title} does not contain it.`;
      remarks.push({ credentialId: encodeBase64url(id), member, message });
    }
    const { protection, prf, largeBlob, credBlob, hidden } = all;
    return checkCredentialSource({
      id,
      rpId,
      rpName: all.rpName ?? rpId,
      user: { id: userHandle, name: all.userName ?? '', displayName: all.userDisplayName ?? '' },
      algorithm: all.algorithm ?? 0,
      privateKey,
      discoverable,
      signCount: all.signCount ?? 0,
      backupEligible: all.backupEligible ?? false,
      backupState: all.backupState ?? false,
      ...(protection !== undefined && { protection }),
      ...(prf !== undefined && { prf }),
      ...(largeBlob !== undefined && { largeBlob }),
      ...(credBlob !== undefined && { credBlob }),
      ...(hidden !== undefined && { hidden }),
    });
  } catch (cause) {
    if (cause instanceof DerSyntaxError) throw invalid(`Expected the private key of ${at} to be PKCS#8 in DER; got something else.`);
    if (cause instanceof TypeError) throw invalid(`${at}: ${cause.message}`, cause);
    throw cause;
  }
}

export async function writeAs(
  name: InterchangeShape,
  sources: readonly CredentialSource[],
  { now }: Required<ExportOptions>,
): Promise<Exported> {
  const shape = shapeNamed(name);
  const remarks: InterchangeRemark[] = [];
  const remark = (each: InterchangeRemark) => remarks.push(each);
  const written = sources.filter((source) => {
    const kind = readKeyKind(source.privateKey);
    if (shape.kinds && !shape.kinds.includes(kind)) {
      throw invalid(`Expected keys of ${shape.kinds.join(', ')} for ${shape.title}; ${naming(source)} has one of ${kind}. Leave it out.`);
    }
    const why = shape.excludes?.(source);
    if (why !== undefined) {
      const message = `${naming(source)} is left out of ${shape.title}: ${why}.`;
      remark({ credentialId: encodeBase64url(source.id), member: 'signCount', message });
    }
    return why === undefined;
  });
  if (shape.single && written.length !== 1) {
    throw invalid(`Expected one credential for ${shape.title}; got ${written.length}. Choose one by its ID.`);
  }
  for (const source of written) for (const each of lost(shape, source)) remark(each);
  return { text: await shape.write(written, { now, remark }), count: written.length, remarks };
}

/** Lists the members that are lost when a credential is written in this format. */
function lost(shape: Shape, source: CredentialSource): InterchangeRemark[] {
  const members = writeMembers(source);
  const assumed = assumedMembers(shape, source);
  return listNames(members).flatMap((member) => {
    const value = members[member];
    if (shape.carries.includes(member) || isSame(value, assumed[member])) return [];
    const shown = typeof value === 'number' || typeof value === 'boolean' ? ` (${value})` : '';
    const message = `${member}${shown} of ${naming(source)} is lost: ${shape.title} cannot hold it.`;
    return [{ credentialId: encodeBase64url(source.id), member: member satisfies MemberName, message }];
  });
}

function isSame(a: unknown, b: unknown): boolean {
  return a instanceof Uint8Array && b instanceof Uint8Array ? equalBytes(a, b) : a === b;
}
