import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createAttestationAuthority } from '../../src/authenticator/attestation/authority.js';
import { PasskeyError } from '../../src/errors.js';
import { FOREIGN_ROOT } from '../../src/simulate/cases/values.js';
import { ConnectionLost, type HttpTarget } from '../../src/simulate/http/http.js';
import type { Finding, SimulateReport } from '../../src/simulate/report/report.js';
import { simulate } from '../../src/simulate/simulate.js';
import type { TargetProfile } from '../../src/simulate/target/profile-schema.js';
import { parseProfile, type ReadProfile } from '../../src/simulate/target/read-profile.js';
import { FAULTS, type Fault, type FaultId } from './faults.js';
import type { Policy } from './party.js';
import { createIndependentParty, type IndependentParty } from './server.js';
import { SETTINGS, type Setting, type SettingName, settingOf } from './settings.js';
import { HEADER_OF_TOKEN } from './tokens.js';

const PROFILE = new URL('profile.json', import.meta.url);
export const URL_OF_PARTY = new URL('http://localhost:7277');

export interface Told {
  /** Ids of the cases that fail, or could not be judged. */
  readonly told: readonly string[];
  /** How many cases ran. */
  readonly ran: number;
  /** The first finding, if there is one. */
  readonly first?: Finding;
}

export interface Row extends Told {
  /** Undefined: the correct relying party, where every case that fails is a false alarm. */
  readonly fault: Fault | undefined;
  readonly setting: SettingName;
}

/** Hands requests over without sockets. A party that has ended takes no connection once, and is started again. */
export function connect(party: IndependentParty): HttpTarget {
  return {
    url: URL_OF_PARTY,
    async send({ method, path, headers = {}, body }) {
      if (party.startAgain()) {
        throw new PasskeyError('target_unreachable', 'connect ECONNREFUSED', { cause: new ConnectionLost('refused', undefined) });
      }
      const { pathname, search } = new URL(path, URL_OF_PARTY);
      const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
      const answer = await party.answer({
        method,
        path: pathname + search,
        headers: lower,
        ...(body !== undefined && { body: String(body) }),
      });
      const { 'set-cookie': cookie, ...others } = answer.headers;
      return {
        status: answer.status,
        headers: { ...others, ...(cookie !== undefined && { 'set-cookie': [cookie] }) },
        text: answer.body,
        json: answer.body === '' ? undefined : JSON.parse(answer.body),
      };
    },
    close() {},
  };
}

/** Registers with the cookie of a user who has signed in, not with a bearer token. */
function byCookie({ registrationOptions, register, list = [] }: TargetProfile, signsIn: Setting['signsIn']): Partial<TargetProfile> {
  const signIn = [{ request: 'POST /api/session', headers: { authorization: 'Bearer {user.token}' } }];
  const withoutToken = (requests: TargetProfile['register']) => requests.map(({ headers: _headers, ...request }) => request);
  return {
    account: signsIn === 'before' ? signIn : [],
    registrationOptions: [...(signsIn === 'before' ? [] : signIn), ...withoutToken(registrationOptions)],
    register: withoutToken(register),
    list: withoutToken(list),
  };
}

/** Takes the token in which the client keeps a challenge, and sends it with the response. */
function keepingTokens({ registrationOptions, register, authenticationOptions, authenticate }: TargetProfile): Partial<TargetProfile> {
  const taking = (requests: TargetProfile['register']) =>
    requests.map((request) => ({ ...request, take: { ...request.take, token: 'json token' } }));
  const sending = (requests: TargetProfile['register']) =>
    requests.map((request) => ({ ...request, headers: { ...request.headers, [HEADER_OF_TOKEN]: '{token}' } }));
  return {
    registrationOptions: taking(registrationOptions),
    register: sending(register),
    authenticationOptions: taking(authenticationOptions),
    authenticate: sending(authenticate),
  };
}

/** A step-up with a passkey instead of a password. */
const STEPPING_UP: Partial<TargetProfile> = {
  stepUp: [
    { request: 'POST /api/account/step-up/options', take: { options: 'json' } },
    { request: 'POST /api/account/step-up', json: { $: 'credential' } },
  ],
};

let profile: Promise<ReadProfile> | undefined;

/** The profile of the independent relying party. */
export function readIndependentProfile(): Promise<ReadProfile> {
  profile ??= readFile(PROFILE, 'utf8').then((text) => parseProfile(text, 'test/independent/profile.json'));
  return profile;
}

