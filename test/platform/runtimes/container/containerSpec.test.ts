import assert from 'node:assert/strict';
import { createBody, type ContainerPlan } from '../../../../src/platform/runtimes/container/containerSpec.ts';
import type { EngineFeatures } from '../../../../src/platform/runtimes/container/engineLink.ts';
import type { RunSpec } from '../../../../src/platform/runtimes/runSpec.ts';
import { StartError } from '../../../../src/platform/runtimes/runtime.ts';

const docker: EngineFeatures = {
  ...{ engine: 'Docker', remoteHost: undefined, cpus: 4, memory: 2 ** 33, isRootless: false, isVirtual: false },
  ...{ limitsCpu: true, limitsMemory: true, limitsSwap: true },
};
const podman: EngineFeatures = { ...docker, engine: 'Podman' };

const spec: RunSpec = {
  labels: { owner: 'owner', endpointId: 'endpoint1', workerId: 'worker1', runId: 'run1' },
  protocol: { url: 'http://127.0.0.1:1/worker/v2', token: 'secret' },
  ...{ image: 'worker:1', entrypoint: [], cmd: [], env: {}, mounts: [], ports: [], resources: { gpus: 0 } },
};

const network = { name: 'cloud-compute-endpoint1', gateway: '192.0.2.1' };

function bodyOf(
  changes: Partial<RunSpec> = {},
  features = docker,
  limitsDisk = true,
  planned: Partial<ContainerPlan> = {},
) {
  const plan = { image: 'sha256:1', protocolUrl: 'http://192.0.2.1:2/worker/v2', features, network, limitsDisk };
  const body = createBody({ ...spec, ...changes }, { ...plan, ...planned });
  return { body, host: body.HostConfig ?? {} };
}

