import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { repository } from '../../scripts/editor/build.ts';

describe('troubleshooting page', () => {
  it('lists only messages that the code contains', async () => {
    const sources: string[] = [];
    for await (const file of glob('src/**/*.ts', { cwd: repository }))
      sources.push(await readFile(path.join(repository, file), 'utf8'));
    const code = sources.join('\n').replaceAll("\\'", "'");
    const page = await readFile(path.join(repository, 'docs/troubleshooting.md'), 'utf8');
    const messages = [...page.matchAll(/^\| (.+?) +\|/gm)]
      .map(([, message = '']) => message)
      .filter((message) => !/^(-+|Message|Headline)$/.test(message));
    assert.ok(messages.length > 20, 'the page lists messages');
    assert.deepEqual(
      messages.filter((message) => !code.includes(message)),
      [],
    );
  });
});
