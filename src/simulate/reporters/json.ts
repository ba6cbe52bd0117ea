import type { SimulateReport } from '../report.js';

/** One JSON document, as `simulateReportSchema` describes it. */
export function renderJson(report: SimulateReport): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}
