/** `passkey-cli/server`: the HTTP service as an application, which can be called with `inject()` or listen on a port. */
export { buildApp } from './app.js';
export type { AuthActionFunction, AuthActionInput, AuthActionSetting, LoadedAuthAction } from './auth-action.js';
export { createSignInKey, type SignInKey } from './development-key.js';
export { type ListenOptions, listen } from './listen.js';
export type { App, AppOptions, PageFiles } from './options.js';
export { DEFAULT_SETTINGS, type ServerSettings } from './settings.js';
export type { AnswerRequest, Mutations, SoftwareAnswers } from './software-answers.js';
