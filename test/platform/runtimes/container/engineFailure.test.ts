import assert from 'node:assert/strict';
import type { StartProblem } from '../../../../src/contract/startProblem.ts';
import {
  addressFailure,
  engineMissing,
  engineUnreachable,
  isDiskLimitRefused,
  startFailure,
} from '../../../../src/platform/runtimes/container/engineFailure.ts';
import { EngineAddressError } from '../../../../src/machine/engine/engineRoute.ts';
import { EngineApi, EngineError } from '../../../../src/machine/engine/engineApi.ts';
import { StartError } from '../../../../src/platform/runtimes/runtime.ts';
import { engineAt } from './testEngine.ts';

/* Texts of Docker 20.10 and 27, and of Podman 4.3 with runc and crun. */

const runc = 'runc create failed: unable to start container process';

const TEXTS: Partial<Record<StartProblem, readonly string[]>> = {
  badCommand: [
    `OCI runtime create failed: ${runc}: exec: "/no/such": stat /no/such: no such file or directory: unknown`,
    `failed to create task for container: ${runc}: exec: "nope": executable file not found in $PATH: unknown`,
    `failed to create shim task: ${runc}: exec: "/etc/passwd": permission denied: unknown`,
    `failed to create shim task: ${runc}: exec: "/tmp": is a directory: unknown`,
    `runc: ${runc}: exec: "/no/such": stat /no/such: no such file or directory: OCI runtime attempted to invoke a command that was not found`,
    'crun: executable file `nope` not found in $PATH: No such file or directory: OCI runtime attempted to invoke a command that was not found',
    'No command specified',
  ],
  noGpu: [
    'could not select device driver "" with capabilities: [[gpu]]',
    'failed to create shim task: error running hook #0: nvidia-container-cli: initialization error: nvml error: driver not loaded',
  ],
  wrongPlatform: [`${runc}: exec /worker: exec format error`],
  noSpace: [
    'error creating overlay mount to /var/lib/docker/overlay2/1/merged: no space left on device',
    'mkdir /var/lib/docker/containers/1: disk quota exceeded',
  ],
};

const engine = engineAt(new EngineApi({ name: 'unix:///test.sock', tls: false, options: { socketPath: '/no' } }));

function failureOf(text: string): StartError {
  const failure = startFailure(engine, new EngineError(text, { status: 500 }));
  assert.ok(failure instanceof StartError);
  return failure;
}

describe('The failure of an engine', () => {
  it('are errors of a start if the address of the engine is invalid', () => {
    const failure = addressFailure(new EngineAddressError('the address is invalid'));
    assert.ok(failure instanceof StartError);
    assert.deepEqual([failure.problem, failure.message], ['engineMissing', 'the address is invalid']);
    const other = new Error('other');
    assert.equal(addressFailure(other), other);
  });

  for (const [problem, texts] of Object.entries(TEXTS)) {
    for (const text of texts) {
      it(`is recognized as ${problem}: ${text.slice(-60)}`, () => {
        const { problem: found, message } = failureOf(text);
        assert.equal(found, problem);
        assert.ok(message.startsWith(`the engine cannot run the container: ${text}. `), message);
        assert.match(message, /\. [A-Z][^.]+.*\.$/, 'a remedy follows');
      });
    }
  }

  it('has the reason of the engine and no problem if it is unknown', () => {
    for (const text of [
      'invalid mount config for type "bind": bind source path does not exist: /srv/data',
      'error mounting "/srv/data" to rootfs at "/data": no such file or directory',
      'something else.\n',
    ]) {
      const { problem, message } = failureOf(text);
      assert.equal(problem, undefined);
      assert.equal(message, `the engine cannot run the container: ${text.trim().replace(/\.$/, '')}`);
    }
  });

  it('names a remedy for a port that is taken, and for too little memory', () => {
    const taken = failureOf('driver failed: listen tcp4 127.0.0.1:80: bind: address already in use');
    assert.deepEqual([taken.problem, taken.message.includes('another port')], [undefined, true]);
    const memory = failureOf('Minimum memory limit allowed is 6MB');
    assert.match(memory.message, /Choose hardware with more memory\.$/);
  });

  it('is unreachable if the engine did not answer, with its address and its source', () => {
    const cause = new EngineError('connect ECONNREFUSED /test.sock', { code: 'ECONNREFUSED' });
    const failure = startFailure(engine, cause);
    assert.ok(failure instanceof StartError && failure.cause === cause);
    assert.equal(failure.problem, 'engineUnreachable');
    assert.equal(
      failure.message,
      'the container engine at unix:///test.sock (from the setting) cannot be reached: connect ECONNREFUSED /test.sock. ' +
        'Start it, or correct its address.',
    );
  });

  it('has another remedy if the user may not use the engine', () => {
    const cause = new EngineError('connect EACCES /test.sock', { code: 'EACCES' });
    assert.match(engineUnreachable(engine.route, cause).message, /Allow this user to use it/);
  });

  it('names the image that needs an engine, and all ways to get one', () => {
    const { problem, message } = engineMissing('registry.example/worker:1');
    assert.equal(problem, 'engineMissing');
    assert.match(message, /^the image registry\.example\/worker:1 needs a container engine.*DOCKER_HOST.*"x-local"/);
    assert.match(engineMissing().message, /^images need a container engine.*DOCKER_HOST\)\.$/);
  });

  it('of another kind is not changed', () => {
    const error = new Error('aborted');
    assert.equal(startFailure(engine, error), error);
  });

  it('tells whether the engine refused to limit the disk', () => {
    const refused = (text: string) => isDiskLimitRefused(new EngineError(text, { status: 500 }));
    assert.ok(refused("--storage-opt is supported only for overlay over xfs with 'pquota' mount option"));
    assert.ok(!refused('no such image: worker:1'));
    assert.ok(!isDiskLimitRefused(new Error('--storage-opt')));
  });
});
