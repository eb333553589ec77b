import * as l10n from '@vscode/l10n';
import type { ApiError, ErrorKind } from '../../../client/apiError.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { NetworkVolume } from '../../../contract/networkVolume.ts';
import { volumeMonthlyUsd } from '../../../contract/volumePrices.ts';
import type { Registry } from '../../../contract/registry.ts';
import type { Template } from '../../../contract/template.ts';
import {
  code,
  formatted,
  joinedMarkdown,
  table as tableOf,
  type Markdown,
  type MarkdownValue,
} from '../../../text/markdown.ts';
import { cachePerList } from '../../../kit/cachePerList.ts';
import { namesUsingRegistry } from '../../../account/credentials.ts';
import type { PublicModel } from './actions/publicModels.ts';
import type { Group } from './resourceNode.ts';
import type { Listing, Resources } from './resourceStore.ts';

/** Presentation of a row of the tree. It does not depend on VS Code. */
export interface Row {
  readonly label: string;
  readonly description: string;
  /** Name of a product icon. */
  readonly icon: string | undefined;
  /** Value of `viewItem` in `when` clauses. */
  readonly contextValue: string;
  readonly tooltip: Markdown;
  /** Label for screen readers. */
  readonly spoken: string;
  /** Command that a click runs. */
  readonly command?: NoticeCommand;
}

/** Remedies that a notice can run. */
export type NoticeCommand =
  | 'cloudCompute.registries.create'
  | 'cloudCompute.volumes.create'
  | 'cloudCompute.registries.delete'
  | 'cloudCompute.resources.refresh'
  | 'cloudCompute.connections.replaceKey'
  | 'cloudCompute.images.edit'
  | 'cloudCompute.showLog';

/** Endpoints and templates that can use a resource. They are those that the views have already read. */
export interface Surroundings {
  readonly endpoints: readonly Pick<Endpoint, 'name' | 'registry' | 'mounts' | 'networkVolumes'>[];
  readonly templates: readonly Template[];
}

const titles: Record<Group, { readonly many: string; readonly about: Markdown }> = {
  registries: {
    many: l10n.t('Registry Credentials'),
    about: formatted`Credentials for pulling private images. A manifest names one as \`registry\`. User names and passwords are never shown.`,
  },
  templates: {
    many: l10n.t('Templates'),
    about: formatted`Container settings for creating endpoints. A manifest names one as \`templateId\`.`,
  },
  networkVolumes: {
    many: l10n.t('Network Volumes'),
    about: formatted`Files that workers of one data center share. A manifest mounts them under \`mounts\`.`,
  },
  publicModels: {
    many: l10n.t('Public Models'),
    about: formatted`Models that the platform runs for all accounts. They need no endpoint of your own.`,
  },
};

export function renderGroup<Name extends Group>(group: Name, { items, known, error }: Listing<Resources[Name]>): Row {
  const { many, about } = titles[group];
  const count = known ? String(items.length) : '';
  const description = error && known ? l10n.t`${count}, may be out of date` : count;
  return {
    label: many,
    description,
    icon: undefined,
    contextValue: `group.${group}`,
    tooltip: error ? formatted`${about}\n\n${reason(error)}` : about,
    spoken: [many, description].filter(Boolean).join(', '),
  };
}

/** Returns the notice that replaces the rows of an empty group. Undefined when there are rows, or while the first read is in progress. */
export function renderNotice(group: Group, { items, known, error }: Listing<Resources[Group]>): Row | undefined {
  if (items.length > 0) return undefined;
  if (error && !known) return notice(refusals(group, error.kind), 'warning', reason(error));
  return known ? notice(emptiness[group], 'info', titles[group].about) : undefined;
}

interface Notice {
  readonly text: string;
  /** Label of the command that a click runs. */
  readonly action: string;
  readonly command: NoticeCommand;
}

const again = { action: l10n.t('Try again'), command: 'cloudCompute.resources.refresh' } as const;

