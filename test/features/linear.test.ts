import { BillingAmounts, type BillingResponse } from '../../src/contract/billing.ts';
import { csvOf } from '../../src/features/spend/billing/model/exports.ts';
import { spendByKind } from '../../src/features/spend/billing/model/kinds.ts';
import {
  addressesFrom,
  addressProblem,
  endpointHostProblem,
  normalAddress,
} from '../../src/account/connections/model/address.ts';
import type { Arrangement } from '../../src/account/endpoints/arrangement.ts';
import { EndpointCache } from '../../src/account/endpoints/endpointCache.ts';
import { EndpointTree } from '../../src/features/endpoints/endpointTree.ts';
import { itemById } from '../../src/kit/cachePerList.ts';
import { renderRegistry, renderVolume } from '../../src/features/endpoints/resources/resourceRenderer.ts';
import { findReason, failureLine } from '../../src/account/diagnosis/logFindings.ts';
import { parseRange } from '../../src/features/endpoints/actions/scaleEndpoint.ts';
import { shortImage } from '../../src/account/endpoints/words.ts';
import { readJobFile } from '../../src/features/jobs/model/checkJobFile.ts';
import { readTypedInput } from '../../src/features/jobs/model/jobInput.ts';
import { errorMessage, oneLine } from '../../src/account/jobWords.ts';
import { readLogLine } from '../../src/features/logs/model/readLogLine.ts';
import { LONGEST_MANIFEST } from '../../src/features/manifest/model/text/bounds.ts';
import { completionsAt } from '../../src/features/manifest/model/completion/completionsAt.ts';
import { literalText, malformedIn, resolveEnv } from '../../src/account/secrets/envReferences.ts';
import { hoverAt } from '../../src/features/manifest/model/reading/hover.ts';
import { secretHider } from '../../src/account/withoutSecrets.ts';
import { keyKind } from '../../src/text/keyPatterns.ts';
import { parseManifestFile, readManifestFile } from '../../src/features/manifest/model/manifestFile.ts';
import { detectHandler } from '../../src/features/manifest/model/starters/detectHandler.ts';
import { drawnBars } from '../../src/webviews/charts/bars.ts';
import { code, formatted, prose } from '../../src/text/markdown.ts';
import { foreign, oneLine as oneShownLine, logText } from '../../src/text/shownText.ts';
import { assertLinear, UP_TO_1_MIB } from '../support/growth.ts';
import { endpoint, NOW, worker, workers } from './endpoints/sample.ts';

/* Text from a server or a workspace must not block the editor. Every parser of such text gets 1 MiB of its worst input. */

const ESC = '\u001b';
const system = (line: string) => [{ source: 'system' as const, line, ts: '2026-01-01T00:00:00Z' }];
const manifest = (text: string) => readManifestFile(text, { language: 'yaml', target: 'hosted' });
const jsonManifest = (text: string) => readManifestFile(text, { language: 'json', target: 'hosted' });

/** Longer manifests are refused. */
const UP_TO_64_KIB = [LONGEST_MANIFEST / 16, LONGEST_MANIFEST / 4, LONGEST_MANIFEST - 64];

interface Parser {
  /** Sizes up to the parser's limit, in UTF-16 code units. The default ends at 1 MiB. */
  readonly sizes?: readonly number[];
  readonly parse: (text: string) => unknown;
  /** Texts that are repeated to fill the size, with an optional head and tail. */
  readonly worst: readonly (string | { readonly head?: string; readonly body: string; readonly tail?: string })[];
}

