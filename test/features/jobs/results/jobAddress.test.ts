import assert from 'node:assert/strict';
import { jobAddresses } from '../../../../src/features/jobs/results/jobAddress.ts';

describe('Address of a job document', () => {
  const job = { connectionId: 'local', endpointId: 'e1', jobId: 'j-1.x' };

  it('is readable, and ends with the usual extension of its content', () => {
    const pathOf = (part: 'result' | 'error' | 'stream') => jobAddresses.uri({ ...job, part }, job.jobId).path;
    assert.equal(pathOf('result'), '/j-1.x.json');
    assert.equal(pathOf('error'), '/j-1.x.error.txt');
    assert.equal(pathOf('stream'), '/j-1.x.stream.txt');
    const image = { ...job, part: 'image', image: 2, extension: 'png' } as const;
    assert.equal(jobAddresses.uri(image, '2').path, '/2.png');
    assert.deepEqual(jobAddresses.parse(jobAddresses.uri(image, '2')), image);
  });

  it('differs between connections', () => {
    const queryOf = (connectionId: string) => jobAddresses.uri({ ...job, connectionId, part: 'result' }, 'j').query;
    assert.deepEqual([queryOf('a'), queryOf('b')], ['a/e1/j-1.x/result', 'b/e1/j-1.x/result']);
  });

  it('has no other extension', () => {
    for (const extension of ['', '../x', 'a/b']) {
      const uri = jobAddresses.uri({ ...job, part: 'image', image: 1, extension }, '1');
      assert.equal(jobAddresses.parse(uri), undefined, extension);
    }
  });
});
