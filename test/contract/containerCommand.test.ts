import assert from 'node:assert/strict';
import { parseArgs, sameCommand } from '../../src/contract/containerCommand.ts';

describe('args in its two shapes', () => {
  it('takes a bare shell string as CMD', () => {
    assert.deepEqual(parseArgs('python -u "my handler.py"'), { cmd: ['python', '-u', 'my handler.py'] });
  });

  it('takes a JSON object as entrypoint, cmd or both', () => {
    assert.deepEqual(parseArgs('{"entrypoint":["sh"],"cmd":["-c","x"]}'), { entrypoint: ['sh'], cmd: ['-c', 'x'] });
    assert.deepEqual(parseArgs(' {"cmd":[]}'), { cmd: [] });
  });

  it('clears both with the empty string', () => {
    assert.deepEqual(parseArgs(''), {});
  });

  for (const text of ['{"cmd":"sh"}', '{"command":["sh"]}', '{not json']) {
    it(`refuses ${text}`, () => {
      assert.throws(() => parseArgs(text), /only entrypoint and cmd/);
    });
  }

  it('holds an absent part and an empty one for the same command', () => {
    assert.equal(sameCommand({ cmd: ['a'] }, { cmd: ['a'], entrypoint: [] }), true);
    assert.equal(sameCommand({ cmd: ['a'] }, { cmd: ['a', 'b'] }), false);
    assert.equal(sameCommand({ cmd: ['a'] }, { entrypoint: ['a'] }), false);
  });
});
