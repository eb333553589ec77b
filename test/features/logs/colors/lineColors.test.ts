import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { LineColors, TOKEN_TYPES } from '../../../../src/features/logs/colors/lineColors.ts';
import { LOG_LANGUAGE } from '../../../../src/features/logs/logLanguage.ts';

const span = (start: number, end: number) => ({ start, end, color: 'red' }) as const;

describe('LineColors', () => {
  it('returns the colors of the lines of a text', () => {
    const colors = new LineColors();
    colors.remember('heading\nfirst\n  second\nthird\n', [span(8, 10), span(12, 13), span(16, 18), span(18, 22)]);
    assert.deepEqual(colors.spansOf('first'), [span(0, 2), span(4, 5)]);
    assert.deepEqual(colors.spansOf('  second'), [span(2, 4), span(4, 8)]);
    for (const line of ['heading', 'third', 'unknown', '']) assert.deepEqual(colors.spansOf(line), [], line);
  });

  it('uses the latest colors of a line', () => {
    const colors = new LineColors();
    colors.remember('line\n', [span(0, 1)]);
    colors.remember('line\n', [span(0, 2)]);
    assert.deepEqual(colors.spansOf('line'), [span(0, 2)]);
  });

  it('forgets the lines that were not used for the longest time', () => {
    const colors = new LineColors();
    for (let line = 0; line < 100_000; line++) colors.remember(`${line}\n`, [span(0, 1)]);
    colors.spansOf('0');
    colors.remember('new\n', [span(0, 1)]);
    assert.deepEqual(colors.spansOf('1'), []);
    for (const line of ['0', '2', 'new']) assert.deepEqual(colors.spansOf(line), [span(0, 1)], line);
  });

  it('limits the length of all lines', () => {
    const colors = new LineColors();
    const long = (line: number) => `${line} ${'x'.repeat(1024 * 1024)}`;
    for (let line = 0; line < 9; line++) colors.remember(long(line), [span(0, 1)]);
    assert.deepEqual(colors.spansOf(long(0)), []);
    assert.deepEqual(colors.spansOf(long(8)), [span(0, 1)]);
    colors.remember('y'.repeat(9 * 1024 * 1024), [span(0, 1)]);
    assert.deepEqual(colors.spansOf(long(8)), []);
  });
});

describe('the token types of logs', () => {
  it('are described in package.json, with colors of themes', async () => {
    const text = await readFile(path.join(import.meta.dirname, '../../../../package.json'), 'utf8');
    const { contributes } = JSON.parse(text) as {
      readonly contributes: {
        readonly semanticTokenTypes: readonly { readonly id: string }[];
        readonly semanticTokenScopes: readonly { readonly language: string; readonly scopes: object }[];
      };
    };
    const types = Object.values(TOKEN_TYPES);
    assert.deepEqual(
      contributes.semanticTokenTypes.map(({ id }) => id),
      types,
    );
    const scopes = contributes.semanticTokenScopes.find(({ language }) => language === LOG_LANGUAGE)?.scopes ?? {};
    assert.deepEqual(Object.keys(scopes), types);
  });
});
