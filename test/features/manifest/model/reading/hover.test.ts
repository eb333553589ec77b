import assert from 'node:assert/strict';
import { hoverAt, type ManifestHover } from '../../../../../src/features/manifest/model/reading/hover.ts';
import { parseManifestFile } from '../../../../../src/features/manifest/model/text/parse.ts';
import { marked } from '../completion/atCursor.ts';
import { live } from '../completion/liveSample.ts';

interface Found {
  /** The described text. */
  readonly on: string;
  readonly text: string;
}

function hover(source: string): Found | undefined {
  const { text, offset, language } = marked(source);
  const found: ManifestHover | undefined = hoverAt(parseManifestFile(text, language), offset, live);
  return found && { on: text.slice(found.start, found.end), text: found.markdown.source };
}

describe('hover over a manifest', () => {
  it('describes a field at its name', () => {
    for (const source of ['workers:\n  idle|Timeout: 5\n', '{"workers": {"idle|Timeout": 5}}']) {
      const found = hover(source);
      assert.match(found?.on ?? '', /^"?idleTimeout"?$/);
      assert.match(found?.text ?? '', /^\*\*workers\\\.idleTimeout\*\* · integer · s\n/);
    }
  });

  it('describes the settings for the local platform', () => {
    for (const source of ['x-local:\n  gp|u: ignore\n', '{"x-local": {"gp|u": "ignore"}}'])
      assert.match(hover(source)?.text ?? '', /^\*\*x\\-local\\\.gpu\*\*[^]*run without GPUs/, source);
    assert.match(hover('x-lo|cal:\n  gpu: ignore\n')?.text ?? '', /Not sent to any other platform/);
  });

  it('describes the field of the selected alternative', () => {
    assert.match(hover('scaling:\n  type: QUEUE_DELAY\n  queue|Delay: 4\n')?.text ?? '', /· required\n|required with/);
    assert.equal(hover('scaling:\n  type: REQUEST_COUNT\n  queue|Delay: 4\n'), undefined);
  });

  it('shows a duration in larger units', () => {
    const found = hover('timeout: 30|0000\n');
    assert.equal(found?.on, '300000');
    assert.match(found.text, /^`300000 ms` = 5 min\n\n---\n\n/);
  });

  it('shows the facts of live values', () => {
    const cases: Record<string, RegExp> = {
      'gpu:\n  pools: [ADA|_24]\n': /RTX 4090 \| 24 GB/,
      '{"gpu": {"pools": ["ADA|_24"]}}': /RTX 4090 \| 24 GB/,
      'cpu:\n  - id: cpu|3c\n': /Compute/,
      'cpu:\n  - id: cpu3c\n    vcpuCount: |4\n': /\*\*4 vCPUs\*\*/,
      'dataCenterIds:\n  - EU-|RO-1\n': /Romania 1/,
      'templateId: tpl|_1\n': /vLLM worker/,
      'registry: reg|_1\n': /Docker Hub/,
      'mounts:\n  network:\n    - volumeId: vol|_1\n': /models/,
    };
    for (const [source, expected] of Object.entries(cases)) assert.match(hover(source)?.text ?? '', expected, source);
  });

  it('describes the list of an unknown item', () => {
    const found = hover('gpu:\n  pools: [OTH|ER]\n');
    assert.equal(found?.on, 'OTHER');
    assert.match(found.text, /^\*\*gpu\\\.pools\*\*/);
  });

  it('describes the variables of a manifest at each variable', () => {
    assert.match(hover('env:\n  TOK|EN: x\n')?.text ?? '', /^\*\*env\*\*/);
  });

  it('works in every document, and in text with syntax errors', () => {
    assert.match(hover('name: a\n---\nty|pe: QUEUE\n')?.text ?? '', /^\*\*type\*\*/);
    assert.match(hover('ports: [\nty|pe: QUEUE\n')?.text ?? '', /^\*\*type\*\*/);
  });

  it('shows nothing outside the contract', () => {
    for (const source of ['# na|me\nname: x\n', 'unk|nown: 1\n', 'name: x\n|\n', '|', 'a: &a 1\nb: *|a\n', '{|}'])
      assert.equal(hover(source), undefined, source);
  });
});
