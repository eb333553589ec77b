import assert from 'node:assert/strict';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { getLanguageService, type Diagnostic } from 'yaml-language-server';
import { manifestJsonSchema } from '../../src/contract/manifest.ts';
import { readManifestFile, type ManifestFile } from '../../src/features/manifest/model/manifestFile.ts';
import { report } from './compare.ts';

const LINES = 1_000;
/** Number of keystrokes. The first ones warm up both services and are not measured. */
const KEYSTROKES = 60;
const WARM_UP = 20;

/**
 * Measures a keystroke in a manifest of 1,000 lines until its diagnostics are known. The alternative is yaml-language-server, called as a
 * library with the JSON Schema of a manifest, which lacks the rules that involve several fields.
 */
export async function run(): Promise<void> {
  const versions = Array.from({ length: KEYSTROKES }, (_, index) => manifest('x'.repeat(index)));
  const peer = peerService();
  const ours: number[] = [];
  const alternative: number[] = [];
  for (const [index, text] of versions.entries()) {
    const own = await timed(() => Promise.resolve(check(text)));
    const other = await timed(() => peer(text, index));
    assert.equal(own.result.problems.length, 1, 'the manifest has one problem');
    assert.equal(other.result.length, 1, 'yaml-language-server finds the same problem');
    if (index < WARM_UP) continue;
    ours.push(own.ms);
    alternative.push(other.ms);
  }
  const unit = 'ms';
  report({ name: 'keystroke to diagnostics / yaml-language-server', unit, ours, alternative, note: percentile(ours) });
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
  return `95th percentile ${(sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN).toFixed(1)} ms`;
}

async function timed<Result>(act: () => Promise<Result>): Promise<{ ms: number; result: Result }> {
  const start = performance.now();
  const result = await act();
  return { ms: performance.now() - start, result };
}

/** Returns a function that checks a text with yaml-language-server. */
function peerService(): (text: string, version: number) => Promise<Diagnostic[]> {
  const service = getLanguageService({
    schemaRequestService: () => Promise.reject(new Error('the schema is given')),
    workspaceContext: { resolveRelativePath: (path) => path },
  });
  service.configure({
    validate: true,
    completion: true,
    schemas: [{ uri: 'memory:///endpoint', fileMatch: ['*.endpoint.yaml'], schema: manifestJsonSchema() }],
  });
  return (text, version) =>
    service.doValidation(TextDocument.create('memory:///bench.endpoint.yaml', 'yaml', version, text), false);
}
