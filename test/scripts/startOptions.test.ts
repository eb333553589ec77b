import assert from 'node:assert/strict';
import path from 'node:path';
import { readStartOptions, UsageError } from '../../scripts/startOptions.ts';

describe('The options of npm start', () => {
  it('have defaults', () => {
    assert.deepEqual(readStartOptions([], '/sample'), {
      port: 8770,
      workspace: '/sample',
      browserOnly: false,
      fresh: false,
    });
  });

  it('are read', () => {
    const args = ['--port', '9001', '--workspace', 'here', '--browser-only', '--fresh'];
    const expected = { port: 9001, workspace: path.resolve('here'), browserOnly: true, fresh: true };
    assert.deepEqual(readStartOptions(args, '/sample'), expected);
    assert.equal(readStartOptions(['--help'], '/sample'), 'help');
  });

  it('are refused with the help text when unknown', () => {
    assert.throws(
      () => readStartOptions(['--prot', '1'], '/sample'),
      (error) => error instanceof UsageError && /--prot.*--workspace DIR/s.test(error.message),
    );
    assert.throws(() => readStartOptions(['extra'], '/sample'), UsageError);
  });

  for (const port of ['0', '65536', '1.5', 'x', '']) {
    it(`are refused when the port is "${port}"`, () => {
      assert.throws(() => readStartOptions(['--port', port], '/sample'), /--port is .*1 to 65535/);
    });
  }
});
