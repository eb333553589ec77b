import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { Path } from '../../../../../src/contract/violation.ts';
import { type ManifestEdit, editedValue } from '../../../../../src/features/manifest/model/editing/editedValue.ts';
import { changesOf } from '../../../../../src/features/manifest/model/editing/changesOf.ts';
import { applyChanges } from '../../../../../src/features/manifest/model/editing/textChanges.ts';
import { parseManifestFile } from '../../../../../src/features/manifest/model/text/parse.ts';
import { styledText } from './styledText.ts';

const name = fc.constantFrom('name', 'env', 'cpu', 'PORT', 'x-local', '80', 'yes', 'a b', 'null', '#', '- a');
const text = fc.oneof(
  fc.constantFrom(
    '80',
    'yes',
    '12.4',
    'null',
    '',
    ' a',
    'a: b',
    '# a',
    '- a',
    'a, b',
    '{',
    '*a',
    '&a',
    "it's",
    '"a"',
    '~',
  ),
  fc.constantFrom(
    'a\nb',
    'a\n\nb\n',
    '\n',
    ' a\nb',
    'a \nb',
    'a\n  b\n# c\n',
    'a\n\n',
    '\ta\n',
    'a\r\nb',
    '\u2028',
    '---\n',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ maxLength: 8 }),
);
const leaf = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((x) => !Object.is(x, -0)),
  fc.boolean(),
  fc.constant(null),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    leaf,
    fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
}));
const manifest = fc.dictionary(name, value, { minKeys: 1, maxKeys: 5, noNullPrototype: true });

/** Generates a path that the value has. */
function pathIn(node: unknown): fc.Arbitrary<Path> {
  const children: [string | number, unknown][] = Array.isArray(node)
    ? node.map((item, index) => [index, item])
    : Object.entries(node ?? {});
  if (typeof node !== 'object' || children.length === 0) return fc.constant([]);
  return fc.oneof(
    fc.constant([]),
    fc.constantFrom(...children).chain(([segment, child]) => pathIn(child).map((rest) => [segment, ...rest])),
  );
}

function editOf(node: unknown): fc.Arbitrary<ManifestEdit> {
  const added = name.map((last): Path => [last]);
  return pathIn(node).chain((path) =>
    fc.oneof(
      fc.record({
        kind: fc.constant('set' as const),
        path: fc.constant(path),
        value: path.length > 0 ? value : manifest,
      }),
      fc.record({ kind: fc.constant('set' as const), path: added.map((more) => [...path, ...more]), value }),
      fc.record({
        kind: fc.constant('set' as const),
        path: fc.constantFrom<Path>([...path, 0], [...path, 1], [...path, 'x', 'y'], [...path, 'x', 0]),
        value,
      }),
      fc.record({ kind: fc.constant('remove' as const), path: fc.constant(path) }),
      fc.record({ kind: fc.constant('rename' as const), path: fc.constant(path), name }),
    ),
  );
}

/** Generates a manifest, a text of it, and edits that fit it. */
const cases = manifest.chain((before) =>
  fc.record({
    before: fc.constant(before),
    styled: styledText(before),
    edits: editsOf(before, 2),
  }),
);

interface Edited {
  readonly edits: readonly ManifestEdit[];
  readonly after: unknown;
}

function editsOf(before: unknown, count: number): fc.Arbitrary<Edited> {
  if (count === 0) return fc.constant({ edits: [], after: before });
  return editOf(before).chain((edit) => {
    const after = tryEdit(before, edit);
    if (after === undefined) return editsOf(before, count - 1);
    return editsOf(after, count - 1).map((more) => ({ edits: [edit, ...more.edits], after: more.after }));
  });
}

/** Returns undefined for an edit that does not fit the value. */
function tryEdit(before: unknown, edit: ManifestEdit): unknown {
  try {
    return editedValue(before, edit);
  } catch {
    return undefined;
  }
}

function replacesNoCollection(before: unknown, { kind, path }: ManifestEdit): boolean {
  if (kind === 'remove') return false;
  if (kind === 'rename') return true;
  const current = path.reduce<unknown>((node, segment) => (node as Record<string, unknown> | null)?.[segment], before);
  return typeof current !== 'object' || current === null;
}

/** Returns the comments that `styledText` adds, sorted. */
function commentsOf(text: string): string[] {
  return (text.match(/(?:#|\/\/) (?:note|above|end)(?: \d+)?/g) ?? []).sort();
}

describe('changesOf for random manifests', () => {
  it('gives exactly the edited value', () => {
    fc.assert(
      fc.property(cases, ({ before, styled, edits: { edits, after } }) => {
        const { parts } = parseManifestFile(styled.text, styled.language);
        // The yaml library indents some block scalars wrongly.
        fc.pre(parts.length === 1 && isDeepStrictEqual(parts[0]?.value, before));
        const changes = changesOf({ ...styled, root: parts[0]?.root }, edits);
        assert.ok(changes, 'the edits are possible');
        const edited = applyChanges(styled.text, changes);
        assert.deepEqual(parseManifestFile(edited, styled.language).parts[0]?.value, after);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps every comment if it adds, renames, or replaces a single value', () => {
    fc.assert(
      fc.property(cases, ({ before, styled, edits: { edits } }) => {
        const [edit] = edits;
        fc.pre(edit !== undefined && replacesNoCollection(before, edit));
        const { parts } = parseManifestFile(styled.text, styled.language);
        const [part] = parts;
        fc.pre(part?.problems.length === 0);
        const changes = changesOf({ ...styled, root: part.root }, [edit]) ?? [];
        assert.deepEqual(commentsOf(applyChanges(styled.text, changes)), commentsOf(styled.text));
      }),
      { numRuns: 500 },
    );
  });
});
