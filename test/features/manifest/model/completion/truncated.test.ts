import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { completionsAt } from '../../../../../src/features/manifest/model/completion/completionsAt.ts';
import { hoverAt } from '../../../../../src/features/manifest/model/reading/hover.ts';
import { parseManifestFile } from '../../../../../src/features/manifest/model/text/parse.ts';
import type { ManifestLanguage } from '../../../../../src/features/manifest/model/text/node.ts';
import { withCompletion } from './atCursor.ts';
import { live } from './liveSample.ts';

const sample = (name: string): string =>
  readFileSync(new URL(`../../../../../samples/${name}/hello.endpoint.yaml`, import.meta.url), 'utf8');

const queue = sample('hello-queue');
const balanced = sample('hello-balanced');
/** Uses every style of YAML. */
const mixed = `name: 'x y'
type: QUEUE
scaling: { type: QUEUE_DELAY, queueDelay: 4 }
gpu:
  pools: [ADA_24,
    AMPERE_80]
  allowedCudaVersions:
  - '12.4'
mounts: &mounts
  network:
    - volumeId: vol_1
      path: /data
env: {A: b}
args: >-
  python
  handler.py
---
name: "second"
type: LOAD_BALANCER
# end
cpu: [{id: cpu3c, vcpuCount: 2}]
`;

const files: Record<string, [text: string, language: ManifestLanguage]> = {
  'a YAML manifest': [queue, 'yaml'],
  'a load-balanced YAML manifest': [balanced, 'yaml'],
  'several YAML documents': [mixed, 'yaml'],
  'a YAML manifest with Windows line ends': [mixed.replaceAll('\n', '\r\n'), 'yaml'],
  'a JSON manifest': [JSON.stringify(parse(queue), null, 2), 'json'],
  'a JSON manifest with tabs': [JSON.stringify(parse(balanced), null, '\t'), 'json'],
  'a JSON manifest on one line': [JSON.stringify(parse(queue)), 'json'],
};

/** Distance between the offsets at which every completion is accepted. */
const STRIDE = 3;

describe('completion and hover in half-typed text', () => {
  for (const [name, [text, language]] of Object.entries(files)) {
    it(`work in ${name}, cut at each offset`, () => {
      for (let offset = 0; offset <= text.length; offset++) checkAt(text.slice(0, offset), offset, language);
    });

    it(`work in ${name}, at each offset`, () => {
      for (let offset = 0; offset <= text.length; offset++) checkAt(text, offset, language);
    });
  }
});

/** Asserts that a text without syntax errors has none after any completion at the offset. */
function checkAt(text: string, offset: number, language: ManifestLanguage): void {
  const file = parseManifestFile(text, language);
  hoverAt(file, offset, live);
  const offered = completionsAt(file, offset, live);
  if (offset % STRIDE > 0 || !isWellFormed(text, language)) return;
  for (const completion of offered) {
    const changed = withCompletion(text, completion);
    const place = `${completion.label} at ${JSON.stringify(`${text.slice(0, offset)}|${text.slice(offset)}`)}`;
    assert.ok(isWellFormed(changed, language), `${place} gives ${JSON.stringify(changed)}`);
  }
}

function isWellFormed(text: string, language: ManifestLanguage): boolean {
  return parseManifestFile(text, language).parts.every(({ problems }) => problems.length === 0);
}
