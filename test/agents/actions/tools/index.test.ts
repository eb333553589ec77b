import assert from 'node:assert/strict';
import { toolNamed } from '../../world.ts';

describe('The progress of a call', () => {
  it('says what the call does, with its objects', () => {
    for (const [name, input, words] of [
      ['change_local_platform', { clock: { frozen: true } }, 'Setting the clock of the local platform'],
      ['change_local_platform', { faults: { remove: 'all' } }, 'Changing the faults of the local platform'],
      ['change_local_platform', { seed: { jobs: [] } }, 'Adding test data to the local platform'],
      ['deploy_endpoint', { action: 'create', text: '' }, 'Creating an endpoint from a manifest'],
      ['deploy_endpoint', { action: 'update', file: 'a.yaml' }, 'Updating an endpoint from a.yaml'],
      ['estimate_costs', { text: '' }, 'Estimating the costs of “the given manifest”'],
      ['estimate_costs', { endpoint: 'a' }, 'Estimating the costs of “a”'],
      ['read_endpoints', {}, 'Listing endpoints'],
      ['read_endpoints', { endpoint: 'a' }, 'Examining “a”'],
      ['read_logs', { endpoint: 'a' }, 'Reading the log of “a”'],
      ['read_logs', { endpoint: 'a', worker: 'w', query: 'x' }, 'Searching the log of “w”'],
      ['run_job', { endpoint: 'a', input: {} }, 'Running a job of “a”'],
      ['run_job', { file: 'a.job.json' }, 'Running a job from “a.job.json”'],
      ['run_job', { endpoint: 'a', retry: 'j' }, 'Retrying the job j'],
      ['validate_manifest', { text: '' }, 'Checking a manifest'],
      ['validate_manifest', { file: 'a.yaml' }, 'Checking “a.yaml”'],
    ] as const)
      assert.equal(toolNamed(name).progress(input), words);
  });
});
