import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { repository } from '../../scripts/editor/build.ts';
import { containerConfig, DATA_MOUNT, PORT, PROGRAM_DIRECTORY, USER_ID } from '../../scripts/image/imageConfig.ts';
import { NOTICES, PLATFORM_PROGRAMS } from '../../scripts/image/imageFiles.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { readFlags } from '../../src/platform/daemon/flags.ts';
import { podLabels } from '../../src/platform/runtimes/kubernetes/podIdentity.ts';

/* The files agree with the program. test/kubernetes/deployment.test.ts runs the deployment. */

const text = (file: string): Promise<string> => readFile(path.join(repository, file), 'utf8');

describe('deploy/Dockerfile', () => {
  let dockerfile: string;
  before(async () => (dockerfile = await text('deploy/Dockerfile')));

  const argumentOf = (instruction: string): string =>
    new RegExp(`^${instruction} (.*)$`, 'm').exec(dockerfile)?.[1] ?? '';
  const listOf = (instruction: string): string[] => JSON.parse(argumentOf(instruction)) as string[];

  it('has the settings of the image that npm run build:image builds', () => {
    const { Env: _, Healthcheck, ...config } = containerConfig;
    assert.deepEqual(config, {
      User: argumentOf('USER'),
      Entrypoint: listOf('ENTRYPOINT'),
      Cmd: listOf('CMD'),
      WorkingDir: argumentOf('WORKDIR'),
      ExposedPorts: { [`${argumentOf('EXPOSE')}/tcp`]: {} },
      Volumes: Object.fromEntries(listOf('VOLUME').map((directory) => [directory, {}])),
    });
    const seconds = (ns: number): string => `${ns / 1e9}s`;
    const { Test, Interval, Timeout, StartPeriod } = Healthcheck;
    const options = `--interval=${seconds(Interval)} --timeout=${seconds(Timeout)} --start-period=${seconds(StartPeriod)}`;
    const command = JSON.stringify(Test.slice(1)).replaceAll('","', '", "');
    assert.equal(argumentOf('HEALTHCHECK'), `${options} CMD ${command}`);
  });

  it('copies the platform to its directory, and gives the volume to its user', () => {
    // The pattern selects the modules that programs share. Other files of the build have no such names.
    const copied = [...PLATFORM_PROGRAMS, '*-????????.js', NOTICES].join(' ');
    assert.ok(dockerfile.includes(`COPY ${copied} ${PROGRAM_DIRECTORY}/\n`));
    assert.ok(dockerfile.includes(`--owner ${USER_ID} --group ${USER_ID} ${DATA_MOUNT}\n`));
  });
});

/** Port of the worker gate in the deployment. */
const WORKER_PORT = 8788;

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Deployment {
  readonly spec: {
    readonly replicas: number;
    readonly strategy: { readonly type: string };
    readonly template: { readonly spec: PodSpec };
  };
}

interface Service {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly ports: readonly { readonly name: string; readonly port: number; readonly targetPort: string }[];
  };
}

interface PodSpec {
  readonly securityContext: object;
  readonly containers: readonly [
    {
      readonly image: string;
      readonly args: readonly string[];
      readonly env: readonly { readonly name: string }[];
      readonly ports: readonly object[];
      readonly startupProbe: Probe;
      readonly readinessProbe: Probe;
      readonly livenessProbe: Probe;
      readonly volumeMounts: readonly object[];
    },
  ];
}

