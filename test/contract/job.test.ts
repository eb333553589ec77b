// Clauses of the interface: Endpoints 2, 4, and 6.
import assert from 'node:assert/strict';
import { Job, JobRequest } from '../../src/contract/job.ts';

describe('the input of a job', () => {
  it('must be an object', () => {
    for (const input of [undefined, null, [], [{}], 'text', 1, true])
      assert.equal(JobRequest.safeParse({ input }).success, false, JSON.stringify(input));
    assert.ok(JobRequest.safeParse({ input: {} }).success);
  });

  it('is returned as the same object, with members of any name', () => {
    const body = JSON.parse('{"input": {"__proto__": {"a": 1}, "constructor": 2}}') as { input: object };
    assert.equal(JobRequest.parse(body).input, body.input);
  });
});

describe('the S3 settings of a job', () => {
  it('must be an object, and keep members of any name', () => {
    for (const s3Config of [null, [], 'text', 1])
      assert.equal(JobRequest.safeParse({ input: {}, s3Config }).success, false, JSON.stringify(s3Config));
    const body = JSON.parse('{"input": {}, "s3Config": {"__proto__": {"a": 1}, "bucket": "b"}}') as {
      s3Config: object;
    };
    assert.equal(JSON.stringify(JobRequest.parse(body).s3Config), JSON.stringify(body.s3Config));
  });
});

describe('the error of a job', () => {
  it('becomes a string if a worker returns another value', () => {
    const errorOf = (error: unknown) => Job.parse({ id: 'j', status: 'FAILED', error }).error;
    assert.equal(errorOf('why'), 'why');
    assert.equal(errorOf({ why: 1 }), '{"why":1}');
    assert.equal(errorOf(undefined), undefined);
  });

  it('can be nested too deeply to serialize without invalidating the job', () => {
    const error: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    assert.equal(Job.safeParse({ id: 'j', status: 'FAILED', error }).data?.status, 'FAILED');
  });
});
