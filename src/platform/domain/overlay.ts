/** The record with every member that a change gives; what the change leaves out stays. */
export function overlay<Value extends object>(
  value: Value,
  change: { readonly [Name in keyof Value]?: Value[Name] | undefined },
): Value {
  return { ...value, ...Object.fromEntries(Object.entries(change).filter(([, member]) => member !== undefined)) };
}
