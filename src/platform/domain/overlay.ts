/** Returns the record with the members of the change. Members that the change omits keep their values. */
export function overlay<Value extends object>(
  value: Value,
  change: { readonly [Name in keyof Value]?: Value[Name] | undefined },
): Value {
  return { ...value, ...Object.fromEntries(Object.entries(change).filter(([, member]) => member !== undefined)) };
}
