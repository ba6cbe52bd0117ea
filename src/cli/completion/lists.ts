import { FAILED_CHECKS } from '../../errors.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import type { Flags } from '../config/resolve.js';
import { resolveCredentialSettings, resolveStoreSettings } from '../config/resolve.js';
import type { ListName } from '../flag.js';
import type { Io } from '../io.js';
import { type Parties, withParties } from '../parties.js';
import type { Candidate } from './line.js';

/** Input of the functions in {@link LISTS}. The flags before the cursor determine the store and the fixtures. */
interface Asked {
  readonly io: Io;
  readonly flags: Flags;
  /** The part of the word that the user has already typed. */
  readonly beginning: string;
}

const named = (words: Iterable<string>): readonly Candidate[] => [...words].map((word) => ({ word, about: '' }));

/**
 * A function for each kind of list, which lists the possible values. It throws the errors that occur while it reads the store, the
 * credentials or the fixtures.
 */
export const LISTS: Readonly<Record<ListName, (asked: Asked) => Promise<readonly Candidate[]>>> = {
  async algorithms() {
    const { ALGORITHMS } = await import('../../webauthn/algorithms.js');
    return ALGORITHMS.map(({ name, id }) => ({ word: name, about: String(id) }));
  },
  async 'attestation-formats'() {
    return named((await import('../../webauthn/enumerations.js')).ATTESTATION_FORMAT_IDS);
  },
  async cases(asked) {
    return (await listAllCases(asked)).map(({ id, title }) => ({ word: id, about: title }));
  },
  async 'page-cases'() {
    const { PAGE_CASES } = await import('../../testing/page/cases.js');
    return PAGE_CASES.map(({ id, title }) => ({ word: id, about: title }));
  },
  async tags(asked) {
    return named(new Set((await listAllCases(asked)).flatMap(({ tags }) => tags)));
  },
  async steps() {
    const [{ REGISTRATION_STEPS }, { AUTHENTICATION_STEPS }] = await Promise.all([
      import('../../relying-party/steps/registration.js'),
      import('../../relying-party/steps/authentication.js'),
    ]);
    return [...REGISTRATION_STEPS, ...AUTHENTICATION_STEPS].map(({ slug, title }) => ({ word: slug, about: title }));
  },
  async 'failed-checks'() {
    return Object.entries(FAILED_CHECKS).map(([word, { title }]) => ({ word, about: title }));
  },
  async personas() {
    const { KNOWN_PERSONAS, PERSONA_NAMES } = await import('../../authenticator/personas/personas.js');
    return PERSONA_NAMES.map((word) => ({ word, about: KNOWN_PERSONAS[word].about }));
  },
  async mutations() {
    const { listMutations } = await import('../../simulate/mutations/mutation.js');
    return listMutations().map(({ id, title }) => ({ word: id, about: title }));
  },
  async profiles() {
    return named((await import('../../simulate/target/built-in.js')).BUILT_IN_PROFILES);
  },
  async shapes() {
    const { INTERCHANGE_SHAPES } = await import('../../authenticator/interchange/contract.js');
    return Object.entries(INTERCHANGE_SHAPES).map(([word, about]) => ({ word, about }));
  },
  passkeys: (asked) => listPasskeys(asked, true),
  'live-passkeys': (asked) => listPasskeys(asked, false),
  'revoked-passkeys': (asked) => listPasskeys(asked, 'only'),
  'live-tokens': (asked) =>
    inStore(asked, async ({ accounts, now }) => {
      const tokens = await accounts.listTokens();
      return tokens
        .filter(({ revokedAt, expiresAt }) => revokedAt === undefined && (expiresAt ?? Number.POSITIVE_INFINITY) > now())
        .map(({ id, label, owner }) => ({ word: String(id), about: [label, `${owner.type}:${owner.id}`].filter(Boolean).join(', ') }));
    }),
  users: (asked) =>
    inStore(asked, async ({ accounts }) => {
      const owners = await accounts.listOwners();
      const emails = owners.map(({ email }) => email);
      // An e-mail that two users share names neither; and TYPE:ID helps those who have begun to type it.
      return owners.flatMap(({ type, id, email, name }) => {
        const user = `${type}:${id}`;
        const isClear = emails.indexOf(email) === emails.lastIndexOf(email);
        const isTyped = asked.beginning !== '' && user.startsWith(asked.beginning);
        return [
          ...(isClear ? [{ word: email, about: `${name}, ${user}` }] : []),
          ...(isTyped || !isClear ? [{ word: user, about: `${name}, ${email}` }] : []),
        ];
      });
    }),
  async credentials({ io, flags }) {
    const { readCredentials } = await import('../credentials-file.js');
    const { credentials } = await resolveCredentialSettings(io, flags);
    const all = await readCredentials(credentials);
    return all.map(({ id, user, rpId }) => ({ word: encodeBase64url(id), about: `${user.name}, ${rpId}` }));
  },
};

/** Runs `read` with an existing store. Never creates a store, and prints no warnings. */
async function inStore({ io, flags }: Asked, read: (parties: Parties) => Promise<readonly Candidate[]>): Promise<readonly Candidate[]> {
  const settings = await resolveStoreSettings(io, flags);
  const { isPostgresUrl } = await import('../../store/open-store.js');
  // A server that is far away, or gone, would hold up the line that is being typed.
  if (isPostgresUrl(settings.store)) return [];
  return withParties(io, { settings, create: false, onStoreWarning: () => undefined }, read);
}

function listPasskeys(asked: Asked, revoked: boolean | 'only'): Promise<readonly Candidate[]> {
  return inStore(asked, async ({ relyingParty }) => {
    const passkeys = await relyingParty.list({ revoked });
    return passkeys.map(({ id, label, owner, rpId }) => ({ word: String(id), about: `${label}, ${owner.type}:${owner.id}, ${rpId}` }));
  });
}

async function listAllCases({ io, flags }: Asked) {
  const [{ selectScenarios }, { listCases }] = await Promise.all([
    import('../simulate/selection.js'),
    import('../../simulate/simulate.js'),
  ]);
  return listCases(selectScenarios(io, { ...flags, tag: undefined }, [], undefined));
}
