/** `passkey-cli/simulate`. */
export { type EarlierReport, failedIn, parseReport } from './earlier-report.js';
export { asExpected, type CaseResult, type SimulateReport } from './engine/report.js';
export type { ListedCase } from './engine/run-scenario.js';
export { listCases, type ScenarioOptions, type SimulateOptions, simulate } from './simulate.js';
