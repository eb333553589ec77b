import * as z from 'zod';

/* Facts about fields that JSON Schema has no keyword for. `manifestJsonSchema` adds them as keywords with the prefix `x-`. */

/** Unit of a number. */
export type Unit = 'ms' | 's' | 'GB';

/** Kind of object that a value identifies, or that offers the value. */
export type Reference =
  | 'gpuPool'
  | 'gpuType'
  | 'cpuFlavor'
  | 'vcpuCount'
  | 'cudaVersion'
  | 'dataCenter'
  | 'registry'
  | 'template'
  | 'networkVolume'
  | 'globalVolume';

export interface FieldFacts {
  readonly unit?: Unit;
  readonly refersTo?: Reference;
  /** Whether a higher number can cost more. */
  readonly costs?: true;
  /** Whether the values of a map can contain references such as `${env:NAME}`. */
  readonly holdsVariables?: true;
}

/** Facts of schemas, by schema. Unlike `meta`, they do not appear in the OpenAPI document. */
export const fieldFacts = z.registry<FieldFacts>();
