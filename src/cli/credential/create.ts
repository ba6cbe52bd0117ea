import type { Command } from 'commander';
import * as Type from 'typebox';
import { signingAlgorithm } from '../../authenticator/algorithms.js';
import { createAuthenticator } from '../../authenticator/authenticator.js';
import type { CredentialSource } from '../../authenticator/credential-source.js';
import type { CredentialSourceStore } from '../../authenticator/credential-store.js';
import { PERSONA_NAMES, PERSONAS } from '../../authenticator/personas/personas.js';
import { createClient } from '../../client/client.js';
import { PasskeyError } from '../../errors.js';
import { id, orNull, strict } from '../../kernel/schema-kit.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import { algorithmName } from '../../webauthn/algorithms.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { line } from '../ask.js';
import { addSettings } from '../command.js';
import { type Flags, readFlag, resolveCredentialSettings, resolveStoreSettings } from '../config/resolve.js';
import { CREDENTIAL_SETTINGS, STORE_SETTINGS } from '../config/settings.js';
import { oneOf, parsed, text } from '../config/values.js';
import { algorithm as algorithmKind, origin as originOf } from '../config/webauthn-values.js';
import { CREDENTIALS_REMARK, credentialRow, PERSONAS_REMARK, toCredentialRow } from '../credential-rows.js';
import { changeCredentials } from '../credentials-file.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { type Io, print, printJson, say } from '../io.js';
import { printable } from '../output/printable.js';
import { type Parties, sayCreated, withParties } from '../parties.js';

export function define(command: Command): void {
  addFlags(
    command,
    {
      user: 'user who gets the credential: e-mail, TYPE:ID or id (prompted for on a terminal)',
      persona: true,
      algorithm: {
        about: 'algorithm, by name or number (default: the one of the persona, otherwise ES256)',
        completes: { words: 'algorithms' },
      },
      origin: { about: 'origin of the registration (default: http://localhost:7277)', value: 'url' },
      rpId: 'RP ID (default: the host of the origin)',
      rpName: 'name of the relying party (default: the RP ID)',
      label: 'label of the passkey (default: the provider’s name)',
      json: true,
    },
    'Credential:',
  );
  addHelp(addSettings(command, { ...STORE_SETTINGS, ...CREDENTIAL_SETTINGS }), {
    examples: [
      'passkey credential create --user ada@example.com',
      'passkey credential create --user User:1 --persona icloud-keychain --origin https://example.com --json',
    ],
    remarks: [`Prints the credential ID. ${CREDENTIALS_REMARK}`, PERSONAS_REMARK],
    common: ['--user', '--persona', '--origin', '--rp-id', '--json'],
    page: 'personas.md',
  });
}

export const credentialCreated = Type.Object(
  { credential: credentialRow, passkey_id: id, persona: orNull(Type.String()) },
  { ...strict, title: 'passkey credential create --json' },
);

const VIA = 'passkey credential create';

const DEFAULT_ORIGIN = 'http://localhost:7277';
const origin = parsed({ placeholder: 'url', expects: 'an http or https origin such as https://example.com', parse: originOf });
const word = text({ placeholder: 'text' });

interface Wanted {
  readonly user: string;
  readonly origin: string;
  readonly rpId: string;
  readonly rpName: string;
  readonly persona: (typeof PERSONA_NAMES)[number] | undefined;
  readonly algorithm: number;
  readonly label: string | null;
}

/**
 * Runs `passkey credential create`, which performs a complete registration. It saves the passkey in the store, and the private key in the
 * credentials file.
 */
