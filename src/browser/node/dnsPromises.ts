/** A browser cannot look up addresses. It follows no redirect whose target the extension would have to check. */
export const lookup = (name: string): Promise<never> =>
  Promise.reject(new Error(`A browser cannot look up the address of ${name}.`));