const parsers: Readonly<Record<string, Parser>> = {
  'a Python file that may be a worker': {
    parse: (text) => detectHandler('a.py', text),
    worst: [
      '\n ',
      'a: b',
      'a: b\n',
      'a.',
      { head: 'a = ', body: 'a.' },
      'serverless .',
      'environ[ ',
      'port =  ',
      'listen ( ',
    ],
  },
  'a JavaScript file that may be a worker': {
    parse: (text) => detectHandler('a.mjs', text),
    worst: [
      "from 'a/",
      "require('",
      '{PORT ',
      '{ PORT } = ',
      { head: 'createServer(.listen(', body: '{PORT ' },
      '/*',
      "'/ping",
    ],
  },
  'a log line with terminal sequences': {
    parse: (line: string) => readLogLine({ line, source: 'container', ts: '' }),
    worst: [
      `${ESC}]`,
      `${ESC}[`,
      `${ESC}]0;`,
      `${ESC}[1;2`,
      `${ESC}P`,
      '\u009d',
      '\u009b1',
      `${ESC}(`,
      '\r',
      '\n',
      ' \r',
      ESC,
      { head: `${ESC}[`, body: '1;' },
      { head: `${ESC}]`, body: 'a' },
      { head: `${ESC}]`, body: ';' },
      { head: '{"message":"', body: '\\u001b]', tail: '","level":"INFO"}' },
    ],
  },
  'the cause of a failure in a log': {
    parse: (text) => findReason(system(text)),
    worst: [
      'manifest ',
      'failed ',
      'image ',
      'error unable ',
      'exit ',
      'exited with status ',
      'exit 1',
      'oom ',
      'out of ',
      'ended by SIG',
      { head: 'start ', body: '(' },
      { head: 'start ', body: '(x)', tail: ' ' },
      { head: 'start ', body: ') (' },
      { head: 'exit', body: ' ' },
      { head: 'exit ', body: '1', tail: 'x' },
      'cannot be started: ',
      'worker is not ready: ',
      'cannot be started: x\n',
      `${ESC}]`,
      '\n',
      'worker is ready',
      ' ',
      'does not ',
    ],
  },
  'the error line of a log': { parse: (text) => failureLine([text]), worst: ['not ', 'erro'] },
  'the error of a worker': {
    parse: errorMessage,
    worst: [
      { head: 'handler: ', body: '\n' },
      { head: 'handler: ', body: ' \n' },
      { head: 'handler: ', body: '\n traceback' },
      { head: '{"error_message":"x","error_type":"', body: 'a', tail: '!!"}' },
      { head: '{"error_message":"x","error_type":"', body: "a'>", tail: '!!"}' },
      '[',
    ],
  },
  'a value on one line': { parse: (text) => oneLine(text, 60), worst: [' ', '\n', 'a ', '\u0085'] },
  'a manifest in YAML': {
    sizes: UP_TO_64_KIB,
    parse: manifest,
    worst: [
      ...([
        '[',
        '{a: ',
        '- ',
        '? ',
        ': ',
        '- *a\n',
        '---\n',
        '!x ',
        '- !x 1\n',
        '"',
        '#\n',
        '\t',
        '%A\n',
        '\r',
      ] as const),
      ...(['& ', '! ', '] ', 'a: 1\n', 'a: b: c\n', "'", '- &a 1\n'] as const),
      { head: 'cpu:\n', body: '- {id: a, vcpuCount: 2}\n' },
      { head: '- &a 1\n', body: '- *a\n' },
      { head: 'a: &a {}\n', body: '<<: *a\n' },
      { head: '- &a {}\n', body: '- <<: *a\n' },
      '{ <<: {}, ',
      '*a: ',
      'a: [\n',
      '} ] ',
      '"\'',
      { head: '[', body: ',' },
      { head: '{', body: '? a : b, ' },
      { head: 'a: |\n', body: ' x\n' },
      { head: 'a: "', body: 'a\n' },
      { head: 'a: 1', body: '\n' },
    ],
  },
  'a manifest in JSON': {
    sizes: UP_TO_64_KIB,
    parse: jsonManifest,
    worst: [
      '[',
      '{"a":',
      '[/**/',
      '"a": ,',
      { head: '{', body: '"a":1,', tail: '"a":1}' },
      { head: '[', body: '1,', tail: '1]' },
    ],
  },
  'a value with references': {
    parse: (text) => [resolveEnv({ A: text }, () => 'x'), malformedIn(text), literalText(text)],
    worst: [
      '${',
      '${a',
      '${a:',
      '${env:',
      '${env:A',
      '$${',
      '$',
      { head: '${', body: 'a' },
      { head: '${env:', body: 'A' },
    ],
  },
  'text that can contain secrets': {
    parse: secretHider(['abcabc1', 'abcabcabcabcabcabd', '=/+=/+', 'aaaaaaaab', 'abc', 'a'.repeat(1_000)]),
    worst: ['a', 'abc', 'abcabc', 'A', '=/+', 'YWJj', '%2F', '\\u00e4', ' '],
  },
  'a value that can be a key': {
    parse: (text) => keyKind('API_TOKEN', text),
    worst: [
      ...[
        '<',
        '-----BEGIN ',
        '-----BEGIN A ',
        'A ',
        'sk-',
        'sk-a1-',
        'sk-aa-',
        ' sk-aaaaaaaaaaaaaaaaaaaa',
        'xox',
        ' xoxb-a',
      ],
      ...['eyJ', 'eyJaaaaaaaaaa.', ' eyJaaaaaaaaaa.eyJ', 'a1', 'AKIA', ' SG.a', '.', '*'],
    ],
  },
  'a job file': {
    parse: readJobFile,
    worst: [
      '[',
      '{"a":',
      '[,',
      '"',
      ' ',
      { head: '{"input":', body: '[', tail: '' },
      { head: '{"input":{},', body: '"x":1,', tail: '"y":2}' },
      { head: '{"input":{"a":"', body: '\\u0041', tail: '"}}' },
    ],
  },
  'a typed input': { parse: readTypedInput, worst: ['[', '{"a":', '"\\'] },
  'an address': {
    parse: (text) => [addressProblem(text), endpointHostProblem(text), normalAddress(text), addressesFrom(text)],
    worst: [
      { head: 'https://a', body: '/', tail: 'x' },
      { head: 'https://a', body: '/endpoints/', tail: '\nx' },
      { head: 'https://a', body: '/v1/', tail: '\nx' },
      { head: 'https://a', body: '/queue', tail: 'x' },
      { head: 'https://', body: '{endpoint_id}' },
      ' ',
    ],
  },
  'a range of workers': { parse: parseRange, worst: [{ head: '1', body: ' ', tail: 'x' }, '1', '1 ', '1to'] },
  'the name of an image': { parse: shortImage, worst: [{ body: '@sha256:', tail: '\n' }, '/', '\\'] },
  'text for Markdown': {
    parse: (text) => [code(text), formatted`${text}`, prose(text, text.length)],
    worst: ['`', '|', ' ', '\n', '\\', '[a](b)'],
  },
  'untruncated foreign text': {
    parse: (text) => [foreign(text, text.length), oneShownLine(text), logText(text)],
    worst: [
      `${ESC}]`,
      `${ESC}]0;`,
      `${ESC}[1;2`,
      '\u009d',
      '\u0090a',
      ESC,
      '\u200d',
      '\ufe0f',
      '\u200c\ufe0f',
      { head: 'a', body: '\u200d' },
      '\u202e',
      ' ',
      '\r',
      '\u0085',
      '](',
      '$(',
      '\ud800',
    ],
  },
};

