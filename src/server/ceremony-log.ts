import type { Logger } from 'pino';
import type { Passkey } from '../relying-party/credential-record.js';
import type { CeremonyFinished, PasskeyChanged, RelyingPartyEvent } from '../relying-party/events.js';
import type { RelyingParty } from '../relying-party/relying-party.js';
import { encodeBase64url } from '../webauthn/base64url.js';

/** Logs a readable line for each finished ceremony and each change of a passkey. Returns a function that stops the logging. */
export function logCeremonies(relyingParty: Pick<RelyingParty, 'on'>, logger: Logger): () => void {
  return relyingParty.on((event) => logEvent(event, logger));
}

function logEvent(event: RelyingPartyEvent, logger: Logger): void {
  const { requestId, via, address } = event.context;
  const source = { requestId, via, address };
  if (event.type === 'ceremony-begun') {
    const { kind, rpId, origins } = event.ceremony;
    logger.debug({ event: event.type, kind, rpId, origins, ...source }, `${kind} begun for ${rpId}`);
  } else if (event.type === 'ceremony-finished') {
    logFinished(event, source, logger);
  } else {
    logger.info({ event: event.type, ...passkeyFields(event.passkey), ...source }, changeLine(event));
  }
}

function logFinished(event: CeremonyFinished, source: object, logger: Logger): void {
  const { type, kind, outcome, ceremony, passkey, owner, error, decidedBy, difference } = event;
  const rpId = ceremony?.rpId ?? passkey?.rpId;
  const whose = passkey?.owner ?? owner;
  const fields = {
    event: type,
    kind,
    outcome,
    rpId,
    ...(passkey === undefined ? { owner: whose && `${whose.type}:${whose.id}` } : passkeyFields(passkey)),
    ...(decidedBy && { decidedBy }),
    ...(difference && { difference }),
    ...(error && { code: error.code, ...(error.step && { step: error.step.slug }) }),
    ...source,
  };
  const at = `${whose === undefined ? '' : ` of ${whose.type}:${whose.id}`}${rpId === undefined ? '' : ` at ${rpId}`}`;
  if (error === undefined) {
    const overruled = difference === undefined ? '' : `, by the steps of the standard against the verification library. ${difference}`;
    const dropped =
      event.droppedExtensionBytes === undefined
        ? ''
        : `; its clientExtensionResults of ${event.droppedExtensionBytes} bytes were not stored`;
    logger.info(fields, `${kind} verified: ${passkey === undefined ? 'a passkey' : passkeyName(passkey)}${at}${overruled}${dropped}`);
  } else {
    // The message of a failed step begins with its section and number.
    logger.warn(fields, `${kind} rejected: ${error.code}${at}: ${error.message}`);
  }
}

function changeLine({ type, passkey, reason }: PasskeyChanged): string {
  const { owner, rpId } = passkey;
  const why = reason === undefined ? '' : ` (${reason})`;
  return `${passkeyName(passkey)} of ${owner.type}:${owner.id} at ${rpId} ${type.replace('passkey-', '')}${why}`;
}

function passkeyName({ id, label }: Passkey): string {
  return `passkey ${id} ${JSON.stringify(label)}`;
}

/** Selects the fields that describe a passkey in the log. Long ids are shortened. */
function passkeyFields({ id, owner, credential }: Passkey) {
  return { passkey: id, owner: `${owner.type}:${owner.id}`, credentialId: `${encodeBase64url(credential.id).slice(0, 12)}…` };
}
