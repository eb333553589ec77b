import assert from 'node:assert/strict';
import type { EndpointHealth } from '../../../../src/contract/job.ts';
import { diagnose } from '../../../../src/features/endpoints/diagnosis/diagnose.ts';
import type { EndpointSnapshot } from '../../../../src/features/endpoints/endpointSnapshot.ts';
import { healthDocument } from '../../../../src/features/jobs/view/endpointHealth.ts';
import { snapshot, workers } from '../../endpoints/sample.ts';

const health = (inQueue: number, running = 0): EndpointHealth => ({
  jobs: { completed: 4, failed: 1, inProgress: 2, inQueue, retried: 3 },
  workers: { idle: 0, running, ready: 1 },
});

function documentOf(change: Partial<EndpointSnapshot>) {
  const seen = { ...snapshot(), ...change };
  const diagnosis = diagnose({ snapshot: seen, logs: [], platform: 'local', now: 100_000 });
  return healthDocument(seen, diagnosis, 'Local Platform');
}

describe('Health of an endpoint', () => {
  it('contains the numbers of jobs and workers', () => {
    const { text } = documentOf({ health: health(12, 2), workers: workers('RUNNING', 'RUNNING') });
    const lines = text.split('\n');
    const jobs = lines.slice(lines.indexOf('Jobs') + 1).slice(0, 5);
    assert.deepEqual(jobs, [
      '  Waiting                12',
      '  Running                 2',
      '  Completed               4',
      '  Failed                  1',
      '  Returned to the queue   3',
    ]);
    assert.match(text, /^ {2}Running a job +2$/m);
  });

  it('tells why a queue is stuck and what to do, with actions above these lines', () => {
    const paused = { ...snapshot().endpoint, workers: { ...snapshot().endpoint.workers, min: 0, max: 0 } };
    const { text, actions } = documentOf({ endpoint: paused, health: health(12), workers: workers() });
    const lines = text.split('\n');
    const scale = actions.find(({ command, line }) => command === 'cloudCompute.endpoints.scale' && line > 0);
    assert.ok(scale, 'an action scales the endpoint');
    assert.equal(lines[scale.line], `  ${scale.tooltip}`);
    const above = actions.filter(({ line }) => line === 0).map(({ command }) => command);
    assert.deepEqual(above, [
      'cloudCompute.endpoints.explain',
      'cloudCompute.jobs.purgeQueue',
      'cloudCompute.endpoints.scale',
    ]);
  });

  it('does not offer to purge an empty queue', () => {
    const { actions } = documentOf({ health: health(0), workers: workers('IDLE') });
    assert.ok(!actions.some(({ command }) => command === 'cloudCompute.jobs.purgeQueue'));
  });

  it('says that the numbers could not be read', () => {
    const { text } = documentOf({ health: undefined, workers: undefined, problem: 'the platform failed' });
    assert.match(text, /The numbers of jobs could not be read/);
    assert.match(text, /the platform failed/);
  });

  it('contains neither markup nor long lines', () => {
    const { text } = documentOf({ health: health(12), workers: workers('UNHEALTHY') });
    assert.doesNotMatch(text, /[*#|`]/);
    for (const line of text.split('\n')) assert.ok(line.length <= 100, line);
  });

  it('cannot contain markup from the name of an endpoint', () => {
    const named = { ...snapshot().endpoint, name: '[x](command:evil)' };
    assert.ok(!documentOf({ endpoint: named }).text.includes('[x](command:evil)'));
  });
});
