import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import path from 'node:path';
import { CannotRunError } from '../../src/cli/exitCodes.ts';
import { readMcpFlags } from '../../src/cli/mcp/mcpFlags.ts';
import { readTestFlags } from '../../src/cli/testFlags.ts';

const refuses = (read: () => unknown, message: string | RegExp) =>
  assert.throws(read, (error) => {
    assert.ok(error instanceof CannotRunError);
    if (typeof message === 'string') assert.equal(error.message, message);
    else assert.match(error.message, message);
    return true;
  });

describe('The flags of the command test', () => {
  const read = (...flags: string[]) => {
    const result = readTestFlags(['test', 'folder', ...flags]);
    return result === 'help' ? assert.fail('the help is printed') : result;
  };

  it('have defaults', () => {
    assert.deepEqual(read(), {
      ...{ folder: 'folder', reporter: 'tap', output: undefined, filter: undefined, limitMs: undefined },
      ...{ concurrency: 4, keepGoing: false },
    });
  });

  it('can all be set', () => {
    const format = ['--reporter', 'junit', '--output', 'file', '--filter', 'a*'];
    assert.deepEqual(read(...format, '--timeout', '30', '--concurrency', '2', '--keep-going'), {
      ...{ folder: 'folder', reporter: 'junit', output: 'file', filter: 'a*', limitMs: 30_000 },
      ...{ concurrency: 2, keepGoing: true },
    });
    assert.equal(readTestFlags(['--help']), 'help');
  });

  it('have whole numbers within their limits', () => {
    const { limitMs, concurrency } = read('--timeout', '604800', '--concurrency', '100');
    assert.deepEqual([limitMs, concurrency], [604_800_000, 100]);
    assert.deepEqual([read('--timeout', '1').limitMs, read('--concurrency', '1').concurrency], [1_000, 1]);
    for (const text of ['0', '604801', '1.5', '1e3', '01', '', 'a', '9999999999'])
      refuses(
        () => read('--timeout', text),
        `--timeout must be a whole number from 1 to 604800, not '${text}' (see --help)`,
      );
    refuses(
      () => read('--concurrency', '101'),
      `--concurrency must be a whole number from 1 to 100, not '101' (see --help)`,
    );
  });

  it('name the invalid argument', () => {
    refuses(() => readTestFlags([]), 'a command is required: test or mcp (see --help)');
    refuses(() => readTestFlags(['run']), "the command 'run' is unknown; the commands are test and mcp (see --help)");
    refuses(() => readTestFlags(['test']), 'test needs a folder (see --help)');
    refuses(() => read('a', 'b'), "test takes one folder, but there is also 'a b' (see --help)");
    refuses(() => read('--reporter', 'spec'), "--reporter must be tap or junit, not 'spec' (see --help)");
    refuses(() => read('--output', ''), '--output needs a value (see --help)');
    refuses(() => read('--filter', ''), '--filter needs a value (see --help)');
    refuses(() => read('--unknown'), "Unknown option '--unknown' (see --help)");
  });
});

describe('The flags of the command mcp', () => {
  it('have defaults', () => {
    assert.deepEqual(readMcpFlags([]), {
      ...{ workspaces: [], dataDirectory: path.join(homedir(), '.cloud-compute'), allowChanges: false },
    });
  });

  it('can be set, with paths relative to the working directory', () => {
    const workspaces = ['--workspace', 'a', '--workspace', path.resolve('/b')];
    assert.deepEqual(readMcpFlags([...workspaces, '--data-dir', 'data', '--allow-changes']), {
      workspaces: [path.resolve('a'), path.resolve('/b')],
      ...{ dataDirectory: path.resolve('data'), allowChanges: true },
    });
    assert.equal(readMcpFlags(['--help', '--workspace', '']), 'help');
  });

  it('name the invalid argument', () => {
    refuses(() => readMcpFlags(['--workspace', '']), '--workspace needs a folder (see --help)');
    refuses(() => readMcpFlags(['--data-dir', '']), '--data-dir needs a directory (see --help)');
    refuses(() => readMcpFlags(['folder']), /folder/);
    refuses(() => readMcpFlags(['--api-key', 'x']), /--api-key/);
  });
});