for (const [name, { parse, worst, sizes = UP_TO_1_MIB }] of Object.entries(parsers)) {
  describe(`${name} is read in linear time`, () => {
    for (const entry of worst) {
      const { head = '', body, tail = '' } = typeof entry === 'string' ? { body: entry } : entry;
      it(JSON.stringify(`${head}${body}…${tail}`), () => {
        assertLinear(sizes, (size) => head + body.repeat(size / body.length) + tail, parse);
      });
    }
  });
}

describe('a manifest is completed in linear time', () => {
  const complete = (text: string, language: 'yaml' | 'json') => {
    const file = parseManifestFile(text, language);
    for (const offset of [text.length, Math.floor(text.length / 2)]) {
      completionsAt(file, offset, {});
      hoverAt(file, offset, {});
    }
  };
  for (const body of ['- ', '- [\n', 'a: {\n', 'a: "\n', '&a ', ' #', ' ', 'a:\n  - b\n', '---\n', 'a: |\n', "'"])
    it(`in YAML with ${JSON.stringify(body)}`, () =>
      assertLinear(
        UP_TO_64_KIB,
        (size) => body.repeat(size / body.length),
        (text) => complete(text, 'yaml'),
      ));
  for (const body of ['[', '{"a":', '{"a" ', '"a",', '//\n', ' ', '}'])
    it(`in JSON with ${JSON.stringify(body)}`, () =>
      assertLinear(
        UP_TO_64_KIB,
        (size) => `{${body.repeat(size / body.length)}`,
        (text) => complete(text, 'json'),
      ));
});

