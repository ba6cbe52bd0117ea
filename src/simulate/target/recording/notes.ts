import type { TargetProfile } from '../profile-schema.js';
import type { RecordedExchange } from './exchanges.js';

/** A profile that was written from a recording, and facts that its author should know. */
interface Written {
  readonly profile: TargetProfile;
  /** Origin of the server. */
  readonly base: string;
  /** Descriptions of the secrets that the recording lacks. Each key is the environment variable that must hold the secret. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Descriptions of login requests that need a value which the recording shows only in responses to the registration. */
  readonly unreachable: readonly string[];
  /** Exchanges that the ceremonies need. */
  readonly used: readonly RecordedExchange[];
  /** Exchanges that finish a ceremony. */
  readonly ends: readonly RecordedExchange[];
  /** Exchanges whose response is only a challenge, so that the page builds the options itself. */
  readonly built: readonly RecordedExchange[];
}

/** Writes advice for the author of a profile that was made from a recording. Yields one note at a time. */
export function* writeNotes({ profile, base, secrets, unreachable, used, ends, built }: Written): Generator<string> {
  const challenges = new Set(built.map(({ entry, url }) => `${entry.method} ${url.pathname}`));
  if (challenges.size > 0) {
    const answers = `${[...challenges].join(' and ')} ${challenges.size === 1 ? 'answers' : 'answer'} with only a challenge`;
    yield `${answers}: the page builds the options. The profile does so in "value", from what the recording shows. Compare it with what your page passes to navigator.credentials.`;
  }
  for (const [variable, what] of secrets) {
    yield `The recording does not show where ${what} comes from: set the environment variable ${variable}.`;
  }
  for (const what of unreachable) {
    yield `In the login, ${what}. That value was received only during the registration: take it from a response in the login.`;
  }
  const hosts = new Set(used.filter(({ url }) => url.origin !== base).map(({ url }) => url.host));
  if (hosts.size > 0) yield `Requests go to ${[...hosts].join(', ')} too: allow them with --allow-host, unless they are loopback hosts.`;
  for (const { entry, url } of ends) {
    const request = `${entry.method} ${url.pathname}`;
    if (entry.status >= 400) {
      yield `${request} was answered with ${entry.status} in the recording: record a ceremony that your server accepts.`;
    }
    // A 2xx without the body that says if it accepts.
    if (entry.status >= 200 && entry.status < 300 && entry.status !== 204 && entry.response.body === undefined) {
      yield `The recording lacks the body of the response to ${request}, because browsers drop it when the page navigates. If the response has a body, describe in "accept" what shows success.`;
    }
  }
  if (profile.whoami === undefined) {
    yield 'The recording never asks who is signed in: add whoami, which checks the result of each login.';
  }
  if (profile.cleanup === undefined) yield 'The recording deletes no passkey: add cleanup, otherwise test passkeys stay on the server.';
}
