/** The entry point `passkey-cli/simulate`. */
export { type EarlierReport, failedIn, parseReport } from './engine/earlier-report.js';
export { type LoadOptions, simulateLoad } from './load/load.js';
export { isKept, type LoadReport } from './load/report.js';
export {
  type AuthenticationToMutate,
  mutateAuthentication,
  mutateRegistration,
  type RegistrationToMutate,
} from './mutations/mutate.js';
export { findMutation, listMutations, type Mutation } from './mutations/mutation.js';
export { asExpected, type CaseResult, type ListedCase, type SimulateReport } from './report/report.js';
export type { ScenarioOptions } from './scenarios.js';
export { listCases, type SimulateOptions, simulate } from './simulate.js';
