import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';

interface Entry {
  readonly command?: string;
  readonly when?: string;
}

describe('the menus in package.json', () => {
  it('have no entry that only windows on this machine show, because files of remote windows have another scheme', async () => {
    const text = await readFile(path.join(repository, 'package.json'), 'utf8');
    const { menus } = (JSON.parse(text) as { contributes: { menus: Readonly<Record<string, readonly Entry[]>> } })
      .contributes;
    const entries = Object.values(menus).flat();
    const isShown = (when: string, scheme: string): boolean =>
      Array.from(when.matchAll(/resourceScheme (==|=~) (\S+)/g)).every(([, operator, value = '']) =>
        operator === '==' ? value === scheme : new RegExp(value.slice(1, -1)).test(scheme),
      );
    const onlyLocal = entries.filter(
      ({ when = '' }) => when.includes('resourceScheme') && isShown(when, 'file') && !isShown(when, 'vscode-remote'),
    );
    assert.ok(entries.some(({ when }) => when?.includes('vscode-remote')));
    assert.deepEqual(onlyLocal, []);
  });
});
