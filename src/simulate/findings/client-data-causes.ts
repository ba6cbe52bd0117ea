import { type Cause, kinds } from './cause.js';

const OTHER_CEREMONY = 'A response that was made for something else, such as a payment or a registration, counts as a login.';
const REPLAY = 'Anyone who has seen one response, in a log or on a shared computer, can send it again and be signed in.';
const GUESSED = 'An attacker who can predict a challenge gets a response to it from the user in advance, and signs in with it later.';
const PHISHING = 'A page that an attacker controls gets a response from the user, and signs in as the user with it.';
const FRAMED = 'A page that frames yours tricks the user into answering a request that seems to come from that page.';

const TYPE: readonly Cause[] = [
  {
    id: 'type',
    severity: 'high',
    proof: 'accepted',
    cases: /\.type-(?:missing|null|empty|array|of-payment)$/,
    says: 'The server does not compare the type of the client data: it accepted {responses} of another type.',
    gain: OTHER_CEREMONY,
  },
  {
    id: 'type-part',
    severity: 'high',
    proof: 'accepted',
    cases: /\.type-(?:swapped|longer|shorter|without-namespace|in-further-member|twice|confused)$/,
    says: 'The server compares the type of the client data only in part: it accepted {responses} of another type.',
    gain: OTHER_CEREMONY,
    within: ['type'],
  },
  ...kinds(
    { severity: 'low', within: ['type', 'type-part'] },
    {
      'type-spelling': [/\.type-upper-case$/, 'The server compares the type without regard to case: it accepted {responses}.'],
      'wrong-then-right': [
        /\.after-refused$/,
        'After a wrong response, the server refuses the right one, or it accepts the wrong one: {attempts} with both went wrong.',
      ],
    },
  ),
];

const CHALLENGE: readonly Cause[] = [
  {
    id: 'challenge',
    severity: 'high',
    proof: 'accepted',
    cases: /\.challenge-unknown$/,
    says: 'The server does not compare the challenge: it accepted {responses} to challenges that it never issued.',
    gain: REPLAY,
  },
  {
    id: 'challenge-of-another-user',
    severity: 'critical',
    proof: 'another',
    cases: /^register\.(?:challenge|token)-of-another-user$/,
    says: "The server accepts another user's challenge: {responses}.",
    gain: "An attacker adds a passkey to another user's account.",
    within: ['challenge-shared'],
  },
  {
    id: 'challenge-constant',
    severity: 'high',
    proof: 'kept',
    cases: /\.challenge-fresh$/,
    says: 'The server issues the same challenge more than once: {attempts} began with an earlier one.',
    gain: REPLAY,
    within: ['challenge-shared'],
  },
  ...kinds(
    { severity: 'high', proof: 'given', gain: GUESSED },
    {
      'challenge-shared': [
        /\.challenge-shared$/,
        'The server gives several users the same challenge: {attempts} began with that of another user.',
      ],
      'challenge-guessable': [
        /\.challenge-guessable$/,
        'Challenges can be guessed: those of this run count up, contain the time or hardly differ ({attempts}).',
      ],
    },
  ),
  {
    id: 'challenge-shared-by-browsers',
    severity: 'high',
    proof: 'given',
    cases: /\.challenge-shared-by-browsers$/,
    says: 'The server gives the same challenge to several browsers in which no user is signed in: {attempts} began with that of another browser.',
    gain: REPLAY,
    within: ['challenge-shared', 'challenge-constant'],
  },
  {
    id: 'challenge-length',
    severity: 'medium',
    cases: /\.challenge-length$/,
    says: 'Challenges are shorter than 16 bytes: {attempts}.',
    gain: GUESSED,
    within: ['challenge-guessable'],
  },
  ...kinds(
    { severity: 'high', proof: 'accepted', gain: REPLAY, within: ['challenge', 'challenge-constant'] },
    {
      'challenge-token': [
        /\.token-used-elsewhere$/,
        'The client keeps the challenge in a token, and the server has no list of used challenges: it accepted {responses} to a used one, even from another browser.',
      ],
      'challenge-token-forged': [
        /\.token-forged$/,
        'The server does not verify the token in which the client keeps the challenge: it accepted {responses} with a changed one.',
      ],
    },
  ),
  ...kinds(
    { severity: 'high', proof: 'accepted', gain: REPLAY, within: ['challenge', 'challenge-constant', 'challenge-token'] },
    {
      'challenge-reuse': [
        /\.challenge-used(?:-|$)/,
        'A challenge can be used twice: the server accepted {responses} to one that was used already.',
      ],
      'challenge-part': [
        /\.challenge-(?:empty|prefix|first-characters|longer|surrounded|zeros)$/,
        'The server compares only a part of the challenge: it accepted {responses} to a different one, such as {example}.',
      ],
      'challenge-of-other-ceremony': [
        /\.(?:challenge|token)-of-(?:login|registration)$/,
        'The server does not distinguish the challenges of registrations from those of logins: it accepted {responses} to the other kind.',
      ],
    },
  ),
  {
    id: 'challenge-spent-late',
    severity: 'high',
    proof: 'kept',
    cases: /\.(?:challenge-spent-by-failure|one-winner|two-responses-at-once)$/,
    says: 'The server marks a challenge as used only after it has accepted a response: it accepted {responses} after a failure, or at the same moment.',
    gain: REPLAY,
    within: ['challenge', 'challenge-constant', 'challenge-reuse'],
  },
  {
    id: 'challenge-lifetime',
    severity: 'medium',
    cases: /\.(?:challenge-expired|answered-late|challenge-forgotten)$|^(?:register|login)\.token-expired$/,
    says: 'A challenge stays valid for too long: the server accepted {responses} after it should have expired.',
    gain: 'A response that was held back, or an unanswered page on a shared computer, can be used later.',
    within: ['challenge'],
  },
  ...kinds(
    { severity: 'low', within: ['challenge', 'challenge-part'] },
    {
      'challenge-reading': [
        /\.challenge-(?:in-further-member|twice)$/,
        'The server searches the client data for the challenge instead of parsing them: it accepted {responses} that contain it in the wrong place.',
      ],
      'challenge-spelling': [
        /\.challenge-(?:confused|lower-case|padded|hex|encoded-twice|not-canonical|standard-alphabet)$/,
        'The server decodes or normalizes the challenge before comparing it: it accepted {responses} such as {example}.',
      ],
    },
  ),
];

