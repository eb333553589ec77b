import { stringify } from 'yaml';
import type { Span } from '../../../../text/span.ts';
import { locate } from '../text/locate.ts';
import { parseManifestFile } from '../text/parse.ts';
import type { ManifestLanguage } from '../text/parsed.ts';
import * as l10n from '@vscode/l10n';
import type { EndpointType } from '../../../../contract/endpointSettings.ts';
import type { LocalSettings } from '../../../../contract/localSettings.ts';
import { ROUTE_ENVIRONMENT } from '../../../../contract/route.ts';

/* The text of a new manifest: sections of fields with comments, in YAML or JSON. */

/** Fields that belong together, below a comment. */
export interface Section {
  /** Lines of the comment, without the comment sign. */
  readonly comment?: readonly string[];
  /** Fields of the manifest in the order of the text. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Fields that the text shows as a comment, because the user must complete them. */
  readonly proposed?: Readonly<Record<string, unknown>>;
}

/** Returns the text of a manifest with an empty line between two sections. */
export function manifestText(sections: readonly Section[], language: ManifestLanguage): string {
  return language === 'json' ? jsonText(sections) : sections.map(yamlSection).join('\n');
}

/** Returns the fields of a section in YAML, or its members in JSON, without braces. Every member ends with a comma. */
export function fieldsText(fields: Section['fields'], language: ManifestLanguage): string {
  if (language === 'yaml') return Object.keys(fields).length === 0 ? '' : stringify(fields, { lineWidth: 0 });
  return Object.entries(fields)
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value, null, 2)},\n`)
    .join('');
}

/** Returns the span of the endpoint's name in a manifest. */
export function nameSpan(text: string, language: ManifestLanguage): Span {
  const [part] = parseManifestFile(text, language).parts;
  return locate(part?.root, text, ['name']);
}

function yamlSection({ comment = [], fields, proposed = {} }: Section): string {
  const lines = [...comment, ...linesOf(fieldsText(proposed, 'yaml'))];
  return commented(lines, '#') + fieldsText(fields, 'yaml');
}

function jsonText(sections: readonly Section[]): string {
  const body = sections
    .map(({ comment = [], fields, proposed = {} }) => {
      const lines = [...comment, ...linesOf(fieldsText(proposed, 'json'))];
      return commented(lines, '//') + fieldsText(fields, 'json');
    })
    .join('\n');
  const indented = linesOf(body).map((line) => (line === '' ? '' : `  ${line}`));
  const last = indented.findLastIndex((line) => line !== '' && !line.startsWith('  //'));
  // Many tools reject a comma after the last member.
  if (last >= 0) indented[last] = indented[last]?.replace(/,$/, '') ?? '';
  return `{\n${indented.join('\n')}\n}\n`;
}

function commented(lines: readonly string[], sign: string): string {
  return lines.map((line) => `${sign} ${line}\n`).join('');
}

/** Returns the lines of a text that ends with a line break, or no lines for the empty text. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/* Sections that several kinds of new manifests share. */

/** Returns the section of an image that the user builds. @param build members of `x-build` */
export function buildSection(build: Readonly<Record<string, string>>): Section {
  return {
    comment: [
      l10n.t('A hosted platform runs an image. "Build Image" above builds it with Docker or Podman, and sets "image".'),
      l10n.t('To push it, set "repository" below x-build.'),
    ],
    fields: { 'x-build': build },
  };
}

/** Kind of hardware of an endpoint. */
export type Hardware = 'gpu' | 'cpu';

/** Port of a new load-balanced endpoint. */
export const NEW_PORT = 8000;

/** Returns the section with the name and the type of the endpoint. */
export function headSection(title: string, name: string, type: EndpointType): Section {
  const meaning =
    type === 'QUEUE'
      ? l10n.t('QUEUE: jobs wait in a durable queue until a worker takes them. The type cannot change later.')
      : l10n.t('LOAD_BALANCER: HTTP requests go directly to a worker. The type cannot change later.');
  return {
    comment: [title, l10n.t('To create the endpoint, select "Create Endpoint" above.'), meaning],
    fields: { name, type },
  };
}

/** @param queueDelay time that a job of a queue endpoint can wait, in seconds */
export function scalingSection(type: EndpointType, queueDelay = 4): Section {
  return type === 'QUEUE'
    ? {
        comment: [l10n.t('A worker is added when a job has waited for this number of seconds.')],
        fields: { scaling: { type: 'QUEUE_DELAY', queueDelay } },
      }
    : {
        comment: [l10n.t('One worker runs for this number of concurrent requests.')],
        fields: { scaling: { type: 'REQUEST_COUNT', requestCount: 4 } },
      };
}

export function workersSection(): Section {
  return {
    comment: [
      l10n.t('An idle worker stops after idleTimeout seconds.'),
      l10n.t('A minimum above 0 avoids cold starts. Those workers cost money even when they are idle.'),
    ],
    fields: { workers: { min: 0, max: 3, idleTimeout: 10 } },
  };
}

export function hardwareSection(hardware: Hardware): Section {
  return hardware === 'gpu'
    ? {
        comment: [l10n.t('Each worker has one GPU. The platform tries the pools in this order.')],
        fields: { gpu: { pools: ['ADA_24', 'AMPERE_24'], count: 1 } },
      }
    : {
        comment: [l10n.t('Each worker has this number of vCPUs, a power of two.')],
        fields: { cpu: [{ id: 'cpu3c', vcpuCount: 2 }] },
      };
}

/** Returns the variables that tell a load-balanced worker and the balancer the port and the path of the health check. */
export function routeVariables(port: number, healthPath: string): Record<string, string> {
  return {
    [ROUTE_ENVIRONMENT.port.name]: String(port),
    [ROUTE_ENVIRONMENT.healthPort.name]: String(port),
    [ROUTE_ENVIRONMENT.healthPath.name]: healthPath,
  };
}

/** The comment above the variables of a server that reads its port from the environment. */
export const PORT_COMMENT: readonly string[] = [
  l10n.t('The server reads its port from PORT. The local platform replaces it with a free port for each worker.'),
  l10n.t('A worker receives requests once its health check responds with status 200.'),
];

const GPU_COMMENT = l10n.t('Without "gpu: ignore", each worker waits for free GPUs of this machine.');

/** Returns the settings for a new endpoint. Its workers run on machines without GPUs, too. */
export function newLocalSettings(hardware: Hardware): LocalSettings {
  return hardware === 'gpu' ? { gpu: 'ignore' } : {};
}

/**
 * @param directory directory of the worker, relative to the manifest
 * @param settings other settings for the local platform
 */
export function localSection(
  directory: string,
  command: string | readonly string[],
  settings: LocalSettings = {},
): Section {
  return {
    comment: [
      l10n.t('The command that the local platform runs instead of the image, as a process on this machine.'),
      l10n.t('The directory is relative to this file. No other platform receives x-local.'),
      ...(settings.gpu ? [GPU_COMMENT] : []),
    ],
    fields: { 'x-local': { directory, command, ...settings } },
  };
}

/** Returns the section with settings for the local platform, which runs the image. */
export function localSettingsSection(settings: LocalSettings): Section {
  return {
    comment: [l10n.t('Settings for the local platform. No other platform receives x-local.')],
    fields: { 'x-local': settings },
  };
}

/** Example of an image reference, for manifests whose image the user must set. */
export function exampleImage(name: string): string {
  const repository = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return `registry.example.com/${repository || 'hello'}:1.0`;
}
