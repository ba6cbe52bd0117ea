import Type from 'typebox';
import { simulateReportSchema } from '../../simulate/engine/report.js';
import { strict } from '../../webauthn/schema-kit.js';

const { items: result } = simulateReportSchema.properties.results;

export const simulateList = Type.Array(Type.Pick(result, ['id', 'source', 'replay', 'title', 'tags', 'file', 'expected'], strict), {
  title: 'passkey simulate --list --json',
});
