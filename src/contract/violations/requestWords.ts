import type { Words } from './words.ts';

/*
 * Violations that only the service detects, because they depend on its data or on the whole request. Each code is a function from its
 * data to its message.
 */

type ReferenceKind =
  'account' | 'endpoint' | 'global volume' | 'network volume' | 'registry' | 'team' | 'template' | 'user';

export const requestWords = {
  bodyMissing: () => 'missing: expected a JSON body',
  notJson: ({ message }: { readonly message: string }) => `is not JSON: ${message}`,
  notYaml: ({ message }: { readonly message: string }) => `is not YAML: ${message}`,
  tooDeep: ({ maximum }: { readonly maximum: number }) => `is nested more than ${maximum} levels deep`,
  notAnEventId: () => 'must be an event ID of this stream: an RFC 3339 date-time',
  notACursor: () => 'is not a cursor of this list',

  unknownReference: ({ kind, id }: { readonly kind: ReferenceKind; readonly id: string }) =>
    `there is no ${kind} '${id}'`,
  podTemplate: ({ id }: { readonly id: string }) => `'${id}' is not a serverless template`,
  foreignEndpoint: ({ id }: { readonly id: string }) => `the account has no endpoint '${id}'`,
  unknownPermission: ({ value }: { readonly value: string; readonly known: readonly string[] }) =>
    `there is no permission '${value}'`,
  registryNameTaken: ({ name }: { readonly name: string }) =>
    `a container registry credential '${name}' already exists`,
  idTaken: (() => 'is already in use') as Words<{ readonly id: string }>,
  imageMissingInTemplate: () => 'missing',
  volumeShrinks: ({ size }: { readonly size: number }) =>
    `must be at least the current size of ${size} GB: volumes cannot shrink`,

  productMissing: () => 'missing: required with include=AVAILABILITY',
  availabilityNotIncluded: () => 'requires include=AVAILABILITY',
  lastNWithWindow: () => 'cannot be combined with startTime or endTime',
  windowReversed: () => 'must be before endTime',

  /** Message of a service, for people to read. */
  serviceMessage: ({ message }: { readonly message: string }) => message,
};
