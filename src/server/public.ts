/** `passkey-cli/server`: the HTTP service, as an application for `inject()` or on a port. */
export { buildApp } from './app.js';
export type { AuthActionFunction, AuthActionInput, AuthActionSetting, LoadedAuthAction } from './auth-action.js';
export { createSignInKey, type SignInKey } from './development-key.js';
export { type ListenOptions, listen } from './listen.js';
export { type App, type AppOptions, DEFAULT_SETTINGS, type PageFiles, type ServerSettings } from './options.js';
export type { AnswerRequest, Mutations, SoftwareAnswers } from './software-answers.js';
