import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { jobRequestCode } from '../../../src/account/requestCode/requestExample.ts';
import { requestCode, type CodeLanguage } from '../../../src/account/requestCode/requestCode.ts';
import { json, startScriptedServer } from '../../client/scriptedServer.ts';

const run = promisify(execFile);

function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, program)));
}

const programs: Readonly<Record<CodeLanguage, { needs: string; command: string; file: string }>> = {
  curl: { needs: 'curl', command: 'sh', file: 'code.sh' },
  python: { needs: 'python3', command: 'python3', file: 'code.py' },
  javaScript: { needs: 'node', command: process.execPath, file: 'code.mjs' },
};

/** Runs code as a file, with the key in the environment and without a proxy. */
async function execute(language: CodeLanguage, code: string): Promise<{ stdout: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cc-code-'));
  try {
    const { command, file } = programs[language];
    await writeFile(path.join(folder, file), code);
    const env = { PATH: process.env['PATH'], CLOUD_COMPUTE_API_KEY: 'the-key', NO_PROXY: '*', no_proxy: '*' };
    return await run(command, [file], { cwd: folder, env });
  } finally {
    await rm(folder, { recursive: true });
  }
}

const inputs: readonly (readonly [string, Record<string, unknown>])[] = [
  ['quotes', { text: `'single' "double" \`back\` '''triple''' """triple""" \\' \\" $HOME $(id) \${x} !!` }],
  ['line ends', { text: 'a\nb\r\nc\td\u2028e\u2029f\v\f\0g', 'a\nkey': [] }],
  ['Unicode', { text: 'äöü € 漢字 😀 👩‍👩‍👧 \ufeff \u202e \u009b31m \ud83d' }],
  ['backslashes', { text: '\\ \\\\ \\n \\u0041 C:\\new\\table %s %d {0} \\' }],
  [
    'members with special names',
    JSON.parse('{"__proto__": {"a": 1}, "": null, "@file": true}') as object as Record<string, unknown>,
  ],
  [
    'a data URL that exceeds one argument of a shell',
    { image: `data:image/png;base64,${'A'.repeat(300_000)}`, end: '\nBODY\n' },
  ],
];

for (const language of ['curl', 'python', 'javaScript'] as const) {
  describe(`The code of a request in ${language}`, function () {
    before(function () {
      if (!isInstalled(programs[language].needs)) this.skip();
    });

    for (const [what, input] of inputs)
      it(`sends a job with ${what} unchanged`, async () => {
        await using server = await startScriptedServer((_, response) => json(response, 200, { id: 'job-1' }));
        const url = `${server.origin}/v2/it's [a] {b}/run?wait=1`.replaceAll(' ', '%20');
        const code = jobRequestCode(language, url, { input, policy: { ttl: 20_000 } });
        assert.doesNotMatch(code, /the-key/);
        const { stdout } = await execute(language, code);
        assert.match(stdout, /job-1/);
        const [request] = server.received;
        assert.ok(request);
        assert.deepEqual(JSON.parse(request.body), {
          input: JSON.parse(JSON.stringify(input)) as unknown,
          policy: { ttl: 20_000 },
        });
        assert.equal(request.method, 'POST');
        assert.equal(request.headers.authorization, 'Bearer the-key');
        assert.equal(request.headers['content-type'], 'application/json');
        assert.equal(decodeURIComponent(request.path), "/v2/it's [a] {b}/run?wait=1");
      });

    it('sends any method, header, and body', async () => {
      await using server = await startScriptedServer((_, response) => json(response, 200, {}));
      const headers = [
        { name: 'X-Quotes', value: `it's "so" $HOME \`id\` \\` },
        { name: 'X-Empty', value: '' },
        { name: 'Content-Type', value: 'text/plain' },
      ];
      const body = "@file\nit's\n\nlast line\n";
      await execute(language, requestCode(language, { method: 'PATCH', url: server.origin, headers, body }));
      const [request] = server.received;
      assert.equal(request?.method, 'PATCH');
      assert.equal(request.body, body);
      assert.equal(request.headers['x-quotes'], `it's "so" $HOME \`id\` \\`);
      assert.equal(request.headers['x-empty'], '');
    });

    it('sends a request without a body', async () => {
      await using server = await startScriptedServer((_, response) => json(response, 200, {}));
      await execute(language, requestCode(language, { method: 'GET', url: `${server.origin}/a`, headers: [] }));
      assert.deepEqual([server.received[0]?.method, server.received[0]?.body], ['GET', '']);
    });

    it('shows the body of an error', async () => {
      await using server = await startScriptedServer((_, response) => json(response, 401, { detail: 'no key' }));
      const code = jobRequestCode(language, server.origin, { input: { a: 1 } });
      const { stdout } = await execute(language, code).catch((error: unknown) => error as { stdout: string });
      assert.match(stdout, /no key/);
    });
  });
}

describe('The code of a job', () => {
  it('contains no character that acts on a terminal or hides text', () => {
    for (const language of ['curl', 'python', 'javaScript'] as const) {
      const code = jobRequestCode(language, 'https://api.example.com/run', {
        input: { a: '\u001b[201~\u009b\u202e\u200b\u0007', 'b\u061c': 1 },
      });
      assert.doesNotMatch(code, /(?!\n)\p{Cc}|\p{Default_Ignorable_Code_Point}/u);
    }
  });
});
