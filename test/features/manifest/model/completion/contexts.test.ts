import assert from 'node:assert/strict';
import { accepted, completion, completions, labels, marked } from './atCursor.ts';
import { live } from './liveSample.ts';

/** First fields of an endpoint without fields, in their order. */
const FIRST = ['name', 'type', 'scaling'];

const firstThree = (source: string): string[] => labels(source).slice(0, 3);

describe('completion of fields in YAML', () => {
  const cases: Record<string, [source: string, expected: string[]]> = {
    'in a nested map': ['workers:\n  |', ['min', 'max', 'idleTimeout']],
    'in a nested map with more indentation': ['workers:\n      |', ['min', 'max', 'idleTimeout']],
    'in a nested map, before its fields': ['workers:\n  |\n  min: 1\n', ['max', 'idleTimeout']],
    'in a nested map, between its fields': ['workers:\n  min: 1\n  |\n  idleTimeout: 5\n', ['max']],
    'in a nested map, after its fields': ['workers:\n  min: 1\n  |', ['max', 'idleTimeout']],
    'after a dash': ['cpu:\n  - |', ['id', 'vcpuCount']],
    'after a dash without indentation': ['cpu:\n- |', ['id', 'vcpuCount']],
    'in an item of a list': ['cpu:\n  - id: cpu3c\n    |', ['vcpuCount']],
    'in the second item of a list': ['cpu:\n  - id: a\n    vcpuCount: 2\n  - id: b\n    |\n  - id: c\n', ['vcpuCount']],
    'in braces': ['cpu:\n  - { id: cpu3c, | }', ['vcpuCount']],
    'in empty braces': ['workers: {|}', ['min', 'max', 'idleTimeout']],
    'in braces on several lines': ['workers: {\n  min: 1,\n  |\n}\n', ['max', 'idleTimeout']],
    'in braces without an end': ['workers: { min: 1, |\ntype: QUEUE\n', ['max', 'idleTimeout']],
    'at a half-typed name': ['workers:\n  mi|', ['min', 'max', 'idleTimeout']],
    'at a half-typed name above another field': ['workers:\n  mi|\n  max: 3\n', ['min', 'idleTimeout']],
    'at a half-typed name in braces': ['workers: { mi|, max: 1 }', ['min', 'idleTimeout']],
    'in the middle of a name': ['workers:\n  ma|x: 3\n  min: 1\n', ['max', 'idleTimeout']],
    'in a quoted name': ['workers:\n  "mi|"\n', ['min', 'max', 'idleTimeout']],
    'of the alternative that the discriminator selects': ['scaling:\n  type: REQUEST_COUNT\n  |', ['requestCount']],
    'of all alternatives without a discriminator': ['scaling:\n  |', ['type', 'queueDelay', 'requestCount']],
    'after a comment': ['workers:\n  # The workers.\n  |', ['min', 'max', 'idleTimeout']],
    'before a comment': ['workers:\n  |# The workers.', ['min', 'max', 'idleTimeout']],
    'with Windows line ends': ['workers:\r\n  min: 1\r\n  |\r\n  max: 2\r\n', ['idleTimeout']],
    'after a block scalar': [
      'args: |-\n  a\n  b\nworkers:\n  ^'.replace('|', '>').replace('^', '|'),
      ['min', 'max', 'idleTimeout'],
    ],
    'after a quoted scalar on several lines': ['args: "a\n  b: c"\nworkers:\n  |', ['min', 'max', 'idleTimeout']],
    'after a bracket without an end': ['ports: [\nworkers:\n  |', ['min', 'max', 'idleTimeout']],
    'after a quotation without an end': ['name: "x\nworkers:\n  |', ['min', 'max', 'idleTimeout']],
    'below a line with a tab': ['\tname: x\nworkers:\n  |', ['min', 'max', 'idleTimeout']],
    'in the second document': ['workers:\n  min: 1\n---\nworkers:\n  |', ['min', 'max', 'idleTimeout']],
    'next to an alias': ['workers: &w\n  min: 1\nscaling:\n  <<: *w\n  type: REQUEST_COUNT\n  |', ['requestCount']],
    'except for merged fields': ['x-local: &w { min: 1 }\nworkers:\n  <<: *w\n  |', ['max', 'idleTimeout']],
    'with an indented dash of the next item': ['cpu:\n  - id: a\n    |\n  - id: b\n', ['vcpuCount']],
  };
  for (const [name, [source, expected]] of Object.entries(cases))
    it(`offers the missing fields ${name}`, () => assert.deepEqual(labels(source), expected));

  const roots: Record<string, string> = {
    'after a byte order mark': '\uFEFF|',
    'in a file with a comment': '# An endpoint.\n|',
    'after a document mark': '---\n|',
    'in the second document': 'name: a\ntype: QUEUE\n---\n|',
    'after the end of a document': 'name: a\n...\n---\n|\n',
  };
  for (const [name, source] of Object.entries(roots))
    it(`offers a whole endpoint and its fields ${name}`, () =>
      assert.deepEqual(
        labels(source).slice(0, 4),
        ['Serverless endpoint', ...FIRST].toSorted(compareTo(labels(source))),
      ));

  it('offers a whole endpoint in an empty file', () => {
    assert.equal(
      accepted('|', 'Serverless endpoint'),
      'name: \ntype: QUEUE\nscaling:\n  type: QUEUE_DELAY\n  queueDelay: 4',
    );
  });

  it('offers no field that the document has already', () => {
    assert.deepEqual(firstThree('name: x\n|\ntype: QUEUE\n'), ['scaling', 'image', 'args']);
    assert.ok(!labels('name: x\nsc|\nimage: x\n').includes('image'));
  });

  const nothing: Record<string, string> = {
    'in a comment': '# |',
    'in a comment after a value': 'name: x # |',
    'in a comment of a list': 'ports:\n  - 80/http # |',
    'in a block scalar': 'args: >\n  a\n  |\n  b\n',
    'in an empty line of a block scalar': 'args: >\n  a\n\n  |',
    'in the first line of a block scalar': 'args: >|\n',
    'at a document mark': '--|-\n',
    'after a document mark on its line': '--- |',
    'between a name and its colon': 'name | : x',
    'in the indentation of a line': 'workers:\n |  min: 1\n',
    'in the continuation of a value': 'name: a\n  b|',
    'after a value with more indentation': 'workers:\n  min: 1\n    |',
    'where the next line would become a child': 'workers:\n |\n  min: 1\n',
    'where the indentation matches no block': 'workers:\n    min: 1\n  |\n',
    'at an alias': 'workers: *|',
    'inside an unknown field': 'unknown:\n  |',
    'after a closing bracket': 'ports: [] |',
  };
  for (const [name, source] of Object.entries(nothing))
    it(`offers nothing ${name}`, () => assert.deepEqual(labels(source), []));
});

