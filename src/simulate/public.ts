/** `passkey-cli/simulate`. */
export { asExpected, type CaseResult, type SimulateReport } from './engine/report.js';
export type { ListedCase } from './engine/run-scenarios.js';
export { listCases, type ScenarioOptions, type SimulateOptions, simulate } from './simulate.js';