const ORIGIN: readonly Cause[] = [
  {
    id: 'origin',
    severity: 'high',
    proof: 'accepted',
    cases: /\.origin-other-site$/,
    says: 'The server does not compare the origin: it accepted {responses} made for other pages.',
    gain: PHISHING,
  },
  ...kinds(
    { severity: 'high', proof: 'accepted', gain: PHISHING, within: ['origin'] },
    {
      'origin-in-header': [
        /\.origin-in-(?:forwarded-)?headers?$/,
        'The server takes the expected origin from the headers of the request: it accepted {responses} made for other pages.',
      ],
      'origin-in-body': [
        /\.origin-in-body$/,
        'The server takes the expected origin from the body of the request: it accepted {responses} made for other pages.',
      ],
      'site-in-request': [
        /\.site-in-request$/,
        'The server takes the expected origin and RP ID from the request: it accepted {responses} made for other sites.',
      ],
      'origin-of-another-application': [
        /\.origin-of-another-application$/,
        'The server does not separate the origins of its applications: it accepted {responses} made for another application.',
      ],
      'origin-part': [
        /\.origin-(?:longer-host|host-suffix|in-path|in-query|in-fragment|as-user-info|second-line|nul|list|look-alike|dot-replaced)$/,
        'The server looks for its origin inside another (by a prefix, a suffix or a pattern): it accepted {responses} made for other pages, such as {example}.',
      ],
      'origin-port': [/\.origin-(?:other|without)-port$/, 'The server does not compare the port of the origin: it accepted {responses}.'],
      'origin-scheme': [
        /\.origin-(?:other-scheme|app-scheme|android-app|host-only)$/,
        'The server does not compare the scheme of the origin: it accepted {responses}.',
      ],
      'origin-domain': [
        /\.origin-(?:subdomain|parent-domain|trailing-dot|loopback-address)$/,
        'The server accepts origins of other domains, such as {example}: {responses}.',
      ],
      'origin-absent': [
        /\.(?:client-data-without-origin|origin-(?:empty|null|null-text|array))$/,
        'The server accepts client data with no origin, or with the origin "null": {responses}.',
      ],
    },
  ),
  ...kinds(
    { severity: 'low', within: ['origin', 'origin-part', 'origin-port', 'origin-scheme'] },
    {
      'origin-spelling': [
        /\.origin-(?:upper-case|port-respelled|trailing-slash|path|query|user-info|white-space|not-utf8)$/,
        'The server parses or normalizes the origin before comparing it: it accepted {responses} that no browser writes, such as {example}.',
      ],
      'origin-reading': [
        /\.origin-(?:in-further-member|twice)$/,
        'The server searches the client data for the origin instead of parsing them: it accepted {responses} that contain it in the wrong place.',
      ],
    },
  ),
];

const FRAMES: readonly Cause[] = [
  ...kinds(
    { severity: 'high', proof: 'accepted', gain: FRAMED },
    {
      'cross-origin': [/\.cross-origin$/, 'The server accepts ceremonies in frames of foreign pages: it accepted {responses} made in one.'],
      'top-origin': [
        /\.top-origin-(?:other|without-cross-origin|empty|null-text)$/,
        'The server does not compare the top origin: it accepted {responses} made in frames of other pages.',
      ],
    },
  ),
  {
    id: 'top-origin-part',
    severity: 'high',
    proof: 'accepted',
    cases: /\.top-origin-(?:other-port|other-scheme|longer-host|host-suffix|in-path|confused)$/,
    says: 'The server compares only a part of the top origin: it accepted {responses} made in frames of other pages.',
    gain: FRAMED,
    within: ['top-origin'],
  },
  {
    id: 'top-origin-own',
    severity: 'low',
    cases: /\.top-origin-own/,
    says: 'The server treats its own origin as an expected top-level origin: it accepted {responses} that no browser makes.',
    within: ['top-origin', 'cross-origin'],
  },
];

/** Causes for mistakes about the client data: type, challenge, origin and frames. */
export const CLIENT_DATA_CAUSES: readonly Cause[] = [
  ...TYPE,
  ...CHALLENGE,
  ...ORIGIN,
  ...FRAMES,
  {
    id: 'client-data-form',
    severity: 'low',
    cases:
      /\.(?:client-data-(?:cut|array|as-text|null|number|trailing|doubled|deep|relaxed|bom-twice|utf-16|encoded-twice|proto|without-challenge|empty)|challenge-(?:null|array)|top-origin-array|type-overlong)$/,
    says: 'The server accepts client data that are not one JSON object in UTF-8 with the required members, such as {example}: {responses}.',
    within: ['type', 'challenge', 'origin', 'top-origin'],
  },
];
