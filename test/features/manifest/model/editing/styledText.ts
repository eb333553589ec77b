import fc from 'fast-check';
import { Document, isCollection, isScalar, Scalar, visit } from 'yaml';
import type { ManifestLanguage } from '../../../../../src/features/manifest/model/text/node.ts';

/** A text of a value, in a style that a person could choose. */
export interface StyledText {
  readonly language: ManifestLanguage;
  readonly text: string;
}

/** Generates texts of a value. They have comments, both collection styles, all quotation marks, and both line breaks. */
export function styledText(value: unknown): fc.Arbitrary<StyledText> {
  return fc
    .record({
      choices: fc.infiniteStream(fc.nat({ max: 11 })),
      indent: fc.constantFrom(2, 3, 4),
      indentSeq: fc.boolean(),
      crlf: fc.boolean(),
      trailing: fc.constantFrom('', '\n', '\n\n# end\n'),
    })
    .chain((style) => fc.constantFrom(yamlOf(value, style), jsonOf(value, style)));
}

interface Style {
  readonly choices: fc.Stream<number>;
  readonly indent: number;
  readonly indentSeq: boolean;
  readonly crlf: boolean;
  readonly trailing: string;
}

function yamlOf(value: unknown, { choices, indent, indentSeq, crlf, trailing }: Style): StyledText {
  const next = chooser(choices);
  const document = new Document(value);
  let comments = 0;
  visit(document, {
    Node(key, node) {
      if (isCollection(node)) node.flow = next() < 3;
      if (isScalar(node) && typeof node.value === 'string' && key !== 'key')
        node.type = ([Scalar.QUOTE_DOUBLE, Scalar.QUOTE_SINGLE] as const)[next() % 3] ?? Scalar.PLAIN;
      if (isScalar(node) && next() < 2) node.comment = ` note ${comments++}`;
      if (isScalar(node) && key === 'key' && next() < 2) node.commentBefore = ` above ${comments++}`;
    },
  });
  const text = document.toString({ indent, indentSeq, lineWidth: 0 }).trimEnd() + trailing;
  return { language: 'yaml', text: crlf ? text.replaceAll('\n', '\r\n') : text };
}

function jsonOf(value: unknown, { choices, indent, crlf, trailing }: Style): StyledText {
  const next = chooser(choices);
  let comments = 0;
  const comment = () => (next() < 2 ? ` // note ${comments++}` : '');
  const text = render(value, '') + trailing.replace('#', '//');
  return { language: 'json', text: crlf ? text.replaceAll('\n', '\r\n') : text };

  function render(node: unknown, margin: string): string {
    if (typeof node !== 'object' || node === null) return JSON.stringify(node);
    const isList = Array.isArray(node);
    const [open, close] = isList ? ['[', ']'] : ['{', '}'];
    const isInline = next() < 3;
    const inner = isInline ? margin : margin + ' '.repeat(indent);
    const items = Object.entries(node).map(
      ([name, item]) => (isList ? '' : `${JSON.stringify(name)}: `) + render(item, inner),
    );
    if (items.length === 0) return open + close;
    const isTrailing = next() < 3;
    const withCommas = items.map((item, index) => (index < items.length - 1 || isTrailing ? `${item},` : item));
    if (isInline) return `${open} ${withCommas.join(' ')} ${close}`;
    return `${open}\n${withCommas.map((item) => `${inner}${item}${comment()}\n`).join('')}${margin}${close}`;
  }
}

/** Returns a function with one more choice per call. */
function chooser(choices: fc.Stream<number>): () => number {
  const iterator = choices[Symbol.iterator]();
  return () => (iterator.next() as IteratorResult<number, number>).value;
}
