import { PasskeyError } from '../../errors.js';
import { isObject } from '../../kernel/json-value.js';
import { newProfile, REQUEST_PATTERN, readAcceptance, readBody, readPlace } from '../../simulate/target/new-profile.js';
import type { TargetProfile } from '../../simulate/target/profile-schema.js';
import { SOURCE_NAMES } from '../../simulate/target/source.js';
import { line } from '../ask.js';
import { type Kind, type Source, text } from '../config/values.js';
import { canAsk, type Io } from '../io.js';

/** One thing to know of a server. */
interface Question {
  readonly message: string;
  readonly kind: Kind<string>;
}

const request = text({
  placeholder: 'request',
  expects: 'a method and a path, such as "POST /login"',
  accept: (value) => REQUEST_PATTERN.test(value.trim()),
});
const body = text({
  placeholder: 'json',
  expects: 'a JSON object, such as {"email":"{user.email}"}, or the word none',
  accept: (value) => value.trim() === 'none' || isJsonObject(value),
});
const orNone = (kind: Kind<string>): Kind<string> => ({
  ...kind,
  expects: `${kind.expects}, or the word none`,
  read: (raw, source) => (raw === 'none' ? raw : kind.read(raw, source)),
});

/** In the order in which they are asked. A body is a template: `{user.email}` and the like are filled in for each user. */
const QUESTIONS = {
  name: { message: 'Name of the profile', kind: text({ placeholder: 'name' }) },
  origin: {
    message: 'Origin of the page, if it is not that of the server (http://localhost:3000), or none',
    kind: orNone(
      text({
        placeholder: 'origin',
        expects: 'an origin, such as http://localhost:3000',
        accept: (value) => /^https?:\/\/[^/\s]+$/.test(value),
      }),
    ),
  },
  'sign-up': { message: 'Request that signs a new user up, or none', kind: orNone(request) },
  'sign-up-body': { message: 'Its JSON body', kind: body },
  'registration-options': { message: 'Request for the options of a registration', kind: request },
  'registration-options-body': { message: 'Its JSON body, or none', kind: body },
  registration: { message: 'Request that finishes the registration', kind: request },
  login: {
    message: 'Login: named (the server is told who logs in) or discoverable (it is not)',
    kind: text({
      placeholder: 'login',
      expects: 'named or discoverable',
      accept: (value) => value === 'named' || value === 'discoverable',
    }),
  },
  'authentication-options': { message: 'Request for the options of a login', kind: request },
  'authentication-options-body': { message: 'Its JSON body, or none', kind: body },
  authentication: { message: 'Request that finishes the login', kind: request },
  challenge: {
    message: 'Source of the challenge (json challenge), if the page builds the options, or none',
    kind: orNone(
      text({
        placeholder: 'source',
        expects: 'a source, such as json challenge',
        accept: (value) => SOURCE_NAMES.includes(value.split(' ')[0] ?? ''),
      }),
    ),
  },
  credential: {
    message: 'How the credential is sent: body (as the whole body), member:NAME, or text:NAME (JSON as text)',
    kind: text({ placeholder: 'place', expects: 'body, member:NAME or text:NAME', accept: (value) => readPlace(value) !== undefined }),
  },
  accept: {
    message: 'What an answer that accepts has besides a status 2xx, such as json verified=true, or none',
    kind: orNone(
      text({
        placeholder: 'condition',
        expects: 'a source and a value, such as json verified=true',
        accept: (value) => readAcceptance(value) !== undefined,
      }),
    ),
  },
  whoami: { message: 'Request that succeeds only for a signed-in user, or none', kind: orNone(request) },
} as const satisfies Readonly<Record<string, Question>>;

type QuestionName = keyof typeof QUESTIONS;
type Answers = ReadonlyMap<QuestionName, string>;

const isQuestion = (name: string): name is QuestionName => Object.hasOwn(QUESTIONS, name);

/** Reads `--answer question=answer`. @throws PasskeyError `usage` */
export function readAnswers(io: Io, given: unknown): Answers {
  const source: Source = { form: 'text', base: io.cwd };
  const entries = (Array.isArray(given) ? given.map(String) : []).map((each): [QuestionName, string] => {
    const [, name = '', value = ''] = /^([\w-]+)=(.*)$/s.exec(each) ?? [];
    if (!isQuestion(name)) {
      throw new PasskeyError(
        'usage',
        `--answer expects QUESTION=ANSWER with a question of ${Object.keys(QUESTIONS).join(', ')}; got ${JSON.stringify(each)}.`,
      );
    }
    const { kind } = QUESTIONS[name];
    // An empty answer is "none", where that is one.
    if (value === '' && kind.read('none', source) === 'none') return [name, 'none'];
    if (kind.read(value, source) === undefined) {
      throw new PasskeyError('usage', `--answer ${name} expects ${kind.expects}; got ${JSON.stringify(value)}.`);
    }
    return [name, value.trim()];
  });
  return new Map(entries);
}

/**
 * Asks what the answers do not say. Without a terminal, what has a usual answer has that one.
 *
 * @throws PasskeyError `usage` naming the first answer that is missing
 */
export async function askForProfile(io: Io, answers: Answers, defaultName: string): Promise<TargetProfile> {
  const ask = async (name: QuestionName, usual?: string): Promise<string> => {
    const known = answers.get(name) ?? (canAsk(io) ? undefined : usual);
    if (known !== undefined) return known;
    const { message, kind } = QUESTIONS[name];
    return line(io, message, `say it with --answer ${name}=…, or start from --from or --har`, kind, usual);
  };
  const optional = async (name: QuestionName): Promise<string | undefined> => {
    const answer = await ask(name, 'none');
    return answer === 'none' ? undefined : answer;
  };
  const askForBody = async (name: QuestionName, of: string, usual: string): Promise<unknown> => {
    if (of.startsWith('GET ')) return undefined;
    const answer = await ask(name, usual);
    return answer === 'none' ? undefined : readBody(answer, of);
  };

  const name = await ask('name', defaultName);
  const origin = await optional('origin');
  const signUp = await optional('sign-up');
  const account = '{"email":"{user.email}","name":"{user.displayName}","password":"{user.password}"}';
  const signUpBody = signUp === undefined ? undefined : await askForBody('sign-up-body', signUp, account);
  const registrationOptions = await ask('registration-options');
  const named = '{"username":"{user.name}"}';
  const registrationBody = await askForBody('registration-options-body', registrationOptions, signUp === undefined ? named : 'none');
  const registration = await ask('registration');
  const login = (await ask('login', 'discoverable')) === 'named' ? 'named' : 'discoverable';
  const authenticationOptions = await ask('authentication-options');
  const authenticationBody = await askForBody('authentication-options-body', authenticationOptions, login === 'named' ? named : 'none');
  const authentication = await ask('authentication');
  const challenge = await optional('challenge');
  const credential = readPlace(await ask('credential', 'body')) ?? { kind: 'body' };
  const accept = await optional('accept');
  const whoami = await optional('whoami');

  return newProfile({
    name,
    origin,
    signUp: signUp === undefined ? undefined : { request: signUp, json: signUpBody },
    registrationOptions: { request: registrationOptions, json: registrationBody },
    registration,
    login,
    authenticationOptions: { request: authenticationOptions, json: authenticationBody },
    authentication,
    challenge,
    credential,
    accept: accept === undefined ? undefined : readAcceptance(accept),
    whoami,
  });
}

function isJsonObject(value: string): boolean {
  try {
    return isObject(JSON.parse(value));
  } catch {
    return false;
  }
}
