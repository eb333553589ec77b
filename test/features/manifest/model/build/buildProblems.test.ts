import assert from 'node:assert/strict';
import type { BuildPart } from '../../../../../src/contract/imageBuild.ts';
import {
  buildArgumentErrors,
  buildFileErrors,
} from '../../../../../src/features/manifest/model/build/buildProblems.ts';

describe('The problems of a build', () => {
  const found = (build: BuildPart, dockerfile: string | undefined, command = {}, hasContext = true) =>
    buildFileErrors(build, command, { hasContext, dockerfile }).map(({ path, code, severity }) => [
      path.join('.'),
      code,
      severity,
    ]);

  it('name the folder and the file that do not exist, where the manifest names them', () => {
    assert.deepEqual(found({ context: 'a' }, undefined, {}, false), [
      ['x-build.context', 'buildFolderMissing', 'error'],
    ]);
    assert.deepEqual(found({}, undefined), [['x-build', 'dockerfileMissing', 'error']]);
    assert.deepEqual(found({ dockerfile: 'b' }, undefined), [['x-build.dockerfile', 'dockerfileMissing', 'error']]);
  });

  it('include a stage that the Dockerfile does not have', () => {
    const [error] = buildFileErrors({ target: 'c' }, {}, { hasContext: true, dockerfile: 'FROM a AS b\nCMD x' });
    assert.ok(error?.code === 'dockerfileWithoutStage');
    assert.deepEqual([error.path, error.data], [['x-build', 'target'], { stage: 'c', known: ['b'] }]);
    assert.deepEqual(found({ target: 'B' }, 'FROM a AS b\nCMD x'), []);
  });

  it('include a command that neither the Dockerfile nor the manifest has', () => {
    assert.deepEqual(found({}, 'FROM scratch'), [['x-build', 'imageWithoutCommand', 'error']]);
    assert.deepEqual(found({}, 'FROM python:3.12'), [['x-build', 'imageWithoutCommand', 'warning']]);
    for (const command of [{ args: 'x' }, { entrypoint: ['x'] }, { cmd: ['x'] }])
      assert.deepEqual(found({}, 'FROM scratch', command), []);
    assert.deepEqual(found({}, 'FROM scratch', { args: '' }).length, 1);
  });

  it('include build arguments that are secrets, without their values', () => {
    const token = `hf_${'aB3'.repeat(12)}`;
    const errors = buildArgumentErrors({ A: '1', B: 'x ${secret:B}', C: token, D: '${HOME}', E: 5 });
    assert.deepEqual(
      errors.map(({ path, code }) => [path[2], code]),
      [
        ['B', 'referenceInBuildArg'],
        ['C', 'keyInBuildArg'],
      ],
    );
    assert.ok(!JSON.stringify(errors).includes(token));
  });
});
