import assert from 'node:assert/strict';
import fc from 'fast-check';
import { checkCreateEndpoint } from '../../../../../src/contract/endpointRules.ts';
import { CreateEndpointBody, Endpoint } from '../../../../../src/contract/endpoint.ts';
import { checkHardware } from '../../../../../src/contract/hardwareRules.ts';
import { checkManifest, type Manifest } from '../../../../../src/contract/manifest.ts';
import { bodyOf } from '../../../../../src/features/manifest/actions/compareWithDeployed.ts';
import { pullManifest } from '../../../../../src/features/manifest/actions/pullManifest.ts';
import { compareWithEndpoint } from '../../../../../src/features/manifest/model/deployment/compare.ts';
import { applyChanges } from '../../../../../src/features/manifest/model/editing/textChanges.ts';
import { readManifestFile } from '../../../../../src/features/manifest/model/manifestFile.ts';
import { createEndpoint } from '../../../../../src/platform/domain/endpoint.ts';
import { endpointAnswer } from '../../../../../src/platform/domain/endpointAnswer.ts';
import { changeEndpoint } from '../../../../../src/platform/domain/endpointChange.ts';
import { HARDWARE_CATALOG } from '../../../../../src/platform/domain/dataCenters.ts';
import { styledText } from '../editing/styledText.ts';

const literal = (text: string) => text;
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
const manifestOf = (family: 'gpu' | 'cpu') =>
  fc
    .tuple(fc.record(settings), more, hardware(family))
    // A parsed manifest has no objects without a prototype.
    .map((parts) => structuredClone(Object.assign({}, ...parts)) as unknown as Manifest)
    .filter((manifest) => TARGETS.every((target) => checkManifest(manifest, { target }).violations.length === 0))
    .filter((manifest) => checkHardware(manifest, HARDWARE_CATALOG).length === 0);

const pairs = fc
  .constantFrom('gpu' as const, 'cpu' as const)
  .chain((family) =>
    fc.tuple(manifestOf(family), manifestOf(family), fc.constantFrom('local' as const, 'hosted' as const)),
  );

function created(body: CreateEndpointBody) {
  const about = { id: 'e1', accountId: 'a1', now: 0, ...(references as object) } as never;
  const record = createEndpoint(CreateEndpointBody.parse(body), about);
  return { record, endpoint: Endpoint.parse(endpointAnswer(record, addresses)) };
}

describe('Any two manifests', () => {
  it('are in sync after an update of the endpoint of one from the other, with a valid body', () => {
    fc.assert(
      fc.property(pairs, ([file, other, target]) => {
        const wanted = bodyOf(file, { target, folder: '/srv' });
        fc.pre(checkCreateEndpoint(wanted).length === 0);
        const { record, endpoint } = created(bodyOf(other, { target, folder: '/srv' }));
        const { body, refused } = compareWithEndpoint(wanted, endpoint, literal);
        assert.deepEqual(refused, []);
        const changed = changeEndpoint(record, body, { ...(references as object), current: endpoint } as never);
        const after = Endpoint.parse(endpointAnswer(changed.endpoint, addresses));
        assert.deepEqual(compareWithEndpoint(wanted, after, literal).changes, []);
        assert.deepEqual(compareWithEndpoint(wanted, after, literal).body, {});
      }),
      { numRuns: 500 },
    );
  });

  it('are in sync with their own endpoints', () => {
    fc.assert(
      fc.property(pairs, ([file, , target]) => {
        const body = bodyOf(file, { target, folder: '/srv' });
        assert.deepEqual(compareWithEndpoint(body, created(body).endpoint, literal).changes, []);
      }),
      { numRuns: 300 },
    );
  });

  it('are in sync after a pull of the endpoint of one into the text of the other', () => {
    const styled = pairs.chain(([file, other, target]) =>
      fc.tuple(styledText(file), fc.constant(other), fc.constant(target)),
    );
    fc.assert(
      fc.property(styled, ([{ text, language }, other, target]) => {
        const file = readManifestFile(text, { language, target });
        const manifest = file.parts[0]?.manifest;
        fc.pre(manifest !== undefined);
        const surroundings = { target, folder: '/srv' };
        const { endpoint } = created(bodyOf(other, surroundings));
        const comparison = compareWithEndpoint(bodyOf(manifest, surroundings), endpoint, literal);
        const pulled = applyChanges(
          text,
          pullManifest({ file, part: 0, comparison, hidden: [], ...surroundings }).changes,
        );
        const after = readManifestFile(pulled, { language, target });
        const written = after.parts[0]?.manifest;
        assert.ok(written, `${pulled}\n${JSON.stringify(after.problems)}`);
        assert.deepEqual(compareWithEndpoint(bodyOf(written, surroundings), endpoint, literal).changes, []);
      }),
      { numRuns: 100 },
    );
  });
});
