import assert from 'node:assert/strict';
import type { CreateTarget } from '../../../../src/features/manifest/create/createTarget.ts';
import { deployedAddresses } from '../../../../src/features/manifest/deployed/deployedAddress.ts';
import type { DeployedPart } from '../../../../src/features/manifest/deployed/deployment.ts';
import { lensesOf } from '../../../../src/features/manifest/deployed/lenses.ts';
import {
  fileDetail,
  statusWords,
  type PartStatus,
  type StatusKind,
} from '../../../../src/features/manifest/model/deployment/partStatus.ts';
import { compareWithEndpoint } from '../../../../src/features/manifest/model/deployment/compare.ts';
import { readManifestFile } from '../../../../src/features/manifest/model/manifestFile.ts';
import { safe } from '../../../../src/text/shownText.ts';
import { endpoint } from '../../endpoints/sample.ts';

const hosted: CreateTarget = { kind: 'hosted', name: 'api.example.com', stopped: false };
const evil = 'x](command:evil) $(flame)';

function part(changes: Partial<DeployedPart> = {}): DeployedPart {
  const [first] = readManifestFile(`name: hello`, { language: 'yaml', target: 'hosted' }).parts;
  assert.ok(first);
  const none = { match: { kind: 'none' }, endpoint: undefined, comparison: undefined } as const;
  return { part: first, name: 'hello', status: { kind: 'notDeployed' }, ...none, ...changes };
}

const one = { match: { kind: 'one', endpointId: endpoint.id, linked: false }, endpoint } as const;
const body = {
  name: 'hello',
  type: 'QUEUE',
  scaling: { type: 'QUEUE_DELAY', queueDelay: 4 },
  image: endpoint.image ?? '',
} as const;

