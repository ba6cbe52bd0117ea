import { PasskeyError } from '../../../errors.js';
import { harEntries, plainBase64 } from '../../../explain/annotate/har-entries.js';
import { kindOfJson } from '../../../explain/annotate/kinds.js';
import { asObject, isObject, type JsonObject } from '../../../kernel/json-value.js';
import { count } from '../../../kernel/wording.js';
import type { CeremonyKind } from '../../../webauthn/enumerations.js';
import { isCreation } from '../page-options.js';
import type { ProfileRequest, TargetProfile } from '../profile-schema.js';
import { isSignOut, writeAccept, writeCleanup, writeWhoami } from './answers.js';
import { credentialParts, findCeremonies, type RecordedCeremony } from './ceremonies.js';
import { findChallenge, type RecordedChallenge } from './challenge.js';
import { bodyValue, type RecordedExchange, recordedExchanges } from './exchanges.js';
import type { Known } from './generalise.js';
import { listLeaves } from './leaves.js';
import { type PageLiterals, readLiterals } from './literals.js';
import { createNeeds, tellsUser } from './needed.js';
import { writeNotes } from './notes.js';
import { findOptions, type RecordedOptions } from './options.js';
import { buildOptions } from './page-options.js';
import { createProvenance, createTakes } from './provenance.js';
import { recordedUsers } from './user.js';

interface ProfileOfRecording {
  readonly profile: TargetProfile;
  /** URL of the server, to pass with `--url`. */
  readonly url: string;
  /** Hints for the author of the profile, one sentence each. */
  readonly notes: readonly string[];
}

/**
 * Writes a profile from one recorded registration and login (HAR 1.2). Cookies, passwords and tokens in the recording are not copied.
 *
 * @throws PasskeyError `validation_failed` if the archive lacks one of the two ceremonies, or the response that contains its options.
 */
export function profileFromHar(har: unknown, name: string): ProfileOfRecording {
  if (!isObject(har) || kindOfJson(har) !== 'har') {
    throw invalid('Expected an HTTP archive (HAR 1.2), an object with log.entries; got other JSON.');
  }
  const entries = harEntries(har);
  const exchanges = recordedExchanges(entries);
  return writeProfile(exchanges, { ...findPair(exchanges), name, literals: readLiterals(entries) });
}

interface Ceremony extends RecordedCeremony {
  readonly exchange: RecordedExchange;
  readonly options: RecordedOptions;
  /** The challenge that the server sent. Undefined if the server sent complete options instead. */
  readonly challenge: RecordedChallenge | undefined;
}

interface Pair {
  readonly registration: Ceremony;
  readonly login: Ceremony;
}

/**
 * Finds the first registration whose passkey is used in a later login, and that login. Other ceremonies may belong to another user, such as
 * an administrator. If there is no such pair, chooses the first registration and the first login after it, preferably ones that the server
 * accepted.
 */
function findPair(exchanges: readonly RecordedExchange[]): Pair {
  const found = findCeremonies(exchanges);
  const isTaken = ({ index }: RecordedCeremony) => (exchanges[index]?.entry.status ?? 0) < 400;
  for (const registration of found.filter((each) => each.kind === 'registration' && isTaken(each))) {
    const isOwn = (each: RecordedCeremony) => each.kind === 'authentication' && each.index > registration.index && isTaken(each);
    const login = found.find((each) => isOwn(each) && usesPasskey(exchanges[each.index], registration.made?.credentialId));
    if (login !== undefined) return pairOf(exchanges, registration, login);
  }
  const first = (kind: CeremonyKind, after: number) => {
    const ofKind = found.filter((each) => each.kind === kind && each.index > after);
    return ofKind.find(isTaken) ?? ofKind[0];
  };
  const registration = first('registration', -1);
  if (registration === undefined) throw missing('registration', exchanges.length);
  const login = first('authentication', registration.index);
  if (login === undefined) throw missing('login after it', exchanges.length);
  return pairOf(exchanges, registration, login);
}

/** Whether a request sends this credential ID. */
function usesPasskey(exchange: RecordedExchange | undefined, credentialId: string | undefined): boolean {
  if (exchange === undefined || credentialId === undefined) return false;
  return listLeaves(bodyValue(exchange)).some(({ value }) => typeof value === 'string' && plainBase64(value) === credentialId);
}

function pairOf(exchanges: readonly RecordedExchange[], registration: RecordedCeremony, login: RecordedCeremony): Pair {
  const created = withOptions(exchanges, registration, false);
  return { registration: created, login: withOptions(exchanges, login, created.challenge !== undefined) };
}

