interface Leaf<T> {
  readonly names: readonly string[];
  readonly value: T;
}

interface Node<T> {
  /** Nodes by the text of the next segment. */
  readonly fixed: Map<string, Node<T>>;
  /** Node for any other text of the next segment. */
  parameter: Node<T> | undefined;
  /** Values of the paths that end here, by method. */
  readonly leaves: Map<string, Leaf<T>>;
}

export interface Match<T> {
  readonly value: T;
  /** Decoded values of the path's parameters. */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Maps methods and paths to values. A segment of a template is a fixed text or a parameter, written as `{name}`. Fixed texts take
 * precedence over parameters, regardless of the order of `add`. The contract needs no other patterns, and a routing library would add
 * milliseconds to the platform's start.
 */
export class PathTree<T> {
  readonly #root: Node<T> = emptyNode();

  /** @throws Error if the method and template already have a value */
  add(method: string, template: string, value: T): void {
    const names: string[] = [];
    let node = this.#root;
    for (const segment of segmentsOf(template)) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name !== undefined) {
        names.push(name);
        node = node.parameter ??= emptyNode();
      } else {
        const next = node.fixed.get(segment) ?? emptyNode();
        node.fixed.set(segment, next);
        node = next;
      }
    }
    if (node.leaves.has(method)) throw new Error(`${method} ${template} already has a value`);
    node.leaves.set(method, { names, value });
  }

  find(method: string, path: string): Match<T> | undefined {
    const values: string[] = [];
    const leaf = leafOf(this.#root, segmentsOf(path), method, values);
    if (!leaf) return undefined;
    const parameters: Record<string, string> = {};
    for (const [index, name] of leaf.names.entries()) parameters[name] = decoded(values[index] ?? '');
    return { value: leaf.value, parameters };
  }

  /** Returns the methods that have a value at the path. */
  methods(path: string): string[] {
    const methods = new Set<string>();
    collectMethods(this.#root, segmentsOf(path), methods);
    return [...methods];
  }
}

function emptyNode<T>(): Node<T> {
  return { fixed: new Map(), parameter: undefined, leaves: new Map() };
}

function segmentsOf(path: string): string[] {
  return path.split('/').slice(1);
}

/** @param values receives the values of the parameters on the way to the returned leaf */
function leafOf<T>(
  node: Node<T>,
  segments: readonly string[],
  method: string,
  values: string[],
  at = 0,
): Leaf<T> | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.leaves.get(method);
  const fixed = node.fixed.get(segment);
  const leaf = fixed && leafOf(fixed, segments, method, values, at + 1);
  if (leaf || !node.parameter || segment === '') return leaf;
  values.push(segment);
  const found = leafOf(node.parameter, segments, method, values, at + 1);
  if (!found) values.pop();
  return found;
}

function collectMethods<T>(node: Node<T>, segments: readonly string[], methods: Set<string>, at = 0): void {
  const segment = segments[at];
  if (segment === undefined) {
    for (const method of node.leaves.keys()) methods.add(method);
    return;
  }
  const fixed = node.fixed.get(segment);
  if (fixed) collectMethods(fixed, segments, methods, at + 1);
  if (node.parameter && segment !== '') collectMethods(node.parameter, segments, methods, at + 1);
}

/** Decodes a segment. Returns an invalid one unchanged, because no resource has such a name. */
function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
