import assert from 'node:assert/strict';
import { exitOf } from '../../../../src/platform/runtimes/container/containerState.ts';
import { UNKNOWN_EXIT } from '../../../../src/platform/runtimes/exitStatus.ts';

describe('The exit of a container', () => {
  it('has the code of the program', () => {
    assert.deepEqual(exitOf({ ExitCode: 0 }), { code: 0, signal: null });
    assert.deepEqual(exitOf({ ExitCode: 3, OOMKilled: false }), { code: 3, signal: null });
  });

  it('has the signal that ended the program', () => {
    assert.deepEqual(exitOf({ ExitCode: 128 + 15 }), { code: null, signal: 'SIGTERM' });
    assert.deepEqual(exitOf({ ExitCode: 128 + 9 }), { code: null, signal: 'SIGKILL' });
    assert.deepEqual(exitOf({ ExitCode: 128 + 11 }), { code: null, signal: 'SIGSEGV' });
  });

  it('has the code if no signal has its number', () => {
    assert.deepEqual(exitOf({ ExitCode: 128 }), { code: 128, signal: null });
    assert.deepEqual(exitOf({ ExitCode: 255 }), { code: 255, signal: null });
  });

  it('names a lack of memory, unless the worker succeeded', () => {
    const outOfMemory = { reason: 'outOfMemory' };
    assert.deepEqual(exitOf({ ExitCode: 137, OOMKilled: true }), { code: null, signal: 'SIGKILL', ...outOfMemory });
    assert.deepEqual(exitOf({ ExitCode: 1, OOMKilled: true }), { code: 1, signal: null, ...outOfMemory });
    assert.deepEqual(exitOf({ ExitCode: 0, OOMKilled: true }), { code: 0, signal: null });
  });

  it('is unknown if the engine does not know the code', () => {
    assert.deepEqual(exitOf({ Status: 'dead' }), UNKNOWN_EXIT);
  });
});
