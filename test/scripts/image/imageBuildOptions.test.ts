import assert from 'node:assert/strict';
import { readImageBuildOptions } from '../../../scripts/image/imageBuildOptions.ts';
import { UsageError } from '../../../scripts/startOptions.ts';

const read = (...args: string[]) => readImageBuildOptions(args, { version: '1.2.3', folder: '/artifacts' });

describe('readImageBuildOptions', () => {
  it('returns the defaults without arguments', () => {
    const name = 'docker.io/library/cloud-compute-platform:1.2.3';
    assert.deepEqual(read(), { name, output: '/artifacts/cloud-compute-platform.tar' });
  });

  it('returns the output and the help', () => {
    assert.deepEqual(read('--output', '/tmp/image.tar'), { ...(read() as object), output: '/tmp/image.tar' });
    assert.equal(read('--help'), 'help');
    assert.throws(() => read('--output', ''), UsageError);
  });

  for (const [tag, name] of [
    ['platform', 'docker.io/library/platform:1.2.3'],
    ['team/platform:2', 'docker.io/team/platform:2'],
    ['registry.example.com/team/platform', 'registry.example.com/team/platform:1.2.3'],
    ['registry.example.com:5000/platform:latest', 'registry.example.com:5000/platform:latest'],
    ['localhost/platform:1', 'localhost/platform:1'],
    ['registry:5000/platform:1', 'registry:5000/platform:1'],
    ['10.0.0.1:5000/a/b_c/d-e:1.0_x', '10.0.0.1:5000/a/b_c/d-e:1.0_x'],
  ] as const)
    it(`completes the name ${tag}`, () => assert.deepEqual(read('--tag', tag), { ...(read() as object), name }));

  for (const tag of [
    '',
    'Platform',
    'platform:',
    'platform:a b',
    '/platform',
    'a//b',
    'https://example.com/a',
    'platform@sha256:0',
  ])
    it(`rejects the name “${tag}”`, () => assert.throws(() => read('--tag', tag), UsageError));

  it('rejects unknown options with the help text', () => {
    assert.throws(
      () => read('--tga', 'x'),
      (error) => error instanceof UsageError && error.message.includes('--tag NAME'),
    );
  });
});