export async function run(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const { credentials: path } = await resolveCredentialSettings(io, flags);
  const read = <T>(kind: Parameters<typeof readFlag<T>>[1], name: string, raw: unknown, otherwise: T): T =>
    raw === undefined ? otherwise : readFlag(io, kind, name, raw);
  const at = read(origin, '--origin', flags.origin, DEFAULT_ORIGIN);
  const rpId = read(word, '--rp-id', flags.rpId, new URL(at).hostname);
  const persona = flags.persona === undefined ? undefined : readFlag(io, oneOf(PERSONA_NAMES), '--persona', flags.persona);
  const [own = -7] = persona === undefined ? [] : (PERSONAS[persona].algorithms ?? []);
  const wanted: Wanted = {
    origin: at,
    rpId,
    rpName: read(word, '--rp-name', flags.rpName, rpId),
    persona,
    algorithm: read(algorithmKind, '--algorithm', flags.algorithm, own),
    label: read<string | null>(word, '--label', flags.label, null),
    user: typeof flags.user === 'string' ? flags.user : await line(io, 'User (e-mail or TYPE:ID):', 'give --user'),
  };
  refuseImpossible(wanted);
  const { passkey, source } = await withParties(io, { settings, create: false }, (parties) =>
    changeCredentials(path, { create: true, onCreated: (created) => sayCreated(io, created, 'credentials file') }, (store) =>
      register(io, parties, { wanted, store, path }),
    ),
  );
  if (flags.json === true) return printJson(io, { credential: toCredentialRow(source), passkey_id: passkey.id, persona: persona ?? null });
  print(io, encodeBase64url(source.id));
  say(io, printable(`Stored passkey ${passkey.id} of ${source.user.displayName} for ${rpId}. Its private key is in ${path}.`));
}

function refuseImpossible({ persona, algorithm }: Wanted): void {
  const known = persona === undefined ? undefined : PERSONAS[persona].algorithms;
  if (known === undefined || known.includes(algorithm)) return;
  const names = known.map(algorithmName).join(', ');
  throw new PasskeyError('usage', `--algorithm expects an algorithm that ${persona} supports (${names}); got ${algorithmName(algorithm)}.`);
}

interface Registering {
  readonly wanted: Wanted;
  readonly store: CredentialSourceStore;
  readonly path: string;
}

async function register(
  io: Io,
  { accounts, relyingParty }: Parties,
  { wanted, store, path }: Registering,
): Promise<{ readonly passkey: Passkey; readonly source: CredentialSource }> {
  const { rpId, rpName, persona, algorithm } = wanted;
  const owner = await accounts.resolveUser(wanted.user);
  const ref = { type: owner.type, id: owner.id };
  const publicKey = await relyingParty.beginRegistration({
    user: { owner: ref, id: await accounts.userHandleOf(ref), name: owner.email, displayName: owner.name },
    rpId,
    rpName,
    origins: [wanted.origin],
    client: VIA,
    policy: { algorithms: [algorithm] },
    context: { via: VIA },
  });
  const traits = persona === undefined ? {} : PERSONAS[persona];
  const client = createClient({
    authenticator: createAuthenticator({ ...traits, algorithms: [signingAlgorithm(algorithm).id], now: io.now, store }),
    origin: wanted.origin,
  });
  const response = await client.create({ publicKey }).catch((cause: unknown) => {
    throw refusal(cause, wanted, path);
  });
  const passkey = await relyingParty.register({ owner: ref, response, label: wanted.label, context: { via: VIA } });
  const source = await store.find(rpId, passkey.credential.id);
  if (source === undefined) throw new PasskeyError('internal_error', 'The new credential is not in its store; this is a bug in passkey.');
  return { passkey, source };
}

/** Explains why the client refused the registration: because of a flag, or because the credential already exists. */
function refusal(cause: unknown, { user, rpId }: Wanted, path: string): unknown {
  if (!(cause instanceof DOMException)) return cause;
  if (cause.name === 'InvalidStateError') {
    const advice = 'Remove it first (`passkey credential remove ID`), or name another file with --credentials.';
    return new PasskeyError('usage', printable(`${path} already has a credential of ${user} for ${rpId}. ${advice}`), { cause });
  }
  return new PasskeyError('usage', printable(cause.message), { cause });
}
