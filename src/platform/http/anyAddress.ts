/** All interfaces. */
const ANY_ADDRESS = ['0.0.0.0', '::'];

/** Whether the address stands for all interfaces of the machine. */
export const isAnyAddress = (address: string): boolean => ANY_ADDRESS.includes(address);
