import * as z from 'zod';
import { ResourceId } from '../../contract/control/resourceId.ts';
import { MAX_INTEGER } from '../../contract/bounds.ts';

/*
 * Fields of stored records. The schema of a record is its only description: its type, the check of the database, and the check of an
 * imported snapshot derive from it. IDs, paths, and texts have the forms that this platform creates. Numbers have wider bounds than those
 * of requests, so that harmless ones stay valid if the validation of requests changes.
 */

/** Latest time that a Date can represent, in ms since the epoch. */
export const LATEST_DATE = 8_640_000_000_000_000;

/** Maximum GB, GPUs, and vCPUs: at the highest prices, a month's cost in nano-dollars still fits into 64 bits. */
const MAX_GB = 1_000_000_000;
const MAX_UNITS = 1_000_000;

/** Maximum length of a list in a body of one megabyte. */
export const MAX_ITEMS = 1_000_000;

const upTo = (most: number) => z.int().min(0).max(most);

export const Moment = upTo(LATEST_DATE);
export const Count = upTo(MAX_INTEGER);
export const AtLeastOne = Count.min(1);
export const Gigabytes = upTo(MAX_GB);
export const Units = upTo(MAX_UNITS);
export const Text = z.string().min(1);
export const Texts = z.array(z.string()).max(MAX_ITEMS);

export const AccountId = z.string().regex(/^(owner|(user|team)_[a-z0-9]{20})$/);
export const GlobalVolumeId = z.string().regex(/^gsb_[a-z0-9]{14}$/);
export const VolumeId = z.union([ResourceId, GlobalVolumeId]);

/** Returns the record with the members of the change. Members that the change omits keep their values. */
export function overlay<Value extends object>(
  value: Value,
  change: { readonly [Name in keyof Value]?: Value[Name] | undefined },
): Value {
  return { ...value, ...Object.fromEntries(Object.entries(change).filter(([, member]) => member !== undefined)) };
}