describe('completion of fields in JSON', () => {
  const cases: Record<string, [source: string, expected: string[]]> = {
    'in an empty object': ['{"workers": {|}}', ['min', 'max', 'idleTimeout']],
    'after a comma': ['{"workers": {"min": 1, |}}', ['max', 'idleTimeout']],
    'before a field': ['{"workers": {|"min": 1}}', ['max', 'idleTimeout']],
    'in a half-typed string': ['{"workers": {"mi|', ['min', 'max', 'idleTimeout']],
    'in a half-typed string above another field': ['{"workers": {"mi|\n"max": 1}}', ['min', 'idleTimeout']],
    'at a half-typed name': ['{"workers": {mi|', ['min', 'max', 'idleTimeout']],
    'in an empty string': ['{"workers": {"|"}}', ['min', 'max', 'idleTimeout']],
    'in the middle of a name': ['{"workers": {"m|in": 1, "max": 2}}', ['min', 'idleTimeout']],
    'without closing braces': ['{"workers": {"min": 1,\n|', ['max', 'idleTimeout']],
    'after a line without a comma': ['{"workers": {\n"min": 1\n|\n}}', ['max', 'idleTimeout']],
    'after a comment': ['{"workers": { // Workers\n|}}', ['min', 'max', 'idleTimeout']],
    'in a list': ['{"cpu": [{"id": "a", "vcpuCount": 2}, {"id": "b", |}]}', ['vcpuCount']],
    'after a syntax error': ['{"name" "x", "workers": {|}}', ['min', 'max', 'idleTimeout']],
    'with Windows line ends': ['{\r\n"workers": {\r\n"min": 1,\r\n|\r\n}}', ['max', 'idleTimeout']],
    'after a byte order mark': ['\uFEFF{"workers": {|}}', ['min', 'max', 'idleTimeout']],
  };
  for (const [name, [source, expected]] of Object.entries(cases))
    it(`offers the missing fields ${name}`, () => assert.deepEqual(labels(source), expected));

  it('offers a whole endpoint in an empty file', () => {
    const [only, ...others] = completions(marked('|', 'json'));
    assert.deepEqual(others, []);
    assert.equal(only?.label, 'Serverless endpoint');
  });

  const nothing: Record<string, string> = {
    'in a comment': '{ // |\n}',
    'in a block comment': '{ /* | */ }',
    'between a name and its colon': '{"name" |: "x"}',
    'after a value on its line': '{"name": "x" |}',
    'after the object': '{"name": "x"} |',
    'before a value': '{"workers": |{}}',
  };
  for (const [name, source] of Object.entries(nothing))
    it(`offers nothing ${name}`, () => assert.deepEqual(labels(source), []));
});

