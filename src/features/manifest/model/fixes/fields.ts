import type { Path } from '../../../../contract/violation.ts';
import type { ManifestEdit } from '../edit.ts';
import { isFields, type Fields } from '../editing/effectiveValue.ts';

/** Containers that mean the same as a missing field if they are empty. */
const OPTIONAL: readonly (string | number)[] = [
  ...['workers', 'mounts', 'network', 'global', 'networkVolumes', 'dataCenterIds', 'excludedTypes'],
  ...['allowedCudaVersions', 'env', 'ports', 'cmd', 'entrypoint', 'x-local'],
];

/** Returns the value at a path, or undefined. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((node, segment) => {
    if (Array.isArray(node)) return node[Number(segment)] as unknown;
    return isFields(node) && Object.hasOwn(node, segment) ? node[String(segment)] : undefined;
  }, value);
}

export function listAt(value: unknown, path: Path): readonly unknown[] {
  const list = valueAt(value, path);
  return Array.isArray(list) ? list : [];
}

/** Returns the strings of a list in a manifest. */
export function stringsAt(value: unknown, path: Path): readonly string[] {
  return listAt(value, path).filter((item) => typeof item === 'string');
}

/** Returns the edit that removes a field, together with optional parents that would be empty. */
export function removal(manifest: Fields, path: Path): ManifestEdit {
  const parent = path.slice(0, -1);
  const container = valueAt(manifest, parent);
  const isEmptied = typeof container === 'object' && container !== null && Object.keys(container).length === 1;
  return isEmptied && OPTIONAL.includes(parent.at(-1) ?? '') ? removal(manifest, parent) : { kind: 'remove', path };
}

/** Returns the edits that remove the fields that the manifest has. */
export function removals(manifest: Fields, ...paths: readonly Path[]): ManifestEdit[] {
  return paths.filter((path) => valueAt(manifest, path) !== undefined).map((path) => removal(manifest, path));
}
