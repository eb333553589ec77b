import assert from 'node:assert/strict';
import { manifestOfJobFile, type ManifestCandidate } from '../../../../src/features/jobs/model/manifestOfJobFile.ts';

const manifest = (path: string, name: string, type = 'QUEUE'): ManifestCandidate => ({ path, name, type });
const pathOf = (file: string, endpoint: string | undefined, ...candidates: ManifestCandidate[]) =>
  manifestOfJobFile({ path: file, endpoint }, candidates)?.path;

describe('The manifest of a job file', () => {
  it('is the one whose endpoint has the name in the file, in any folder', () => {
    const others = [manifest('a.endpoint.yaml', 'a'), manifest('deep/b.endpoint.yaml', 'b')];
    assert.equal(pathOf('a.job.json', 'b', ...others), 'deep/b.endpoint.yaml');
  });

  it('is the nearest one when several endpoints have that name', () => {
    const same = [manifest('x/one.endpoint.yaml', 'hello'), manifest('y/two.endpoint.yaml', 'hello')];
    assert.equal(pathOf('y/jobs/a.job.json', 'hello', ...same), 'y/two.endpoint.yaml');
    const inFolder = [manifest('one.endpoint.yaml', 'hello'), manifest('a.endpoint.json', 'hello')];
    assert.equal(pathOf('a.job.json', 'hello', ...inFolder), 'a.endpoint.json');
  });

  it('is otherwise the one with the same base name in the same folder', () => {
    const found = [manifest('hello.endpoint.yaml', 'x'), manifest('other.endpoint.yaml', 'y')];
    assert.equal(pathOf('hello.job.json', undefined, ...found), 'hello.endpoint.yaml');
    assert.equal(pathOf('hello.job.json', 'an-id-of-a-platform', ...found), 'hello.endpoint.yaml');
    assert.equal(pathOf('sub/hello.job.json', undefined, ...found), undefined);
  });

  it('is otherwise the only queue endpoint of the nearest folder with manifests', () => {
    const found = [
      manifest('top.endpoint.yaml', 'top'),
      manifest('a/queue.endpoint.yaml', 'queue'),
      manifest('a/web.endpoint.yaml', 'web', 'LOAD_BALANCER'),
    ];
    assert.equal(pathOf('a/jobs/one.job.json', undefined, ...found), 'a/queue.endpoint.yaml');
    assert.equal(pathOf('b/one.job.json', undefined, ...found), 'top.endpoint.yaml');
    assert.equal(pathOf('a/one.job.json', undefined, ...found, manifest('a/second.endpoint.yml', 's')), undefined);
  });

  it('never is one of a load-balanced endpoint', () => {
    const web = manifest('web.endpoint.yaml', 'web', 'LOAD_BALANCER');
    assert.equal(pathOf('web.job.json', 'web', web), undefined);
    assert.equal(pathOf('web.job.json', undefined, manifest('top.endpoint.yaml', 'x'), web), 'top.endpoint.yaml');
  });

  it('is found by absolute paths', () => {
    assert.equal(pathOf('/w/a/x.job.json', undefined, manifest('/w/one.endpoint.yaml', 'one')), '/w/one.endpoint.yaml');
    assert.equal(pathOf('/w/a/x.job.json', undefined), undefined);
  });

  it('is unknown without manifests', () => {
    assert.equal(pathOf('a/b/c.job.json', undefined), undefined);
  });
});
