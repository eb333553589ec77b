import assert from 'node:assert/strict';
import { MAX_RUN_BYTES, MAX_RUN_SYNC_BYTES } from '../../../../src/contract/job.ts';
import { sizeProblem } from '../../../../src/features/jobs/model/requestSize.ts';

const EMPTY_BYTES = '{"input":{"text":""}}'.length;
const requestOf = (bytes: number) => ({ input: { text: 'x'.repeat(bytes - EMPTY_BYTES) } });

describe('Size of a job request', () => {
  it('has no problem up to the limit of its kind', () => {
    assert.equal(sizeProblem(requestOf(MAX_RUN_BYTES), 'run'), undefined);
    assert.equal(sizeProblem(requestOf(MAX_RUN_SYNC_BYTES), 'runsync'), undefined);
  });

  it('is reported with the limit when it is one byte over', () => {
    const bytes = MAX_RUN_BYTES + 1;
    assert.deepEqual(sizeProblem(requestOf(bytes), 'run'), { code: 'tooLarge', bytes, limit: MAX_RUN_BYTES });
    assert.equal(sizeProblem(requestOf(bytes), 'runsync'), undefined);
  });

  it('counts the bytes that are sent, not the characters', () => {
    const request = { input: { text: '€'.repeat(MAX_RUN_BYTES / 3) } };
    assert.equal(sizeProblem(request, 'run')?.limit, MAX_RUN_BYTES);
  });
});
