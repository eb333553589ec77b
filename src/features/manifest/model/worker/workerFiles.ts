import * as l10n from '@vscode/l10n';
import type { EndpointType } from '../../../../contract/endpointSettings.ts';
import {
  buildSection,
  hardwareSection,
  headSection,
  localSection,
  manifestText,
  NEW_PORT,
  newLocalSettings,
  PORT_COMMENT,
  routeVariables,
  scalingSection,
  workersSection,
  type Hardware,
} from '../starters/section.ts';

/* The files of a new worker. */

export const WORKER_LANGUAGES = ['python', 'node'] as const;
export type WorkerLanguage = (typeof WORKER_LANGUAGES)[number];
export const WORKER_TYPES = ['queue', 'load-balanced'] as const;
export type WorkerType = (typeof WORKER_TYPES)[number];

/** The language of a new worker, and the way in which requests reach it. */
export interface WorkerKind {
  readonly language: WorkerLanguage;
  readonly type: WorkerType;
}

/** A file to write. Its path has slashes, and is relative to the folder of the manifest. */
export interface NewFile {
  readonly path: string;
  readonly text: string;
}

/** Source files that the extension contains, with their paths in it. */
export const SOURCES = {
  'handler.py': 'media/workers/handler.py',
  'serverless.py': 'media/workers/serverless.py',
  'server.py': 'media/workers/server.py',
  'handler.mjs': 'media/workers/handler.mjs',
  'serverless.mjs': 'samples/hello-queue/hello/serverless.mjs',
  'server.mjs': 'media/workers/server.mjs',
} as const satisfies Record<string, string>;
export type Source = keyof typeof SOURCES;
/** Texts of the source files. */
export type SourceTexts = Readonly<Record<Source, string>>;

/** Folder of the worker, next to the manifest. */
const FOLDER = 'worker';

/** The source files of a worker. The first one starts it. */
const sourcesOf: Readonly<Record<WorkerLanguage, Readonly<Record<WorkerType, readonly [Source, ...Source[]]>>>> = {
  python: { queue: ['handler.py', 'serverless.py'], 'load-balanced': ['server.py'] },
  node: { queue: ['handler.mjs', 'serverless.mjs'], 'load-balanced': ['server.mjs'] },
};

/** Returns the file in which a new worker is edited first. */
export function entryOf({ language, type }: WorkerKind): string {
  return `${FOLDER}/${sourcesOf[language][type][0]}`;
}

/** Returns the file that tests a new worker: a job file, or a file with requests. */
export function testOf(name: string, type: WorkerType): string {
  return type === 'queue' ? `${name}.job.json` : `${name}.http`;
}

/**
 * Returns the files of a new worker. Its endpoint has the name.
 *
 * @param python name of the Python interpreter on this machine
 */
export function workerFiles(name: string, kind: WorkerKind, sources: SourceTexts, python = 'python3'): NewFile[] {
  const { language, type } = kind;
  const files = sourcesOf[language][type];
  const [entry] = files;
  const own = [
    ...files.map((file) => ({ path: file, text: sources[file] })),
    packageFile(language),
    { path: 'Dockerfile', text: dockerfile({ language, entry, hasPackages: true }) },
    { path: '.dockerignore', text: DOCKERIGNORE },
  ];
  const manifest = endpointManifest({
    name,
    type: type === 'queue' ? 'QUEUE' : 'LOAD_BALANCER',
    hardware: 'cpu',
    build: { context: FOLDER },
    directory: FOLDER,
    command: language === 'python' ? `${python} -u ${entry}` : `node ${entry}`,
  });
  const test = type === 'queue' ? jobFile({ name: 'world' }, { output: GREETING }) : requestFile(name);
  return [
    { path: `${name}.endpoint.yaml`, text: manifest },
    { path: testOf(name, type), text: test },
    ...own.map(({ path, text }) => ({ path: `${FOLDER}/${path}`, text })),
  ];
}

/** The output of the worker in `SOURCES` for the name `world`. */
const GREETING = { greeting: 'Hello, world!' };

