import assert from 'node:assert/strict';
import { snippetFile } from '../../scripts/docs/snippets.ts';
import type { ManifestLanguage } from '../../src/features/manifest/model/text/node.ts';
import { readOne } from '../features/manifest/model/readOne.ts';

/** Returns the text that a snippet inserts if the user accepts every default. */
function inserted(body: readonly string[]): string {
  return body
    .join('\n')
    .replaceAll(/\$\{\d+:((?:\\.|[^}\\])*)\}/g, '$1')
    .replaceAll(/\\([\\$}])/g, '$1');
}

const BASES: Readonly<Record<ManifestLanguage, Readonly<Record<string, string>>>> = {
  yaml: {
    name: 'name: a',
    type: 'type: QUEUE',
    scaling: 'scaling: {type: REQUEST_COUNT, requestCount: 1}',
    image: 'image: a',
    gpu: 'gpu: {pools: [ADA_24]}',
  },
  json: {
    name: '"name": "a",',
    type: '"type": "QUEUE",',
    scaling: '"scaling": {"type": "REQUEST_COUNT", "requestCount": 1},',
    image: '"image": "a",',
    gpu: '"gpu": {"pools": ["ADA_24"]},',
  },
};

/** Returns a manifest with the fields of a snippet, and other fields that complete it. */
function completed(text: string, prefix: string, language: ManifestLanguage): string {
  if (prefix.startsWith('endpoint-')) return text;
  const { scaling, ...others } = BASES[language];
  // Idle timeouts apply only to queues that scale on delay.
  const delay =
    language === 'yaml'
      ? 'scaling: {type: QUEUE_DELAY, queueDelay: 1}'
      : '"scaling": {"type": "QUEUE_DELAY", "queueDelay": 1},';
  const missing = prefix.startsWith('scaling') ? [] : [prefix === 'workers' ? delay : scaling];
  const lines = [...Object.values(others), ...missing, text].join('\n');
  return language === 'json' ? `{${lines}}` : lines;
}

describe('Snippets', () => {
  for (const language of ['yaml', 'json'] as const)
    for (const [title, { prefix, body }] of Object.entries(snippetFile(language)))
      it(`insert a valid ${title} in ${language}`, () => {
        const text = completed(inserted(body), prefix, language);
        const { problems } = readOne(text, { language, target: 'hosted' });
        assert.deepEqual(problems, [], text);
      });

  it('have the same prefixes in both formats, each one once', () => {
    const prefixes = (language: ManifestLanguage) => Object.values(snippetFile(language)).map(({ prefix }) => prefix);
    assert.deepEqual(prefixes('json'), prefixes('yaml'));
    assert.equal(new Set(prefixes('yaml')).size, prefixes('yaml').length);
  });
});