describe('a manifest with many keys is read in linear time', () => {
  const keys = (size: number, indent: string) => {
    let text = '';
    for (let index = 0; text.length < size; index++) text += `${indent}k${index}: 1\n`;
    return text;
  };
  it('when all keys are unknown', () => assertLinear(UP_TO_64_KIB, (size) => keys(size, ''), manifest));
  it('when all values have the wrong type', () =>
    assertLinear(UP_TO_64_KIB, (size) => `env:\n${keys(size, '  ')}`, manifest));
});

describe('a billing response with many buckets is read in linear time', () => {
  const sizes = [1_000, 4_000, 16_000];
  const amounts = BillingAmounts.parse(
    Object.fromEntries(Object.keys(BillingAmounts.shape).map((name) => [name, 0.1])),
  );
  const at = (hour: number) => new Date(hour * 3_600_000).toISOString();
  const answer = (hours: number) =>
    ({
      records: Array.from({ length: hours }, (_, hour) => ({ ...amounts, startTime: at(hour), endTime: at(hour + 1) })),
      metadata: { query: { bucketSize: 'hour', startTime: at(0), endTime: at(hours) }, totals: amounts },
    }) as unknown as BillingResponse;
  it('as comma-separated values', () =>
    assertLinear(sizes, answer, (response) => csvOf({ grouping: 'kind', ...spendByKind(response) })));
  it('as a chart', () =>
    assertLinear(sizes, answer, (response) => {
      const { totals } = spendByKind(response);
      return drawnBars(totals, [0, totals.length], 600);
    }));
});

describe('a long list is shown in linear time', () => {
  const sizes = [2_500, 10_000, 40_000];
  const ids = (size: number) => Array.from({ length: size }, (_, index) => `id${index}`);

  it('of workers', () => {
    const cache = new EndpointCache();
    const arrangement: Arrangement = { filter: '', sort: 'name', group: 'none', favorites: new Set() };
    cache.takeList([endpoint], 1);
    assertLinear(sizes, ids, (some) => {
      const list = { ...workers(), workers: some.map((id) => worker(id)) };
      cache.takeDetails(endpoint.id, { workers: list }, 2, NOW);
      const find = (id: string) => cache.find(id);
      const tree = new EndpointTree({
        endpoints: cache.snapshots,
        find,
        arrangement: () => arrangement,
        now: () => NOW,
      });
      for (const child of tree.children(tree.children()[0])) tree.row(child);
    });
  });

  it('of registry credentials and volumes with their users', () => {
    assertLinear(sizes, ids, (some) => {
      const endpoints = some.map((id) => ({ name: id, registry: id, networkVolumes: [id], mounts: {} }));
      const templates = some.map((id) => ({ id, name: id, serverless: true, registry: id }));
      for (const id of some) {
        renderRegistry({ id, name: id }, { endpoints, templates }, false);
        const volume = { id, name: id, size: 1, dataCenter: 'x', type: 'STANDARD' };
        renderVolume(volume, { endpoints, templates });
      }
    });
  });

  it('of resources that are looked up one by one', () => {
    assertLinear(sizes, ids, (some) => {
      const items = some.map((id) => ({ id }));
      for (const id of some) itemById(items, id);
    });
  });
});
