import assert from 'node:assert/strict';
import {
  codeProcess,
  inspectorPortIn,
  languageOf,
  nodeProcess,
  underDebugpy,
  withInspectorPort,
  type SeenInContainer,
  type SeenProcess,
} from '../../../src/platform/domain/debugCommand.ts';

describe('Commands under a debugger', () => {
  it('recognizes interpreters of Python by their name', () => {
    const language = (file: string) => languageOf({ file, args: [] });
    for (const file of ['python', 'python3', '/usr/bin/python3.12', 'C:\\Python\\python.exe', 'pypy3']) {
      assert.equal(language(file), 'python', file);
    }
    for (const file of ['node', 'npm', 'sh', 'uv', './pythonic.sh']) assert.equal(language(file), 'node', file);
  });

  it('inserts debugpy between the options of Python and the program', () => {
    const listen = ['--listen', '127.0.0.1:4000'];
    const cases: [string[], string[]][] = [
      [
        ['handler.py', '-m', 'x'],
        ['-m', 'debugpy', ...listen, 'handler.py', '-m', 'x'],
      ],
      [
        ['-u', '-X', 'dev', 'handler.py'],
        ['-u', '-X', 'dev', '-m', 'debugpy', ...listen, 'handler.py'],
      ],
      [
        ['-m', 'package', '--flag'],
        ['-m', 'debugpy', ...listen, '-m', 'package', '--flag'],
      ],
      [
        ['-um', 'package'],
        ['-u', '-m', 'debugpy', ...listen, '-m', 'package'],
      ],
      [['-mpackage'], ['-m', 'debugpy', ...listen, '-m', 'package']],
      [
        ['-Bc', 'print(1)'],
        ['-B', '-m', 'debugpy', ...listen, '-c', 'print(1)'],
      ],
      [
        ['-Wmodule', 'handler.py'],
        ['-Wmodule', '-m', 'debugpy', ...listen, 'handler.py'],
      ],
      [
        ['--check-hash-based-pycs', 'never', 'a.py'],
        ['--check-hash-based-pycs', 'never', '-m', 'debugpy', ...listen, 'a.py'],
      ],
    ];
    for (const [args, expected] of cases) {
      assert.deepEqual(underDebugpy({ file: 'python3', args }, 4_000, undefined), { file: 'python3', args: expected });
    }
  });

  it('runs a given debugpy by its directory', () => {
    const { args } = underDebugpy({ file: 'python', args: ['-u', 'a.py'] }, 4_000, '/libs/debugpy');
    assert.deepEqual(args, ['-u', '/libs/debugpy', '--listen', '127.0.0.1:4000', 'a.py']);
  });

  it("adds the inspector's port to the options of Node.js, unless the endpoint sets it", () => {
    assert.equal(withInspectorPort(), '--inspect-port=127.0.0.1:0');
    assert.equal(withInspectorPort('--max-old-space-size=64'), '--max-old-space-size=64 --inspect-port=127.0.0.1:0');
    for (const own of ['--inspect', '--no-warnings --inspect-brk=9230', '--debug-port=1']) {
      assert.equal(withInspectorPort(own), own);
    }
  });

  it('finds the Node.js process of a worker behind shells and package managers', () => {
    const seen = (pid: number, parent: number, program: string, ...args: string[]): SeenProcess => ({
      pid,
      parent,
      program,
      args,
    });
    const node = '/usr/bin/node';
    assert.equal(nodeProcess(5, [seen(5, 1, node, 'node', 'handler.mjs')]), 5);
    const behind = [
      seen(9, 8, node, 'node', 'handler.mjs'),
      seen(10, 9, node, 'node', 'child.mjs'),
      seen(5, 1, '/bin/dash', 'sh', '-c', 'npm start'),
      seen(7, 5, node, 'npm start'),
      seen(8, 7, '/bin/dash', 'sh', '-c', 'node handler.mjs'),
    ];
    assert.equal(nodeProcess(5, behind), 9);
    assert.equal(nodeProcess(5, [seen(5, 1, node, 'node', '/usr/bin/npm-cli.js', 'start')]), undefined);
    assert.equal(nodeProcess(5, [seen(5, 1, '/usr/bin/ruby'), seen(6, 2, node, 'node', 'other.mjs')]), undefined);
    assert.equal(nodeProcess(5, [seen(5, 5, '/bin/dash')]), undefined, 'a process that is its own parent');
  });

  it('finds the process of a container or pod that runs the code, and not those that were started later', () => {
    const seen = (pid: number, parent: number, started: number, program: string): SeenInContainer => ({
      ...{ pid, parent, started, program, args: [program] },
    });
    const worker = [seen(1, 0, 10, '/bin/sh'), seen(7, 1, 20, '/usr/bin/python3')];
    assert.deepEqual(codeProcess([seen(9, 0, 30, '/usr/bin/node'), ...worker]), { pid: 7, language: 'python' });
    // A pod: its first process is not an ancestor of the worker, whose orphans it adopts.
    const pod = [seen(1, 0, 10, '/pause'), seen(30_000, 0, 20, '/usr/bin/node'), seen(8, 0, 30, '/usr/bin/python3')];
    assert.deepEqual(codeProcess(pod), { pid: 30_000, language: 'node' });
    // The adapter of debugpy is an orphan.
    const orphan = seen(16, 1, 40, '/usr/bin/python3');
    const behind = [seen(6, 0, 20, '/bin/sh'), seen(9, 6, 30, '/bin/sh'), seen(12, 9, 35, '/usr/bin/python3')];
    assert.deepEqual(codeProcess([seen(1, 0, 10, '/pause'), orphan, ...behind]), { pid: 12, language: 'python' });
    // The first process of the pod can be hidden.
    assert.deepEqual(codeProcess([...pod.slice(1), seen(5, 1, 40, '/usr/bin/node')]), {
      pid: 30_000,
      language: 'node',
    });
    assert.equal(codeProcess([seen(1, 0, 10, '/app/server')]), undefined);
    assert.equal(codeProcess([]), undefined);
  });

  it('reads the port of the last inspector that Node.js announced', () => {
    const line = (port: number) =>
      `Debugger listening on ws://127.0.0.1:${port}/0f2c936f-b1cd-4ac9-aab3-f63b0f33d55e\n`;
    assert.equal(inspectorPortIn(`before\n${line(9_229)}For help, see …\n${line(40_000)}`), 40_000);
    assert.equal(inspectorPortIn('Debugger listening'), undefined);
  });
});
