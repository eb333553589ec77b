import assert from 'node:assert/strict';
import {
  jobPath,
  parseDocumentPath,
  parseJobPath,
  partPath,
} from '../../../../src/features/jobs/results/jobAddress.ts';

describe('Path of a job document', () => {
  it('has three segments without hidden characters for any ids', () => {
    const address = { connectionId: '../c', endpointId: 'a/../b', jobId: 'gpj\u202e[x](command:y)\n' };
    const path = jobPath(address);
    assert.match(path, /^\/[\w%.-]+\/[\w%.-]+\/[\w%().-]+\.json$/);
    assert.deepEqual(parseJobPath(path), address);
  });

  it('is parsed to the same address', () => {
    const address = { connectionId: 'local', endpointId: 'e1', jobId: 'j-1-u1' };
    assert.equal(jobPath(address), '/local/e1/j-1-u1.json');
    assert.deepEqual(parseJobPath(jobPath(address)), address);
    for (const path of ['/c/e%/j.json', '/c/e/%.json', '/e1.json', '/c/e1/j', '/a/b/c/d.json', ''])
      assert.equal(parseJobPath(path), undefined, path);
  });

  it('differs between connections', () => {
    const job = { endpointId: 'e1', jobId: 'j1' };
    assert.notEqual(jobPath({ ...job, connectionId: 'a' }), jobPath({ ...job, connectionId: 'b' }));
  });

  it('is not parsed from other paths that the editor reads', () => {
    for (const path of ['/.vscode/settings.json', '/c/.vscode/settings.json', '/c/e1/.vscode/settings.json'])
      assert.equal(parseJobPath(path), undefined, path);
  });
});

describe('Path of a part of a result', () => {
  const address = { connectionId: 'local', endpointId: 'e1', jobId: 'j-1.x' };

  it('is parsed to the same job and part', () => {
    for (const part of ['result', 'error', 'stream', { image: 2, extension: 'png' }] as const) {
      const path = partPath(address, part);
      assert.deepEqual(parseDocumentPath(path), { address, part }, path);
    }
  });

  it('is readable', () => {
    assert.equal(partPath(address, 'result'), jobPath(address));
    assert.equal(partPath(address, 'error'), '/local/e1/j-1.x.error.txt');
    assert.equal(partPath(address, 'stream'), '/local/e1/j-1.x.stream.txt');
    assert.equal(partPath(address, { image: 1, extension: 'png' }), '/local/e1/j-1.x.images/1.png');
  });

  it('is not parsed from other paths', () => {
    for (const path of ['/local/e1/j.txt', '/local/e1/j.images', '/local/e1/j.images/x.png', '/local/e1/j.images/1'])
      assert.equal(parseDocumentPath(path), undefined, path);
  });
});
