import assert from 'node:assert/strict';
import { MAX_RUN_BYTES, MAX_RUN_SYNC_BYTES } from '../../../../src/contract/job.ts';
import { bodyBytes, sizeProblem } from '../../../../src/features/jobs/model/jobInput.ts';

const requestOf = (bytes: number) => ({ input: { data: 'x'.repeat(bytes - '{"input":{"data":""}}'.length) } });

describe('The size of a request', () => {
  it('counts the bytes of the JSON in UTF-8', () => {
    assert.equal(bodyBytes({ input: { a: 'ä€😀' } }), '{"input":{"a":""}}'.length + 2 + 3 + 4);
    assert.equal(bodyBytes(requestOf(1000)), 1000);
  });

  it('is a problem only above the limit of the operation', () => {
    assert.equal(sizeProblem(requestOf(MAX_RUN_BYTES), 'run'), undefined);
    const bytes = MAX_RUN_BYTES + 1;
    assert.deepEqual(sizeProblem(requestOf(bytes), 'run'), {
      code: 'tooLarge',
      kind: 'run',
      bytes,
      limit: MAX_RUN_BYTES,
    });
    assert.equal(sizeProblem(requestOf(bytes), 'runSync'), undefined);
    assert.equal(sizeProblem(requestOf(MAX_RUN_SYNC_BYTES + 1), 'runSync')?.limit, MAX_RUN_SYNC_BYTES);
  });
});