const emptiness: Record<Group, Notice> = {
  registries: { text: l10n.t('None yet.'), action: l10n.t('Add one…'), command: 'cloudCompute.registries.create' },
  templates: {
    text: l10n.t('None in this account.'),
    action: l10n.t('Refresh'),
    command: 'cloudCompute.resources.refresh',
  },
  networkVolumes: { text: l10n.t('None yet.'), action: l10n.t('Create one…'), command: 'cloudCompute.volumes.create' },
  publicModels: {
    text: l10n.t('None on this platform.'),
    action: l10n.t('Refresh'),
    command: 'cloudCompute.resources.refresh',
  },
};

function refusals(group: Group, kind: ErrorKind): Notice {
  switch (kind) {
    case 'forbidden':
      return group === 'registries'
        ? {
            text: l10n.t('The API key has no permission to list them.'),
            action: l10n.t('Delete by ID…'),
            command: 'cloudCompute.registries.delete',
          }
        : { text: l10n.t('The API key has no permission to list them.'), ...again };
    case 'unauthorized':
      return {
        text: l10n.t('The API key was not accepted.'),
        action: l10n.t('Replace API key…'),
        command: 'cloudCompute.connections.replaceKey',
      };
    case 'notFound':
      return { text: l10n.t('Not available on this platform.'), ...again };
    case 'rateLimited':
      return { text: l10n.t('Too many requests.'), ...again };
    case 'network':
      return { text: l10n.t('The platform cannot be reached.'), ...again };
    case 'timeout':
      return { text: l10n.t('The platform did not respond in time.'), ...again };
    default:
      return { text: l10n.t('Could not read the list.'), action: l10n.t('Show log'), command: 'cloudCompute.showLog' };
  }
}

function notice({ text, action, command }: Notice, icon: string, tooltip: MarkdownValue): Row {
  return {
    label: text,
    description: action,
    icon,
    contextValue: 'notice',
    tooltip: formatted`${tooltip}`,
    spoken: `${text} ${action}`,
    command,
  };
}

function reason({ message, status }: ApiError): string {
  return status === undefined ? message : `${message} (${status})`;
}

export function renderRegistry({ id, name }: Registry, surroundings: Surroundings, deleting: boolean): Row {
  const endpoints = namesUsingRegistry(surroundings.endpoints, id);
  const templates = namesUsingRegistry(surroundings.templates, id);
  const users = [
    ...endpoints.map((one) => l10n.t`endpoint ${one}`),
    ...templates.map((one) => l10n.t`template ${one}`),
  ];
  const description = deleting
    ? l10n.t('Deleting…')
    : users.length > 0
      ? l10n.t`used by ${userCount(users.length)}`
      : '';
  return {
    label: name,
    description,
    icon: deleting ? 'loading~spin' : 'key',
    contextValue: deleting ? 'deleting' : 'resource.registries',
    tooltip: table(formatted`Registry credential **${name}**`, [
      ['ID', code(id)],
      ...userFacts(l10n.t('Used by'), users),
    ]),
    spoken: [
      l10n.t('Registry credential ') + name,
      ...(deleting ? ['deleting'] : users.length > 0 ? [description] : []),
    ].join(', '),
  };
}

export function renderTemplate(template: Template): Row {
  const { id, name, serverless, image, args, disk, ports, env, category } = template;
  const use = serverless ? l10n.t('serverless') : l10n.t('pods');
  return {
    label: name,
    description: [image, ...(serverless ? [] : [l10n.t('for pods')])].filter(Boolean).join(' · '),
    icon: 'file-code',
    contextValue: 'resource.templates',
    tooltip: table(formatted`Template **${name}**`, [
      [l10n.t('For'), use],
      ...fact(l10n.t('Image'), image && code(image)),
      ...fact(l10n.t('Command'), args && code(args)),
      ...fact(l10n.t('Disk'), disk !== undefined && l10n.t`${disk} GB`),
      ...fact(l10n.t('Ports'), ports?.length && code(ports.join(', '))),
      // Shows names only, because a value can be a secret.
      ...fact(l10n.t('Environment'), env && Object.keys(env).length > 0 && code(Object.keys(env).join(', '))),
      ...fact(l10n.t('Hardware'), category && category),
      ...fact(l10n.t('Public'), template.public === true && 'yes'),
      ['ID', code(id)],
    ]),
    spoken: l10n.t`Template ${name}, for ${use}${image === undefined ? '' : l10n.t`, image ${image}`}`,
  };
}

