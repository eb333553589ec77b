import assert from 'node:assert/strict';
import {
  linkedConnection,
  linkText,
  parseLink,
  platformOf,
  type Link,
} from '../../../../src/features/jobs/model/link.ts';

/** Parses a link as the editor does, which decodes the path and the query. */
function parsed(text: string): Link | undefined {
  const { pathname, search } = new URL(text);
  return parseLink({ path: decodeURIComponent(pathname), query: decodeURIComponent(search.slice(1)) });
}

describe('A link', () => {
  const links: readonly Link[] = [
    { endpointId: 'abc123', jobId: undefined, platform: 'local', team: undefined },
    { endpointId: 'abc123', jobId: 'job-1-u2', platform: 'https://api.example.com/base', team: 'team-7' },
    { endpointId: 'נקודת-קצה', jobId: 'a?b#c%20&d', platform: undefined, team: undefined },
  ];
  for (const link of links)
    it(`keeps its parts as text: ${linkText('vscode', link)}`, () => {
      assert.deepEqual(parsed(linkText('vscode', link)), link);
    });

  it('names the address and the team of a hosted platform, but no key and no stored ID', () => {
    const profile = { id: 'stored-id', baseUrl: 'https://api.example.com', teamId: 'team-7', apiKey: 'secret-key' };
    const text = linkText('vscode', { endpointId: 'abc', ...platformOf(profile) });
    assert.equal(
      text,
      'vscode://cloud-compute.cloud-compute/endpoint/abc?platform=https%3A%2F%2Fapi.example.com&team=team-7',
    );
  });

  it('does not name the port of the local platform, which changes', () => {
    assert.deepEqual(platformOf({ id: 'local', baseUrl: 'http://127.0.0.1:4312' }), { platform: 'local' });
  });

  for (const path of [
    '/endpoint',
    '/endpoint/',
    '/endpoint/a/b',
    '/job/a',
    '/job/a/b/c',
    '/run/a',
    '/endpoint/..',
    '/endpoint/a b',
    '/endpoint/a\u202eb',
    `/endpoint/${'a'.repeat(201)}`,
    'endpoint/a',
    '',
  ])
    it(`is not understood with the path “${path.slice(0, 20)}”`, () => {
      assert.equal(parseLink({ path, query: '' }), undefined);
    });

  it('is not understood with a very long address', () => {
    assert.equal(parseLink({ path: '/endpoint/a', query: `platform=${'a'.repeat(3_000)}` }), undefined);
  });
});

describe('The connection of a link', () => {
  const address = 'https://api.example.com';
  const hosted = [
    { id: 'signedOut', baseUrl: address, apiKey: '' },
    { id: 'first', baseUrl: address, apiKey: 'key' },
    { id: 'second', baseUrl: address, apiKey: 'key' },
    { id: 'team', baseUrl: address, teamId: 'team-7', apiKey: 'key' },
    { id: 'other', baseUrl: 'https://other.example.com', apiKey: 'key' },
  ];
  const idOf = (link: Pick<Link, 'platform' | 'team'>, current?: string) => linkedConnection(link, { current, hosted });

  it('is the current one if the link names no platform', () => {
    assert.equal(idOf({}, 'other'), 'other');
    assert.equal(idOf({}), undefined);
  });

  it('is the current one if it has the address', () => assert.equal(idOf({ platform: address }, 'second'), 'second'));

  it('is otherwise a signed-in one with the address', () => {
    assert.equal(idOf({ platform: address }, 'other'), 'first');
  });

  it('has the team of the link', () => {
    assert.equal(idOf({ platform: address, team: 'team-7' }, 'first'), 'team');
    assert.equal(idOf({ platform: address, team: 'team-8' }, 'first'), undefined);
  });

  it('is the local one for a link to the local platform', () => {
    assert.equal(idOf({ platform: 'local' }, 'other'), 'local');
  });

  it('does not exist for another address', () => {
    assert.equal(idOf({ platform: 'https://api.example.com.evil.test' }, 'first'), undefined);
  });
});
