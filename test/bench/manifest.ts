import assert from 'node:assert/strict';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { getLanguageService } from 'yaml-language-server';
import { manifestJsonSchema } from '../../src/contract/manifest.ts';
import { completionsAt } from '../../src/features/manifest/model/completion/completionsAt.ts';
import {
  parseManifestFile,
  readManifestFile,
  type ManifestFile,
} from '../../src/features/manifest/model/manifestFile.ts';
import { report } from './compare.ts';

const LINES = 1_000;
/** Number of keystrokes. The first ones warm up both services and are not measured. */
const KEYSTROKES = 60;
const WARM_UP = 20;

/**
 * Measures a keystroke in a manifest of 1,000 lines until its diagnostics are known, and then a completion at the same place. Both services
 * begin with the text of a new version. The alternative is yaml-language-server, called as a library with the JSON Schema of a manifest. It
 * lacks the rules that involve several fields, and the values of the connection.
 */
export async function run(): Promise<void> {
  const versions = Array.from({ length: KEYSTROKES }, (_, index) => manifest('x'.repeat(index)));
  const peer = peerService();
  const diagnostics = { ours: [] as number[], alternative: [] as number[] };
  const completion = { ours: [] as number[], alternative: [] as number[] };
  for (const [index, text] of versions.entries()) {
    const offset = text.indexOf('FAST');
    const own = await timed(() => Promise.resolve(check(text)));
    const ownItems = await timed(() => Promise.resolve(completionsAt(parseManifestFile(text, 'yaml'), offset, {})));
    const other = await timed(() => peer.diagnostics(text, 2 * index));
    const otherItems = await timed(() => peer.completion(text, 2 * index + 1, offset));
    assert.equal(own.result.problems.length, 1, 'the manifest has one problem');
    assert.equal(other.result.length, 1, 'yaml-language-server finds the same problem');
    assert.ok(ownItems.result.length > 0 && otherItems.result.items.length > 0, 'both complete the value');
    if (index < WARM_UP) continue;
    diagnostics.ours.push(own.ms);
    diagnostics.alternative.push(other.ms);
    completion.ours.push(ownItems.ms);
    completion.alternative.push(otherItems.ms);
  }
  for (const [name, times] of Object.entries({ diagnostics, completion })) {
    const note = `95th percentile ${percentile(times.ours)}, alternative ${percentile(times.alternative)}`;
    report({ name: `keystroke to ${name} / yaml-language-server`, unit: 'ms', ...times, note });
  }
}

/** Checks a version as the editor does. Debouncing adds 10 ms in the editor. */
function check(text: string): ManifestFile {
  return readManifestFile(text, { language: 'yaml', target: 'hosted' });
}

function manifest(typed: string): string {
  const head = [
    'name: bench',
    'type: QUEUE',
    'image: example/bench:1',
    'scaling: { type: QUEUE_DELAY, queueDelay: 4 }',
    'cpu: [{ id: cpu3c, vcpuCount: 2 }]',
    `flashboot: ${typed}FAST`,
    'env:',
  ];
  const variable = (_: unknown, index: number) => `  VARIABLE_${index}: "value ${index}" # why it has this value`;
  return [...head, ...Array.from({ length: LINES - head.length }, variable), ''].join('\n');
}

function percentile(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  return `${(sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN).toFixed(1)} ms`;
}

async function timed<Result>(act: () => Promise<Result>): Promise<{ ms: number; result: Result }> {
  const start = performance.now();
  const result = await act();
  return { ms: performance.now() - start, result };
}

/** Calls yaml-language-server. Each version of the text needs its own number, because the service caches by it. */
function peerService() {
  const service = getLanguageService({
    schemaRequestService: () => Promise.reject(new Error('the schema is given')),
    workspaceContext: { resolveRelativePath: (path) => path },
  });
  service.configure({
    validate: true,
    completion: true,
    schemas: [{ uri: 'memory:///endpoint', fileMatch: ['*.endpoint.yaml'], schema: manifestJsonSchema() }],
  });
  const documentOf = (text: string, version: number) =>
    TextDocument.create('memory:///bench.endpoint.yaml', 'yaml', version, text);
  return {
    diagnostics: (text: string, version: number) => service.doValidation(documentOf(text, version), false),
    completion: (text: string, version: number, offset: number) => {
      const document = documentOf(text, version);
      return service.doComplete(document, document.positionAt(offset), false);
    },
  };
}
