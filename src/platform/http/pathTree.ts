interface Leaf<T> {
  readonly names: readonly string[];
  readonly value: T;
}

interface Node<T> {
  /** By the text of the next segment. */
  readonly fixed: Map<string, Node<T>>;
  /** For a next segment of any other text. */
  parameter: Node<T> | undefined;
  /** What ends here, by method. */
  readonly leaves: Map<string, Leaf<T>>;
}

export interface Match<T> {
  readonly value: T;
  /** Decoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Finds what is kept for a method and a path among the templates of the contract, in which a segment is a fixed text or, as `{name}`, a
 * parameter: no more is needed, and routing libraries, which know much more, are milliseconds of the platform's start. Fixed texts win over
 * parameters, in whatever order they were added.
 */
export class PathTree<T> {
  readonly #root: Node<T> = emptyNode();

  /** @throws Error when there is something already */
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
    if (node.leaves.has(method)) throw new Error(`${method} ${template} is there twice`);
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

  /** The methods for which there is something at that path. */
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

/** @param values the parameters on the way to what is returned */
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

/** What cannot be decoded stands for itself: nothing has such a name. */
function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
