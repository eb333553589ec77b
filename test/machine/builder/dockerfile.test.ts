import assert from 'node:assert/strict';
import { commandOf, parseDockerfile, stageOf } from '../../../src/machine/builder/dockerfile.ts';

const linesOf = (text: string): string[] =>
  parseDockerfile(text).instructions.map(({ keyword, text: rest, line }) => `${line} ${keyword} ${rest}`);

describe('A Dockerfile', () => {
  it('has instructions with their first lines', () => {
    const text =
      '# syntax=docker/dockerfile:1\r\nARG V=1\r\n\r\nfrom node:${V} as Base\r\n  RUN a \\\r\n# comment\r\n\r\n  && b\r\nCMD ["x"]';
    assert.deepEqual(linesOf(text), ['2 ARG V=1', '4 FROM node:${V} as Base', '5 RUN a && b', '9 CMD ["x"]']);
  });

  it('continues lines with the character of its directive', () => {
    assert.deepEqual(linesOf('# escape=`\nFROM a\nRUN one `\n  two\nRUN c:\\\nCMD x'), [
      ...['2 FROM a', '3 RUN one two', '5 RUN c:\\', '6 CMD x'],
    ]);
    assert.deepEqual(linesOf('\n# escape=`\nFROM a\\\nb'), ['3 FROM a b'], 'a directive comes first');
  });

  it('does not read instructions in here-documents', () => {
    const text = 'FROM a\nRUN <<EOF cat && <<-"END" cat\nCMD no\nEOF\nCMD no\n\tEND\nCOPY <<E /x\nCMD no\nE\nCMD yes';
    assert.deepEqual(
      parseDockerfile(text).instructions.map(({ keyword, line }) => [line, keyword]),
      [
        [1, 'FROM'],
        [2, 'RUN'],
        [7, 'COPY'],
        [10, 'CMD'],
      ],
    );
    assert.equal(linesOf('FROM a\nRUN <<EOF\nnever closed').length, 2);
  });

  it('has stages, which a build selects by name or index', () => {
    const file = parseDockerfile(
      'FROM --platform=$BUILDPLATFORM golang AS Build\nRUN x\nFROM scratch\nCOPY --from=build /a /a',
    );
    assert.deepEqual(
      file.stages.map(({ name, base, instructions }) => [name, base, instructions.length]),
      [
        ['build', 'golang', 2],
        [undefined, 'scratch', 2],
      ],
    );
    assert.equal(stageOf(file)?.base, 'scratch');
    assert.equal(stageOf(file, 'BUILD')?.base, 'golang');
    assert.equal(stageOf(file, '1')?.base, 'scratch');
    assert.equal(stageOf(file, 'other'), undefined);
    assert.equal(stageOf(parseDockerfile(''), undefined), undefined);
  });

  for (const [what, text, kind] of [
    ['of its own', 'FROM scratch\nCMD ["/a"]', 'own'],
    ['of an earlier stage', 'FROM a AS base\nENTRYPOINT x\nFROM base\nRUN y', 'own'],
    ['of its base image', 'FROM a AS base\nFROM base\nFROM python:3', 'base'],
    ['no command', 'FROM scratch AS base\nCOPY a /\nFROM base\nCOPY b /', 'none'],
    ['no command of a stage that it only copies from', 'FROM a AS b\nCMD x\nFROM scratch\nCOPY --from=b / /', 'none'],
  ] as const) {
    it(`has a command: ${what}`, () => {
      const file = parseDockerfile(text);
      const stage = stageOf(file);
      assert.ok(stage);
      assert.equal(commandOf(file, stage).kind, kind);
    });
  }
});
