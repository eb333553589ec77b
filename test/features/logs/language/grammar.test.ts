import assert from 'node:assert/strict';
import { noteLinkIn } from '../../../../src/features/logs/links/noteLinks.ts';
import { LineText, type LineTextOptions } from '../../../../src/features/logs/model/lineText.ts';
import { readLogLine } from '../../../../src/features/logs/model/readLogLine.ts';
import { troubleText } from '../../../../src/features/logs/model/trouble.ts';
import { Grammar } from '../../../support/grammar.ts';

const TAG = { text: '9f3c', color: 'tag1' } as const;
const ALL: readonly LineTextOptions[] = (['local', 'utc', 'off'] as const).flatMap((timestamps) => [
  { timestamps },
  { timestamps, prefix: TAG },
]);
/** Returns a line in each form, with and without a valid time. */
const inEachForm = (write: (text: LineText, at: number) => { readonly text: string }): string[] =>
  ALL.flatMap((options) => [Date.now(), NaN].map((at) => lastLine(write(new LineText(options), at).text)));
const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';

describe('the grammar of logs', () => {
  let grammar: Grammar;
  before(async () => {
    grammar = await Grammar.read('log.tmLanguage.json');
  });
  const groups = (name: string, line: string, index?: number) => grammar.pattern(name, index).exec(line)?.slice(1);

  it('has valid rules', () => grammar.assertValid());

  it('recognizes every form of a line of the host', () => {
    for (const line of inEachForm((text, at) => text.line(readLogLine({ line: 'x', source: 'system', ts: '' }), at)))
      assert.equal(groups('system', line)?.[3], '[system]', line);
  });

  it('recognizes every form of a line of the extension', () => {
    for (const line of inEachForm((text, at) => text.note('connected', at)))
      assert.equal(groups('note', line)?.[3], '[following] connected', line);
    for (const line of inEachForm((text, at) =>
      text.note(troubleText({ sentence: 'The disk is full.' }), at, 'trouble'),
    )) {
      assert.equal(groups('trouble', line)?.[3], '[trouble]', line);
      assert.equal(line.slice(noteLinkIn(line)?.start), 'Explain This Endpoint', line);
    }
  });

  it('recognizes dates, times, and tags', () => {
    assert.ok(grammar.pattern('date').test('2026-11-22'));
    assert.ok(!grammar.pattern('date').test('2026-11-22 10:00'));
    assert.deepEqual(groups('start', '10:42:05.123Z 9f3c │ x', 0), ['10:42:05.123Z', '9f3c', '│']);
    assert.deepEqual(groups('start', '10:42:05.123 x │ y z', 0), ['10:42:05.123', 'x', '│']);
    assert.deepEqual(groups('start', '10:42:05.123 a b │ c', 0), ['10:42:05.123', undefined, undefined]);
    assert.deepEqual(groups('start', '9f3c │ x', 1), ['9f3c', '│']);
  });

  it('never matches empty text at the start, which would end the tokens of the line', () => {
    for (const index of [0, 1]) assert.equal(grammar.pattern('start', index).exec('text'), null);
    for (const name of ['date', 'trouble', 'note', 'system', 'sdk'])
      assert.equal(grammar.pattern(name).exec('text'), null, name);
  });

  it('recognizes the level and the request of the worker SDK', () => {
    assert.deepEqual(groups('sdk', 'INFO  [0b9f3c1e] Started.'), [
      undefined,
      'INFO',
      undefined,
      undefined,
      '[0b9f3c1e]',
    ]);
    assert.equal(groups('sdk', '10:42:05.123 ERROR [0b9f3c1e] x')?.[4], '[0b9f3c1e]');
    assert.equal(groups('sdk', '10:42:05.123 INFO no request'), undefined);
  });

  it('recognizes level words', () => {
    const levelOf = (text: string) => grammar.namesIn('level', text).map((name) => /^token\.(\w+)/.exec(name)?.[1]);
    assert.deepEqual(levelOf('ERROR: x'), ['error']);
    assert.deepEqual(levelOf('[warn] x'), ['warn']);
    assert.deepEqual(levelOf('level=info x'), ['info']);
    assert.deepEqual(levelOf('TRACE x'), ['debug']);
    assert.deepEqual(levelOf('ERRORS, an error, information'), []);
  });

  it('recognizes the lines of tracebacks', () => {
    const [python, node, exception] = [1, 2, 3];
    assert.deepEqual(groups('trace', '  File "/app/main.py", line 3, in run', python), [
      ...['File', '"/app/main.py"', 'line 3', 'run'],
    ]);
    assert.deepEqual(groups('trace', '    at async run (file:///app/a.mjs:3:1)', node), [
      ...['at', 'async', 'run', 'file:///app/a.mjs:3:1'],
    ]);
    assert.deepEqual(groups('trace', '    at node:internal/a:3:1', node), [
      'at',
      undefined,
      undefined,
      'node:internal/a:3:1',
    ]);
    assert.ok(grammar.pattern('trace', exception).test('torch.cuda.OutOfMemoryError: x'));
    assert.ok(!grammar.pattern('trace', exception).test('no Error here'));
  });

  it('recognizes addresses, paths, JSON, and quantities', () => {
    const first = (name: string, text: string, index?: number) => grammar.pattern(name, index).exec(text)?.[0];
    assert.equal(first('url', 'see https://a.example/b?c=d.'), 'https://a.example/b?c=d');
    assert.equal(first('path', 'in ./a/b.py:3:1, x'), './a/b.py:3:1');
    assert.equal(first('path', 'in C:\\a\\b.txt'), 'C:\\a\\b.txt');
    assert.equal(first('path', 'and/or 1/2'), undefined);
    assert.equal(first('file', 'at src/main.rs:2:5:'), 'src/main.rs:2:5');
    assert.equal(first('key', '{"a": 1}'), '"a":');
    assert.equal(first('string', 'say "a \\" b" now', 0), '"a \\" b"');
    assert.equal(first('string', "isn't, aren't", 1), undefined);
    assert.equal(first('number', 'took 1.5 ms'), '1.5');
    assert.equal(first('number', 'v1.5 10:00 3 items'), undefined);
  });
});
