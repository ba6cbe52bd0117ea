import type { TargetProfile } from '../profile-schema.js';
import type { RecordedExchange } from './exchanges.js';

/** A profile of a recording, and what its author should know. */
interface Written {
  readonly profile: TargetProfile;
  /** Origin of the server. */
  readonly base: string;
  /** Environment variables, each with the secret that it stands for. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Requests of the login, and the values that it cannot have. */
  readonly unreachable: readonly string[];
  /** The exchanges that the ceremonies need. */
  readonly used: readonly RecordedExchange[];
  /** Those of them that finish a ceremony. */
  readonly ends: readonly RecordedExchange[];
  /** Those of them that answer with a challenge only. */
  readonly built: readonly RecordedExchange[];
}

/** Sentences for the author of a profile that was written from a recording. */
export function writeNotes({ profile, base, secrets, unreachable, used, ends, built }: Written): string[] {
  const hosts = new Set(used.filter(({ url }) => url.origin !== base).map(({ url }) => url.host));
  const challenges = new Set(built.map(({ entry, url }) => `${entry.method} ${url.pathname}`));
  return [
    ...(challenges.size > 0
      ? [
          `${[...challenges].join(' and ')} ${challenges.size === 1 ? 'answers' : 'answer'} with a challenge only: the page builds the options. The profile does so in "value", from what the recording shows. Compare it with what your page passes to navigator.credentials.`,
        ]
      : []),
    ...[...secrets].map(
      ([variable, what]) => `The recording does not show where ${what} comes from: set the environment variable ${variable}.`,
    ),
    ...unreachable.map((what) => `In the login, ${what}, which only the registration was given: take it from an answer to the login.`),
    ...(hosts.size > 0
      ? [`Requests go to ${[...hosts].join(', ')} too: allow them with --allow-host where they are not loopback hosts.`]
      : []),
    ...ends
      .filter(({ entry }) => entry.status >= 400)
      .map(
        ({ entry, url }) =>
          `${entry.method} ${url.pathname} was answered with ${entry.status} in the recording: record a ceremony that your server accepts.`,
      ),
    ...ends
      .filter(hasLostBody)
      .map(
        ({ entry, url }) =>
          `The recording has no body of the answer to ${entry.method} ${url.pathname}; browsers drop it when the page goes on. If the answer has one, say in "accept" what tells success.`,
      ),
    ...(profile.whoami === undefined
      ? ['The recording asks nowhere who is signed in: add whoami, so that a login has a second witness.']
      : []),
    ...(profile.cleanup === undefined ? ['The recording deletes no passkey: add cleanup, or test passkeys stay on the server.'] : []),
  ];
}

/** Whether a 2xx lacks the body that says if it accepts. */
function hasLostBody({ entry: { status, response } }: RecordedExchange): boolean {
  return status >= 200 && status < 300 && status !== 204 && response.body === undefined;
}