export function renderVolume({ id, name, size, dataCenter, type }: NetworkVolume, surroundings: Surroundings): Row {
  const users = [...(usersByVolume(surroundings.endpoints).get(id) ?? [])].map((endpoint) => endpoint.name);
  const speed = type === 'HIGH_PERFORMANCE' ? l10n.t('high performance') : type.toLowerCase();
  const mounted =
    users.length === 0
      ? ''
      : users.length === 1
        ? l10n.t`mounted by ${users[0] ?? ''}`
        : l10n.t`mounted by ${users.length} endpoints`;
  return {
    label: name,
    description: [l10n.t`${size} GB · ${dataCenter}`, ...(mounted === '' ? [] : [mounted])].join(' · '),
    icon: 'database',
    contextValue: 'resource.networkVolumes',
    tooltip: table(formatted`Network volume **${name}**`, [
      [l10n.t('Size'), l10n.t`${size} GB`],
      [l10n.t('Data center'), dataCenter],
      [l10n.t('Type'), speed],
      [l10n.t('Price'), l10n.t`about ${dollars.format(volumeMonthlyUsd({ size, type }))} a month`],
      ...userFacts(l10n.t('Mounted by'), users),
      ['ID', code(id)],
    ]),
    spoken: l10n.t`Network volume ${name}, ${size} gigabytes in ${dataCenter}`,
  };
}

/** Returns the row of a public model. Its click edits an image. */
export function renderModel({ id, name, price, inQueue, inProgress }: PublicModel): Row {
  const waiting = inQueue > 0 ? [l10n.t`${inQueue} in queue`] : [];
  const running = inProgress > 0 ? [l10n.t`${inProgress} in progress`] : [];
  const cost = l10n.t`${dollars.format(price)} per image`;
  return {
    label: name,
    description: [cost, ...waiting, ...running].join(' · '),
    icon: 'wand',
    contextValue: 'resource.publicModels',
    tooltip: table(formatted`Public model **${name}**`, [
      [l10n.t('Price'), cost],
      [l10n.t('In queue'), inQueue === 1 ? l10n.t('1 job') : l10n.t`${inQueue} jobs`],
      [l10n.t('In progress'), inProgress === 1 ? l10n.t('1 job') : l10n.t`${inProgress} jobs`],
      [l10n.t('Endpoint ID'), code(id)],
    ]),
    spoken: [l10n.t`Public model ${name}`, cost, ...waiting, ...running].join(', '),
    command: 'cloudCompute.images.edit',
  };
}

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

type Fact = readonly [name: string, value: MarkdownValue];

/** Maximum number of users that are listed by name. */
const MAX_USERS = 20;

function userFacts(relation: string, users: readonly string[]): Fact[] {
  const more = users.length - MAX_USERS;
  const named = users.slice(0, MAX_USERS).map((user): Fact => [relation, user]);
  return more > 0 ? [...named, [relation, l10n.t`${more} more`]] : named;
}

/** Endpoints by the ID of each volume that they name in `networkVolumes` or mount. */
const usersByVolume = cachePerList((endpoints: Surroundings['endpoints']) => {
  const users = new Map<string, Set<Surroundings['endpoints'][number]>>();
  for (const endpoint of endpoints) {
    const mounted = endpoint.mounts?.network?.map(({ volumeId }) => volumeId) ?? [];
    for (const id of [...endpoint.networkVolumes, ...mounted])
      users.set(id, (users.get(id) ?? new Set<typeof endpoint>()).add(endpoint));
  }
  return users;
});

function fact(name: string, value: MarkdownValue | false | undefined): Fact[] {
  return value === undefined || value === false || value === '' || value === 0 ? [] : [[name, value]];
}

function table(title: Markdown, facts: readonly Fact[]): Markdown {
  return joinedMarkdown([title, tableOf(facts)], '\n\n');
}

function userCount(users: number): string {
  return users === 1 ? 'one' : String(users);
}
