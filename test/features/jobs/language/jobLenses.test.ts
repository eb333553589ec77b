import assert from 'node:assert/strict';
import { jobLenses } from '../../../../src/features/jobs/language/jobLenses.ts';

const file = { path: '/a.job.json' };
const of = (client: unknown, kind?: 'local' | 'hosted', name = 'Acme') =>
  jobLenses({ client, profile: kind && { kind, name } }, file).map(({ title, command }) => [String(title), command]);

describe('The actions above a job file', () => {
  it('name the connection', () => {
    assert.deepEqual(of({}, 'local', 'Local'), [
      ['$(play) Run on Local', 'cloudCompute.jobs.run'],
      ['Run and Wait on Local', 'cloudCompute.jobs.runAndWait'],
      ['Load Test…', 'cloudCompute.load.run'],
      ['Copy as…', 'cloudCompute.copyAs'],
    ]);
  });

  it('mark a hosted connection', () => {
    assert.deepEqual(
      of({}, 'hosted').map(([title]) => title),
      ['$(play) Run on $(cloud) Acme (hosted)', 'Run and Wait on $(cloud) Acme (hosted)', 'Load Test…', 'Copy as…'],
    );
  });

  it('only connect while the platform cannot be called', () => {
    assert.deepEqual(of(undefined, 'hosted'), [
      ['$(lock) Sign In to $(cloud) Acme (hosted) to Run', 'cloudCompute.connections.replaceKey'],
    ]);
    for (const found of [of(undefined, 'local', 'Local Platform'), of(undefined)])
      assert.deepEqual(found, [['$(play) Start Local Platform to Run', 'cloudCompute.localPlatform.start']]);
  });

  it('show a hostile name as text', () => {
    const [title = ''] = of({}, 'hosted', '$(vm) [x](command:y)')[0] ?? [];
    assert.doesNotMatch(title, /\$\(vm\)|\]\(/);
  });

  it('run with the file', () => {
    assert.deepEqual(jobLenses({ client: {}, profile: { kind: 'local', name: 'x' } }, file)[0]?.arguments, [file]);
  });
});
