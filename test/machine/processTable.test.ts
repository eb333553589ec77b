import assert from 'node:assert/strict';
import { processStart } from '../../src/machine/processTable.ts';

describe('processStart', () => {
  const { TZ } = process.env;
  const platform = Object.getOwnPropertyDescriptor(process, 'platform');

  before(function () {
    if (process.platform === 'win32') this.skip();
  });

  afterEach(() => {
    if (TZ === undefined) delete process.env['TZ'];
    else process.env['TZ'] = TZ;
    if (platform) Object.defineProperty(process, 'platform', platform);
  });

  it('returns the same text in every time zone when ps provides it', async () => {
    Object.defineProperty(process, 'platform', { ...platform, value: 'darwin' });
    const said: (string | undefined)[] = [];
    for (const zone of ['UTC', 'Asia/Tokyo', 'America/New_York']) {
      process.env['TZ'] = zone;
      said.push(await processStart(process.pid));
    }
    assert.match(said[0] ?? '', /\d\d:\d\d:\d\d/);
    assert.equal(new Set(said).size, 1);
  });

  it('returns undefined for a process that does not exist', async () => {
    assert.equal(await processStart(2147483646), undefined);
  });
});