describe('CodeLenses of a manifest', () => {
  const titles = (deployed: DeployedPart, price?: number, target = hosted) =>
    lensesOf(deployed, { file: 'uri', target, price }).map(({ title }) => safe(title).replace(/^\$\([\w-]+\) /, ''));

  it('name the connection, and the price of a worker if it is known', () => {
    assert.deepEqual(titles(part()), ['Create Endpoint on api.example.com']);
    assert.deepEqual(titles(part(), 0.69), ['Create Endpoint on api.example.com · up to $0.69/h per worker']);
  });

  it('offer the creation while the endpoints are not known', () => {
    const unknown = part({ match: undefined, status: { kind: 'unknown' } });
    assert.deepEqual(titles(unknown), ['Create Endpoint on api.example.com']);
    const stopped = { kind: 'local', name: 'Local Platform', stopped: true } as const;
    assert.deepEqual(titles(unknown, undefined, stopped), ['Start Local Platform and Create Endpoint']);
  });

  it('offer an update and a pull only if settings differ', () => {
    const same = part({ ...one, comparison: compareWithEndpoint(body, endpoint, (text) => text) });
    assert.deepEqual(titles(same), ['Compare with Deployed', 'Run Job…', 'Show Logs']);
    const other = part({ ...one, comparison: compareWithEndpoint({ ...body, timeout: 1 }, endpoint, (text) => text) });
    assert.deepEqual(titles(other), ['Update…', 'Compare with Deployed', 'Pull', 'Run Job…', 'Show Logs']);
  });

  it('offer no comparison for a manifest with errors, and no job for an endpoint without a queue', () => {
    assert.deepEqual(titles(part({ ...one, status: { kind: 'invalid' } })), ['Run Job…', 'Show Logs']);
    const balanced = part({ ...one, endpoint: { ...endpoint, type: 'LOAD_BALANCER' } });
    assert.deepEqual(titles(balanced), ['Show Logs']);
  });

  it('offer the build of a manifest with x-build', () => {
    const [built] = readManifestFile('name: hello\nx-build: {}', { language: 'yaml', target: 'hosted' }).parts;
    assert.ok(built);
    assert.deepEqual(titles(part({ part: built })), ['Build Image', 'Create Endpoint on api.example.com']);
    assert.deepEqual(titles(part({ ...one, part: built })), ['Build Image', 'Run Job…', 'Show Logs']);
  });

  it('offer the checks of x-safety and x-gate after the actions on the endpoint', () => {
    const text = 'name: hello\nx-build: {}\nx-gate: {}\nx-safety: { http: { A: http://a } }';
    const [checked] = readManifestFile(text, { language: 'yaml', target: 'hosted' }).parts;
    assert.ok(checked);
    const checks = ['Check Retry Safety', 'Run Gate'];
    const create = 'Create Endpoint on api.example.com';
    assert.deepEqual(titles(part({ part: checked })), ['Build Image', create, ...checks]);
    assert.deepEqual(titles(part({ ...one, part: checked })), ['Build Image', 'Run Job…', 'Show Logs', ...checks]);
  });

  it('offer a choice among namesakes', () => {
    const match = { kind: 'ambiguous', endpointIds: ['a', 'b'] } as const;
    assert.deepEqual(titles(part({ match })), ['Choose One of 2 Endpoints…']);
  });

  it('pass the file and the index of the endpoint, or the endpoint, and show no foreign link or icon', () => {
    const deployed = part({
      ...one,
      endpoint: { ...endpoint, name: evil },
      comparison: compareWithEndpoint({ ...body, timeout: 1 }, endpoint, (text) => text),
    });
    const lenses = lensesOf(deployed, { file: 'uri', target: { ...hosted, name: evil }, price: undefined });
    const node = { kind: 'endpoint', endpointId: endpoint.id };
    assert.deepEqual(
      lenses.map((lens) => lens.arguments),
      [['uri', 0], ['uri', 0], ['uri', 0], [node], [node]],
    );
    for (const { title, tooltip } of lenses) assert.doesNotMatch(safe(title) + safe(tooltip), /\]\(|\$\(flame/);
  });
});

describe('Words of a state', () => {
  const kinds: Readonly<Record<StatusKind, PartStatus>> = {
    invalid: { kind: 'invalid' },
    notDeployed: { kind: 'notDeployed' },
    inSync: { kind: 'inSync' },
    drifted: { kind: 'drifted', changes: 2 },
    ambiguous: { kind: 'ambiguous' },
    unknown: { kind: 'unknown' },
  };

  it('differ for each state, and each badge has at most two characters', () => {
    const all = Object.values(kinds).map((status) => statusWords(status, 'here'));
    assert.equal(new Set(all.map(({ text }) => text.text)).size, all.length);
    assert.equal(new Set(all.map(({ badge }) => badge)).size, all.length);
    for (const { badge = '', detail } of all) {
      assert.ok(badge.length <= 2);
      assert.match(detail.text, /^[A-Z0-9].*\.$/);
    }
  });

  it('contain the number of changes, and the platform without its links', () => {
    const { text, detail } = statusWords(kinds.drifted, evil);
    assert.equal(text.text, '$(diff) Drifted (2)');
    assert.equal(detail.text, '2 settings differ from the endpoint on x] (command:evil) $ (flame).');
  });

  it('say whether a platform is connected', () => {
    assert.equal(statusWords(kinds.unknown, undefined).text.text, '$(debug-disconnect) Not Connected');
    assert.notEqual(statusWords(kinds.unknown, 'here').text.text, statusWords(kinds.unknown, undefined).text.text);
  });

  it('count the endpoints of a file with several', () => {
    const parts = [kinds.invalid, kinds.inSync, kinds.invalid];
    assert.equal(fileDetail(parts, 'here', kinds.invalid).text, '2 of 3 endpoints: The manifest has errors.');
    assert.equal(fileDetail([kinds.invalid], 'here', kinds.invalid).text, 'The manifest has errors.');
  });
});

describe('Address of a deployed document', () => {
  it('is parsed to the same address', () => {
    const address = { connectionId: 'c/d', endpointId: 'a b', file: 'file:///w/a%20b.endpoint.yaml', part: 3 };
    assert.deepEqual(deployedAddresses.parse(deployedAddresses.uri(address, 'a b')), address);
    assert.match(deployedAddresses.uri(address, 'a b').path, /\/a b\.endpoint\.yaml$/);
  });

  it('is not parsed from other files in its folder', () => {
    const address = { connectionId: 'c', endpointId: 'e', file: 'file:///a.endpoint.yaml', part: 0 };
    const uri = deployedAddresses.uri(address, 'a');
    for (const path of ['/settings.json', '/.endpoint.yaml', '/c'])
      assert.equal(deployedAddresses.parse({ ...uri, path }), undefined, path);
    assert.equal(deployedAddresses.parse({ ...uri, query: uri.query.replace('~0', 'x') }), undefined);
  });
});
