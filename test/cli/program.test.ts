import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import path from 'node:path';
import { CommanderError } from '@commander-js/extra-typings';
import { exitsOf } from '../../src/cli/program/options.ts';
import { createProgram, fullName, withSubcommands } from '../../src/cli/program/program.ts';

/** Parses arguments, and returns the options and the arguments of the selected command, which does not run. */
async function parse(...args: string[]): Promise<{ options: object; operands: readonly unknown[] }> {
  const program = createProgram('1.2.3', () => Promise.resolve());
  for (const command of withSubcommands(program)) {
    command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
  }
  await program.parseAsync(args, { from: 'user' });
  const command = program.commands.find((one) => one.name() === args[0]);
  assert.ok(command);
  return { options: command.opts(), operands: command.processedArgs };
}

async function assertRefused(args: readonly string[], message: string): Promise<void> {
  await assert.rejects(parse(...args), (error) => {
    assert.ok(error instanceof CommanderError);
    assert.equal(error.message.split('\n')[0], message);
    assert.notEqual(error.exitCode, 0);
    return true;
  });
}

describe('The arguments of the program', () => {
  it('select a command', async () => {
    await assertRefused(['no-such-command'], "error: unknown command 'no-such-command'");
    await assert.rejects(parse(), { code: 'commander.help', exitCode: 1 });
    await assert.rejects(parse('--version'), { message: '1.2.3', exitCode: 0 });
  });

  it('have documented exit codes', () => {
    const program = createProgram('1', () => Promise.resolve());
    for (const command of withSubcommands(program).filter(({ commands }) => commands.length === 0))
      assert.ok(
        exitsOf(command).some(([code]) => code === '0'),
        `${fullName(command)} documents success`,
      );
  });
});

describe('The arguments of the command test', () => {
  it('have defaults', async () => {
    assert.deepEqual(await parse('test', 'folder'), {
      options: { reporter: 'tap', concurrency: 4 },
      operands: ['folder'],
    });
  });

  it('can all be set', async () => {
    const format = ['--reporter', 'junit', '--output', 'file', '--filter', 'a*'];
    const { options } = await parse('test', 'f', ...format, '--timeout', '30', '--concurrency', '2', '--keep-going');
    assert.deepEqual(options, {
      ...{ reporter: 'junit', output: 'file', filter: 'a*', timeout: 30_000, concurrency: 2, keepGoing: true },
    });
  });

  it('have whole numbers within their limits', async () => {
    for (const [text, ms] of [
      ['604800', 604_800_000],
      ['1', 1_000],
    ] as const) {
      const { options } = await parse('test', 'f', '--timeout', text);
      assert.equal((options as { timeout: number }).timeout, ms);
    }
    for (const text of ['0', '604801', '1.5', '1e3', '01', '', 'a', '9999999999'])
      await assertRefused(
        ['test', 'f', '--timeout', text],
        `error: option '--timeout <seconds>' argument '${text}' is invalid. It must be a whole number from 1 to 604800.`,
      );
    await assertRefused(
      ['test', 'f', '--concurrency', '101'],
      "error: option '--concurrency <number>' argument '101' is invalid. It must be a whole number from 1 to 100.",
    );
  });

  it('are refused by name', async () => {
    await assertRefused(['test'], "error: missing required argument 'folder'");
    await assertRefused(
      ['test', 'a', 'b'],
      "error: too many arguments for 'test'. Expected 1 argument but got 2: a, b.",
    );
    await assertRefused(
      ['test', 'f', '--reporter', 'spec'],
      "error: option '--reporter <format>' argument 'spec' is invalid. Allowed choices are tap, junit.",
    );
    await assertRefused(
      ['test', 'f', '--output', ''],
      "error: option '--output <file>' argument '' is invalid. It needs a value.",
    );
    await assertRefused(['test', 'f', '--unknown'], "error: unknown option '--unknown'");
  });
});

describe('The arguments of the command mcp', () => {
  it('have defaults', async () => {
    const dataDir = path.join(homedir(), '.cloud-compute');
    assert.deepEqual((await parse('mcp')).options, { dataDir });
  });

  it('can be set, with paths relative to the working directory', async () => {
    const workspaces = ['--workspace', 'a', '--workspace', path.resolve('/b')];
    assert.deepEqual((await parse('mcp', ...workspaces, '--data-dir', 'data', '--allow-changes')).options, {
      workspace: [path.resolve('a'), path.resolve('/b')],
      ...{ dataDir: path.resolve('data'), allowChanges: true },
    });
  });

  it('are refused by name', async () => {
    await assertRefused(
      ['mcp', '--workspace', ''],
      "error: option '--workspace <dir>' argument '' is invalid. It needs a value.",
    );
    await assertRefused(
      ['mcp', 'folder'],
      "error: too many arguments for 'mcp'. Expected 0 arguments but got 1: folder.",
    );
  });
});
