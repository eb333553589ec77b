import { verbatim, words, type Words, type Wording } from '../words.ts';

/*
 * Violations that depend on the data of the service or on the whole request. Each code is a function from its data to its message. The
 * editor checks a few of them too, with what it knows of the service. Only these have words that it can translate.
 */

type ReferenceKind =
  'account' | 'endpoint' | 'global volume' | 'network volume' | 'registry' | 'team' | 'template' | 'user';

const UNKNOWN: Readonly<Record<ReferenceKind, (id: string) => Words | string>> = {
  registry: (id) => words`there is no registry credential '${id}'`,
  'network volume': (id) => words`there is no network volume '${id}'`,
  'global volume': (id) => words`there is no global volume '${id}'`,
  template: (id) => words`there is no template '${id}'`,
  account: (id) => `there is no account '${id}'`,
  endpoint: (id) => `there is no endpoint '${id}'`,
  team: (id) => `there is no team '${id}'`,
  user: (id) => `there is no user '${id}'`,
};

export const requestWords = {
  bodyMissing: () => 'missing: expected a JSON body',
  notJson: ({ message }: { readonly message: string }) => `is not JSON: ${message}`,
  notYaml: ({ message }: { readonly message: string }) => `is not YAML: ${message}`,
  tooDeep: ({ maximum }: { readonly maximum: number }) => `is nested more than ${maximum} levels deep`,
  notAnEventId: () => 'must be an event ID of this stream: an RFC 3339 date-time',
  notACursor: () => 'is not a cursor of this list',

  unknownReference: ({ kind, id }: { readonly kind: ReferenceKind; readonly id: string }) => UNKNOWN[kind](id),
  podTemplate: ({ id }: { readonly id: string }) => words`'${id}' is not a serverless template`,
  foreignEndpoint: ({ id }: { readonly id: string }) => `the account has no endpoint '${id}'`,
  unknownPermission: ({ value }: { readonly value: string; readonly known: readonly string[] }) =>
    `there is no permission '${value}'`,
  registryNameTaken: ({ name }: { readonly name: string }) =>
    `a container registry credential '${name}' already exists`,
  idTaken: (() => 'is already in use') as Wording<{ readonly id: string }>,
  imageMissingInTemplate: () => 'missing',
  volumeShrinks: ({ size }: { readonly size: number }) =>
    `must be at least the current size of ${size} GB: volumes cannot shrink`,

  productMissing: () => 'missing: required with include=AVAILABILITY',
  availabilityNotIncluded: () => 'requires include=AVAILABILITY',
  lastNWithWindow: () => 'cannot be combined with startTime or endTime',
  windowReversed: () => 'must be before endTime',

  /** Message of a service, for people to read. */
  serviceMessage: ({ message }: { readonly message: string }) => verbatim(message),
};
