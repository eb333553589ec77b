import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { parse } from 'yaml';
import { AGENT_TOOLS } from '../../src/agents/actions/tools/index.ts';
import { repository } from '../platform/support.ts';
import { CLI_PROGRAM } from '../support/programs.ts';
import { ALLOW, McpWorld, type Answer } from './mcpWorld.ts';

const SKILL = path.join(repository, 'media/skills/cloud-compute-endpoint');

describe('Skill', function () {
  let world: McpWorld;
  let text: string;

  beforeEach(async () => {
    world = await McpWorld.create();
    text = await readFile(path.join(SKILL, 'SKILL.md'), 'utf8');
  });

  afterEach(() => world.remove());

  it('has a name equal to its folder, and a description', () => {
    const [, front = ''] = /^---\n(.*?)\n---\n/s.exec(text) ?? [];
    const { name, description } = parse(front) as { readonly name: string; readonly description: string };
    assert.equal(name, path.basename(SKILL));
    assert.match(name, /^[a-z0-9-]{1,64}$/);
    assert.ok(description.length > 100 && description.length <= 1_024);
  });

  it('names only tools that exist', () => {
    const named = [...text.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name]) => name);
    const known = AGENT_TOOLS.map(({ name }) => name);
    assert.ok(named.length > 8);
    assert.deepEqual(
      named.filter((name) => !known.includes(name ?? '')),
      [],
    );
  });

  it('leads from the function to a tested endpoint', async function () {
    try {
      execFileSync('python3', ['--version'], { stdio: 'ignore' });
    } catch {
      this.skip();
    }
    for (const [, name = '', content = ''] of text.matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms))
      await world.write(name, content);
    await copyFile(path.join(SKILL, 'worker.py'), path.join(world.folder, 'word-count/worker.py'));
    const server = await world.connect({ onQuestion: () => ALLOW });
    const call = async (...args: Parameters<typeof server.call>) => ok(await server.call(...args));

    const manifest = { file: 'word-count.endpoint.yaml' };
    assert.deepEqual((await call('validate_manifest', manifest))['problems'], []);
    await call('start_local_platform');
    await call('deploy_endpoint', { action: 'create', ...manifest });
    const done = JSON.stringify(
      await call('run_job', { endpoint: 'word-count', input: { text: 'to be or not to be' } }),
    );
    assert.match(done, /"word":"to","count":2/);
    const failed = JSON.stringify(await call('run_job', { endpoint: 'word-count', input: {} }));
    assert.match(failed, /FAILED/);
    assert.match(failed, /"type":"KeyError","message":"'text'","traceback":"Traceback/);
    assert.match(JSON.stringify(await call('read_logs', { endpoint: 'word-count' })), /KeyError/);
    assert.match(
      JSON.stringify(await call('read_logs', { endpoint: 'word-count', query: 'counting 18' })),
      /counting 18/,
    );
    await call('read_endpoints', { endpoint: 'word-count' });

    // A corrected handler runs in new workers.
    const handler = path.join(world.folder, 'word-count/handler.py');
    const corrected = (await readFile(handler, 'utf8')).replace('input["text"]', 'input.get("text", "")');
    await world.write('word-count/handler.py', corrected);
    await call('scale_endpoint', { endpoint: 'word-count', min: 0, max: 0 });
    await call('scale_endpoint', { endpoint: 'word-count', min: 0, max: 1 });
    assert.match(JSON.stringify(await call('run_job', { endpoint: 'word-count', input: {} })), /COMPLETED/);
    await world.write('word-count/handler.py', corrected.replace('input.get("text", "")', 'input["text"]'));

    const estimate = await call('estimate_costs', { endpoint: 'word-count', jobsPerDay: 1_000 });
    assert.equal(estimate['timeIsMetered'], true);
    assert.match(await testFolder(), /^1\.\.2$/m);
  });

  function ok(answer: Answer): Answer['value'] {
    assert.equal(answer.isError, false, answer.text);
    return answer.value;
  }

  /** Runs the job files of the skill on the command line. Returns the report. */
  async function testFolder(): Promise<string> {
    const child = spawn(process.execPath, [CLI_PROGRAM, 'test', world.folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let report = '';
    child.stdout.on('data', (chunk: Buffer) => (report += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    assert.equal(code, 0, report);
    return report;
  }
});
