import { noChange } from 'lit';
import { Directive, directive, type ElementPart } from 'lit/directive.js';
import type { JobFormPath } from './messages.ts';

/** What a control needs besides its value. */
export interface Place {
  readonly path: JobFormPath;
  readonly id: string;
  readonly isRequired: boolean;
  readonly isInvalid: boolean;
  /** IDs of the elements that describe the control. */
  readonly describedBy: string;
  readonly label: string;
  /** Name of a control without a visible label, such as an item of a list. */
  readonly name?: string;
}

/** Sets the attributes that tell a screen reader about a control. */
class Described extends Directive {
  override render(_place: Place, _options?: { readonly canBeRequired: boolean }): unknown {
    return noChange;
  }

  override update({ element }: ElementPart, [place, options]: Parameters<this['render']>): unknown {
    const attributes = {
      'aria-label': place.name,
      'aria-describedby': place.describedBy || undefined,
      'aria-required': options?.canBeRequired === false ? undefined : String(place.isRequired),
      'aria-invalid': String(place.isInvalid),
    };
    for (const [name, value] of Object.entries(attributes)) {
      if (value === undefined) element.removeAttribute(name);
      else element.setAttribute(name, value);
    }
    return noChange;
  }
}

export const described = directive(Described);