function missing(what: string, searched: number): PasskeyError {
  const advice = 'Record one registration and one login, and export the archive with its contents ("Save all as HAR with content").';
  return invalid(
    `Expected a recorded ${what}: a request whose body has client data and an authenticator's response; found none in ${count(searched, 'exchange')}. ${advice}`,
  );
}

/**
 * Adds to a ceremony the response that contained its options, or its challenge.
 *
 * @param builds whether the page is known to build its options
 */
function withOptions(exchanges: readonly RecordedExchange[], ceremony: RecordedCeremony, builds: boolean): Ceremony {
  const exchange = exchanges[ceremony.index];
  const { options, elsewhere } = findOptions(exchanges, ceremony.clientData.challenge, ceremony.index);
  const isWhole = ceremony.kind === 'authentication' ? !builds : isCreation(options?.json ?? {});
  if (exchange !== undefined && options !== undefined && isWhole) return { ...ceremony, exchange, options, challenge: undefined };
  const challenge = findChallenge(exchanges, ceremony.clientData.challenge, ceremony.index);
  if (exchange !== undefined && challenge !== undefined) {
    const around = options?.index === challenge.index ? options : { index: challenge.index, source: '', isUsual: true, json: {} };
    return { ...ceremony, exchange, options: around, challenge };
  }
  const what = `the options of the ${ceremony.kind} that ${exchange?.entry.method} ${exchange?.url.pathname} finishes`;
  if (elsewhere !== undefined) {
    throw invalid(
      `Expected ${what} as one JSON object; the response to ${elsewhere.entry.method} ${elsewhere.url.pathname} contains the challenge without them. Write the profile by hand, or start from one that reads such pages: --from keycloak.`,
    );
  }
  throw invalid(
    `Expected ${what}: a response that contains the challenge of its client data; no earlier response does. Browsers leave bodies out of an archive when they are reloaded or too old: record again with the developer tools open, and save with content.`,
  );
}