interface EndpointManifest {
  readonly name: string;
  readonly type: EndpointType;
  readonly hardware: Hardware;
  readonly build: Readonly<Record<string, string>>;
  /** Directory of the worker, relative to the manifest. */
  readonly directory: string;
  readonly command: string;
}

/** Returns the manifest of an endpoint whose image the user builds. */
export function endpointManifest({ name, type, hardware, build, directory, command }: EndpointManifest): string {
  const isQueue = type === 'QUEUE';
  const sections = [
    headSection(l10n.t('An endpoint that runs a worker of this workspace.'), name, type),
    // A developer watches the first job wait for its worker.
    scalingSection(type, 1),
    workersSection(),
    buildSection(build),
    hardwareSection(hardware),
    ...(isQueue
      ? []
      : [
          {
            comment: PORT_COMMENT,
            fields: { ports: [`${NEW_PORT}/http`], env: routeVariables(NEW_PORT, '/ping') },
          },
        ]),
    localSection(directory, command, newLocalSettings(hardware)),
  ];
  return manifestText(sections, 'yaml');
}

/** Returns a job file that is a test. */
export function jobFile(input: object, expect: object): string {
  const comment = l10n.t(
    'A job, and a test of the worker. The Test Explorer and the command "cloud-compute test" run it.',
  );
  return `// ${comment}\n${JSON.stringify({ input, expect }, null, 2)}\n`;
}

function requestFile(name: string): string {
  const base = `{{endpoint:${name}}}`;
  return [
    l10n.t(
      '# Requests to the endpoint in {0}. Create it first, then select "Send" above a request.',
      `${name}.endpoint.yaml`,
    ),
    l10n.t('# The connection supplies the address and the key. Do not write the key into this file.'),
    '',
    '### Health',
    l10n.t('# The load balancer sends requests to a worker once this path responds with 200.'),
    '# @expect status 200',
    `GET ${base}/ping`,
    '',
    '### Greet',
    l10n.t('# A request with "@expect" is a test. The Test Explorer and the command "cloud-compute test" run it.'),
    `# @expect body ${JSON.stringify(GREETING)}`,
    `POST ${base}/greet`,
    'Content-Type: application/json',
    '',
    '{ "name": "world" }',
    '',
  ].join('\n');
}

/** Returns the file that lists the packages of a worker. A new worker has none. */
function packageFile(language: WorkerLanguage): NewFile {
  return language === 'python'
    ? { path: 'requirements.txt', text: `# ${l10n.t('Packages that the image contains, one per line.')}\n` }
    : { path: 'package.json', text: '{\n  "private": true,\n  "type": "module"\n}\n' };
}

/** Files that an image must not contain, such as settings with secrets. */
export const DOCKERIGNORE = '**/__pycache__\n**/node_modules\n.git\n.venv\nvenv\n.env\n';

interface Image {
  readonly language: WorkerLanguage;
  /** File that starts the worker. */
  readonly entry: string;
  /** Whether a file lists the packages. */
  readonly hasPackages: boolean;
}

/** Returns a Dockerfile. The full name of its base is unambiguous for Docker and Podman. */
export function dockerfile({ language, entry, hasPackages }: Image): string {
  const { base, packages, command } = images[language];
  return [
    `FROM ${base}`,
    'WORKDIR /app',
    ...(hasPackages
      ? [
          [
            `# ${l10n.t('A layer of its own, so that a change of the code does not install the packages again.')}`,
            ...packages,
          ].join('\n'),
        ]
      : []),
    'COPY . ./',
    `# ${l10n.t('The worker runs without root privileges.')}\nUSER 1000:1000`,
    `CMD ${JSON.stringify([...command, entry]).replaceAll(',', ', ')}`,
  ]
    .join('\n\n')
    .concat('\n');
}

const images = {
  python: {
    base: 'docker.io/library/python:3.13-slim',
    packages: [
      'COPY requirements.txt ./',
      'RUN pip install --no-cache-dir --root-user-action=ignore -r requirements.txt',
    ],
    command: ['python', '-u'],
  },
  node: {
    base: 'docker.io/library/node:24-alpine',
    packages: ['COPY package*.json ./', 'RUN npm install --omit=dev --no-audit --no-fund'],
    command: ['node'],
  },
} as const;
