import assert from 'node:assert/strict';
import type { Profile } from '../../../src/account/connections/connectionStore.ts';
import {
  connectionIcon,
  connectionState,
  connectionTooltip,
  quotaText,
} from '../../../src/account/connections/connectionWords.ts';
import { formatted } from '../../../src/text/markdown.ts';
import { hosted } from './support.ts';

const profile: Profile = { kind: 'hosted', ...hosted('work'), restUrl: 'https://rest.example.com', apiKey: 'the-key' };
const none = { windows: [], invocations: [], now: 0, problem: undefined };

describe('the description of a connection', () => {
  it('distinguishes the local platform, a hosted platform, and a signed-out one', () => {
    const kinds = [{ ...profile, kind: 'local' as const }, profile, { ...profile, apiKey: '' }];
    assert.equal(new Set(kinds.map(connectionIcon)).size, 3);
    assert.deepEqual(kinds.map(connectionState), ['on this machine', 'hosted', 'hosted, signed out']);
  });

  it('contains the addresses, the team, and the remaining rate limits, but not the key', () => {
    const windows = [
      { name: 'minute', remaining: 58, quota: 60, resetsAt: 1000 },
      { name: 'day', remaining: 5000 },
    ];
    const text = connectionTooltip({ ...profile, teamId: 'team-1' }, { ...none, windows }).source;
    for (const part of ['https://work.example.com`', 'https://rest.example.com`', '`team-1`', '{endpoint_id}'])
      assert.ok(text.includes(part), part);
    assert.match(text, /Requests left: 58 of 60 this minute · 5000 this day$/);
    assert.ok(!text.includes('key'));
  });

  it('contains the remaining invocations', () => {
    const invocations = [{ name: 'minute', remaining: 7, quota: 10, resetsAt: 1000 }];
    assert.match(connectionTooltip(profile, { ...none, invocations }).source, /Invocations left: 7 of 10 this minute$/);
  });

  it('warns when the connection is not stored', () => {
    assert.match(
      connectionTooltip(profile, { ...none, problem: new Error('locked') }).source,
      /lost when the window closes/,
    );
  });

  it('contains why the latest request failed', () => {
    const failure = formatted`The last request failed.`;
    assert.match(connectionTooltip(profile, { ...none, failure }).source, /\$\(warning\) The last request failed/);
  });

  it('contains no addresses of a local platform that is not running', () => {
    const stopped = { baseUrl: '', restUrl: '', queueUrl: '', endpointHost: '', apiKey: '' };
    const text = connectionTooltip({ id: 'local', kind: 'local', name: 'Local Platform', ...stopped }, none).source;
    assert.equal(text, '**Local Platform**, on this machine\\, not running');
  });

  it('escapes Markdown in names', () => {
    const text = connectionTooltip({ ...profile, name: '[x](command:evil) $(bug) <b>' }, none).source;
    assert.ok(text.startsWith('**\\[x\\] \\(command\\:evil\\) \\$ \\(bug\\) \\<b\\>**'));
  });

  it('shows the full quota after the reset of a rate limit window', () => {
    const window = { name: 'minute', remaining: 0, quota: 60, resetsAt: 1000 };
    assert.equal(quotaText(window, 999), '0 of 60 this minute');
    assert.equal(quotaText(window, 1000), '60 of 60 this minute');
    assert.equal(quotaText({ name: 'minute', remaining: 0, resetsAt: 1000 }, 1000), undefined);
    assert.equal(quotaText({ name: 'minute', quota: 60 }, 0), undefined);
  });
});
