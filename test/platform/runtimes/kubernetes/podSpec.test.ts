import assert from 'node:assert/strict';
import { labelValue } from '../../../../src/platform/runtimes/kubernetes/podIdentity.ts';
import { imageOf, podOf, pullSecret } from '../../../../src/platform/runtimes/kubernetes/podSpec.ts';
import { StartError } from '../../../../src/platform/runtimes/runtime.ts';
import type { RunSpec } from '../../../../src/platform/runtimes/runSpec.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;
const SPEC: RunSpec = {
  labels: { owner: 'o', endpointId: 'e', workerId: 'w', runId: 'r' },
  protocol: { url: 'http://127.0.0.1:1/worker', token: 'secret' },
  ...{ image: 'example/worker:1', entrypoint: [], cmd: [], env: {}, mounts: [], ports: [80] },
  resources: { gpus: 0 },
};
const SETTINGS = {
  ...{ name: 'worker-1', protocolUrl: 'http://10.0.0.1:2/worker', image: SPEC.image },
  ...{ pullPolicy: 'Always' as const, nodeLossSeconds: 30 },
};
const podWith = (changes: Partial<RunSpec>, settings: object = {}) => {
  const { spec } = podOf({ ...SPEC, ...changes }, { ...SETTINGS, ...settings });
  const container = spec?.containers[0];
  assert.ok(spec && container);
  return { spec, container };
};

describe('The pod of a worker', () => {
  it('runs once, without access to the cluster and without additional privileges', () => {
    const { spec, container } = podWith({});
    assert.equal(spec.restartPolicy, 'Never');
    assert.equal(spec.automountServiceAccountToken, false);
    assert.equal(spec.enableServiceLinks, false);
    const { allowPrivilegeEscalation, capabilities, seccompProfile } = container.securityContext ?? {};
    assert.deepEqual([allowPrivilegeEscalation, seccompProfile], [false, { type: 'RuntimeDefault' }]);
    assert.deepEqual([capabilities?.drop, capabilities?.add?.includes('NET_RAW')], [['ALL'], false]);
    assert.deepEqual(
      spec.tolerations?.map(({ tolerationSeconds }) => tolerationSeconds),
      [30, 30],
    );
  });

  it('keeps the command and the variables literally, and the parts of the image that the endpoint does not set', () => {
    const { container } = podWith({ cmd: ['$(HOME)', '$$', '$5'], env: { PRICE: '$(A)' } });
    assert.equal(container.command, undefined);
    assert.deepEqual(container.args, ['$$(HOME)', '$$$$', '$$5']);
    assert.equal(container.env?.find(({ name }) => name === 'PRICE')?.value, '$$(A)');
    assert.deepEqual(podWith({ entrypoint: ['/run'] }).container.command, ['/run']);
  });

  it('connects its worker to the gate', () => {
    const { container } = podWith({});
    const url = container.env?.find(({ name }) => name === 'RUNPOD_WEBHOOK_GET_JOB')?.value ?? '';
    assert.ok(url.startsWith('http://10.0.0.1:2/worker/'));
    assert.deepEqual(container.ports, [{ containerPort: 80 }]);
  });

  it('requests its limits', () => {
    const { container } = podWith({ resources: { vcpu: 0.5, memoryGb: 1.5, gpus: 2, diskGb: 5 } });
    const limits = { cpu: '500m', memory: '1536Mi', 'ephemeral-storage': '5120Mi', 'nvidia.com/gpu': '2' };
    assert.deepEqual(container.resources, { limits, requests: limits });
    assert.deepEqual(podWith({}).container.resources, { limits: {}, requests: {} });
  });

  it('mounts directories of the claim', () => {
    const volumeClaim = { name: 'data', directory: '/data' };
    const mounts = [{ directory: '/data/volumes/v1', path: '/mnt' }];
    const { spec, container } = podWith({ mounts }, { volumeClaim });
    assert.deepEqual(container.volumeMounts, [{ name: 'volumes', mountPath: '/mnt', subPath: 'volumes/v1' }]);
    assert.deepEqual(spec.volumes, [{ name: 'volumes', persistentVolumeClaim: { claimName: 'data' } }]);
    assert.throws(() => podWith({ mounts }), /--kube-volume-claim NAME/);
    const elsewhere = { volumeClaim: { name: 'data', directory: '/other' } };
    assert.throws(() => podWith({ mounts }, elsewhere), /is not in \/other.*Correct --kube-volume-claim/);
  });

  it('has valid labels for every ID', () => {
    assert.equal(labelValue('abc-1_2.3'), 'abc-1_2.3');
    for (const text of ['-a', 'a_', 'a/b', '', 'a'.repeat(64)]) assert.match(labelValue(text), /^[0-9a-f]{63}$/);
    assert.notEqual(labelValue('-a'), labelValue('-b'));
  });
});

describe('The image of a pod', () => {
  it('is written like that of the endpoint, with the digest of the first worker instead of the tag', () => {
    assert.equal(imageOf({ image: 'worker:1' }), 'worker:1');
    assert.equal(imageOf({ image: 'worker:1', pinned: DIGEST }), `worker@${DIGEST}`);
    assert.equal(imageOf({ image: 'team/worker', pinned: DIGEST }), `team/worker@${DIGEST}`);
    assert.equal(imageOf({ image: 'localhost:5000/worker:1', pinned: DIGEST }), `localhost:5000/worker@${DIGEST}`);
    assert.equal(imageOf({ image: `ghcr.io/a/b:1@sha256:${'1'.repeat(64)}`, pinned: DIGEST }), `ghcr.io/a/b@${DIGEST}`);
  });

  it('selects the key of the credentials in a secret', () => {
    const credentials = { username: 'me', password: 'p' };
    const keysOf = (image: string): string[] => {
      const { data } = pullSecret('s', image, { labels: {}, credentials });
      const config = Buffer.from(data?.['.dockerconfigjson'] ?? '', 'base64').toString();
      return Object.keys((JSON.parse(config) as { auths: object }).auths);
    };
    assert.deepEqual(keysOf('localhost:5000/worker'), ['localhost:5000']);
    for (const image of ['team/worker', 'worker:1', 'docker.io/team/worker', 'index.docker.io/team/worker'])
      assert.deepEqual(keysOf(image), ['https://index.docker.io/v1/'], image);
    assert.throws(() => keysOf('worker:'), StartError);
  });
});
