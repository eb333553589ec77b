import type { ApiError, ErrorKind } from '../../client/apiError.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { NetworkVolume } from '../../contract/networkVolume.ts';
import type { Registry } from '../../contract/registry.ts';
import type { Template } from '../../contract/template.ts';
import {
  code,
  formatted,
  joinedMarkdown,
  table as tableOf,
  type Markdown,
  type MarkdownValue,
} from '../../vscode/text/markdown.ts';
import { count } from '../../vscode/text/quantities.ts';
import { cachePerList } from '../cachePerList.ts';
import { namesUsingRegistry } from './actions/credentials.ts';
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
    many: 'Registry Credentials',
    about: formatted`Credentials for pulling private images. A manifest names one as \`registry\`. User names and passwords are never shown.`,
  },
  templates: {
    many: 'Templates',
    about: formatted`Container settings for creating endpoints. A manifest names one as \`templateId\`.`,
  },
  networkVolumes: {
    many: 'Network Volumes',
    about: formatted`Files that workers of one data center share. A manifest mounts them under \`mounts\`.`,
  },
  publicModels: {
    many: 'Public Models',
    about: formatted`Models that the platform runs for all accounts. They need no endpoint of your own.`,
  },
};

export function renderGroup<Name extends Group>(group: Name, { items, known, error }: Listing<Resources[Name]>): Row {
  const { many, about } = titles[group];
  const count = known ? String(items.length) : '';
  const description = error && known ? `${count}, may be out of date` : count;
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

const again = { action: 'Try again', command: 'cloudCompute.resources.refresh' } as const;

const emptiness: Record<Group, Notice> = {
  registries: { text: 'None yet.', action: 'Add one…', command: 'cloudCompute.registries.create' },
  templates: { text: 'None in this account.', action: 'Refresh', command: 'cloudCompute.resources.refresh' },
  networkVolumes: { text: 'None in this account.', action: 'Refresh', command: 'cloudCompute.resources.refresh' },
  publicModels: { text: 'None on this platform.', action: 'Refresh', command: 'cloudCompute.resources.refresh' },
};

function refusals(group: Group, kind: ErrorKind): Notice {
  switch (kind) {
    case 'forbidden':
      return group === 'registries'
        ? {
            text: 'The API key has no permission to list them.',
            action: 'Delete by ID…',
            command: 'cloudCompute.registries.delete',
          }
        : { text: 'The API key has no permission to list them.', ...again };
    case 'unauthorized':
      return {
        text: 'The API key was not accepted.',
        action: 'Replace API key…',
        command: 'cloudCompute.connections.replaceKey',
      };
    case 'notFound':
      return { text: 'Not available on this platform.', ...again };
    case 'rateLimited':
      return { text: 'Too many requests.', ...again };
    case 'network':
      return { text: 'The platform cannot be reached.', ...again };
    case 'timeout':
      return { text: 'The platform did not respond in time.', ...again };
    default:
      return { text: 'Could not read the list.', action: 'Show log', command: 'cloudCompute.showLog' };
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
  const users = [...endpoints.map((one) => `endpoint ${one}`), ...templates.map((one) => `template ${one}`)];
  const description = deleting ? 'Deleting…' : users.length > 0 ? `used by ${userCount(users.length)}` : '';
  return {
    label: name,
    description,
    icon: deleting ? 'loading~spin' : 'key',
    contextValue: deleting ? 'deleting' : 'resource.registries',
    tooltip: table(formatted`Registry credential **${name}**`, [['ID', code(id)], ...userFacts('Used by', users)]),
    spoken: ['Registry credential ' + name, ...(deleting ? ['deleting'] : users.length > 0 ? [description] : [])].join(
      ', ',
    ),
  };
}

export function renderTemplate(template: Template): Row {
  const { id, name, serverless, image, args, disk, ports, env, category } = template;
  const use = serverless ? 'serverless' : 'pods';
  return {
    label: name,
    description: [image, ...(serverless ? [] : ['for pods'])].filter(Boolean).join(' · '),
    icon: 'file-code',
    contextValue: 'resource.templates',
    tooltip: table(formatted`Template **${name}**`, [
      ['For', use],
      ...fact('Image', image && code(image)),
      ...fact('Command', args && code(args)),
      ...fact('Disk', disk !== undefined && `${disk} GB`),
      ...fact('Ports', ports?.length && code(ports.join(', '))),
      // Shows names only, because a value can be a secret.
      ...fact('Environment', env && Object.keys(env).length > 0 && code(Object.keys(env).join(', '))),
      ...fact('Hardware', category && category),
      ...fact('Public', template.public === true && 'yes'),
      ['ID', code(id)],
    ]),
    spoken: `Template ${name}, for ${use}${image === undefined ? '' : `, image ${image}`}`,
  };
}

export function renderVolume({ id, name, size, dataCenter, type }: NetworkVolume, surroundings: Surroundings): Row {
  const users = [...(usersByVolume(surroundings.endpoints).get(id) ?? [])].map((endpoint) => endpoint.name);
  const speed = type === 'HIGH_PERFORMANCE' ? 'high performance' : type.toLowerCase();
  return {
    label: name,
    description: `${size} GB · ${dataCenter}`,
    icon: 'database',
    contextValue: 'resource.networkVolumes',
    tooltip: table(formatted`Network volume **${name}**`, [
      ['Size', `${size} GB`],
      ['Data center', dataCenter],
      ['Type', speed],
      ...userFacts('Mounted by', users),
      ['ID', code(id)],
    ]),
    spoken: `Network volume ${name}, ${size} gigabytes in ${dataCenter}`,
  };
}

/** Returns the row of a public model. Its click edits an image. */
export function renderModel({ id, name, price, inQueue, inProgress }: PublicModel): Row {
  const waiting = inQueue > 0 ? [`${inQueue} in queue`] : [];
  const running = inProgress > 0 ? [`${inProgress} in progress`] : [];
  const cost = `${dollars.format(price)} per image`;
  return {
    label: name,
    description: [cost, ...waiting, ...running].join(' · '),
    icon: 'wand',
    contextValue: 'resource.publicModels',
    tooltip: table(formatted`Public model **${name}**`, [
      ['Price', cost],
      ['In queue', count(inQueue, 'job')],
      ['In progress', count(inProgress, 'job')],
      ['Endpoint ID', code(id)],
    ]),
    spoken: [`Public model ${name}`, cost, ...waiting, ...running].join(', '),
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
  return more > 0 ? [...named, [relation, `${more} more`]] : named;
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
