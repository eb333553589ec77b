import type { OfferedValues } from '../../../../account/liveValues/liveValues.ts';
import type { Path } from '../../../../contract/violation.ts';
import { DraftRules } from '../draft.ts';
import { nested } from '../editing/editedValue.ts';
import { fieldAt, kindsOf } from '../fields/fieldSchema.ts';
import type { ParsedFile } from '../text/parsed.ts';
import type { Completion } from './entries.ts';
import { fieldCompletions, snippetCompletions } from './fieldCompletions.ts';
import { placesAt, type Place } from './place.ts';
import { writingAt } from './sketch.ts';
import { valueCompletions } from './valueCompletions.ts';

export type { Completion };

/** Returns the completions at an offset. Never waits, never throws, and accepts every half-typed text. */
export function completionsAt(file: ParsedFile, offset: number, live: OfferedValues): readonly Completion[] {
  const { text } = file;
  for (const place of placesAt(file, offset)) {
    const rules = new DraftRules(place.draft);
    const { path, prefix, role, style, afterColon } = place;
    const fieldOf = (inner: Path) => fieldAt([...prefix, ...inner], nested(prefix, rules.draft));
    const field = fieldOf(path);
    if (!field) continue;
    const isMap = kindsOf(field.schema).includes('map');
    const request = { text, place, live, rules, writing: writingAt(text, place) };
    if (role === 'field') {
      if (!isMap) continue;
      const whole = isEmptyPart(place) ? snippetCompletions(request, field) : [];
      return [...whole, ...fieldCompletions(request, field.schema)];
    }
    // Fields follow without braces where a block can begin.
    if (isMap && style === 'block' && !afterColon) continue;
    const holdsVariables = fieldOf(path.slice(0, -1))?.schema['x-variables'] === true;
    return valueCompletions(request, field, holdsVariables);
  }
  return [];
}

/** Returns whether the cursor is in a document without fields. */
function isEmptyPart({ path, prefix, members, hasColon, style }: Place): boolean {
  return style === 'block' && path.length + prefix.length === 0 && members.length === 0 && !hasColon;
}
