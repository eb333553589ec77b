import assert from 'node:assert/strict';
import { outline, type OutlineSymbol } from '../../../../../src/features/manifest/model/reading/outline.ts';
import { halfTyped, parsed, samples } from '../samples.ts';

const line = (symbols: readonly OutlineSymbol[], depth = 0): string[] =>
  symbols.flatMap(({ name, detail, kind, children }) => [
    `${'  '.repeat(depth)}${kind} ${name}${detail && ` = ${detail}`}`,
    ...line(children, depth + 1),
  ]);

const expected = `string name = hello
string type = QUEUE
map scaling
  string type = QUEUE_DELAY
  number queueDelay = 4
string image = ghcr.io/example/hello:1
map env
  string TOKEN
  string LEVEL
map gpu
  list pools
    string ADA_24
    string AMPERE_24
  number count = 2
map mounts
  list network
    map n1
      string volumeId = n1
      string path = /data
list dataCenterIds
  string EU-RO-1
number timeout = 300000
map x-local
  string directory = hello
  string command = node handler.mjs`;

describe('outline', () => {
  for (const [language, text] of samples)
    it(`lists the fields of ${language}, without the values of environment variables`, () => {
      assert.equal(line(outline(parsed(text, language))).join('\n'), expected);
    });

  it('has a root for each endpoint of a file with several', () => {
    const text = '# first\nname: a\ntype: QUEUE\n---\ntype: LOAD_BALANCER\n---\njust text\n';
    const symbols = outline(parsed(text));
    assert.deepEqual(line(symbols), [
      'endpoint a = QUEUE',
      '  string name = a',
      '  string type = QUEUE',
      'endpoint Endpoint 2 = LOAD_BALANCER',
      '  string type = LOAD_BALANCER',
      'endpoint Endpoint 3',
    ]);
    assert.equal(text.slice(symbols[0]?.start, symbols[0]?.end), 'name: a\ntype: QUEUE');
  });

  it('marks deprecated fields, but not others of that name', () => {
    const text = 'networkVolumes: [a]\nenv: {networkVolumes: x, constructor: y}\n';
    const [volumes, env] = outline(parsed(text));
    assert.deepEqual([volumes?.deprecated, env?.children.map(({ deprecated }) => deprecated)], [true, [false, false]]);
  });

  it('has no empty name', () => {
    const names = [parsed('{"": 1, " ": [""]}', 'json'), parsed('"": 1\n? \n: x\n')].flatMap((file) =>
      line(outline(file)),
    );
    assert.equal(names.length, 5);
    for (const name of names) assert.match(name.trim(), /^\w+ \S/);
  });

  it('does not enter an alias', () => {
    assert.deepEqual(line(outline(parsed('gpu: &g {count: 1}\ncpu: *g\n'))), [
      'map gpu',
      '  number count = 1',
      'map cpu',
    ]);
  });

  it('keeps every entry inside its parent in half-typed texts', () => {
    const check = (symbols: readonly OutlineSymbol[], start: number, end: number, text: string): void => {
      for (const symbol of symbols) {
        assert.ok(symbol.start >= start && symbol.end <= end && symbol.start <= symbol.end, text);
        assert.ok(symbol.selection.start >= symbol.start && symbol.selection.end <= symbol.end, text);
        assert.notEqual(symbol.name, '', text);
        check(symbol.children, symbol.start, symbol.end, text);
        count++;
      }
    };
    let count = 0;
    for (const file of halfTyped()) check(outline(file), 0, file.text.length, file.text);
    assert.ok(count > 100);
  });
});
