/** Place of a value in a JSON value. Undefined for the whole value. A deep value has the places of its parents, which are not copied. */
export interface Place {
  /** Name of a member, or index in a list. */
  readonly name: string | number;
  readonly parent: Place | undefined;
}

/** Path of a value, such as `["images", 0]`. */
export type Path = readonly (string | number)[];

export function pathOf(place: Place | undefined): Path {
  const names: (string | number)[] = [];
  for (let at = place; at; at = at.parent) names.push(at.name);
  return names.reverse();
}
