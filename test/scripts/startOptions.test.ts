import assert from 'node:assert/strict';
import path from 'node:path';
import { readStartOptions, UsageError } from '../../scripts/startOptions.ts';

describe('readStartOptions', () => {
  it('returns the defaults without arguments', () => {
    assert.deepEqual(readStartOptions([], '/sample'), {
      port: 8770,
      workspace: '/sample',
      browserOnly: false,
      fresh: false,
    });
  });

  it('parses all options', () => {
    const args = ['--port', '9001', '--workspace', 'here', '--browser-only', '--fresh'];
    const expected = { port: 9001, workspace: path.resolve('here'), browserOnly: true, fresh: true };
    assert.deepEqual(readStartOptions(args, '/sample'), expected);
    assert.equal(readStartOptions(['--help'], '/sample'), 'help');
  });

  it('rejects an unknown option with the help text', () => {
    assert.throws(
      () => readStartOptions(['--prot', '1'], '/sample'),
      (error) => error instanceof UsageError && /--prot.*--workspace DIR/s.test(error.message),
    );
    assert.throws(() => readStartOptions(['extra'], '/sample'), UsageError);
  });

  for (const port of ['0', '65536', '1.5', 'x', '']) {
    it(`rejects the port "${port}"`, () => {
      assert.throws(() => readStartOptions(['--port', port], '/sample'), /--port is .*1 to 65535/);
    });
  }
});
