import { noChange } from 'lit';
import { Directive, directive, type ElementPart } from 'lit/directive.js';
import type { Place } from './controls.ts';

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
