import assert from 'node:assert/strict';
import { parseFieldError } from '../../../src/contract/fieldError.ts';
import {
  checkManifest,
  hostedCreateBody,
  localCreateBody,
  Manifest as ManifestSchema,
  violationInManifest,
  type Manifest,
} from '../../../src/contract/manifest.ts';
import { operations } from '../../../src/contract/operations.ts';
import { checkShape } from '../../../src/contract/shapeCheck.ts';
import { fieldError, formatViolation } from '../../../src/contract/violation.ts';
import { checkManifestFile, type ManifestPart } from '../../../src/features/manifest/model/manifestFile.ts';
import type { ManifestProblem } from '../../../src/features/manifest/model/problem.ts';
import { HARDWARE_CATALOG } from '../../../src/platform/domain/hardwareCatalog.ts';
import { cleanUp, platformForTest, type Api, type ErrorBody } from '../../platform/support.ts';
import { corpus, corpusFolder, linesOf, nameOfPart, type Target } from './corpus.ts';

/*
 * Sends each manifest of the corpus to a local platform, which must give the same verdict as the editor. The answers that depend on the
 * data of the account are listed in the `.expected` files, in the lines that start with "platform".
 */

/**
 * Violations for which the editor and the platform have different words. JSON has no number that is not finite, so the request contains
 * null instead.
 */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  '$.disk: expected number, received NaN': '$.disk: expected number, received null',
  '$.disk: expected number, received Infinity': '$.disk: expected number, received null',
  '$.timeout: expected number, received Infinity': '$.timeout: expected number, received null',
};

/** Codes of a text that is not a map. The platform reports the type of the body instead. */
const NOT_A_MAP: readonly ManifestProblem['code'][] = ['emptyFile', 'notAMap'];

interface Verdict {
  readonly status: number;
  /** Violations with the paths of the manifest. */
  readonly errors: readonly string[];
  readonly detail: string;
  /** Violations of the schema of a manifest. */
  readonly misshapen: readonly string[];
}

describe('A manifest of the corpus', () => {
  let api: Api;

  before(async () => {
    ({ api } = await platformForTest());
  });
  after(cleanUp);

  for (const manifest of corpus) {
    const { parsed } = manifest;
    if (parsed.parts.every(({ value }) => value === undefined)) continue;
    it(`gets the same verdict from the editor and the platform: ${manifest.name}`, async () => {
      const found: Record<Target, string[]> = { hosted: [], local: [] };
      for (const target of ['hosted', 'local'] as const) {
        const { parts } = checkManifestFile(parsed, { target, catalog: HARDWARE_CATALOG });
        for (const part of parts) {
          if (part.value === undefined) continue;
          const answers = answersOf(part, target, await send(part.value, target));
          found[target].push(...answers.map((answer) => `platform${nameOfPart(parsed, part)} ${answer}`));
        }
      }
      const actual = linesOf((target) => found[target]);
      assert.deepEqual(actual, manifest.expected('platform', actual));
    });
  }

  it('is checked with the hardware catalog of the platform', async () => {
    const { gpus } = await api.call(operations.listGpuTypes);
    const { cpus } = await api.call(operations.listCpuTypes);
    const { dataCenters } = await api.call(operations.listDataCenters);
    assert.deepEqual(
      gpus.map(({ id, pool, maxCount }) => ({ id, pool, maxCount })),
      HARDWARE_CATALOG.gpus,
    );
    assert.deepEqual(
      cpus.map(({ id, vcpu }) => ({ id, vcpu })),
      HARDWARE_CATALOG.cpus,
    );
    assert.deepEqual(
      dataCenters.map(({ id }) => id),
      HARDWARE_CATALOG.dataCenters.map(({ id }) => id),
    );
  });

  it('is accepted if the account has the resources that it names', async () => {
    const credential = { name: 'corpus', username: 'reader', password: 'secret' };
    const volume = { name: 'data', size: 10, dataCenter: 'EU-RO-1' };
    const existing: Readonly<Record<string, string>> = {
      clx8h2k3f0001l708a9b2c3d4: (await api.call(operations.createRegistry, { body: credential })).id,
      agv6w2qcg7: (await api.call(operations.createNetworkVolume, { body: volume })).id,
      gsb_7h2kq9x4m1w8zc: (await api.call(operations.createGlobalVolume, { body: { name: 'shared' } })).id,
    };
    const named = corpus.filter(({ name }) => /^(145|146|147|148|152)-/.test(name));
    assert.equal(named.length, 5);
    for (const { name, parsed } of named) {
      const text = JSON.stringify(parsed.parts[0]?.value).replace(/[a-z0-9_]+/g, (word) => existing[word] ?? word);
      assert.equal((await send(JSON.parse(text), 'hosted')).status, 201, name);
    }
  });

  /** Sends the create body, or the value itself if it is no manifest. Deletes the created endpoint. */
  async function send(value: unknown, target: Target): Promise<Verdict> {
    const { manifest } = checkManifest(value, { target });
    const misshapen = checkShape(ManifestSchema, value).violations.map(formatViolation);
    const response = await api.fetch(operations.createEndpoint, { body: bodyOf(value, manifest, target) });
    if (response.ok) {
      const { id } = (await response.json()) as { id: string };
      await api.call(operations.deleteEndpoint, { parameters: { id } });
      return { status: response.status, errors: [], detail: '', misshapen };
    }
    const { detail = '', errors = [] } = (await response.json()) as ErrorBody;
    const inFile = errors.map((error) => inManifest(error, manifest, target));
    return { status: response.status, errors: inFile, detail, misshapen };
  }
});

