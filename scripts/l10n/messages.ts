import ts from 'typescript';

/*
 * The texts that the extension shows. `l10n.t`, the template tags `shown` and `formatted`, and `count` look up their English text in the
 * bundle of the editor's language. The tag `words` of the contract keeps its template, and `ruleMessage` looks it up. The compiler's parser
 * finds these calls: the extractor of VS Code does not know the tags, and reads a template inside another one incorrectly.
 */

/** Tags whose templates are texts. */
const TAGS: ReadonlySet<string> = new Set(['l10n.t', 'shown', 'formatted', 'words']);
const COUNTS: ReadonlySet<string> = new Set(['count', 'counted']);
/** A text without letters, such as an icon with a name, is the same in all languages. */
const HAS_LETTER = /\p{L}/u;

/** Returns the texts of a source file. @throws {Error} if a text is not constant, because it could not be translated */
export function messagesIn(source: string): string[] {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    found.push(...messagesAt(node));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found.filter((message) => HAS_LETTER.test(message.replaceAll(/\{\d+\}|\$\([\w~-]+\)/g, '')));
}

function messagesAt(node: ts.Node): string[] {
  if (ts.isTaggedTemplateExpression(node)) {
    return TAGS.has(node.tag.getText()) ? [templateText(node.template)] : [];
  }
  if (!ts.isCallExpression(node)) return [];
  const name = node.expression.getText();
  const [first, second] = node.arguments;
  if (name === 'l10n.t' && first) return constantText(first);
  if (COUNTS.has(name) && second && ts.isStringLiteralLike(second))
    return [`{0} ${second.text}`, `{0} ${second.text}s`];
  return [];
}

function templateText(template: ts.TemplateLiteral): string {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return template.text;
  return template.templateSpans.reduce(
    (text, { literal }, index) => `${text}{${index}}${literal.text}`,
    template.head.text,
  );
}

/**
 * Returns no text for a variable: its text is extracted where it is written. A comment tells texts with several meanings apart, and follows
 * the text as in the keys of `l10n.t`.
 */
function constantText(expression: ts.Expression): string[] {
  if (ts.isStringLiteralLike(expression)) return [expression.text];
  if (!ts.isObjectLiteralExpression(expression)) return [];
  const members = new Map(
    expression.properties.filter(ts.isPropertyAssignment).map(({ name, initializer }) => [name.getText(), initializer]),
  );
  const [message, comment] = [members.get('message'), members.get('comment')];
  return message && comment && ts.isStringLiteralLike(message) && ts.isStringLiteralLike(comment)
    ? [`${message.text}/${comment.text}`]
    : [];
}