describe('The specification of a container', () => {
  it('limits CPUs, memory, and disk where the engine can', () => {
    const resources = { gpus: 0, vcpu: 8, memoryGb: 2, diskGb: 5 };
    const { host } = bodyOf({ resources });
    assert.deepEqual([host.NanoCpus, host.Memory, host.MemorySwap], [4e9, 2 ** 31, 2 ** 31]);
    assert.deepEqual(host.StorageOpt, { size: '5G' });
    const weak = { ...docker, limitsCpu: false, limitsMemory: false, limitsSwap: false };
    const { host: unlimited } = bodyOf({ resources }, weak, false);
    const limits = [unlimited.NanoCpus, unlimited.Memory, unlimited.MemorySwap, unlimited.StorageOpt];
    assert.deepEqual(limits, [undefined, undefined, undefined, undefined]);
  });

  it('limits the log of the engine, which Docker follows without gaps only with its driver local', () => {
    const { LogConfig: ofDocker } = bodyOf().host;
    assert.deepEqual(
      [ofDocker?.Type, ofDocker?.Config?.['max-size'], ofDocker?.Config?.['max-file']],
      ['local', '16m', '3'],
    );
    const { LogConfig: ofPodman } = bodyOf({}, podman).host;
    assert.deepEqual([ofPodman?.Type, ofPodman?.Config], ['json-file', { 'max-size': '16m' }]);
  });

  it('gives no privileges, and an init process', () => {
    const { host } = bodyOf();
    assert.deepEqual([host.Init, host.SecurityOpt, host.Privileged], [true, ['no-new-privileges'], undefined]);
  });

  it('drops all capabilities, except those that programs need for their own files and users', () => {
    const { CapDrop: drop, CapAdd: add } = bodyOf().host;
    assert.deepEqual(drop, ['ALL']);
    assert.deepEqual(add?.toSorted(), [
      ...['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'NET_BIND_SERVICE', 'SETGID', 'SETUID'],
    ]);
    const allowed = bodyOf({}, docker, true, { capabilities: ['SYS_PTRACE', 'CHOWN'] }).host.CapAdd ?? [];
    assert.deepEqual([allowed.length, allowed.includes('SYS_PTRACE')], [9, true]);
  });

  it('limits processes, and joins the network of its endpoint', () => {
    const { host } = bodyOf();
    assert.deepEqual([host.PidsLimit, host.NetworkMode], [2048, network.name]);
  });

  it('limits CPUs and memory to a part of the machine if the hardware has no limits', () => {
    const { host } = bodyOf({ resources: { gpus: 0, defaultShare: 0.5 } });
    assert.deepEqual([host.NanoCpus, host.Memory, host.MemorySwap], [2e9, 2 ** 32, 2 ** 32]);
    const own = bodyOf({ resources: { gpus: 0, vcpu: 4, memoryGb: 6, defaultShare: 0.5 } }).host;
    assert.deepEqual([own.NanoCpus, own.Memory], [4e9, 6 * 2 ** 30]);
    const unknown = { ...docker, cpus: Infinity, memory: Infinity };
    const { NanoCpus: cpus, Memory: memory } = bodyOf({ resources: { gpus: 0, defaultShare: 0.5 } }, unknown).host;
    assert.deepEqual([cpus, memory], [undefined, undefined]);
  });

  it('has the token of the worker in its key, and in no address', () => {
    const variables = bodyOf().body.Env ?? [];
    assert.deepEqual(
      variables.filter((variable) => variable.includes('secret')),
      ['RUNPOD_AI_API_KEY=secret'],
    );
  });

  it('publishes ports on the loopback interface only, unless the engine is on another machine', () => {
    const ports = { ports: [80, 80, 8080] };
    const local = [{ HostIp: '127.0.0.1', HostPort: '' }];
    assert.deepEqual(bodyOf(ports).host.PortBindings, { '80/tcp': local, '8080/tcp': local });
    const remote = bodyOf(ports, { ...docker, remoteHost: 'engine.example' }).host.PortBindings;
    assert.deepEqual(remote?.['80/tcp'], [{ HostIp: '', HostPort: '' }]);
  });

  it('names the machine of the engine: the gateway, or what Docker has for virtual machines', () => {
    const byGateway = ['host.docker.internal:192.0.2.1'];
    const byDocker = ['host.docker.internal:host-gateway'];
    const withoutGateway = { network: { ...network, gateway: undefined } };
    for (const [engine, second] of [
      [docker, byDocker],
      [podman, []],
    ] as const) {
      assert.deepEqual(bodyOf({}, engine).host.ExtraHosts, byGateway);
      assert.deepEqual(bodyOf({}, { ...engine, remoteHost: 'engine.example' }).host.ExtraHosts, byGateway);
      assert.deepEqual(bodyOf({}, { ...engine, isRootless: true }).host.ExtraHosts, second);
      assert.deepEqual(bodyOf({}, { ...engine, isVirtual: true }).host.ExtraHosts, second);
      assert.deepEqual(bodyOf({}, engine, true, withoutGateway).host.ExtraHosts, second);
    }
  });

  it('keeps the command of the image, unless the endpoint sets one', () => {
    const { body: own } = bodyOf();
    assert.ok(!('Entrypoint' in own) && !('Cmd' in own));
    const { body } = bodyOf({ entrypoint: ['python'], cmd: ['handler.py'] });
    assert.deepEqual([body.Entrypoint, body.Cmd], [['python'], ['handler.py']]);
  });

  it('has no secret in its labels', () => {
    const { body } = bodyOf();
    assert.doesNotMatch(JSON.stringify(body.Labels), /secret/);
    assert.match(JSON.stringify(body.Env), /http:\/\/192\.0\.2\.1:2\/worker\/v2\/endpoint1\/job-take/);
  });

  it('requests the assigned GPUs from Docker, and none from Podman, which would ignore the request', () => {
    const resources = { gpus: 2, gpuDevices: ['GPU-a', 'GPU-b'] };
    const [request] = bodyOf({ resources }).host.DeviceRequests ?? [];
    assert.deepEqual([request?.DeviceIDs, request?.Capabilities], [['GPU-a', 'GPU-b'], [['gpu']]]);
    assert.equal(bodyOf({ resources: { gpus: 2 } }).host.DeviceRequests?.[0]?.Count, 2);
    assert.throws(
      () => bodyOf({ resources }, podman),
      (error) => error instanceof StartError && error.problem === 'noGpu',
    );
  });

  it('has no GPUs if none are assigned, even on an engine that grants them to each container, unless the endpoint overrides it', () => {
    const environmentFor = (changes: Partial<RunSpec>) => bodyOf(changes).body.Env ?? [];
    const resources = { gpus: 0, gpuDevices: [] };
    assert.equal(bodyOf({ resources }).host.DeviceRequests, undefined);
    assert.ok(environmentFor({ resources }).includes('NVIDIA_VISIBLE_DEVICES=void'));
    const own = environmentFor({ resources, env: { NVIDIA_VISIBLE_DEVICES: '0' } });
    assert.deepEqual(
      own.filter((variable) => variable.startsWith('NVIDIA')),
      ['NVIDIA_VISIBLE_DEVICES=0'],
    );
    const unmanaged = environmentFor({ resources: { gpus: 0 } });
    assert.deepEqual(
      unmanaged.filter((variable) => variable.startsWith('NVIDIA')),
      [],
    );
  });
});
