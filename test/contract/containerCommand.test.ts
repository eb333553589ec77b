// Clauses of the interface: Rules 1 to 3.
import assert from 'node:assert/strict';
import { parseArgs, sameCommand } from '../../src/contract/containerCommand.ts';

describe('parsing args', () => {
  it('reads a shell string as CMD', () => {
    assert.deepEqual(parseArgs('python -u "my handler.py"'), { cmd: ['python', '-u', 'my handler.py'] });
  });

  it('reads a JSON object as entrypoint, cmd, or both', () => {
    assert.deepEqual(parseArgs('{"entrypoint":["sh"],"cmd":["-c","x"]}'), { entrypoint: ['sh'], cmd: ['-c', 'x'] });
    assert.deepEqual(parseArgs(' {"cmd":[]}'), { cmd: [] });
  });

  it('reads the empty string as no command', () => {
    assert.deepEqual(parseArgs(''), {});
  });

  for (const text of ['{"cmd":"sh"}', '{"command":["sh"]}', '{not json']) {
    it(`rejects ${text}`, () => {
      assert.throws(() => parseArgs(text), /only entrypoint and cmd/);
    });
  }

  it('treats an absent part like an empty one', () => {
    assert.equal(sameCommand({ cmd: ['a'] }, { cmd: ['a'], entrypoint: [] }), true);
    assert.equal(sameCommand({ cmd: ['a'] }, { cmd: ['a', 'b'] }), false);
    assert.equal(sameCommand({ cmd: ['a'] }, { entrypoint: ['a'] }), false);
  });
});
