import assert from 'node:assert/strict';
import { manifestOfJobFile } from '../../../../src/features/jobs/model/manifestOfJobFile.ts';

const manifest = (path: string, name: string, type = 'QUEUE') => ({ path, name, type });

describe('Manifest of a job file', () => {
  const of = (path: string, candidates: readonly ReturnType<typeof manifest>[], endpoint?: string) =>
    manifestOfJobFile({ path, endpoint }, candidates)?.name;

  it('is the one with the name that the file contains, nearest to the file', () => {
    const all = [
      manifest('x/other.endpoint.yaml', 'b'),
      manifest('a/b/c.endpoint.yaml', 'b'),
      manifest('a/a.endpoint.yaml', 'a'),
    ];
    assert.equal(of('a/a.job.json', all, 'b'), 'b');
    assert.equal(manifestOfJobFile({ path: 'a/b/a.job.json', endpoint: 'b' }, all)?.path, 'a/b/c.endpoint.yaml');
  });

  it('is the one with the same base name in the same folder', () => {
    const all = [
      manifest('a/hello.endpoint.json', 'one'),
      manifest('a/two.endpoint.yaml', 'two'),
      manifest('hello.endpoint.yml', 'no'),
    ];
    assert.equal(of('a/hello.job.json', all), 'one');
    assert.equal(of('a/hello.job.json', all, 'unknown'), 'one');
  });

  it('is the only queue manifest in the nearest folder with manifests', () => {
    const all = [
      manifest('a/one.endpoint.yaml', 'one'),
      manifest('a/web.endpoint.yaml', 'web', 'LOAD_BALANCER'),
      manifest('root.endpoint.yaml', 'root'),
    ];
    assert.equal(of('a/x.job.json', all), 'one');
    assert.equal(of('a/jobs/deep/x.job.json', all), 'one');
    assert.equal(of('b/x.job.json', all), 'root');
    assert.equal(of('/w/a/x.job.json', [manifest('/w/one.endpoint.yaml', 'one')]), 'one');
  });

  it('is unknown if several queue manifests are nearest, or none', () => {
    assert.equal(of('x.job.json', [manifest('a.endpoint.yaml', 'a'), manifest('b.endpoint.yaml', 'b')]), undefined);
    assert.equal(
      of('a/x.job.json', [manifest('a/w.endpoint.yaml', 'w', 'LOAD_BALANCER'), manifest('q.endpoint.yaml', 'q')]),
      undefined,
    );
    assert.equal(of('x.job.json', [manifest('a/a.endpoint.yaml', 'a')]), undefined);
  });
});
