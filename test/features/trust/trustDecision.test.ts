import assert from 'node:assert/strict';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import {
  decideTrust,
  processOf,
  processOfChange,
  type Act,
  type Circumstances,
} from '../../../src/features/trust/trustDecision.ts';

const process = { directory: '/work', command: 'python3 handler.py', environment: [] };
const base: Circumstances = { trusted: true, platform: 'other', agreed: false };
const kind = (act: Act, circumstances: Partial<Circumstances>) => decideTrust(act, { ...base, ...circumstances }).kind;

describe('what may be done in a workspace', () => {
  for (const platform of ['own', 'other', undefined] as const) {
    const where = platform === undefined ? 'before a connection is chosen' : `on the ${platform} platform`;
    it(`is nothing from its files while it is not trusted, ${where}`, () => {
      const circumstances = { trusted: false, platform, agreed: true };
      assert.equal(kind({ source: 'workspaceFile', process: undefined }, circumstances), 'refuse');
      assert.equal(kind({ source: 'workspaceFile', process }, circumstances), 'refuse');
    });

    it(`is no command while it is not trusted, be it typed, ${where}`, () => {
      assert.equal(kind({ source: 'typed', process }, { trusted: false, platform, agreed: true }), 'refuse');
    });

    it(`is what a person types and runs no command, trusted or not, ${where}`, () => {
      assert.equal(kind({ source: 'typed', process: undefined }, { trusted: false, platform }), 'allow');
      assert.equal(kind({ source: 'typed', process: undefined }, { trusted: true, platform }), 'allow');
    });
  }

  it('includes a command on the own local platform', () => {
    assert.equal(kind({ source: 'workspaceFile', process }, { platform: 'own' }), 'allow');
  });

  it('is asked about before the first command on any other platform, with what would run', () => {
    for (const source of ['workspaceFile', 'typed'] as const)
      assert.deepEqual(decideTrust({ source, process }, base), { kind: 'ask', process });
    assert.equal(kind({ source: 'workspaceFile', process }, { agreed: true }), 'allow');
  });

  it('is not asked about where nothing runs as a process', () => {
    assert.equal(kind({ source: 'workspaceFile', process: undefined }, {}), 'allow');
  });
});

describe('the command of a process', () => {
  it('is told by image, args, entrypoint and cmd', () => {
    assert.deepEqual(processOf({ image: 'process:/work', args: 'python3 handler.py' }), process);
    assert.deepEqual(processOf({ image: 'process:/work', entrypoint: ['python3'], cmd: ['handler.py'] }), process);
    assert.equal(processOf({ image: 'example/process:1', args: 'a' }), undefined);
    assert.equal(processOf({}), undefined);
  });

  const endpoint = {
    image: 'process:/work',
    args: 'python3 handler.py',
    entrypoint: [],
    cmd: [],
  } as unknown as Endpoint;
  it('is part of a change that replaces what it is started with', () => {
    assert.deepEqual(processOfChange({ args: 'sh' }, endpoint), { ...process, command: 'sh' });
    assert.deepEqual(processOfChange({ image: 'process:/other' }, endpoint), { ...process, directory: '/other' });
    assert.deepEqual(processOfChange({ env: { PYTHONSTARTUP: '/x' } }, endpoint), {
      ...process,
      environment: ['PYTHONSTARTUP'],
    });
  });

  it('is no part of a change that leaves it as it is, or takes it away', () => {
    assert.equal(processOfChange({ workers: { max: 3 } }, endpoint), undefined);
    assert.equal(processOfChange({ image: 'example/a:1' }, endpoint), undefined);
  });
});
