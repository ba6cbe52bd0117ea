/** Built-in profiles of the package, each loaded on first use. To add a profile, add its file and a line here. */
const BUILT_IN: Readonly<Record<string, () => Promise<{ readonly default: unknown }>>> = {
  authentik: () => import('./built-in/authentik.json', { with: { type: 'json' } }),
  'hanko-flow': () => import('./built-in/hanko-flow.json', { with: { type: 'json' } }),
  keycloak: () => import('./built-in/keycloak.json', { with: { type: 'json' } }),
  kratos: () => import('./built-in/kratos.json', { with: { type: 'json' } }),
  'spring-security': () => import('./built-in/spring-security.json', { with: { type: 'json' } }),
  laravel: () => import('./built-in/laravel.json', { with: { type: 'json' } }),
  passkey: () => import('./built-in/passkey.json', { with: { type: 'json' } }),
  fido2: () => import('./built-in/fido2.json', { with: { type: 'json' } }),
  'better-auth': () => import('./built-in/better-auth.json', { with: { type: 'json' } }),
  simplewebauthn: () => import('./built-in/simplewebauthn.json', { with: { type: 'json' } }),
  'webauthn.io': () => import('./built-in/webauthn.io.json', { with: { type: 'json' } }),
  hanko: () => import('./built-in/hanko.json', { with: { type: 'json' } }),
};

/** Names of the built-in profiles. */
export const BUILT_IN_PROFILES: readonly string[] = Object.keys(BUILT_IN);

/** Loads the JSON of a built-in profile; undefined if there is no profile with this name. */
export async function builtInProfile(name: string): Promise<unknown> {
  return Object.hasOwn(BUILT_IN, name) ? (await BUILT_IN[name]?.())?.default : undefined;
}
