import { columnOf, eolOf } from './lines.ts';
import type { ItemLayout, Layout } from './yamlLayout.ts';
import type { YamlStyle } from './yamlText.ts';

/** Returns the style of a document, from the first map, list, and quoted string inside its maps. */
export function styleOf(text: string, root: Layout | undefined): YamlStyle {
  const items = root ? [...itemsIn(root)] : [];
  const indentOf = (kind: 'map' | 'list') => {
    const indents = items.flatMap(({ key, start, value }) => {
      const isBlock = key !== undefined && value?.kind === kind && !value.flow;
      return isBlock ? [columnOf(text, value.start) - columnOf(text, start)] : [];
    });
    return indents[0];
  };
  const mapIndent = Math.max(1, indentOf('map') ?? 2);
  const quotes = items.map(({ value }) => (value?.kind === 'scalar' ? value.quote : undefined));
  return {
    eol: eolOf(text),
    mapIndent,
    listIndent: indentOf('list') ?? mapIndent,
    singleQuote: quotes.find((quote) => quote !== undefined) === "'",
  };
}

function* itemsIn(layout: Layout): Generator<ItemLayout> {
  if (layout.kind === 'scalar') return;
  for (const item of layout.items) {
    yield item;
    if (item.value) yield* itemsIn(item.value);
  }
}