/** The profile of the documentation for accounts that users open themselves. */
async function readAccountProfile(): Promise<ReadProfile> {
  const page = await readFile(new URL('../../docs/targets.md', import.meta.url), 'utf8');
  const [text = ''] = /(?<=## Accounts and recovery\n[^]*?```json\n)[^]*?(?=```)/.exec(page) ?? [];
  return await parseProfile(text, 'docs/targets.md');
}

/** The same profile; its requests name the user where a correct party does not look: in the body, the query and a header. */
function naming({ registrationOptions, register, authenticate, remove = [], rename = [], ...others }: TargetProfile): TargetProfile {
  const byHeader = (requests: TargetProfile['register']) =>
    requests.map((request) => ({ ...request, headers: { ...request.headers, 'x-user': '{user.email}' } }));
  const byQuery = (request: TargetProfile['register'][number]) => ({
    ...request,
    request: `${request.request}?user={user.email | encode}`,
  });
  return {
    ...others,
    registrationOptions: registrationOptions.map((request) => ({ ...request, json: { ...Object(request.json), user: '{user.email}' } })),
    register: byHeader(register),
    authenticate: byHeader(authenticate),
    remove: remove.map(byQuery),
    rename: rename.map(byQuery),
  };
}

export interface CatalogueOptions {
  readonly setting?: SettingName;
  /** Patterns of case ids; default: all. */
  readonly cases?: readonly string[];
  /** Decisions of the operator beside those of the setting, and the origin of the application. */
  readonly policy?: Partial<Policy>;
  readonly origin?: string;
  /** Members of the profile instead of its own. */
  readonly profile?: Partial<TargetProfile>;
  /** Files of recorded ceremonies, to be replayed instead of cases. */
  readonly fixtures?: readonly string[];
  /** Default: as the profile allows. */
  readonly jobs?: number;
  /** Comes between the run and the party, such as connections that break. */
  readonly reach?: (connections: HttpTarget) => HttpTarget;
}

/** Runs the catalogue, or what patterns choose of it, against the independent relying party with these faults. */
export async function runCatalogue(faults: readonly FaultId[], options: CatalogueOptions = {}): Promise<Told> {
  const { results, summary, findings } = await reportFaults(faults, options);
  const told = results.filter(({ status, code }) => status === 'failed' || code !== undefined).map(({ id }) => id);
  const [first] = findings;
  return { told, ran: summary.passed + summary.failed, ...(first && { first }) };
}

/** The report of such a run. */
export async function reportFaults(
  faults: readonly FaultId[],
  { setting = 'plain', cases = [], fixtures = [], jobs, reach = (connections) => connections, ...others }: CatalogueOptions = {},
): Promise<SimulateReport> {
  const { has = {}, signsIn, cases: own = [], ...chosen }: Setting = SETTINGS[setting];
  const { origin = chosen.origin } = others;
  const policy = { ...chosen.policy, ...others.policy };
  const read = await (signsIn === 'account' ? readAccountProfile() : readIndependentProfile());
  const base = signsIn === 'account' ? naming(read.profile) : read.profile;
  const byToken = signsIn === undefined || signsIn === 'account';
  // The root of the run comes last, as in a file that it was appended to.
  const roots = [new X509Certificate(FOREIGN_ROOT), new X509Certificate(createAttestationAuthority().root)];
  const clock = { ahead: 0 };
  const party = createIndependentParty(
    { faults: new Set(faults), policy, roots, now: () => Date.now() + clock.ahead },
    () => URL_OF_PARTY.origin,
  );
  return simulate({
    fixtures: [...fixtures],
    cases: fixtures.length === 0,
    version: '0.0.0',
    select: { ids: cases.length === 0 ? own : cases, slow: true },
    keepGoing: true,
    ...(jobs !== undefined && { jobs }),
    target: {
      url: URL_OF_PARTY.href,
      connections: reach(connect(party)),
      tokens: party.tokens,
      profile: {
        ...read,
        profile: {
          ...base,
          ...(!byToken && byCookie(base, signsIn)),
          ...(policy.challenges === 'token' && keepingTokens(base)),
          ...(policy.stepsUpBy === 'passkey' && STEPPING_UP),
          has: { ...base.has, ...has },
          ...others.profile,
        },
      },
      ...(origin !== undefined && { origin }),
      async passTime(milliseconds) {
        clock.ahead += milliseconds;
      },
    },
  });
}

/** Which of all, from 1, where several processes share the work. */
export interface Part {
  readonly part: number;
  readonly of: number;
}

/** Of `1/2`. */
export function readPart(text: string): Part {
  const [, part = '', of = ''] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  if (Number(part) < 1 || Number(part) > Number(of)) throw new TypeError(`Expected a part such as 1/2; got "${text}".`);
  return { part: Number(part), of: Number(of) };
}

export interface TableOptions extends Pick<CatalogueOptions, 'cases'> {
  /** Default: all. */
  readonly faults?: readonly string[];
  readonly part?: Part;
}

const isSetting = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name);
export const SETTING_NAMES: readonly SettingName[] = Object.keys(SETTINGS).filter(isSetting);

/** One row for each fault, after those of the correct relying party in every setting. */
export async function* faultTable({ faults = [], cases = [], part = { part: 1, of: 1 } }: TableOptions): AsyncGenerator<Row> {
  const chosen = FAULTS.filter(({ id }) => faults.length === 0 || faults.includes(id));
  const settings = SETTING_NAMES.filter((setting) => faults.length === 0 || chosen.some(({ id }) => settingOf(id) === setting));
  const rows = [
    ...settings.map((setting) => ({ fault: undefined, setting })),
    ...chosen.map((fault) => ({ fault, setting: settingOf(fault.id) })),
  ];
  for (const { fault, setting } of rows.filter((_, index) => index % part.of === part.part - 1)) {
    yield { fault, setting, ...(await runCatalogue(fault === undefined ? [] : [fault.id], { setting, cases })) };
  }
}
