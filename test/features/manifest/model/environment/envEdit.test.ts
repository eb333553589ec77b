import assert from 'node:assert/strict';
import type { TextChange } from '../../../../../src/text/span.ts';
import {
  envPlaceAt,
  insertReference,
  literalAt,
  replaceByReference,
  usersOfSecret,
} from '../../../../../src/features/manifest/model/environment/envEdit.ts';
import { parseManifestFile } from '../../../../../src/features/manifest/model/text/parse.ts';
import { readManifestFile, type ManifestFile } from '../../../../../src/features/manifest/model/manifestFile.ts';

const SECRET = { kind: 'secret', name: 'TOKEN' } as const;

const read = (text: string, language: 'yaml' | 'json' = 'yaml'): ManifestFile =>
  readManifestFile(text, { language, target: 'hosted' });

function applied(text: string, change: TextChange | undefined): string | undefined {
  return change && text.slice(0, change.start) + change.text + text.slice(change.end);
}

/** Returns the value of a variable in the first document of a text. */
function envOf(text: string, language: 'yaml' | 'json', variable: string): unknown {
  const [part] = parseManifestFile(text, language).parts;
  assert.deepEqual(part?.problems, [], text);
  return (part.value as { readonly env: Readonly<Record<string, unknown>> }).env[variable];
}

const A = { part: 0, variable: 'A' };

describe('replacing a value of env by a reference', () => {
  for (const [text, wanted] of [
    ['env:\n  A: literal # why\n  B: x\n', 'env:\n  A: "${secret:TOKEN}" # why\n  B: x\n'],
    ['env: { A: literal, B: x }\n', 'env: { A: "${secret:TOKEN}", B: x }\n'],
    ["env:\n  A: 'lit''eral'\n", 'env:\n  A: "${secret:TOKEN}"\n'],
    ['env:\n  A: |\n    one\n    two\n  B: x\n', 'env:\n  A: "${secret:TOKEN}"\n  B: x\n'],
    ['env:\r\n  A: one\r\n  B: x\r\n', 'env:\r\n  A: "${secret:TOKEN}"\r\n  B: x\r\n'],
    ['env:\n  A:\n  B: x\n', 'env:\n  A: "${secret:TOKEN}"\n  B: x\n'],
    ['env:\n  A: 5\n', 'env:\n  A: "${secret:TOKEN}"\n'],
  ] as const)
    it(`keeps the rest of ${JSON.stringify(text)}`, () => {
      assert.equal(applied(text, replaceByReference(read(text), A, SECRET)), wanted);
      assert.equal(envOf(wanted, 'yaml', 'A'), '${secret:TOKEN}');
    });

  it('keeps the comments of JSON', () => {
    const text = '{ "env": { "A": "literal", /* why */ } }';
    const changed = applied(text, replaceByReference(read(text, 'json'), A, SECRET)) ?? '';
    assert.equal(changed, '{ "env": { "A": "${secret:TOKEN}", /* why */ } }');
  });

  it('does not change a value that is written at an anchor', () => {
    const text = 'base: &b { A: x }\nenv: *b\n';
    assert.equal(replaceByReference(read(text), A, SECRET), undefined);
    assert.equal(literalAt(read(text), A), undefined);
    const alias = 'image: &i x\nenv: { A: *i }\n';
    assert.equal(replaceByReference(read(alias), A, SECRET), undefined);
    const anchor = 'env: { A: &i x }\nimage: *i\n';
    assert.equal(replaceByReference(read(anchor), A, SECRET), undefined);
  });

  it('does nothing for a missing place', () => {
    assert.equal(replaceByReference(read('env: { B: x }'), A, SECRET), undefined);
    assert.equal(replaceByReference(read('env: { A: x }'), { part: 7, variable: 'A' }, SECRET), undefined);
  });
});

describe('inserting a reference in a value of env', () => {
  /** Inserts at `|`, or at the selection between two. */
  function inserted(marked: string, language: 'yaml' | 'json' = 'yaml'): string | undefined {
    const start = marked.indexOf('|');
    const end = marked.includes('|', start + 1) ? marked.indexOf('|', start + 1) - 1 : start;
    const text = marked.replaceAll('|', '');
    const file = read(text, language);
    const place = envPlaceAt(file, end);
    return place && applied(text, insertReference(file, place, SECRET, { start, end }));
  }

  it('puts a plain value in quotes', () => {
    assert.equal(inserted('env:\n  A: Bearer |\n'), 'env:\n  A: "Bearer ${secret:TOKEN}"\n');
    assert.equal(inserted('env:\n  A: Bearer| x\n'), 'env:\n  A: "Bearer${secret:TOKEN} x"\n');
    assert.equal(inserted('env: { A: x|yz| }\n'), 'env: { A: "x${secret:TOKEN}" }\n');
  });

  it('keeps the quotes of a quoted value', () => {
    assert.equal(inserted('env:\n  A: "Bearer |"\n'), 'env:\n  A: "Bearer ${secret:TOKEN}"\n');
    assert.equal(inserted("env:\n  A: 'x|y|'\n"), "env:\n  A: 'x${secret:TOKEN}'\n");
    assert.equal(inserted('{"env": {"A": "|"}}', 'json'), '{"env": {"A": "${secret:TOKEN}"}}');
    assert.equal(inserted('env:\n  A: "x"|\n'), 'env:\n  A: "x${secret:TOKEN}"\n');
    assert.equal(inserted('env:\n  A: |"x"|\n'), 'env:\n  A: "${secret:TOKEN}"\n');
  });

  it('fills an empty value', () => {
    assert.equal(inserted('env:\n  A: |\n  B: x\n'), 'env:\n  A: "${secret:TOKEN}"\n  B: x\n');
    assert.equal(inserted('env:\n  A:|\n'), 'env:\n  A: "${secret:TOKEN}"\n');
  });

  it('does nothing outside the values of env', () => {
    for (const marked of ['name: |x\nenv: { A: x }\n', 'env:\n  |A: x\n', '|', 'env: x|\n'])
      assert.equal(inserted(marked), undefined);
  });

  it('finds the value in the right document', () => {
    const text = 'env: { A: x }\n---\nenv: { A: y }\n';
    assert.deepEqual(envPlaceAt(read(text), text.indexOf('y')), { part: 1, variable: 'A' });
  });
});

describe('usersOfSecret', () => {
  it('returns the names of the endpoints that refer to a secret', () => {
    const text = [
      'name: one\nenv: { A: "x ${secret:TOKEN}" }',
      'name: two\nenv: { A: "$${secret:TOKEN}" }',
      'name: three\nenv: { A: "${env:TOKEN}", B: 5 }',
      'env: { A: "${secret:TOKEN}" }',
      'env: x',
    ].join('\n---\n');
    assert.deepEqual(usersOfSecret(read(text), 'TOKEN'), ['one', '']);
  });
});
