import { LONGEST_MANIFEST } from '../../../../src/features/manifest/model/text/bounds.ts';
import { folds } from '../../../../src/features/manifest/model/reading/folding.ts';
import { formatJson } from '../../../../src/text/formatJson.ts';
import { imagePage, manifestLinks } from '../../../../src/features/manifest/model/reading/links.ts';
import { inlayHints } from '../../../../src/features/manifest/model/reading/inlayHints.ts';
import type { LiveValues } from '../../../../src/account/liveValues/liveValues.ts';
import { outline } from '../../../../src/features/manifest/model/reading/outline.ts';
import type { ParsedFile } from '../../../../src/features/manifest/model/text/node.ts';
import { selectionSpans } from '../../../../src/features/manifest/model/reading/selection.ts';
import { assertLinear, UP_TO_1_MIB } from '../../../support/growth.ts';
import { parsed } from './samples.ts';

/** Longer manifests are rejected. */
const UP_TO_64_KIB = [LONGEST_MANIFEST / 16, LONGEST_MANIFEST / 4, LONGEST_MANIFEST - 64];

const many = Array.from({ length: 5_000 }, (_, index) => ({ id: `n${index}`, name: `name ${index}` }));
const values: LiveValues = {
  registries: many,
  networkVolumes: many.map((entry) => ({ ...entry, size: 10, dataCenter: 'EU-RO-1', type: 'STANDARD' })),
};

const services: Readonly<Record<string, (file: ParsedFile) => unknown>> = {
  folds,
  outline,
  manifestLinks,
  inlayHints: ({ text, parts }) => inlayHints(parts, values, { start: 0, end: text.length }),
  selectionSpans: (file) => selectionSpans(file, file.text.length - 1),
};

const worst: Readonly<Record<string, { readonly head?: string; readonly body: string }>> = {
  fields: { body: 'a: 1\n' },
  'blank lines': { head: 'a: 1', body: '\n' },
  'long strings': { head: 'a: |\n', body: ' x\n\n' },
  'strings with number signs': { body: 'a: |\n  # b\n# c\n' },
  comments: { body: '# a\n' },
  volumes: { head: 'networkVolumes:\n', body: '- n4999\n' },
  pools: { head: 'gpu:\n  pools:\n', body: '  - A\n' },
  flavors: { head: 'cpu:\n', body: '- {id: a, vcpuCount: 2}\n' },
};

for (const [service, run] of Object.entries(services))
  describe(`${service} takes linear time`, () => {
    for (const [name, { head = '', body }] of Object.entries(worst))
      it(`for ${name}`, () =>
        assertLinear(UP_TO_64_KIB, (size) => parsed(head + body.repeat((size - head.length) / body.length)), run));
  });

describe('formatJson takes linear time', () => {
  const format = (text: string) => formatJson(text, { tabSize: 2, insertSpaces: true, eol: '\n' });
  for (const body of ['"a":1,', '\n', '// a\n', '1', '"'])
    it(`for ${JSON.stringify(body)}`, () =>
      assertLinear(UP_TO_1_MIB, (size) => `{${body.repeat(size / body.length)}`, format));
});

describe('imagePage takes linear time', () => {
  for (const body of ['a', 'a-', 'a/', 'a.', '-', '_', ':1', '@'])
    it(`for ${body}`, () => assertLinear(UP_TO_1_MIB, (size) => `a${body.repeat(size / body.length)}!`, imagePage));
});
