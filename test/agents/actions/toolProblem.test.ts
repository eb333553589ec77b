import assert from 'node:assert/strict';
import { NoFolderError } from '../../../src/features/manifest/actions/compareWithDeployed.ts';
import { UserError } from '../../../src/kit/userError.ts';
import { ApiError } from '../../../src/client/apiError.ts';
import { problemOfError } from '../../../src/agents/actions/toolProblem.ts';
import { ToolError } from '../../../src/agents/model/toolError.ts';

describe('The problem of a failed call', () => {
  const membersOf = (error: unknown) => {
    const { remedy, ...members } = problemOfError(error);
    assert.ok(remedy.length > 0, 'there is a remedy');
    return members;
  };

  it('has the code and the message of an error of a tool', () => {
    assert.deepEqual(membersOf(new ToolError('noFile', 'gone')), { code: 'noFile', message: 'gone' });
  });

  it('names every field that the platform did not accept, or else its reason', () => {
    const refused = (errors?: readonly string[]) =>
      membersOf(new ApiError('validation', 'Unprocessable', { operation: 'createEndpoint', errors }));
    assert.deepEqual(refused(['$.name: missing']), { code: 'validation', message: '$.name: missing' });
    assert.equal(refused(['$.name: missing', '$.disk: too small']).message, '$.name: missing; $.disk: too small');
    assert.deepEqual(refused(), { code: 'validation', message: 'Unprocessable' });
  });

  it('has the ID of a job that runs although the call failed, and only then', () => {
    const lost = (jobId?: string) => membersOf(new ApiError('network', 'lost', { operation: 'runJob', jobId }));
    assert.deepEqual(lost('j'), { code: 'network', message: 'lost', jobId: 'j' });
    assert.deepEqual(Object.keys(lost()), ['code', 'message']);
  });

  it('says if a manifest needs a folder, and if an action refused the call', () => {
    assert.equal(problemOfError(new NoFolderError()).code, 'noFolder');
    assert.deepEqual(membersOf(new UserError('not now')), { code: 'failed', message: 'not now' });
  });

  it('is a cancellation only for an error with that name', () => {
    assert.equal(problemOfError(new DOMException('stopped', 'AbortError')).code, 'canceled');
    for (const [error, message] of [
      [new TypeError('a defect'), 'a defect'],
      [{ name: 'AbortError' }, '[object Object]'],
      ['text', 'text'],
      [undefined, 'undefined'],
    ] as const)
      assert.deepEqual(membersOf(error), { code: 'unexpected', message });
  });
});