function bodyOf(value: unknown, manifest: Manifest | undefined, target: Target): unknown {
  if (manifest && target === 'local') return localCreateBody(manifest, (directory) => `${corpusFolder}/${directory}`);
  if (manifest) return hostedCreateBody(manifest);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const {
    'x-local': local,
    'x-build': build,
    'x-verify': verify,
    'x-alerts': alerts,
    'x-safety': safety,
    'x-gate': gate,
    'x-environments': environments,
    ...body
  } = value as Record<string, unknown>;
  return body;
}

function inManifest(error: string, manifest: Manifest | undefined, target: Target): string {
  const parsed = parseFieldError(error);
  return manifest && parsed ? formatViolation(violationInManifest(parsed, manifest, target)) : error;
}

/** The platform does not know that the image of a missing reference can be built. */
const IMAGE_MISSING = formatViolation(fieldError(['image'], 'imageMissing', {}));

const ONLY_IN_FILES: readonly unknown[] = ['x-build', 'x-verify', 'x-alerts', 'x-safety', 'x-gate', 'x-environments'];

/** Asserts that both verdicts agree, and returns the answers of the platform that the editor cannot predict. */
function answersOf(
  { problems }: ManifestPart,
  target: Target,
  { status, errors, detail, misshapen }: Verdict,
): string[] {
  const rejecting = problems.filter(({ severity }) => severity === 'error');
  if (rejecting.some(({ code }) => NOT_A_MAP.includes(code))) {
    assert.equal(status, 400);
    return [];
  }
  const predicted = rejecting.flatMap(({ violation, environments }) => {
    // The platform does not get these sections.
    if (!violation || environments || ONLY_IN_FILES.includes(violation.path[0]) || violation.code === 'imageOnlyLocal')
      return [];
    // A hosted platform does not get x-local, and a local one gets what it means only from a manifest that matches the schema.
    if ((target === 'hosted' || misshapen.length > 0) && violation.path[0] === 'x-local') return [];
    if (violation.code === 'imageNotBuilt') return [IMAGE_MISSING];
    // The platform applies further rules only to a body that matches the schema.
    if (misshapen.length > 0 && !misshapen.includes(formatViolation(violation))) return [];
    // The editor replaces references before it sends a body.
    if (violation.code === 'malformedReference') return [];
    const error = formatViolation(violation);
    return [OTHER_WORDS[error] ?? error];
  });
  assert.deepEqual(
    predicted.filter((error) => !errors.includes(error)),
    [],
    'the platform does not report these violations',
  );
  if (predicted.length > 0) assert.equal(status, 400);
  if (status === 201) return [];
  if (errors.length === 0) return [`${status} ${detail}`];
  // The editor counts the violations that it does not show.
  if (rejecting.some(({ code }) => code === 'more')) return [];
  return errors.filter((error) => !predicted.includes(error)).map((error) => `${status} ${error}`);
}
