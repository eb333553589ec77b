import { stringify } from 'yaml';
import { repositoryIn } from '../../src/contract/imageReference.ts';
import {
  exampleImage,
  localSection,
  NEW_PORT,
  routeVariables,
  scalingSection,
  workersSection,
  fieldsText,
  manifestText,
} from '../../src/features/manifest/model/starters/section.ts';
import { EXAMPLES, exampleSections, type Example } from '../../src/features/manifest/model/starters/examples.ts';
import type { ManifestLanguage } from '../../src/features/manifest/model/text/parsed.ts';

/* The snippets of both languages, generated from the sections of new manifests. */

interface Snippet {
  readonly prefix: string;
  readonly description: string;
  readonly body: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

const PREFIXES: Readonly<Record<Example['id'], string>> = {
  queueGpu: 'endpoint-queue-gpu',
  queueCpu: 'endpoint-queue-cpu',
  balancedGpu: 'endpoint-balanced-gpu',
  balancedCpu: 'endpoint-balanced-cpu',
};

/** Marks a value that the user fills in. The rest of the string is the JSON of its default. */
const STOP = 'stop:';
const stop = (value: string | number): string => STOP + Buffer.from(JSON.stringify(value)).toString('hex');

const GLOBAL_VOLUME = { volumeId: stop('gsb_7h2kq9x4m1w8zc'), path: stop('/data') };
const NETWORK_VOLUME = { volumeId: stop('agv6w2qcg7'), path: stop('/data') };

const PARTS: readonly { readonly prefix: string; readonly description: string; readonly fields: Fields }[] = [
  { prefix: 'scaling-delay', description: 'Scale on queue delay', fields: withStops(scalingSection('QUEUE').fields) },
  {
    prefix: 'scaling-count',
    description: 'Scale on request count',
    fields: withStops(scalingSection('LOAD_BALANCER').fields),
  },
  { prefix: 'workers', description: 'Number of workers and idle timeout', fields: withStops(workersSection().fields) },
  { prefix: 'env', description: 'Environment variables', fields: { env: { LOG_LEVEL: stop('info') } } },
  {
    prefix: 'env-server',
    description: 'Port and health check of a load-balanced endpoint',
    fields: { ports: [`${NEW_PORT}/http`], env: routeVariables(NEW_PORT, '/ping') },
  },
  { prefix: 'mounts-network', description: 'Network volume', fields: { mounts: { network: [NETWORK_VOLUME] } } },
  { prefix: 'mounts-global', description: 'Global volume', fields: { mounts: { global: [GLOBAL_VOLUME] } } },
  {
    prefix: 'x-local',
    description: 'Directory and command for the local platform',
    fields: localSection(stop('.'), stop('python3 -u handler.py')).fields,
  },
  {
    prefix: 'x-build',
    description: 'Build of the image from a Dockerfile',
    fields: { 'x-build': { context: stop('.'), repository: stop(repositoryIn(exampleImage('hello')) ?? '') } },
  },
  {
    prefix: 'x-verify',
    description: 'Job that must succeed after a deployment',
    fields: { 'x-verify': { input: { name: stop('Ada') }, expect: { output: { greeting: stop('Hello, Ada!') } } } },
  },
];

/** Returns the content of a snippet file. */
export function snippetFile(language: ManifestLanguage): Record<string, Snippet> {
  const examples = EXAMPLES.map((example): [string, Snippet] => {
    const sections = exampleSections(example, 'hello').map(({ comment = [], fields }) => ({
      comment,
      fields: {
        ...fields,
        ...('name' in fields && { name: stop('hello') }),
        ...('image' in fields && { image: stop(exampleImage('hello')) }),
      },
    }));
    const body = bodyOf(manifestText(sections, language), language);
    return [example.title, { prefix: PREFIXES[example.id], description: example.title, body }];
  });
  const parts = PARTS.map(({ prefix, description, fields }): [string, Snippet] => [
    description,
    { prefix, description, body: bodyOf(fieldsText(fields, language), language) },
  ]);
  return Object.fromEntries([...examples, ...parts]);
}

/** Makes every number of a map a tab stop. */
function withStops(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (typeof value === 'number') return [name, stop(value)];
      return [name, typeof value === 'object' && value !== null ? withStops(value as Fields) : value];
    }),
  );
}

/** Escapes a text for a snippet and turns the marked values into tab stops, in their order. */
function bodyOf(text: string, language: ManifestLanguage): string[] {
  let number = 0;
  const marked = new RegExp(`"?${STOP}([0-9a-f]+)"?`, 'g');
  const body = escaped(text).replaceAll(marked, (_, hex: string) => {
    const value = JSON.parse(Buffer.from(hex, 'hex').toString()) as string | number;
    number++;
    if (language === 'json' && typeof value === 'string') return `"\${${number}:${escaped(value)}}"`;
    return `\${${number}:${escaped(language === 'json' ? String(value) : stringify(value).trim())}}`;
  });
  return body.replace(/\n$/, '').split('\n');
}

/** Escapes the characters that have a meaning in a snippet. */
function escaped(text: string): string {
  return text.replaceAll(/[\\$}]/g, String.raw`\$&`);
}
