import assert from 'node:assert/strict';
import type { ContainerState, Pod, PodStatus } from 'kubernetes-types/core/v1.js';
import { EngineError } from '../../../../src/machine/engine/engineApi.ts';
import { pullFailure, requestFailure } from '../../../../src/platform/runtimes/kubernetes/podFailure.ts';
import { podState, pulledDigest } from '../../../../src/platform/runtimes/kubernetes/podState.ts';

const ATTEMPT = { image: 'worker:1', hasCredentials: false };
const DELETED = '2026-01-01T00:00:00Z';

function podWith(status: PodStatus, state?: ContainerState, deletionTimestamp?: string): Pod {
  const container = { name: 'worker', image: '', imageID: '', ready: state?.running !== undefined, restartCount: 0 };
  return {
    metadata: { ...(deletionTimestamp && { deletionTimestamp }) },
    spec: { nodeName: 'n1', containers: [] },
    status: { ...status, ...(state && { containerStatuses: [{ ...container, state }] }) },
  };
}

const stateOf = (pod: Pod, hasRun = false) => podState(pod, ATTEMPT, hasRun);
const condition = (type: string, status: string, rest: object = {}) => ({ type, status, ...rest });
const ended = (exitCode: number, rest: object = {}) =>
  stateOf(podWith({ phase: 'Failed' }, { terminated: { exitCode, ...rest } }), true);

describe('The state of a pod', () => {
  it('tells the progress of a start', () => {
    assert.deepEqual(stateOf(podWith({ phase: 'Pending' })), { kind: 'pending', progress: undefined });
    const message = '0/3 nodes are available: 3 Insufficient cpu.';
    const unscheduled = podWith({ phase: 'Pending', conditions: [condition('PodScheduled', 'False', { message })] });
    assert.deepEqual(stateOf(unscheduled), { kind: 'pending', progress: { kind: 'noPlace', reason: message } });
    const scheduled = { phase: 'Pending', conditions: [condition('PodScheduled', 'True')] };
    const creating = podWith(scheduled, { waiting: { reason: 'ContainerCreating' } });
    assert.deepEqual(stateOf(creating), { kind: 'pending', progress: { kind: 'pulling' } });
  });

  it('tells the exit, its signal, and its reason', () => {
    assert.deepEqual(ended(3), { kind: 'ended', exit: { code: 3, signal: null } });
    assert.deepEqual(ended(143), { kind: 'ended', exit: { code: null, signal: 'SIGTERM' } });
    const exit = { code: null, signal: 'SIGKILL', reason: 'outOfMemory' };
    assert.deepEqual(ended(137, { reason: 'OOMKilled' }), { kind: 'ended', exit });
  });

  it('tells an eviction, even if it has lost the state of its container', () => {
    const evicted = (message: string) => stateOf(podWith({ phase: 'Failed', reason: 'Evicted', message }), true);
    const unknown = { code: null, signal: null };
    const node = 'The node was low on resource: memory.';
    assert.deepEqual(evicted(node), { kind: 'ended', exit: { ...unknown, reason: 'evicted' } });
    const disk = 'Pod ephemeral local storage usage exceeds the total limit of containers 5Gi.';
    assert.deepEqual(evicted(disk), { kind: 'ended', exit: { ...unknown, reason: 'outOfDisk' } });
  });

  it('tells a command that could not run from one that ended', () => {
    const state = ended(127, { reason: 'ContainerCannotRun', message: 'exec: "/x": no such file' });
    assert.ok(state.kind === 'failed');
    assert.equal(state.error.problem, 'badCommand');
    assert.match(state.error.message, /^the command of the worker cannot run in worker:1: exec: .*Check entrypoint/);
  });

  it('tells a node that refused the pod', () => {
    const refused = stateOf(podWith({ phase: 'Failed', reason: 'OutOfcpu', message: 'Node had no room.' }));
    assert.ok(refused.kind === 'failed');
    assert.match(refused.error.message, /refused the pod \(OutOfcpu\): Node had no room\./);
  });

  it('tells a node that does not report from a worker that is not ready', () => {
    const running = { running: { startedAt: DELETED } };
    const conditions = (ready: string, containers: string) => ({
      ...{ phase: 'Running', conditions: [condition('Ready', ready), condition('ContainersReady', containers)] },
    });
    const silentOf = (status: PodStatus) => {
      const state = stateOf(podWith(status, running), true);
      return state.kind === 'running' ? state.silent : state.kind;
    };
    assert.equal(silentOf(conditions('True', 'True')), undefined);
    assert.equal(silentOf(conditions('False', 'False')), undefined);
    assert.match(silentOf(conditions('False', 'True')) ?? '', /node n1 does not report/);
    assert.equal(silentOf({ phase: 'Running', reason: 'NodeLost' }), 'lost');
  });
});

describe('The digest of the image of a pod', () => {
  const DIGEST = `sha256:${'0'.repeat(64)}`;

  it('is part of the ID that its node reports', () => {
    assert.equal(pulledDigest(`docker-pullable://worker@${DIGEST}`), DIGEST);
    assert.equal(pulledDigest(`ghcr.io/team/worker@${DIGEST}`), DIGEST);
  });

  it('is unknown for an image that only the node has', () => {
    assert.equal(pulledDigest(`docker://${DIGEST}`), undefined);
    assert.equal(pulledDigest(undefined), undefined);
  });
});

describe('A failed start on a cluster', () => {
  it('is classified by the message of the node, and by whether there were credentials', () => {
    const problemOf = (message: string, hasCredentials = false) =>
      pullFailure(message, { image: 'i', hasCredentials }).problem;
    const denied = 'pull access denied for i, repository does not exist or may require authorization';
    assert.equal(problemOf(denied), 'credentialsMissing');
    assert.equal(problemOf(denied, true), 'credentialsRefused');
    const containerd = 'failed to resolve reference "r/i:2": r/i:2: not found';
    assert.equal(problemOf(containerd), 'imageNotFound');
    assert.equal(problemOf('manifest for i:2 not found: manifest unknown'), 'imageNotFound');
    assert.equal(problemOf('toomanyrequests: You have reached your pull rate limit.'), 'rateLimited');
    assert.equal(problemOf('no matching manifest for linux/arm64 in the manifest list entries'), 'wrongPlatform');
    assert.equal(problemOf('dial tcp: lookup r on 10.0.0.1:53: no such host'), 'registryUnreachable');
    assert.equal(problemOf('write /var/lib/x: no space left on device'), 'noSpace');
    assert.equal(problemOf('Back-off pulling image "i"'), undefined);
  });

  it('is classified by the status of the request, with the remedy', () => {
    const at = { server: 'https://k', namespace: 'team' };
    const failureOf = (status: number | undefined, message: string) =>
      requestFailure(new EngineError(message, { ...(status !== undefined && { status }) }), at);
    assert.equal(failureOf(undefined, 'https://k does not respond').problem, 'engineUnreachable');
    assert.match(failureOf(401, 'Unauthorized').message, /does not accept the credentials.*Log in again/);
    assert.match(failureOf(403, 'pods is forbidden').message, /refuses access: pods is forbidden.*permissions/);
    assert.match(failureOf(403, 'exceeded quota: q').message, /namespace team has no room.*Raise its quota/);
    assert.match(failureOf(404, 'not found').message, /namespace team does not exist.*--kube-namespace/);
    assert.match(failureOf(422, 'Pod is invalid').message, /refuses the pod: 422: Pod is invalid/);
  });
});
