import assert from 'node:assert/strict';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import {
  decideTrust,
  processOf,
  processOfChange,
  notAgreed,
  withAgreement,
  type Act,
  type Circumstances,
} from '../../../src/account/consent/trustDecision.ts';

const process = { directory: '/work', command: 'python3 handler.py', environment: [] };
const base: Circumstances = { trusted: true, platform: 'other', agreed: false };
const kind = (act: Act, circumstances: Partial<Circumstances>) => decideTrust(act, { ...base, ...circumstances }).kind;

describe('workspace trust', () => {
  for (const platform of ['own', 'other', undefined] as const) {
    const where = platform === undefined ? 'before a connection is chosen' : `on platform "${platform}"`;
    it(`refuses actions from files of an untrusted workspace ${where}`, () => {
      const circumstances = { trusted: false, platform, agreed: true };
      assert.equal(kind({ source: 'workspaceFile', process: undefined }, circumstances), 'refuse');
      assert.equal(kind({ source: 'workspaceFile', process }, circumstances), 'refuse');
    });

    it(`refuses typed commands in an untrusted workspace ${where}`, () => {
      assert.equal(kind({ source: 'typed', process }, { trusted: false, platform, agreed: true }), 'refuse');
    });

    it(`allows typed actions without a command, in trusted and untrusted workspaces, ${where}`, () => {
      assert.equal(kind({ source: 'typed', process: undefined }, { trusted: false, platform }), 'allow');
      assert.equal(kind({ source: 'typed', process: undefined }, { trusted: true, platform }), 'allow');
    });
  }

  it('refuses to send values of references in an untrusted workspace', () => {
    const act: Act = { source: 'typed', process: undefined, references: [{ kind: 'secret', name: 'TOKEN' }] };
    assert.equal(kind(act, { trusted: false }), 'refuse');
    assert.equal(kind({ ...act, references: [] }, { trusted: false }), 'allow');
    assert.equal(kind(act, {}), 'allow');
  });

  it('allows commands on your own local platform in a trusted workspace', () => {
    assert.equal(kind({ source: 'workspaceFile', process }, { platform: 'own' }), 'allow');
  });

  it('asks with the command before the first one on any other platform', () => {
    for (const source of ['workspaceFile', 'typed'] as const)
      assert.deepEqual(decideTrust({ source, process }, base), { kind: 'ask', process });
    assert.equal(kind({ source: 'workspaceFile', process }, { agreed: true }), 'allow');
  });

  it('does not ask when nothing runs as a process', () => {
    assert.equal(kind({ source: 'workspaceFile', process: undefined }, {}), 'allow');
  });
});

describe('the command of a process', () => {
  it('comes from image, args, entrypoint, and cmd', () => {
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
  it('is returned for a change of the command, the image, or the environment', () => {
    assert.deepEqual(processOfChange({ args: 'sh' }, endpoint), { ...process, command: 'sh' });
    assert.deepEqual(processOfChange({ image: 'process:/other' }, endpoint), { ...process, directory: '/other' });
    assert.deepEqual(processOfChange({ env: { PYTHONSTARTUP: '/x' } }, endpoint), {
      ...process,
      environment: ['PYTHONSTARTUP'],
    });
  });

  it('is undefined for a change that keeps the command or removes the process', () => {
    assert.equal(processOfChange({ workers: { max: 3 } }, endpoint), undefined);
    assert.equal(processOfChange({ image: 'example/a:1' }, endpoint), undefined);
  });
});

const token = { kind: 'secret', name: 'TOKEN' } as const;
const other = { kind: 'env', name: 'TOKEN' } as const;

describe('the consent to send values', () => {
  it('is needed for each name, kind, and connection once', () => {
    assert.deepEqual(notAgreed({}, 'a', [token, other]), [token, other]);
    const agreed = withAgreement({}, 'a', [token]);
    assert.deepEqual(notAgreed(agreed, 'a', [token, other]), [other]);
    assert.deepEqual(notAgreed(agreed, 'b', [token]), [token]);
    assert.deepEqual(notAgreed(withAgreement(agreed, 'a', [other]), 'a', [token, other]), []);
  });

  it('does not apply to a connection with the name of an inherited property', () => {
    assert.deepEqual(notAgreed({}, 'constructor', [token]), [token]);
  });
});
