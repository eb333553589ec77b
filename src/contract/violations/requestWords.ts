import type { Words } from './words.ts';

/*
 * Violations that only the service detects: they depend on what it stores, or on the whole request. Each code has its data, the
 * parameter, and its message, the result.
 */

type ReferenceKind = 'account' | 'endpoint' | 'global volume' | 'network volume' | 'registry' | 'team' | 'user';

export const requestWords = {
  bodyMissing: () => 'missing: a JSON body',
  notJson: ({ told }: { readonly told: string }) => `is not JSON: ${told}`,
  notYaml: ({ told }: { readonly told: string }) => `is not YAML: ${told}`,
  tooDeep: ({ maximum }: { readonly maximum: number }) => `is nested more than ${maximum} levels deep`,
  notAnEventId: () => 'must be an id of this stream: an RFC 3339 date-time',
  notACursor: () => 'is not a cursor of this listing',

  unknownReference: ({ kind, id }: { readonly kind: ReferenceKind; readonly id: string }) =>
    `there is no ${kind} '${id}'`,
  foreignEndpoint: ({ id }: { readonly id: string }) => `the account has no endpoint '${id}'`,
  unknownPermission: ({ value }: { readonly value: string; readonly known: readonly string[] }) =>
    `there is no permission '${value}'`,
  registryNameTaken: ({ name }: { readonly name: string }) =>
    `there is a container registry credential '${name}' already`,
  idTaken: (() => 'is taken') as Words<{ readonly id: string }>,
  imageMissingInTemplate: () => 'missing',
  volumeShrinks: ({ size }: { readonly size: number }) => `is below the present ${size} GB: volumes only grow`,

  productMissing: () => 'missing: availability is of a product',
  availabilityNotIncluded: () => 'needs include=AVAILABILITY',
  lastNWithWindow: () => 'excludes startTime and endTime',
  windowReversed: () => 'is not before endTime',

  /** A violation that a service reports in its own words, which only people read. */
  toldByService: ({ told }: { readonly told: string }) => told,
};
