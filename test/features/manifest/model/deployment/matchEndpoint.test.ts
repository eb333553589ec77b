import assert from 'node:assert/strict';
import {
  afterMove,
  linkOf,
  matchEndpoint,
  nameOf,
  withLink,
  withoutLink,
  type EndpointLink,
} from '../../../../../src/features/manifest/model/deployment/matchEndpoint.ts';
import { parseManifestFile } from '../../../../../src/features/manifest/model/text/parse.ts';
import {
  statusOf,
  statusOfFile,
  type PartStatus,
} from '../../../../../src/features/manifest/model/deployment/partStatus.ts';

const endpoints = [
  { id: 'e1', name: 'a' },
  { id: 'e2', name: 'b' },
  { id: 'e3', name: 'b' },
];

describe('matchEndpoint', () => {
  for (const [what, name, linkedId, expected] of [
    ['the endpoint with the name', 'a', undefined, { kind: 'one', endpointId: 'e1', linked: false }],
    ['the linked endpoint, which can have another name', 'a', 'e2', { kind: 'one', endpointId: 'e2', linked: true }],
    ['one of several namesakes by its link', 'b', 'e3', { kind: 'one', endpointId: 'e3', linked: true }],
    ['several namesakes', 'b', undefined, { kind: 'ambiguous', endpointIds: ['e2', 'e3'] }],
    ['nothing by another name', 'c', undefined, { kind: 'none' }],
    ['nothing without a name', undefined, undefined, { kind: 'none' }],
    ['the namesake if the linked endpoint is gone', 'a', 'gone', { kind: 'one', endpointId: 'e1', linked: false }],
  ] as const)
    it(`finds ${what}`, () => assert.deepEqual(matchEndpoint({ name, linkedId }, endpoints), expected));
});

describe('nameOf', () => {
  for (const [text, expected] of [
    ['name: a\ntype: [', 'a'],
    ['name: 5', undefined],
    ['name:', undefined],
    ['- name', undefined],
    ['', undefined],
  ] as const)
    it(`reads ${String(expected)} from ${JSON.stringify(text)}`, () => {
      const [part] = parseManifestFile(text, 'yaml').parts;
      assert.equal(part && nameOf(part), expected);
    });
});

describe('Links of a file', () => {
  const file = 'file:///w/a.endpoint.yaml';
  const links = withLink(
    withLink([], { file, part: 0, names: ['a', 'b'] }, 'e1'),
    { file, part: 1, names: ['a', 'b'] },
    'e2',
  );
  const found = (part: number, ...names: (string | undefined)[]) => linkOf(links, { file, part, names })?.endpointId;

  it('follow the name when a document is added before', () => {
    assert.deepEqual(
      [found(0, 'new', 'a', 'b'), found(1, 'new', 'a', 'b'), found(2, 'new', 'a', 'b')],
      [undefined, 'e1', 'e2'],
    );
  });

  it('follow the index when the name changes', () => {
    assert.deepEqual(
      [found(0, 'renamed', 'b'), found(0, undefined, 'b'), found(1, 'renamed', 'b')],
      ['e1', 'e1', 'e2'],
    );
  });

  it('distinguish equal names by the index', () => {
    const twins = withLink([], { file, part: 1, names: ['a', 'a'] }, 'e2');
    assert.equal(linkOf(twins, { file, part: 0, names: ['a', 'a'] }), undefined);
    assert.equal(linkOf(twins, { file, part: 1, names: ['a', 'a'] })?.endpointId, 'e2');
  });

  it('replace the earlier link of the part, and can be removed', () => {
    const address = { file, part: 0, names: ['a', 'b'] };
    const replaced = withLink(links, address, 'e9');
    assert.deepEqual(
      replaced.map(({ endpointId }) => endpointId),
      ['e2', 'e9'],
    );
    assert.deepEqual(
      withoutLink(replaced, address).map(({ endpointId }) => endpointId),
      ['e2'],
    );
    assert.equal(withoutLink(links, { ...address, file: 'file:///other' }), links);
  });

  it('follow renamed files and folders, and are forgotten with deleted ones', () => {
    const other: EndpointLink = { file: 'file:///w2/a.endpoint.yaml', part: 0, endpointId: 'e3' };
    const all = [...links, other];
    const files = (moved: readonly EndpointLink[]) => [...new Set(moved.map((link) => link.file))];
    assert.deepEqual(files(afterMove(all, file, 'file:///w/b.endpoint.yaml')), [
      'file:///w/b.endpoint.yaml',
      other.file,
    ]);
    assert.deepEqual(files(afterMove(all, 'file:///w', 'file:///v')), ['file:///v/a.endpoint.yaml', other.file]);
    assert.deepEqual(afterMove(all, 'file:///w', undefined), [other]);
    assert.equal(afterMove(all, 'file:///x', undefined), all);
  });

  it('are bounded, and the newest stay', () => {
    let many: readonly EndpointLink[] = [];
    for (let index = 0; index < 510; index++)
      many = withLink(many, { file: `file:///${index}`, part: 0, names: ['a'] }, `e${index}`);
    assert.deepEqual([many.length, many[0]?.endpointId, many.at(-1)?.endpointId], [500, 'e10', 'e509']);
  });
});

describe('State of a manifest', () => {
  const one = { kind: 'one', endpointId: 'e1', linked: false } as const;
  for (const [what, observation, expected] of [
    ['invalid with errors, deployed or not', { valid: false, match: one, changes: 2 }, { kind: 'invalid' }],
    [
      'unknown until the endpoints are known',
      { valid: true, match: undefined, changes: undefined },
      { kind: 'unknown' },
    ],
    [
      'not deployed without an endpoint',
      { valid: true, match: { kind: 'none' }, changes: undefined },
      { kind: 'notDeployed' },
    ],
    [
      'ambiguous with several namesakes',
      { valid: true, match: { kind: 'ambiguous', endpointIds: ['e1', 'e2'] }, changes: undefined },
      { kind: 'ambiguous' },
    ],
    ['unknown until it is compared', { valid: true, match: one, changes: undefined }, { kind: 'unknown' }],
    ['in sync without changes', { valid: true, match: one, changes: 0 }, { kind: 'inSync' }],
    ['drifted with changes', { valid: true, match: one, changes: 2 }, { kind: 'drifted', changes: 2 }],
  ] as const)
    it(`is ${what}`, () => assert.deepEqual(statusOf(observation), expected));

  it('of a file is the most urgent one, with all changes', () => {
    const parts: PartStatus[] = [{ kind: 'inSync' }, { kind: 'drifted', changes: 2 }, { kind: 'drifted', changes: 1 }];
    assert.deepEqual(statusOfFile(parts), { kind: 'drifted', changes: 3 });
    assert.deepEqual(statusOfFile([...parts, { kind: 'invalid' }]), { kind: 'invalid' });
    assert.deepEqual(statusOfFile([{ kind: 'inSync' }]), { kind: 'inSync' });
    assert.deepEqual(statusOfFile([]), { kind: 'unknown' });
  });
});
