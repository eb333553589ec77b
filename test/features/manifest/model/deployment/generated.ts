import fc from 'fast-check';
import { CreateEndpointBody, Endpoint, type UpdateEndpointBody } from '../../../../../src/contract/endpoint.ts';
import { checkHardware } from '../../../../../src/contract/hardwareRules.ts';
import { checkManifest, type Manifest } from '../../../../../src/contract/manifest.ts';
import { createEndpoint, type EndpointRecord } from '../../../../../src/platform/domain/endpoint.ts';
import { endpointAnswer } from '../../../../../src/platform/domain/endpointAnswer.ts';
import { changeEndpoint } from '../../../../../src/platform/domain/endpointChange.ts';
import { HARDWARE_CATALOG } from '../../../../../src/platform/domain/hardwareCatalog.ts';

/* Generated manifests, and their endpoints in the domain of the platform. */

const TARGETS = ['local', 'hosted'] as const;
const addresses = { queueUrl: 'http://q', endpointHost: 'http://h' };
const references = { findTemplate: () => undefined, exists: () => true, mayRunProcesses: true } as never;

const word = fc.constantFrom('a', 'b b', 'c#d', 'true', '12');
const words = fc.array(word, { maxLength: 2 });
const optional: { requiredKeys: [] } = { requiredKeys: [] };
const mounts = fc.uniqueArray(
  fc.record({ volumeId: fc.constantFrom('v1', 'v2', 'v3'), path: fc.constantFrom('/x', '/y') }),
  { maxLength: 2, selector: ({ volumeId }) => volumeId },
);
const scaling = fc.oneof(
  fc.record({ type: fc.constant('QUEUE_DELAY'), queueDelay: fc.constantFrom(1, 4) }),
  fc.record({ type: fc.constant('REQUEST_COUNT'), requestCount: fc.constantFrom(1, 4) }),
);
const settings = {
  name: fc.constantFrom('one', 'two'),
  type: fc.constant('QUEUE'),
  scaling,
  image: fc.constantFrom('example/worker:1', 'example/worker:2', 'process:/srv/a'),
};
const more = fc.record(
  {
    args: fc.constantFrom('', 'a "b b"', '{"entrypoint":["a"],"cmd":["b b"]}'),
    entrypoint: words,
    cmd: words,
    disk: fc.constantFrom(5, 6),
    env: fc.dictionary(fc.constantFrom('A', 'B', '__proto__'), word, { noNullPrototype: true }),
    ports: fc.uniqueArray(fc.constantFrom('80/http', '22/tcp')),
    registry: fc.constantFrom(null, 'r1'),
    dataCenterIds: fc.uniqueArray(fc.constantFrom('EU-RO-1', 'US-IL-1')),
    flashboot: fc.constantFrom('OFF', 'FLASHBOOT'),
    networkVolumes: fc.uniqueArray(fc.constantFrom('v1', 'v2')),
    mounts: fc.record({ network: mounts, global: mounts }, optional),
    timeout: fc.constantFrom(1, 300_000),
    workers: fc.record(
      { min: fc.constantFrom(0, 1), max: fc.constantFrom(2, 3), idleTimeout: fc.constantFrom(10, 11) },
      optional,
    ),
    'x-local': fc
      .tuple(
        fc.option(
          fc.record({ directory: fc.constantFrom('a', '.'), command: fc.constantFrom('a "b b"', ['a', 'b b']) }),
        ),
        fc.record({ gpu: fc.constant('ignore'), inputSchema: fc.constant('input.schema.json') }, optional),
      )
      .map(([program, others]) => ({ ...program, ...others })),
  },
  optional,
);
const hardware = (family: 'gpu' | 'cpu') =>
  family === 'gpu'
    ? fc.record({
        gpu: fc.record(
          {
            pools: fc.constantFrom(['ADA_24'], ['ADA_24', 'AMPERE_24']),
            excludedTypes: fc.constantFrom(['NVIDIA GeForce RTX 4090'], []),
            count: fc.constantFrom(1, 2),
            allowedCudaVersions: fc.constantFrom([], ['12.4', '12.6'], ['12.6', '12.4']),
            minCudaVersion: fc.constantFrom('12.4'),
          },
          { requiredKeys: ['pools'] },
        ),
      })
    : fc.record({
        cpu: fc.constantFrom(
          [{ id: 'cpu3c', vcpuCount: 2 }],
          [
            { id: 'cpu5c', vcpuCount: 4 },
            { id: 'cpu3c', vcpuCount: 2 },
          ],
        ),
      });

/** Generates valid manifests with the same kind of hardware. */
export const anyManifest = (family: 'gpu' | 'cpu') =>
  fc
    .tuple(fc.record(settings), more, hardware(family))
    // A parsed manifest has no objects without a prototype.
    .map((parts) => structuredClone(Object.assign({}, ...parts)) as unknown as Manifest)
    .filter((manifest) => TARGETS.every((target) => checkManifest(manifest, { target }).violations.length === 0))
    .filter((manifest) => checkHardware(manifest, HARDWARE_CATALOG).length === 0);

export const pairs = fc
  .constantFrom('gpu' as const, 'cpu' as const)
  .chain((family) =>
    fc.tuple(anyManifest(family), anyManifest(family), fc.constantFrom('local' as const, 'hosted' as const)),
  );

/** Returns the endpoint that a body creates: as the platform stores it, and as it returns it. */
export function created(body: CreateEndpointBody): { readonly record: EndpointRecord; readonly endpoint: Endpoint } {
  const about = { id: 'e1', accountId: 'a1', now: 0, ...(references as object) } as never;
  const record = createEndpoint(CreateEndpointBody.parse(body), about);
  return { record, endpoint: answerOf(record) };
}

/** Changes an endpoint as the platform does. */
export function changed(record: EndpointRecord, body: UpdateEndpointBody): ReturnType<typeof changeEndpoint> {
  return changeEndpoint(record, body, { ...(references as object), current: answerOf(record) } as never);
}

export function answerOf(record: EndpointRecord): Endpoint {
  return Endpoint.parse(endpointAnswer(record, addresses));
}
