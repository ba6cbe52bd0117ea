import type { Case } from '../engine/case.js';

/** Ids of the plain registration and the plain login. If one fails, no other case of that kind proves anything. */
export const PLAIN = { registration: 'register.default', authentication: 'login.default' } as const;

interface Preparation {
  /** Last part of the ids of the honest cases that need the same preparation as the case under test. */
  readonly control: string;
  readonly isLike: (each: Pick<Case, 'wants' | 'browser'>) => boolean;
}

const PREPARATIONS: readonly Preparation[] = [
  { control: 'user-verification-required', isLike: ({ wants }) => wants?.userVerification === 'required' },
  { control: 'embedded', isLike: ({ wants }) => wants?.topOrigin === true },
  { control: 'backed-up', isLike: ({ browser }) => browser?.authenticator?.backupEligible === true },
  { control: 'es256', isLike: ({ browser }) => browser?.authenticator?.algorithms?.join() === '-7' },
];

/**
 * Lists the ids of the honest cases that perform the same steps as the given case, but without its attack. If one of them fails, a refusal
 * in the given case proves nothing.
 */
export function listControls(each: Case): readonly string[] {
  // Our own API names the check that failed: a refusal for another reason is no pass.
  if (each.needs?.includes('api') === true) return [];
  const controls = each.controls ?? listCeremonies(each);
  return controls.filter((control) => control !== each.id);
}

function listCeremonies({ id, wants, browser }: Case): readonly string[] {
  if (wants?.endpoint === 'verify') return ['verify.default'];
  const kind = id.startsWith('register.') ? 'register' : 'login';
  const alike = PREPARATIONS.filter(({ isLike }) => isLike({ ...(wants && { wants }), ...(browser && { browser }) }));
  const controls = alike.map(({ control }) => `${kind}.${control}`);
  const discoverable = kind === 'login' && wants?.login === 'discoverable' ? ['login.discoverable'] : [];
  const all = [...controls, ...discoverable];
  return all.length > 0 ? all : [kind === 'register' ? PLAIN.registration : PLAIN.authentication];
}
