/** `passkey-cli/simulate`. */
export type { CaseResult, SimulateReport } from './engine/report.js';
export type { ListedCase } from './engine/run-scenarios.js';
export { listCases, type ScenarioOptions, type SimulateOptions, simulate } from './simulate.js';
