import assert from 'node:assert/strict';
import { pino } from 'pino';
import { readLogLine } from '../../../src/account/localPlatform/platformProcess.ts';

/** Returns the line that the platform's logger writes. */
function line(write: (log: pino.Logger) => void): string {
  let text = '';
  write(pino({ base: null, level: 'trace' }, { write: (one: string) => void (text += one) }));
  return text.trimEnd();
}

describe('readLogLine', () => {
  it('returns the message followed by the other members', () => {
    const entry = readLogLine(
      line((log) => log.info({ baseUrl: 'http://127.0.0.1:1', dataDir: '/my data' }, 'started')),
    );
    assert.deepEqual(entry, { level: 'info', text: 'started baseUrl=http://127.0.0.1:1 dataDir="/my data"' });
  });

  it('keeps the level', () => {
    const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
    const read = levels.map((level) => readLogLine(line((log) => log[level]('x')))?.level);
    assert.deepEqual(read, ['trace', 'debug', 'info', 'warn', 'error', 'error']);
  });

  it('appends the stack of an error', () => {
    const entry = readLogLine(line((log) => log.error({ err: new Error('no room') }, 'cannot write')));
    assert.match(entry?.text ?? '', /^cannot write\nError: no room\n\s+at /);
  });

  it('returns undefined for other lines', () => {
    for (const other of ['port 80 is taken', '{"half":', '{}', '[]', 'null', ''])
      assert.equal(readLogLine(other), undefined);
  });
});
