import assert from 'node:assert/strict';
import { fieldError } from '../../../../src/contract/violation.ts';
import {
  readManifestFile,
  type CheckOptions,
  ReportedViolations,
} from '../../../../src/features/manifest/model/manifestFile.ts';

const text = (registry: string) => `name: a
type: QUEUE
scaling: { type: QUEUE_DELAY, queueDelay: 4 }
image: example/a:1
cpu: [{ id: cpu3c, vcpuCount: 2 }]
registry: ${registry}
`;
const read = (registry: string, options: Partial<CheckOptions> = {}) =>
  readManifestFile(text(registry), { language: 'yaml', target: 'hosted', ...options });
const told = fieldError(['registry'], 'serviceMessage', { message: "there is no registry credential 'r0'" });
const messages = ({ problems }: ReturnType<typeof read>) => problems.map(({ message }) => message);

describe('ReportedViolations', () => {
  const reported = new ReportedViolations(read('r0'), 0, [told]);

  it('apply until the value of the field changes', () => {
    assert.deepEqual(messages(reported.addTo(read('r0'))), ["registry: there is no registry credential 'r0'"]);
    assert.deepEqual(messages(reported.addTo(read('r1'))), []);
  });

  it('do not repeat an error that the editor found itself', () => {
    const references = { missing: [{ kind: 'registry', id: 'r0' } as const], podTemplates: [] };
    const checked = read('r0', { references });
    assert.deepEqual(messages(checked), ["registry: there is no registry credential 'r0'"]);
    assert.equal(reported.addTo(checked), checked);
  });
});