function writeProfile(
  exchanges: readonly RecordedExchange[],
  o: { registration: Ceremony; login: Ceremony; name: string; literals: PageLiterals },
): ProfileOfRecording {
  const { registration, login } = o;
  const base = registration.exchange.url.origin;
  const { origin } = registration.clientData;
  const credentialIds = registration.made === undefined ? [] : [registration.made.credentialId];
  const { user, others } = recordedUsers(exchanges, { index: registration.options.index, user: readUser(registration, login) });
  const takes = createTakes();
  const secrets = new Map<string, string>();
  const ended = registration.index;

  const known: Known = {
    user,
    others,
    credentialIds,
    origin,
    base,
    provenance: createProvenance(exchanges),
    expressionFor(provider) {
      const name = takes.nameOf(provider);
      // What the login gives is there only for whoami, and not yet when whoami is asked before it.
      return provider.index === ended ? `registered.${name}` : provider.index === login.index ? `${name}?` : name;
    },
    secretFor(text, where) {
      const variable = `TARGET_${text.replaceAll(/\W+/g, '_').replaceAll(/^_|_$/g, '').toUpperCase()}`;
      if (!secrets.has(variable)) secrets.set(variable, `${text} of ${where}`);
      return `env.${variable}`;
    },
  };
  const findParts = (index: number) => {
    const ceremony = [registration, login].find((each) => each.index === index);
    return ceremony === undefined ? [] : credentialParts(bodyValue(ceremony.exchange), ceremony, credentialIds);
  };
  const needs = createNeeds(exchanges, findParts, known);
  const matchUser = (index: number) => {
    const exchange = exchanges[index];
    return exchange === undefined || others.has(exchange) || !sameSite(exchange, base, origin) ? undefined : tellsUser(exchange, user);
  };
  const between = (from: number, to: number) => exchanges.map((_, index) => index).filter((index) => index > from && index < to);

  const signUps = between(-1, registration.options.index).filter((index) => matchUser(index) !== undefined);
  const lastSignUp = signUps.at(-1) ?? -1;
  const first = needs.closure(
    [...signUps, ...between(registration.options.index, ended).filter((index) => matchUser(index)), registration.options.index, ended],
    () => true,
  );

  // A login has no cookies of the registration: what page it needs, it asks for again.
  const signOuts = new Set(exchanges.flatMap((exchange, index) => (isSignOut(exchange) ? [index] : [])));
  const isRepeatable = (index: number) =>
    (index > ended || (index < ended && exchanges[index]?.entry.method === 'GET')) && !signOuts.has(index);
  const named = between(ended, login.index).filter((index) => matchUser(index) === 'name' && !signOuts.has(index));
  const second = needs.closure([...named, login.options.index, login.index], isRepeatable);

  const after = { exchanges, user, base, from: login.index, needs };
  const whoami = writeWhoami(after);
  const cleanup = writeCleanup({ ...after, from: ended, except: second, providesId: (index) => index === ended });

  const signOut = exchanges.findIndex(({ url, entry }, index) => signOuts.has(index) && url.origin === base && entry.status < 400);
  const forms = signOut === -1 ? [] : needs.of(signOut).providers.filter(({ index }) => exchanges[index]?.entry.method === 'GET');
  const lastly = signOut === -1 ? [] : [...new Set(forms.map(({ index }) => index)), signOut];

  const isTold = named.length > 0 || usesUser(needs.of(login.options.index).request);
  const isNamed = (login.challenge !== undefined && isTold) || hasAllowed(login.options.json);
  const page = { known, handle: login.userHandle, literals: o.literals, isNamed };
  const [creation, request] = [buildOptions(registration, page), buildOptions(login, page)];

  const write = (index: number, options?: RecordedOptions): ProfileRequest => {
    const exchange = exchanges[index];
    const ends = index === ended || index === login.index;
    const take = { ...takes.of(index), ...(options?.index === index && !options.isUsual && { options: options.source }) };
    const accept = exchange === undefined ? undefined : writeAccept(exchange, ends);
    return {
      ...needs.of(index).request,
      ...(Object.keys(take).length > 0 && { take }),
      ...(accept && { accept }),
    };
  };
  const part = (indexes: readonly number[], from: number, to: number, options?: RecordedOptions) =>
    indexes.filter((index) => index > from && index <= to).map((index) => write(index, options));
  const sentOptions = ({ challenge, options }: Ceremony) => (challenge === undefined ? options : undefined);
  const account = first.filter((index) => index <= lastSignUp);
  const reachable = new Set([...account, ...second, ended]);
  const unreachable = second.flatMap((index) => {
    const missing = needs.of(index).providers.find((provider) => !reachable.has(provider.index));
    return missing === undefined
      ? []
      : [`${exchanges[index]?.entry.method} ${exchanges[index]?.url.pathname} sends {${takes.nameOf(missing)}}`];
  });

  // Takes are complete once everything that uses them is written.
  const requests = [...first, ...second].map((index) => needs.of(index).request);
  const profile: TargetProfile = {
    format: 'passkey-target-profile',
    version: 1,
    name: o.name,
    description: `Written from a recording of ${base}.`,
    ...(origin !== base && { origin }),
    has: {
      ...(usesUser([requests, creation]) ? {} : { users: 1 }),
      logins: [isNamed ? 'named' : 'discoverable'],
      ...readUserVerification(registration.options.json),
    },
    account: account.map((index) => write(index)),
    registrationOptions: [...part(first, lastSignUp, registration.options.index, sentOptions(registration)), ...creation],
    register: part(first, registration.options.index, ended),
    authenticationOptions: [...part(second, -1, login.options.index, sentOptions(login)), ...request],
    authenticate: part(second, login.options.index, login.index),
    ...(whoami && { whoami: [whoami] }),
    ...(lastly.length > 0 && { signOut: lastly.map((index) => write(index)) }),
    ...(cleanup && { cleanup: [cleanup] }),
  };
  const built = [registration, login].flatMap(({ challenge }) => (challenge && exchanges[challenge.index]) ?? []);
  const used = [...first, ...second].flatMap((index) => exchanges[index] ?? []);
  return {
    profile,
    url: base,
    notes: [...writeNotes({ profile, base, secrets, unreachable, used, ends: [registration.exchange, login.exchange], built })],
  };
}

const usesUser = (template: unknown): boolean => /\{user\.|"user\./.test(JSON.stringify(template));

const hasAllowed = (options: JsonObject): boolean => Array.isArray(options['allowCredentials']) && options['allowCredentials'].length > 0;

function readUserVerification(options: JsonObject): Pick<NonNullable<TargetProfile['has']>, 'userVerification'> {
  const { userVerification: wanted } = asObject(options['authenticatorSelection']);
  return wanted === 'required' || wanted === 'discouraged' ? { userVerification: wanted } : {};
}

/** Reads the recorded user from the creation options. Adds the user handle that the login returned, if any. */
function readUser({ options }: Ceremony, { userHandle }: Ceremony): JsonObject {
  const user = asObject(options.json['user']);
  return userHandle === undefined ? user : { ...user, id: userHandle };
}

/** Whether a request goes to the server, to the page's origin, or to a subdomain of one of their hosts. */
function sameSite({ url }: RecordedExchange, base: string, origin: string): boolean {
  return [base, origin].some((each) => each === url.origin || url.hostname.endsWith(`.${new URL(each).hostname}`));
}

function invalid(message: string): PasskeyError {
  return new PasskeyError('validation_failed', message);
}