describe('completion of values', () => {
  const types = ['QUEUE', 'LOAD_BALANCER'];
  const pools = ['ADA_24', 'AMPERE_80'];
  const cases: Record<string, [source: string, expected: string[]]> = {
    'after a colon': ['type: |', types],
    'after a colon without a space': ['type:|', types],
    'on the next line': ['type:\n  |', types],
    'at a half-typed value': ['type: QU|', types],
    'in the middle of a value': ['type: QU|EUE', types],
    'in quotation marks': ["type: 'QU|'", types],
    'in a half-typed string': ['type: "QU|\nname: x\n', types],
    'after a tag': ['type: !!str |', types],
    'in braces': ['scaling: { type: | }', ['QUEUE_DELAY', 'REQUEST_COUNT']],
    'of an item': ['gpu:\n  pools:\n    - |', pools],
    'of an item at the column of its list': ['gpu:\n  pools:\n  - |', pools],
    'of an item without a dash': ['gpu:\n  pools:\n    |', pools],
    'of a new item after others': ['gpu:\n  pools:\n    - ADA_24\n    |', ['AMPERE_80']],
    'of an item in brackets': ['gpu:\n  pools: [|]', pools],
    'of a second item in brackets': ['gpu:\n  pools: [ADA_24, |]', ['AMPERE_80']],
    'of an item in brackets on several lines': ['gpu:\n  pools: [\n    |\n  ]', pools],
    'of JSON after a colon': ['{"type": |}', types],
    'of JSON after a colon without a space': ['{"type":|}', types],
    'of JSON in a string': ['{"type": "QU|EUE"}', types],
    'of JSON in a half-typed string': ['{"type": "|', types],
    'of JSON at a half-typed word': ['{"type": QU|}', types],
    'of JSON before the next field': ['{"type": |\n"name": "x"}', types],
    'of an item in JSON': ['{"gpu": {"pools": [|]}}', pools],
    'of a half-typed item in JSON': ['{"gpu": {"pools": ["AD|', pools],
    'of a second item in JSON': ['{"gpu": {"pools": ["ADA_24", "|"]}}', ['AMPERE_80']],
    'of a second item in JSON without a comma': ['{"gpu": {"pools": ["ADA_24"\n|]}}', ['AMPERE_80']],
  };
  for (const [name, [source, expected]] of Object.entries(cases))
    it(`offers the values ${name}`, () => assert.deepEqual(labels(source, live), expected));

  it('replaces the whole value', () => {
    assert.equal(accepted('type: QU|EUE # x', 'LOAD_BALANCER'), 'type: LOAD_BALANCER # x');
    assert.equal(accepted("type: 'QU|EUE'", 'LOAD_BALANCER'), "type: 'LOAD_BALANCER'");
    assert.equal(accepted('{"type": "QU|EUE"}', 'LOAD_BALANCER'), '{"type": "LOAD_BALANCER"}');
  });

  it('compares the typed text together with its quotation mark', () => {
    assert.equal(completion('{"type": "|"}', 'QUEUE').filterText, '"QUEUE');
    assert.equal(completion('{"type": |}', 'QUEUE').filterText, 'QUEUE');
  });
});

/** Compares by the order of a list. */
function compareTo(order: readonly string[]): (one: string, other: string) => number {
  return (one, other) => order.indexOf(one) - order.indexOf(other);
}