describe('deploy/kubernetes', () => {
  let deployment: Deployment['spec'];
  before(async () => {
    deployment = (parse(await text('deploy/kubernetes/deployment.yaml')) as Deployment).spec;
  });

  it('runs the version of this repository', async () => {
    const { version } = JSON.parse(await text('package.json')) as { version: string };
    const kustomization = parse(await text('deploy/kubernetes/kustomization.yaml')) as {
      images: readonly { name: string; newTag: string }[];
    };
    const [container] = deployment.template.spec.containers;
    const image = kustomization.images.find(({ name }) => name === container.image);
    assert.equal(image?.newTag, version);
  });

  it('passes valid flags, whose variables it defines', async () => {
    const { args, env } = deployment.template.spec.containers[0];
    const values: Record<string, string> = { POD_IP: '10.0.0.7', PUBLIC_URL: 'https://compute.example.com' };
    const flags = readFlags(args.map((arg) => arg.replace(/\$\((\w+)\)/g, (_, name: string) => values[name] ?? '')));
    assert.deepEqual(env.map(({ name }) => name).sort(), Object.keys(values).sort());
    assert.equal(flags.engine.runtime, 'kubernetes');
    assert.equal(flags.engine.workerHost, values['POD_IP']);
    assert.equal(flags.engine.workerPort, WORKER_PORT);
    assert.deepEqual(deployment.template.spec.containers[0].ports[1], { name: 'workers', containerPort: WORKER_PORT });
    const service = parse(await text('deploy/kubernetes/service.yaml')) as Service;
    const [port] = service.spec.ports.filter(({ name }) => name === 'workers');
    assert.equal(flags.engine.kubeWorkerUrl?.host, `${service.metadata.name}:${port?.port}`);
    assert.equal(port?.targetPort, 'workers');
    assert.ok(flags.keepWorkers);
    assert.equal(flags.publicUrl?.origin, values['PUBLIC_URL']);
    assert.ok(flags.createApiKey);
    assert.equal(flags.port, PORT);
    assert.equal(flags.dataDir, `${DATA_MOUNT}/platform`);
  });

  it('never runs two platforms on the data', () => {
    assert.equal(deployment.replicas, 1);
    assert.equal(deployment.strategy.type, 'Recreate');
  });

  it('probes the health of the platform on its port', () => {
    const { startupProbe, readinessProbe, livenessProbe, ports } = deployment.template.spec.containers[0];
    assert.deepEqual(ports[0], { name: 'http', containerPort: PORT });
    for (const { httpGet } of [startupProbe, readinessProbe, livenessProbe])
      assert.deepEqual(httpGet, { path: controlOperations.getHealth.path, port: 'http' });
  });

  it('runs as the user of the image', () => {
    assert.deepEqual(deployment.template.spec.securityContext, {
      ...{ runAsNonRoot: true, runAsUser: USER_ID, runAsGroup: USER_ID, fsGroup: USER_ID },
      ...{ fsGroupChangePolicy: 'OnRootMismatch', seccompProfile: { type: 'RuntimeDefault' } },
    });
  });
});

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string }[];
}

interface Rule {
  readonly from?: readonly { readonly podSelector?: Selector }[];
  readonly to?: readonly { readonly podSelector?: Selector }[];
  readonly ports?: readonly { readonly port: number }[];
}

interface NetworkPolicy {
  readonly spec: {
    readonly podSelector: Selector;
    readonly policyTypes: readonly string[];
    readonly ingress: readonly Rule[];
    readonly egress?: readonly Rule[];
  };
}

describe('deploy/kubernetes-isolated', () => {
  let workers: NetworkPolicy['spec'];
  let platform: NetworkPolicy['spec'];
  before(async () => {
    const policies = parseAllDocuments(await text('deploy/kubernetes-isolated/network-policy.yaml'));
    const [first, second] = policies.map((document) => document.toJS() as NetworkPolicy);
    assert.ok(first && second);
    [workers, platform] = [first.spec, second.spec];
  });

  it('selects workers by a label of all of them', () => {
    const { podSelector, policyTypes } = workers;
    const labels = podLabels({ owner: 'owner', endpointId: 'endpoint1', workerId: 'worker1', runId: 'run1' });
    const [key] = podSelector.matchExpressions ?? [];
    assert.deepEqual(key, { key: 'cloud-compute/owner', operator: 'Exists' });
    assert.ok('cloud-compute/owner' in labels);
    assert.deepEqual(policyTypes, ['Ingress', 'Egress']);
  });

  it('lets workers reach the worker gate, and not the port of the platform', () => {
    const { egress = [] } = workers;
    const toPlatform = egress.filter(({ to = [] }) => to.some(({ podSelector }) => podSelector?.matchLabels));
    assert.deepEqual(
      toPlatform.map(({ ports }) => ports?.map(({ port }) => port)),
      [[WORKER_PORT]],
    );
    const operators = platform.ingress.map(({ from = [], ports = [] }) => [
      from[0]?.podSelector?.matchExpressions?.[0]?.operator,
      ...ports.map(({ port }) => port),
    ]);
    assert.deepEqual(operators, [
      ['DoesNotExist', PORT],
      ['Exists', WORKER_PORT],
    ]);
  });
});
