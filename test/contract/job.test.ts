import assert from 'node:assert/strict';
import { JobRequest } from '../../src/contract/job.ts';

describe('the input of a job', () => {
  it('must be an object', () => {
    for (const input of [undefined, null, [], [{}], 'text', 1, true])
      assert.equal(JobRequest.safeParse({ input }).success, false, JSON.stringify(input));
    assert.ok(JobRequest.safeParse({ input: {} }).success);
  });

  it('passes through as the same object, with members of any name', () => {
    const body = JSON.parse('{"input": {"__proto__": {"a": 1}, "constructor": 2}}') as { input: object };
    assert.equal(JobRequest.parse(body).input, body.input);
  });
});
